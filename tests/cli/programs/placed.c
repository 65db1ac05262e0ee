/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that needs more pages the further into a line of 64 bytes one of its functions begins, by its own
 * doing: 0 to 15 bytes into it is the best place, 48 to 63 the worst, with four times as many. Page faults show
 * it, and no clock is needed for that. */
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
	static volatile char memory[4 * 400 * 4096];
	unsigned quarter = (unsigned)((uintptr_t)&sensitive % 64 / 16);
	for (unsigned i = 0; i < 400 * (1 + quarter); i++)
		memory[4096 * i] = 1;
	printf("%d\n", sensitive(first(second(third(fourth(fifth(1)))))));
	return 0;
}
