/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loops: cycles of a round of each loop by the clock, of a chain of multiplications of three cycles each: the median
 * of 41 runs in turn. loops NUMBER ROUNDS: so many rounds of one loop, for a recording. loops.h, which
 * tests/bench/loops.bash writes, declares the loops, whose argument is the number of rounds, and lists them as LOOPS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "loops.h"

static void (*const loops[])(long) = {LOOPS};
enum { COUNT = sizeof loops / sizeof *loops, RUNS = 41, ROUNDS = 20480, CHAIN = 5120 };
static double cycles[COUNT][RUNS];

static void chain(long n) {
	__asm__ volatile(
		"1: imul %%rcx, %%rcx\nimul %%rcx, %%rcx\nimul %%rcx, %%rcx\nimul %%rcx, %%rcx\nsub $1, %0\njnz 1b"
		: "+r"(n)
		:
		: "rcx", "cc");
}

static int compare(const void *a, const void *b) {
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv) {
	if (argc > 2) {
		loops[atoi(argv[1])](atol(argv[2]));
		return 0;
	}
	for (int run = 0; run < RUNS; run++)
		for (int i = 0; i < COUNT; i++) {
			const unsigned long begin = __rdtsc();
			chain(CHAIN);
			const unsigned long middle = __rdtsc();
			loops[i](ROUNDS);
			cycles[i][run] = (double)(__rdtsc() - middle) / ROUNDS / ((double)(middle - begin) / CHAIN / 12);
		}
	for (int i = 0; i < COUNT; i++) {
		qsort(cycles[i], RUNS, sizeof(double), compare);
		printf("%.2f\n", cycles[i][RUNS / 2]);
	}
	return 0;
}
