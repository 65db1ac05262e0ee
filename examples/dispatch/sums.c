/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checksums of the text, and functions that mix a word's bits. */
#include "operations.h"

void op_multiply_sum(struct machine *m) {
	uint32_t sum = 7;
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		sum = (sum ^ m->text[i]) * 0x01000193;
	push(m, sum);
}

void op_shift_sum(struct machine *m) {
	uint32_t sum = 7;
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		sum = (sum << 5) - sum + m->text[i];
	push(m, sum);
}

/* Pushes a word: the sum of the bytes in its lower half, the sum of the sums in its upper half. */
void op_two_sums(struct machine *m) {
	uint32_t first = 1, second = 0;
	for (uint32_t i = 0; i < TEXT_BYTES; i++) {
		first += m->text[i];
		second += first;
	}
	push(m, second << 16 | (first & 0xffff));
}

/* x → the text as a polynomial's coefficients, at x */
void op_polynomial(struct machine *m) {
	uint32_t value = 0;
	for (uint32_t i = 0; i < TEXT_BYTES; i++)
		value = value * *peek(m, 0) + m->text[i];
	*peek(m, 0) = value;
}

/* The word's CRC under the reflected polynomial of IEEE 802.3, a bit at a time. */
void op_crc(struct machine *m) {
	uint32_t word = *peek(m, 0);
	for (int i = 0; i < 32; i++)
		word = word & 1 ? word >> 1 ^ 0xedb88320 : word >> 1;
	*peek(m, 0) = word;
}

void op_mix(struct machine *m) {
	uint32_t word = *peek(m, 0);
	for (int i = 0; i < 4; i++)
		word = (word ^ word >> 15) * 0x9e3779b1;
	*peek(m, 0) = word;
}

/* Sixteen steps of a linear congruential generator. */
void op_generator(struct machine *m) {
	uint32_t word = *peek(m, 0);
	for (int i = 0; i < 16; i++)
		word = word * 1664525 + 1013904223;
	*peek(m, 0) = word;
}

/* Gray code to binary. */
void op_gray(struct machine *m) {
	uint32_t word = *peek(m, 0);
	for (uint32_t shifted = word >> 1; shifted; shifted >>= 1)
		word ^= shifted;
	*peek(m, 0) = word;
}
