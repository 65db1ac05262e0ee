/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps of every kind: through tables of jumps, computed, loops of few and of many rounds, calls through pointers.
 */
#include <stdio.h>

static int apply(int operation, int a) {
	switch (operation) {
	case 0:
		return a + 1;
	case 1:
		return a * 3;
	case 2:
		return a ^ 5;
	case 3:
		return a - 7;
	case 4:
		return a / 3;
	case 5:
		return ~a;
	default:
		return a;
	}
}

static __attribute__((noinline)) int run(const unsigned char *code) {
	static void *const table[] = {&&add, &&multiply, &&end};
	const unsigned char *p = code;
	int a = 0;
	goto *table[*p++ % 2];
add:
	a += *p;
	goto *table[p - code > 300 ? 2 : *p++ % 2];
multiply:
	a *= 3;
	goto *table[p - code > 200 ? 2 : *p++ % 2];
end:
	return a;
}

static int twice(int a) {
	return 2 * a;
}

static int less(int a) {
	return a - 1;
}

int main(void) {
	static unsigned char code[1024];
	int (*const functions[])(int) = {twice, less};
	unsigned state = 1, a = 0;
	for (int i = 0; i < 1024; i++) {
		state = state * 1103515245 + 12345;
		code[i] = (unsigned char)(state >> 16);
	}
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 1024; i++)
			a = (unsigned)apply(code[i] % 7, (int)(a & 0xffffff));
		a += (unsigned)run(code);
		for (int i = 0; i < 64; i++) {
			for (int n = code[i] % 13; n > 0; n--)
				a += (unsigned)(n * i);
			a += (unsigned)functions[code[i] >> 7]((int)(a & 0xffff));
		}
	}
	printf("%u\n", a);
	return 0;
}
