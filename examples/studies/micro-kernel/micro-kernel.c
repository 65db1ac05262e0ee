/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three static variables grow by a step, ROUNDS times. Without optimisation, counter and step lie in the stack, and are
 * loaded and stored in every round. With -DGUARD, where they meet the static ones modulo 4096 another frame is taken;
 * with -DSHOW, the exit status is whether they meet. Ref: Mytkowicz et al. 2009; Melhus 2013, listings 4.1 and 4.2. */
#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 65536
#endif

#define MEET(a, b) ((((uintptr_t) & (a) ^ (uintptr_t) & (b)) & 4095) == 0)
#define MEET_ANY (MEET(i, g) || MEET(j, g) || MEET(k, g) || MEET(i, inc) || MEET(j, inc) || MEET(k, inc))

static int i, j, k;

int main(void) {
	int g = 0, inc = 1;
#ifdef GUARD
	if (MEET_ANY)
		return main();
#endif
#ifdef SHOW
	return MEET_ANY;
#endif
	for (; g < ROUNDS; g++) {
		i += inc;
		j += inc;
		k += inc;
	}
	return i != ROUNDS;
}
