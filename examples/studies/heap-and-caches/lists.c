/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks two lists of heap objects of 64 bytes: a short one that fills three quarters of the first data cache and, now and
 * then, a long one that fills three quarters of the second. Each load waits for the one before. */
#include <stdio.h>
#include <stdlib.h>

#ifndef L1
#define L1 32768 /* bytes of the caches */
#define L2 262144
#endif

enum { SHORT = L1 / 64 * 3 / 4, LONG = L2 / 64 * 3 / 4, ROUNDS = 240, EACH = 24 };

struct item {
	struct item *next;
	long value[6];
};

static struct item *make_list(int length) {
	struct item *first = NULL;
	for (int i = 0; i < length; i++) {
		struct item *item = malloc(sizeof *item);
		*item = (struct item){first, {i}};
		first = item;
	}
	return first;
}

static long walk(const struct item *item) {
	long sum = 0;
	for (; item; item = item->next)
		sum += item->value[0];
	return sum;
}

int main(void) {
	const struct item *near = make_list(SHORT), *far = make_list(LONG);
	long sum = 0;
	for (int i = 0; i < ROUNDS; i++)
		sum += walk(near) + (i % EACH ? 0 : walk(far));
	printf("%ld\n", sum);
	return 0;
}
