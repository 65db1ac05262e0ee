/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "argument.h"
#include "program.h"

int main(int argc, char **argv) {
	static const struct argument arguments[] = {{"ROUNDS", 1000000, 1, 40000000}};
	unsigned long rounds;
	arguments_parse(argc, argv, arguments, 1, &rounds);
	char text[TEXT_BYTES];
	text_fill(text);
	uint32_t counts[KIND_COUNT] = {0};
	while (rounds-- > 0)
		tally(text, TEXT_BYTES, counts);
	enum kind order[KIND_COUNT];
	rank(counts, order);
	show(counts, order);
	printf("checksum %08x\n", (unsigned)fold(counts, order));
	return 0;
}
