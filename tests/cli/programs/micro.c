/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The micro-kernel of Mytkowicz et al. 2009, as in listing 4.1 of Melhus 2013, with LOOPS rounds. Built without
 * optimisation: at one environment size in 256, its locals agree with two static variables in the low 12 bits. */
static int i, j, k;

int main(void) {
	int g = 0, inc = 1;
	for (; g < LOOPS; g++) {
		i += inc;
		j += inc;
		k += inc;
	}
	return 0;
}
