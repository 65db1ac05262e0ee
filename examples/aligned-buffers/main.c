/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks over a pair of large heap blocks. malloc makes both begin at the same offset in their pages. */
#include "argument.h"
#include "smooth.h"

enum { WORDS = 64 * 1024 };

static uint32_t *block(size_t bytes) {
	uint32_t *memory = calloc(1, bytes);
	if (memory)
		return memory;
	fputs("aligned-buffers: out of memory\n", stderr);
	exit(4);
}

static uint32_t checksum(const uint32_t *words, size_t count) {
	uint32_t sum = 0;
	for (size_t i = 0; i < count; i++)
		sum = sum * 31 + words[i];
	return sum;
}

int main(int argc, char **argv) {
	static const struct argument arguments[] = {{"OFFSET_BYTES", 0, 0, 4096}, {"PASSES", 1500, 1, 1000000000}};
	unsigned long value[2];
	arguments_parse(argc, argv, arguments, 2, value);
	if (value[0] % sizeof(uint32_t)) {
		fprintf(stderr, "%s: OFFSET_BYTES must be a multiple of %zu, not %lu\n", argv[0], sizeof(uint32_t),
		        value[0]);
		return 2;
	}
	uint32_t *from = block(WORDS * sizeof(*from));
	uint32_t *to = block(WORDS * sizeof(*to) + value[0]);
	uint32_t *shifted = to + value[0] / sizeof(*to);
	for (uint32_t i = 0; i < WORDS; i++)
		from[i] = i;
	for (unsigned long pass = 0; pass < value[1]; pass++) {
		from[pass % WORDS]++;
		smooth(from, shifted, WORDS);
	}
	printf("checksum %08x\n", (unsigned)checksum(shifted, WORDS));
	free(to);
	free(from);
	return 0;
}
