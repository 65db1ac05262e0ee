/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_literal(struct machine *m) {
	push(m, operand(m));
}

void op_wide(struct machine *m) {
	uint32_t high = operand(m);
	push(m, high << 8 | operand(m));
}

void op_dup(struct machine *m) {
	push(m, *peek(m, 0));
}

void op_drop(struct machine *m) {
	pop(m);
}

void op_swap(struct machine *m) {
	uint32_t word = *peek(m, 0);
	*peek(m, 0) = *peek(m, 1);
	*peek(m, 1) = word;
}

void op_over(struct machine *m) {
	push(m, *peek(m, 1));
}

void op_rotate(struct machine *m) {
	uint32_t third = *peek(m, 2);
	*peek(m, 2) = *peek(m, 1);
	*peek(m, 1) = *peek(m, 0);
	*peek(m, 0) = third;
}

void op_nip(struct machine *m) {
	uint32_t word = pop(m);
	*peek(m, 0) = word;
}
