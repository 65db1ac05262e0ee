/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cold and start-up parts, a table of functions, and calls to another object. */
#include <stdio.h>

int table(int x);
int odd(int x);
void cold(void);

static int helper(int x) {
	return x * 3 + 1;
}

__attribute__((noinline)) int odd(int x) {
	if (__builtin_expect(x == 7, 0))
		puts("seven");
	return helper(x);
}

__attribute__((cold)) void cold(void) {
	puts("cold");
}

int (*pointers[])(int) = {odd, table};

int main(int argc, char **argv) {
	(void)argv;
	for (int i = 0; i < 10; i++)
		printf("%d ", pointers[i & 1](i));
	puts("");
	if (argc > 5)
		cold();
	return 0;
}
