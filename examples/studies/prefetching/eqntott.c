/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors that are compared from two calls: those of one are always cached, of the other never. The load of `a` misses at
 * one of eight references with lines of 32 bytes, above 10 %. Ref: Mowry and Luk 1997, sections 5.1.1 and 6 (cmppt). */
#include "cases.h"

enum { CALLS = 16000, WORDS = 16, VECTORS = 512, AHEAD = 8 };

static long same[2][WORDS] __attribute__((aligned(LINE))), vectors[VECTORS][WORDS] __attribute__((aligned(LINE)));

static inline __attribute__((always_inline)) int compare(const long *a, const long *b, int prefetch) {
	for (int i = 0; i < WORDS; i++) {
		prefetch_if(prefetch, &a[i + AHEAD]);
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static __attribute__((noipa)) int cmppt(const long *a, const long *b) {
	return compare(a, b, SUMMARY);
}

static __attribute__((noipa)) int cmppt_that_misses(const long *a, const long *b) {
	return compare(a, b, SUMMARY || CORRELATION);
}

static int run(void) {
	unsigned state = 1, next = 0;
	int sum = 0;
	for (int i = 0; i < CALLS; i++) {
		if (next_bit(&state))
			sum += cmppt(same[0], same[1]);
		else if (CORRELATION)
			sum += cmppt_that_misses(vectors[next++ % VECTORS], same[1]);
		else
			sum += cmppt(vectors[next++ % VECTORS], same[1]);
	}
	return sum;
}
