// SPDX-License-Identifier: GPL-3.0-or-later
/* Figure 5 of Milenković et al. 2004: a loop of 8 trips in one of many. */
#ifndef TRIPS
#define TRIPS 8
#endif

__attribute__((noinline, noclone)) static void repeat(int times, volatile int *seen) {
	for (int i = 0; i < times; i++)
#ifdef __OPTIMIZE__
#pragma GCC unroll 1
#endif
		for (int j = 0; j < TRIPS; j++)
			*seen = j;
}

int main(void) {
	volatile int seen = 0;
	repeat(10000, &seen);
	return seen != TRIPS - 1;
}
