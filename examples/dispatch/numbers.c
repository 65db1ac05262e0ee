/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operations.h"

void op_gcd(struct machine *m) {
	uint32_t a = pop(m), b = *peek(m, 0);
	while (a) {
		uint32_t rest = b % a;
		b = a;
		a = rest;
	}
	*peek(m, 0) = b;
}

/* base exponent → base^(exponent mod 256) */
void op_power(struct machine *m) {
	uint32_t exponent = pop(m) % 256, base = *peek(m, 0), result = 1;
	for (; exponent; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	*peek(m, 0) = result;
}

/* The whole part of the square root, a bit at a time. */
void op_root(struct machine *m) {
	uint32_t square = *peek(m, 0), root = 0;
	for (uint32_t bit = 1u << 15; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	*peek(m, 0) = root;
}

/* 0 + 1 + … + n mod 64 */
void op_triangle(struct machine *m) {
	uint32_t sum = 0;
	for (uint32_t i = *peek(m, 0) % 64; i; i--)
		sum += i;
	*peek(m, 0) = sum;
}

void op_fibonacci(struct machine *m) {
	uint32_t a = 0, b = 1;
	for (uint32_t i = *peek(m, 0) % 64; i; i--) {
		uint32_t next = a + b;
		a = b;
		b = next;
	}
	*peek(m, 0) = a;
}

/* The sum of the decimal digits. */
void op_digits(struct machine *m) {
	uint32_t sum = 0;
	for (uint32_t rest = *peek(m, 0); rest; rest /= 10)
		sum += rest % 10;
	*peek(m, 0) = sum;
}

/* Steps of the 3n+1 sequence down to 1, at most 64. */
void op_collatz(struct machine *m) {
	uint32_t n = *peek(m, 0), steps = 0;
	for (; n > 1 && steps < 64; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	*peek(m, 0) = steps;
}

/* The number of divisors in 2 … 15. */
void op_factors(struct machine *m) {
	uint32_t found = 0;
	for (uint32_t i = 2; i < 16; i++)
		if (*peek(m, 0) % i == 0)
			found++;
	*peek(m, 0) = found;
}
