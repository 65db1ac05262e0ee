/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jump table. */
#include <stdlib.h>

int table(int x);
int unused(int x);

int table(int x) {
	switch (x) {
	case 0:
		return abs(x) + 5;
	case 1:
		return 17;
	case 2:
		return 99;
	case 3:
		return rand() & 0;
	case 4:
		return 3;
	case 5:
		return 77;
	case 9:
		return 4;
	default:
		return x;
	}
}

int unused(int x) {
	return table(x) + 1;
}
