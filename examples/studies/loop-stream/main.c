/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the loop; with an argument, prints its processor time in nanoseconds. */
#include "../clock.h"

int foo(int n);
int loop(void);

int main(int argc, char **argv) {
	(void)argv;
	const double begun_ns = argc > 1 ? read_clock_ns() : 0;
	const int result = loop();
	if (argc > 1)
		printf("%.0f\n", read_clock_ns() - begun_ns);
	return result == foo(-1);
}
