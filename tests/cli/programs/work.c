/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that takes long enough to be measured; with QUICK a quarter of it. */
#include <stdio.h>

static __attribute__((noinline)) unsigned step(unsigned value) {
	return value * 1664525u + 1013904223u;
}

int main(void) {
	unsigned value = 1;
	for (unsigned i = 0; i < (QUICK ? 4000000u : 16000000u); i++)
		value = step(value);
	puts(value ? "done" : "none");
	return 0;
}
