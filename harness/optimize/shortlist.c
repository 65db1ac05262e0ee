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
