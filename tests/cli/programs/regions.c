/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Enters the region "work" three times, for as many rounds as its argument says, and another in between. */
#include <stdio.h>
#include <stdlib.h>

#include "interfero.h"

int main(int argc, char **argv) {
	volatile unsigned sum = 0;
	int rounds = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = 0; i < 50000; i++)
		sum += (unsigned)i;
	for (int pass = 0; pass < 3; pass++) {
		IFR_BEGIN("work");
		for (int i = 0; i < rounds; i++)
			sum += (unsigned)i;
		IFR_END;
		IFR_BEGIN("other");
		for (int i = 0; i < 5000; i++)
			sum -= (unsigned)i;
		IFR_END;
	}
	printf("%u\n", sum);
	return 0;
}
