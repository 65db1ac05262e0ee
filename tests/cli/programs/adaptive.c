/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A benchmark that repeats its work ten times as often, until that takes a hundredth of a second. */
#include <stdio.h>
#include <time.h>

static double seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void) {
	volatile unsigned work = 0;
	for (unsigned long count = 1;; count = count < 1000000000000 ? 10 * count : count) {
		double begun = seconds();
		for (unsigned long i = 0; i < count; i++)
			work = work + 1;
		if (seconds() - begun >= 0.01)
			return puts("enough") < 0;
	}
}
