/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers keyed by name: SipHash against published vectors, and the uniformity of numbers made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"

/* Known answers: length 15 from Aumasson and Bernstein 2012, appendix A; the others from the authors' reference
 * vectors (key 00…0f, message 00, 01, …). They agree with OpenSSL 3's "openssl mac SIPHASH" with size:8. */
static void test_siphash_vectors(void **state) {
	(void)state;
	static const struct {
		size_t length;
		uint64_t hash;
	} vectors[] = {
		{0, UINT64_C(0x726fdb47dd0e0e31)},  {1, UINT64_C(0x74f839c593dc67fd)},  {2, UINT64_C(0x0d6c8009d9a94f5a)},
		{3, UINT64_C(0x85676696d7fb7e2d)},  {7, UINT64_C(0xab0200f58b01d137)},  {8, UINT64_C(0x93f5f5799a932462)},
		{15, UINT64_C(0xa129ca6149be45e5)}, {16, UINT64_C(0x3f2acc7f57c29bdb)}, {31, UINT64_C(0x32d892fad841c342)},
		{63, UINT64_C(0x958a324ceb064572)},
	};
	const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0f0e0d0c0b0a0908);
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		/* A message of exact size and off alignment: the sanitizers see a read behind its end. */
		unsigned char *message = malloc(vectors[i].length + 1);
		for (size_t j = 0; j < vectors[i].length; j++)
			message[j + 1] = (unsigned char)j;
		assert_true(ifr_siphash(k0, k1, message + 1, vectors[i].length) == vectors[i].hash);
		free(message);
	}
}

static void name_of(char name[32], int number) {
	snprintf(name, 32, "function_%d", number);
}

/* A number does not depend on the calls before; it depends on each of seed, axis and name. */
static void test_keyed_by_name_alone(void **state) {
	(void)state;
	enum { COUNT = 500 };
	uint64_t forwards[COUNT];
	char name[32];
	for (int i = 0; i < COUNT; i++) {
		name_of(name, i);
		forwards[i] = ifr_random_keyed(7, "functions", name);
	}
	for (int i = COUNT; i-- > 0;) {
		name_of(name, i);
		assert_true(ifr_random_keyed(7, "functions", name) == forwards[i]);
		assert_true(ifr_random_keyed(8, "functions", name) != forwards[i]);
		assert_true(ifr_random_keyed(7, "padding", name) != forwards[i]);
		for (int j = 0; j < i; j++)
			assert_true(forwards[j] != forwards[i]);
	}
	/* The border between axis and name is part of the key. */
	assert_true(ifr_random_keyed(7, "ab", "c") != ifr_random_keyed(7, "a", "bc"));
}

/* Multiply and shift, by hand: n intervals of 2^64/n values each. */
static void test_below(void **state) {
	(void)state;
	assert_true(ifr_random_below(UINT64_MAX, 0) == 0);
	assert_true(ifr_random_below(UINT64_MAX, 1) == 0);
	assert_true(ifr_random_below(0, 10) == 0);
	assert_true(ifr_random_below(UINT64_MAX, 10) == 9);
	assert_true(ifr_random_below(UINT64_C(1) << 63, 10) == 5);
	assert_true(ifr_random_below((UINT64_C(1) << 63) - 1, 10) == 4);
	assert_true(ifr_random_below(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
	assert_true(ifr_random_below(0, UINT64_MAX) == 0);
	for (uint64_t n = 1; n < 2000; n++)
		assert_true(ifr_random_below(ifr_random_keyed(n, "test", "below"), n) < n);
}

static void test_unit_interval(void **state) {
	(void)state;
	assert_true(ifr_random_unit(0) == 0.0);
	assert_true(ifr_random_unit(UINT64_MAX) < 1.0);
	assert_true(ifr_random_unit(UINT64_MAX) > 0.9999999999999998);
	assert_true(ifr_random_unit(UINT64_C(1) << 63) == 0.5);
	assert_true(ifr_random_unit(UINT64_C(1) << 62) == 0.25);
}

static double chi_squared(const unsigned *seen, size_t cells, double expected) {
	double sum = 0;
	for (size_t i = 0; i < cells; i++)
		sum += (seen[i] - expected) * (seen[i] - expected) / expected;
	return sum;
}

/* NIST/SEMATECH e-Handbook, table 1.3.6.7.4: the chi-squared distribution with 99 degrees of freedom exceeds
 * 148.230 with probability 0.001 and lies below 61.137 with the same. Seeds are fixed, so the outcome is, too. */
static void test_below_is_uniform(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		unsigned seen[100] = {0};
		char name[32];
		for (int i = 0; i < 20000; i++) {
			name_of(name, i);
			seen[ifr_random_below(ifr_random_keyed(seed, "uniform", name), 100)]++;
		}
		double statistic = chi_squared(seen, 100, 200);
		assert_true(statistic < 148.230);
		assert_true(statistic > 61.137);
	}
}

/* The rank of one of eight names among the eight is uniform over seeds: table 1.3.6.7.4, 7 degrees of
 * freedom, 24.322 at 0.001. */
static void test_ranks_are_uniform(void **state) {
	(void)state;
	unsigned seen[8][8] = {{0}};
	for (uint64_t seed = 0; seed < 4000; seed++) {
		uint64_t key[8];
		char name[32];
		for (int i = 0; i < 8; i++) {
			name_of(name, i);
			key[i] = ifr_random_keyed(seed, "functions", name);
		}
		for (int i = 0; i < 8; i++) {
			int rank = 0;
			for (int j = 0; j < 8; j++)
				rank += key[j] < key[i];
			seen[i][rank]++;
		}
	}
	for (int i = 0; i < 8; i++)
		assert_true(chi_squared(seen[i], 8, 500) < 24.322);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash_vectors),
		cmocka_unit_test(test_keyed_by_name_alone),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_unit_interval),
		cmocka_unit_test(test_below_is_uniform),
		cmocka_unit_test(test_ranks_are_uniform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
