/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int near(void);

int main(void) {
	printf("%d\n", near());
	return 0;
}
