/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int visible(int x);

int main(void) {
	printf("%d %d %d\n", visible(1), visible(2), visible(3));
	return 0;
}
