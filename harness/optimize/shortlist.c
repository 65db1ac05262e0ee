/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/shortlist.h"

#include <stdlib.h>
#include <string.h>

void shortlist_init(struct shortlist *list, size_t room, double optimism) {
	*list = (struct shortlist){
		.items = ifr_alloc((room + 1) * sizeof *list->items), .room = room, .optimism = optimism};
}

void shortlist_release(struct shortlist *list) {
	for (size_t i = 0; i < list->count; i++)
		candidate_release(&list->items[i]);
	free(list->items);
	*list = (struct shortlist){0};
}

static double promise_of(const struct shortlist *list, const struct candidate *candidate) {
	return candidate->expected - list->optimism * candidate->se;
}

void shortlist_offer(struct shortlist *list, struct candidate *candidate) {
	size_t at = list->count;
	while (at && promise_of(list, candidate) < promise_of(list, &list->items[at - 1]))
		at--;
	if (at == list->room) {
		candidate_release(candidate);
		return;
	}
	if (list->count == list->room)
		candidate_release(&list->items[--list->count]);
	memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
	list->items[at] = *candidate;
	list->count++;
}

void shortlist_sort(struct shortlist *list, const struct surrogate *surrogate) {
	const size_t count = list->count;
	struct candidate *items = ifr_alloc((count + 1) * sizeof *items);
	memcpy(items, list->items, count * sizeof *items);
	list->count = 0;
	for (size_t i = 0; i < count; i++) {
		items[i].expected = surrogate_predict(surrogate, items[i].features, &items[i].se);
		shortlist_offer(list, &items[i]);
	}
	free(items);
}
