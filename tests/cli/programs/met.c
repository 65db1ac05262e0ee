/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that needs more pages where two of its functions share sets of a cache, by its own doing. Page faults
 * show it, and no clock is needed for that. */
#include <stdint.h>
#include <stdio.h>

enum { BYTES = 700 };

#define LONG(name)                                          \
	__attribute__((noinline)) int name(int value) {         \
		__asm__ volatile("jmp 1f\n.fill 690, 1, 0x90\n1:"); \
		return value * 3 + 1;                               \
	}

LONG(first)
LONG(second)
LONG(third)
LONG(fourth)
LONG(fifth)
LONG(sixth)

static int covers(uintptr_t start, unsigned set) {
	return (set + 64 - start / 64 % 64) % 64 <= (start + BYTES - 1) / 64 - start / 64;
}

int main(void) {
	static volatile char memory[800 * 4096];
	int meet = 0;
	for (unsigned set = 0; set < 64; set++)
		meet |= covers((uintptr_t)&second, set) && covers((uintptr_t)&fifth, set);
	for (unsigned i = 0; i < (meet ? 800 : 400); i++)
		memory[4096 * i] = 1;
	printf("%d\n", first(second(third(fourth(fifth(sixth(1)))))));
	return 0;
}
