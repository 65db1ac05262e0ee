/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some branches that a predictor can and cannot learn. With a file's name as second argument, adds a byte to it: a
 * test counts its runs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned table[64] = {3, 1, 4, 1, 5, 9, 2, 6};

__attribute__((noinline)) static unsigned odd(unsigned x, unsigned i) {
	return table[i % 64] & 1 ? x * 5 + 1 : x ^ i;
}

__attribute__((noinline)) static unsigned noisy(unsigned x, unsigned i) {
	return x >> 13 & 1 ? x + i : x * 3;
}

__attribute__((noinline)) static unsigned third(unsigned x, unsigned i) {
	return i % 3 ? x + 7 : x - 1;
}

int main(int argc, char **argv) {
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10000, x = 1;
	if (argc > 2) {
		int fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
		if (fd < 0 || write(fd, "r", 1) != 1)
			return 1;
	}
	for (unsigned i = 0; i < rounds; i++)
		x = third(noisy(odd(x * 1103515245 + 12345, i), i), i);
	printf("%u\n", x);
	return 0;
}
