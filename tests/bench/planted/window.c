/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of 50 bytes that lies in one window of 64 bytes at one of four places of its function, and ships at another. The
 * micro-op cache gives a window a cycle. BEST: at that place. */
#include <stdio.h>

#ifdef BEST
#define OFFSET 48
#else
#define OFFSET 16
#endif

/* Places it: the first function of the file begins a window. */
__attribute__((noipa, aligned(64))) void before(void) {
	__asm__ volatile(".skip %c0, 0x90" : : "i"(OFFSET + 15));
}

__attribute__((noipa)) void loop(long n) {
	__asm__ volatile("1: .rept 5\n nopw 512(%%rax, %%rax, 1)\n .endr\n dec %0\n jnz 1b" : "+r"(n));
}

int main(void) {
	before();
	loop(120000000);
	puts("done");
}
