/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smooths an array of the heap into another one with five weights. The argument is a number of floats by which the second
 * array begins later. Ref: Melhus 2013, section 4.1.2. */
#include <stdio.h>
#include <stdlib.h>

enum { FLOATS = 65536, REACH = 2, PADDING_MOST = 1024 };

static float weight[2 * REACH + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

/* Without restrict: the compiler keeps every store, as from may be to. */
__attribute__((noinline)) static void smooth(long count, const float *from, float *to) {
	for (long at = REACH; at < count - REACH; at++) {
		to[at] = 0;
		for (int near = -REACH; near <= REACH; near++)
			to[at] += from[at + near] * weight[near + REACH];
	}
}

int main(int argc, char **argv) {
	const long padding = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	float *from = calloc(FLOATS, sizeof *from), *to = calloc(FLOATS + PADDING_MOST, sizeof *to);
	if (!from || !to || padding < 0 || padding > PADDING_MOST)
		return 2;
	from[REACH] = 10;
	smooth(FLOATS, from, to + padding);
	printf("%.1f\n", (double)to[padding + REACH]);
	free(to);
	free(from);
	return 0;
}
