/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_and(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) &= right;
}

void op_or(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) |= right;
}

void op_xor(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) ^= right;
}

void op_invert(struct machine *m) {
	*peek(m, 0) = ~*peek(m, 0);
}

void op_shift_left(struct machine *m) {
	uint32_t places = pop(m) % 32;
	*peek(m, 0) <<= places;
}

void op_shift_right(struct machine *m) {
	uint32_t places = pop(m) % 32;
	*peek(m, 0) >>= places;
}

void op_rotate_left(struct machine *m) {
	uint32_t places = pop(m) % 32, word = *peek(m, 0);
	*peek(m, 0) = word << places | word >> (32 - places) % 32;
}

void op_byte_swap(struct machine *m) {
	uint32_t word = *peek(m, 0);
	*peek(m, 0) = word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}
