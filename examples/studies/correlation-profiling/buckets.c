/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets of a hash table, of which one is always cached and the next of many never is; which of them comes is decided
 * without a branch. The entry misses if the head missed just before. Ref: Mowry and Luk 1997, figure 4. */
#include "start.h"

enum { LOOKUPS = 50000, BUCKETS = 4096 };

struct bucket {
	int head[LINE / sizeof(int)], entry[LINE / sizeof(int)];
} buckets[BUCKETS] __attribute__((aligned(LINE)));

static int run(void) {
	unsigned state = 1, next = 0;
	int sum = 0;
	for (int i = 0; i < LOOKUPS; i++) {
		const unsigned fresh = next_bit(&state);
		next += fresh;
		const struct bucket *bucket = &buckets[fresh * (1 + next % (BUCKETS - 1))];
		sum += bucket->head[0]; /* HEAD */
		__asm__ volatile("" : "+r"(sum)::"memory");
		sum += bucket->entry[0]; /* LOAD */
	}
	return sum;
}
