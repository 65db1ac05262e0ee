/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over two arrays at every distance around 0 and around multiples of 4096: apart, aliasing and overlapping. Prints
 * a hash of all memory after each loop. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 15, FIRST = 1 << 13, REACH = 160, LONGEST = 75 };

static unsigned char memory[BYTES] __attribute__((aligned(4096)));
static float weight[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

#define LOOP __attribute__((noinline, noclone)) void

LOOP smooth(long count, const float *from, float *to) {
	for (long at = 2; at < count - 2; at++) {
		to[at] = 0;
		for (int near = -2; near <= 2; near++)
			to[at] += from[at + near] * weight[near + 2];
	}
}

LOOP scale(long count, const float *from, float *to) {
	for (long at = 0; at < count; at++)
		to[at] += 3 * from[at];
}

LOOP backwards(long count, const short *from, short *to) {
	for (long at = count - 2; at >= 0; at--)
		to[at] = (short)(from[at] + 3 * from[at + 1]);
}

LOOP by_threes(long count, const int *from, int *to) {
	for (long at = 0; at < count; at++) {
		to[3 * at] = from[3 * at + 1];
		to[3 * at + 2] = from[3 * at] ^ (int)at;
	}
}

LOOP bytes(long count, const char *from, char *to) {
	for (long at = 0; at < count; at++)
		to[at] = (char)(from[at] + 1);
}

LOOP ahead(long count, const int *from, int *to) {
	for (long at = 0; at < count; at++)
		to[at] = from[at] - to[at + 1];
}

LOOP behind(long count, const int *from, int *to) {
	for (long at = 20; at < count; at++)
		to[at] = from[at] - to[at - 9];
}

static uint64_t hash(uint64_t hash) {
	uint64_t words[BYTES / 8];
	memcpy(words, memory, sizeof words);
	for (int i = 0; i < BYTES / 8; i++)
		hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#define EACH(call)                                                                    \
	do {                                                                              \
		uint64_t sum = 1;                                                             \
		for (int page = -4096; page <= 4096; page += 4096)                            \
			for (int shift = -REACH; shift <= REACH; shift += 4)                      \
				for (long count = 3; count <= LONGEST; count += 24) {                 \
					for (int i = 0; i < BYTES / 4; i++)                               \
						((float *)memory)[i] = (float)(i * 7 % 61);                   \
					void *from = memory + FIRST, *to = memory + FIRST + page + shift; \
					call;                                                             \
					sum = hash(sum);                                                  \
				}                                                                     \
		printf("%s %016llx\n", #call, (unsigned long long)sum);                       \
	} while (0)

int main(void) {
	EACH(smooth(count, from, to));
	EACH(scale(count, from, to));
	EACH(backwards(count, from, to));
	EACH(by_threes(count, from, to));
	EACH(bytes(count, from, to));
	EACH(ahead(count, from, to));
	EACH(behind(count, from, to));
	return 0;
}
