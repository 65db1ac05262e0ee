/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three static variables grow by a step, ROUNDS times. Without optimisation, counter and step lie in the stack, and are
 * loaded and stored in every round. Ref: Mytkowicz et al. 2009; Melhus 2013, listing 4.1. */
#ifndef ROUNDS
#define ROUNDS 65536
#endif

static int i, j, k;

int main(void) {
	int g = 0, inc = 1;
	for (; g < ROUNDS; g++) {
		i += inc;
		j += inc;
		k += inc;
	}
	return i != ROUNDS;
}
