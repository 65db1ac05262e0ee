/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists whose lookups all miss while they are made and all hit while they are used: one miss in four. Ref: Mowry and Luk
 * 1997, section 5.1.3 (HashLookup of mst). */
#include "cases.h"

enum { ENTRIES = 256, USES = 3, LISTS = 32, MADE = 64, AHEAD = 4 };

static struct entry { int key[LINE / sizeof(int)]; } entries[LISTS][ENTRIES] __attribute__((aligned(LINE)));

static __attribute__((noipa)) int look_up(const struct entry *entry) {
	return entry->key[0];
}

static __attribute__((noipa)) int create(const struct entry *list) {
	int sum = 0;
	for (int i = 0; i < ENTRIES; i++) {
		prefetch_if(SUMMARY || CORRELATION, &list[i + AHEAD]);
		sum += look_up(&list[i]);
	}
	return sum;
}

static __attribute__((noipa)) int use(const struct entry *list) {
	int sum = 0;
	for (int i = 0; i < ENTRIES; i++) {
		prefetch_if(SUMMARY, &list[i + AHEAD]);
		sum -= look_up(&list[i]);
	}
	return sum;
}

static int run(void) {
	int sum = 0;
	for (int i = 0; i < MADE; i++) {
		const struct entry *list = entries[i % LISTS];
		sum += create(list);
		for (int k = 0; k < USES; k++)
			sum += use(list);
	}
	return sum;
}
