/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program of what compilers treat apart: OpenMP, nested functions, target
 * clones, an ifunc, naked functions, VLA, alloca, variadics, thread-local and
 * common variables. Prints the same however it is laid out. */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread int local = 3;
static volatile int zero;

static int __attribute__((noinline)) parallel(int n) {
	long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
	for (int i = 0; i < n; i++) {
		long part = i;
		while (part > 10)
			part = part / 3 + zero;
		sum += part;
	}
	return (int)sum;
}

static int apply(int (*f)(int), int n) {
	return f(n) + f(n + 1);
}

static int __attribute__((noinline)) nested(int n) {
	int kept = n * 3;
	int inner(int x) {
		kept += x;
		return kept * 2;
	}
	return apply(inner, n) + kept;
}

__attribute__((target_clones("default", "avx2"), noinline)) int cloned(const int *values, int n) {
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += values[i] * (i ^ 5);
	return sum;
}

static int first(int n) {
	return n + 11;
}
static int (*resolve(void))(int) {
	return first;
}
int chosen(int n) __attribute__((ifunc("resolve")));

__attribute__((naked, noinline)) static int bare(void) {
	__asm__("movl $29, %eax\n\tret");
}

static int __attribute__((noinline)) vla(int n) {
	int values[n];
	for (int i = 0; i < n; i++)
		values[i] = i * i - n;
	int sum = 0;
	for (int i = n; i--;)
		sum = sum * 2 + values[i];
	return sum;
}

static int __attribute__((noinline)) on_stack(int n) {
	char *text = alloca((size_t)n), more[24];
	memset(text, n, (size_t)n);
	memcpy(more, text, n > 24 ? 24 : (size_t)n);
	return text[n - 1] + more[n / 3];
}

static double __attribute__((noinline)) variadic(int n, ...) {
	va_list list;
	double sum = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum;
}

int main(void) {
	int values[32];
	for (int i = 0; i < 32; i++)
		values[i] = i * 37 % 11;
	printf("%d %d %d %d %d\n", parallel(1000), nested(4), cloned(values, 32), chosen(5), bare());
	printf("%d %d %g %d\n", vla(9), on_stack(17), variadic(4, 1, 2.5, 3, 4.25), local++);
	return 0;
}
