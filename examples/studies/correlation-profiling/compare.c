/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One load, reached from two calls in an order without a pattern: from the first it always finds the same line, from the
 * second always a new one. Ref: Mowry and Luk 1997, section 5.1.1 (cmppt of eqntott). */
#include "start.h"

enum { CALLS = 50000, LINES = 8192 };

static struct line {
	int value[LINE / sizeof(int)];
} same __attribute__((aligned(LINE))), lines[LINES] __attribute__((aligned(LINE)));

static __attribute__((noipa)) int compare(const struct line *line) {
	return line->value[0] > 1; /* LOAD */
}

static int run(void) {
	unsigned state = 1, next = 0;
	int sum = 0;
	for (int i = 0; i < CALLS; i++)
		if (next_bit(&state))
			sum += compare(&same);
		else
			sum -= compare(&lines[next++ % LINES]);
	return sum;
}
