/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two functions of eight lines each, 4096 bytes apart, that call one another's set: as they ship, sixteen lines share one
 * set of eight ways, and each evicts the other's. BEST: in two sets. */
#include <stdio.h>

#ifdef BEST
#define GAP 64
#else
#define GAP 4096 - 64
#endif
#define CHAIN(name)                                                                       \
	__attribute__((noipa, aligned(64))) void name(void) {                                 \
		__asm__ volatile(".rept 8\n .byte 0xe9\n .long 4091\n .skip 4091, 0xcc\n .endr"); \
	}

CHAIN(first)
__attribute__((noipa, aligned(64))) void between(void) {
	__asm__ volatile(".skip %c0" : : "i"(GAP - 1));
}
CHAIN(second)

int main(void) {
	for (int i = 0; i < 2000000; i++) {
		first();
		second();
	}
	puts("done");
}
