/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jump tables, computed goto, setjmp, constructors in order, static and cold functions, loops, asm goto. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int zero;
#define CONSTRUCTOR(n, p)                                       \
	static void __attribute__((constructor p)) make_##n(void) { \
		printf("made " #n "\n");                                \
	}
CONSTRUCTOR(one, )
CONSTRUCTOR(two, )
CONSTRUCTOR(three, )
CONSTRUCTOR(four, )
CONSTRUCTOR(early, (201))
CONSTRUCTOR(late, (301))
CONSTRUCTOR(five, ) CONSTRUCTOR(six, ) static void __attribute__((destructor)) drop_one(void) {
	printf("dropped one\n");
}
static void __attribute__((destructor)) drop_two(void) {
	printf("dropped two\n");
}
int choose(int n) {
	switch (n) {
	case 0:
		return 17;
	case 1:
		return n * 3;
	case 2:
		puts("two");
		return 5;
	case 3:
		return zero + 9;
	case 4:
		return 44;
	case 5:
		puts("five");
		return 1;
	case 6:
		return n << 4;
	case 7:
		return -n;
	case 8:
		puts("eight");
		return 2;
	case 9:
		return zero - 9;
	default:
		return 1000;
	}
}
int interpret(const char *code) {
	static const void *const table[] = {&&stop, &&add, &&twice, &&less};
	int value = 1;
	goto *table[*code++ - '0'];
add:
	value += 5;
	goto *table[*code++ - '0'];
twice:
	value *= 2;
	goto *table[*code++ - '0'];
less:
	value -= 1;
	goto *table[*code++ - '0'];
stop:
	return value;
}
static __attribute__((noinline, noreturn)) void leave(int n) {
	longjmp(back, n);
}
int __attribute__((noinline)) jump(int n) {
	int got = setjmp(back);
	if (!got)
		leave(n);
	return got + 1;
}
int __attribute__((noinline)) branch(int n) {
	__asm__ goto("cmpl $3, %0\n\tje %l1" : : "r"(n) : "cc" : three);
	return 1;
three:
	return 2;
}
static int compare(const void *a, const void *b) {
	return *(const int *)a - *(const int *)b;
}
long __attribute__((noinline)) loops(int n, int *values) {
	long sum = 0;
	for (int i = 0; i < n; i++) {
		sum = sum * 31 + values[i];
		while (sum > 100000)
			sum /= values[i] + 2;
		if (sum < 0)
			abort();
	}
	return sum;
}
double __attribute__((noinline)) power(double x, int n) {
	return n ? x * power(x, n - 1) : 1;
}
int main(void) {
	int values[40];
	for (int i = 0; i < 40; i++)
		values[i] = i * 7919 % 101;
	qsort(values, 40, sizeof *values, compare);
	for (int i = 0; i < 11; i++)
		printf("%d\n", choose(i + zero));
	printf("%d %d %d %d %ld %g\n", interpret("1213320"), jump(6), branch(3), branch(4), loops(40, values),
	       power(1.5, 9));
	return 7;
}
