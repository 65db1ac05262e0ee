/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_equal(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) = *peek(m, 0) == right;
}

void op_less(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) = *peek(m, 0) < right;
}

void op_greater(struct machine *m) {
	uint32_t right = pop(m);
	*peek(m, 0) = *peek(m, 0) > right;
}

void op_zero(struct machine *m) {
	*peek(m, 0) = *peek(m, 0) == 0;
}

void op_minimum(struct machine *m) {
	uint32_t right = pop(m);
	if (right < *peek(m, 0))
		*peek(m, 0) = right;
}

void op_maximum(struct machine *m) {
	uint32_t right = pop(m);
	if (right > *peek(m, 0))
		*peek(m, 0) = right;
}

/* value low high → value moved into low … high */
void op_clamp(struct machine *m) {
	uint32_t high = pop(m), low = pop(m);
	if (*peek(m, 0) < low)
		*peek(m, 0) = low;
	else if (*peek(m, 0) > high)
		*peek(m, 0) = high;
}

/* value low high → 1 if value lies in low … high, else 0 */
void op_between(struct machine *m) {
	uint32_t high = pop(m), low = pop(m), value = *peek(m, 0);
	*peek(m, 0) = value >= low && value <= high;
}
