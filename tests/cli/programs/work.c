/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that needs many pages, or with QUICK a quarter of them: its page faults tell the two apart. */
#include <stdio.h>

static __attribute__((noinline)) unsigned step(unsigned value) {
	return value * 1664525u + 1013904223u;
}

int main(void) {
	static volatile char memory[1600 * 4096];
	unsigned value = 1;
	for (unsigned i = 0; i < (QUICK ? 400u : 1600u); i++) {
		memory[4096 * i] = 1;
		value = step(value);
	}
	puts(value ? "done" : "none");
	return 0;
}
