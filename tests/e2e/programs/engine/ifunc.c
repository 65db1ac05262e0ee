/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indirect functions, global and static, called and pointed to. */
#include <stdio.h>

static int one(int x) {
	return x + 1;
}

static int two(int x) {
	return x + 2;
}

static int (*pick_one(void))(int) {
	return one;
}

static int (*pick_two(void))(int) {
	return two;
}

int f(int) __attribute__((ifunc("pick_one")));
static int g(int) __attribute__((ifunc("pick_two")));
int (*pointer_f)(int) = f;
int (*pointer_g)(int) = g;

int main(void) {
	int (*volatile here)(int) = f;
	printf("%d %d %d %d %d %d\n", f(1), g(1), pointer_f(2), pointer_g(2), here(3), here == pointer_f);
	return 0;
}
