/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_add(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) += right;
}

void op_sub(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) -= right;
}

void op_mul(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) *= right;
}

void op_divide(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) = right ? *peek(m, 0) / right : 0;
}

void op_modulo(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) = right ? *peek(m, 0) % right : 0;
}

void op_negate(struct machine *m) {
	*peek(m, 0) = -*peek(m, 0);
}

void op_increment(struct machine *m) {
	*peek(m, 0) += 1;
}

void op_average(struct machine *m) {
	uint32_t right = pop(m), left = *peek(m, 0);
	*peek(m, 0) = (left & right) + ((left ^ right) >> 1);
}
