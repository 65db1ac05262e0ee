/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose cycles have one cause each: loads that miss and need one another, branches on random numbers, divisions
 * that need one another. */
#include <stdlib.h>
#include <string.h>

enum { NODES = 1 << 16, APART = 16 };
static unsigned rounds = 60000;
static unsigned nodes[NODES * APART]; /* a line each: 4 MiB */

static unsigned draw(unsigned *state) {
	*state = *state * 1103515245u + 12345u;
	return *state >> 16;
}

/* A step by an odd number visits every node, and no line twice. */
static unsigned chase(void) {
	unsigned at = 0;
	for (unsigned i = 0; i < NODES; i++)
		nodes[i * APART] = (i + 24593) % NODES;
	for (unsigned i = 0; i < rounds; i++)
		at = nodes[at * APART];
	return at;
}

static unsigned branch(void) {
	unsigned state = 1, sum = 0;
	for (unsigned i = 0; i < rounds; i++)
		if (draw(&state) & 1)
			__asm__ volatile("add %1, %0" : "+r"(sum) : "r"(i));
		else
			__asm__ volatile("sub %1, %0" : "+r"(sum) : "r"(i));
	return sum;
}

static unsigned divide(void) {
	volatile unsigned divisor = 3;
	unsigned value = 1u << 31, by = divisor;
	for (unsigned i = 0; i < rounds; i++)
		value = value / by + (1u << 31);
	return value;
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	rounds = argc > 2 ? (unsigned)atoi(argv[2]) : rounds;
	return (!strcmp(what, "chase") ? chase() : !strcmp(what, "branch") ? branch() : divide()) == 7;
}
