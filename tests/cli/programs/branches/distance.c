// SPDX-License-Identifier: GPL-3.0-or-later
/* Figure 6 of Milenković et al. 2004: two branches 512 bytes apart, both taken. */
#define BRANCH(n) __asm__ volatile("test %0, %0\n\tjne 1f\n\t.skip 3, 0x90\n1:" ::"r"(n))

__attribute__((noinline, noclone)) static int pair(int n) {
	do {
		BRANCH(n);
		__asm__ volatile(".skip 505, 0x90");
		BRANCH(n);
	} while (--n);
	return n;
}

int main(void) {
	return pair(5000);
}
