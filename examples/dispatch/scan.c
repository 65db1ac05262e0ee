/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_ones(struct machine *m) {
	uint32_t ones = 0;
	for (uint32_t word = *peek(m, 0); word; word &= word - 1)
		ones++;
	*peek(m, 0) = ones;
}

void op_leading(struct machine *m) {
	uint32_t zeros = 0;
	for (uint32_t bit = 1u << 31; bit && !(*peek(m, 0) & bit); bit >>= 1)
		zeros++;
	*peek(m, 0) = zeros;
}

void op_trailing(struct machine *m) {
	uint32_t zeros = 0;
	for (uint32_t bit = 1; bit && !(*peek(m, 0) & bit); bit <<= 1)
		zeros++;
	*peek(m, 0) = zeros;
}

/* The length of the longest run of ones. */
void op_longest_run(struct machine *m) {
	uint32_t length = 0;
	for (uint32_t word = *peek(m, 0); word; word &= word << 1)
		length++;
	*peek(m, 0) = length;
}

/* The bits in reverse order. */
void op_mirror(struct machine *m) {
	uint32_t word = *peek(m, 0), mirrored = 0;
	for (int i = 0; i < 32; i++, word >>= 1)
		mirrored = mirrored << 1 | (word & 1);
	*peek(m, 0) = mirrored;
}

/* value → the first address in memory that holds it, or MEMORY_WORDS */
void op_find(struct machine *m) {
	uint32_t place = 0;
	while (place < MEMORY_WORDS && m->memory[place] != *peek(m, 0))
		place++;
	*peek(m, 0) = place;
}

/* limit → the number of words in memory that are smaller */
void op_count(struct machine *m) {
	uint32_t below = 0;
	for (uint32_t i = 0; i < MEMORY_WORDS; i++)
		if (m->memory[i] < *peek(m, 0))
			below++;
	*peek(m, 0) = below;
}

void op_largest(struct machine *m) {
	uint32_t largest = 0;
	for (uint32_t i = 0; i < MEMORY_WORDS; i++)
		if (m->memory[i] > largest)
			largest = m->memory[i];
	push(m, largest);
}
