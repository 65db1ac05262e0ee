/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop N: a function that is called N times. */
#include <stdio.h>
#include <stdlib.h>

static int table[64];

__attribute__((noinline)) static int step(int i) {
	table[i % 64] += i;
	return table[(i * 7) % 64] ^ i;
}

int main(int argc, char **argv) {
	int sum = 0;
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++)
		sum += step(i);
	printf("%d\n", sum);
	return 0;
}
