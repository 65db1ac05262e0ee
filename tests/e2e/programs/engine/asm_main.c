/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int add3(int);
extern void *words[];
void aligned(void);

int main(void) {
	aligned();
	printf("%d %d\n", add3(4), words[0] == (void *)add3);
	return 0;
}
