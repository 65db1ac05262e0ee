/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program whose time depends on where one function begins in a line of 64 bytes, by its own doing: 0 to 15 bytes
 * into it is the best place, 48 to 63 the worst, with four times as much to do. */
#include <stdint.h>
#include <stdio.h>

#define OTHER(name)                                 \
	__attribute__((noinline)) int name(int value) { \
		return value * 3 + 1;                       \
	}

OTHER(first)
OTHER(second)
OTHER(third)

__attribute__((noinline)) int sensitive(int value) {
	return value + 1;
}

OTHER(fourth)
OTHER(fifth)

int main(void) {
	volatile unsigned sum = 0;
	unsigned quarter = (unsigned)((uintptr_t)&sensitive % 64 / 16);
	for (unsigned i = 0; i < 2000000 * (1 + quarter); i++)
		sum += i;
	printf("%d\n", sensitive(first(second(third(fourth(fifth(1)))))));
	return 0;
}
