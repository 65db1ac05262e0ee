/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without a bias: unbiased NAME [ROUNDS]. No loop stores, and what it loads lies within one line, so that
 * neither aliases, sets nor pages can depend on a context. Each takes 10 to 20 ms; ROUNDS is the share of that in
 * per cent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/syscall.h>
#include <unistd.h>

/* Registers only: xorshift. Ref: Marsaglia 2003, section 3. */
static uint64_t shift(uint64_t rounds) {
	uint64_t x = 88172645463325252u;
	for (uint64_t i = 0; i < 40000 * rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* A chain of multiplications, each of the product before. */
static uint64_t multiply(uint64_t rounds) {
	uint64_t x = 1;
	for (uint64_t i = 0; i < 100000 * rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

/* The kernel's work, and none of the program's. */
static uint64_t call(uint64_t rounds) {
	uint64_t sum = 0;
	for (uint64_t i = 0; i < 800 * rounds; i++)
		sum += syscall(SYS_getppid) > 0;
	return sum;
}

/* Square roots, digit by digit, without a branch on the data. */
static uint64_t root(uint64_t rounds) {
	uint64_t sum = 0;
	for (uint64_t i = 0; i < 4000 * rounds; i++) {
		uint64_t rest = i * 0x9e3779b97f4a7c15u >> 32, result = 0;
		for (int digit = 30; digit >= 0; digit -= 2) {
			const uint64_t trial = result + (UINT64_C(1) << digit), fits = -(uint64_t)(rest >= trial);
			rest -= trial & fits;
			result = (result >> 1) + ((UINT64_C(1) << digit) & fits);
		}
		sum += result;
	}
	return sum;
}

/* A chain of loads, all of one line: each gives the address of the next. */
static uint64_t chase(uint64_t rounds) {
	static struct { _Alignas(64) void *next[8]; } ring;
	for (int i = 0; i < 8; i++)
		ring.next[i] = &ring.next[(i + 3) % 8];
	void *volatile begin = &ring.next[0];
	void **at = begin;
	for (uint64_t i = 0; i < 100000 * rounds; i++)
		at = *at;
	return (uint64_t)(at - ring.next);
}

static const struct {
	const char *name;
	uint64_t (*run)(uint64_t rounds);
} programs[] = {{"shift", shift}, {"multiply", multiply}, {"call", call}, {"root", root}, {"chase", chase}};

int main(int argc, char **argv) {
	const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
	for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
		if (!strcmp(argv[1], programs[i].name)) {
			printf("%llu\n", (unsigned long long)programs[i].run(rounds));
			return 0;
		}
	fprintf(stderr, "usage: unbiased shift|multiply|call|root|chase [ROUNDS]\n");
	return 2;
}
