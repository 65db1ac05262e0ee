/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list whose lookups all miss while it is made and all hit while it is used. Ref: Mowry and Luk 1997, section 5.1.3
 * (HashLookup of mst). */
#include "start.h"

enum { ENTRIES = 256, ROUNDS = 3 };

static struct entry { int key[LINE / sizeof(int)]; } entries[ENTRIES] __attribute__((aligned(LINE)));

static __attribute__((noipa)) int look_up(const struct entry *entry) {
	return entry->key[0]; /* LOAD */
}

static __attribute__((noipa)) int create(void) {
	int sum = 0;
	for (int i = 0; i < ENTRIES; i++)
		sum += look_up(&entries[i]);
	return sum;
}

static __attribute__((noipa)) int compute(void) {
	int sum = 0;
	for (int i = 0; i < ENTRIES; i++)
		sum -= look_up(&entries[i]);
	return sum;
}

static int run(void) {
	int sum = create();
	for (int i = 0; i < ROUNDS; i++)
		sum += compute();
	return sum;
}
