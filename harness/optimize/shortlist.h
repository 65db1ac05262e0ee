/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The most promising of many candidates. */
#ifndef IFR_HARNESS_SHORTLIST_H
#define IFR_HARNESS_SHORTLIST_H

#include "harness/optimize/candidates.h"

struct shortlist {
	struct candidate *items; /* [room], the most promising first */
	size_t count, room;
	double
		optimism; /* standard errors by which expectations are lowered: above 0 the list likes uncertain candidates */
};

void shortlist_init(struct shortlist *list, size_t room, double optimism);
/* Takes a candidate over if it is among the most promising; else releases it. */
void shortlist_offer(struct shortlist *list, struct candidate *candidate);
/* Expects the times of all candidates anew, and sorts them. */
void shortlist_sort(struct shortlist *list, const struct surrogate *surrogate);
void shortlist_release(struct shortlist *list);

#endif
