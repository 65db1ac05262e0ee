/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "harness/icost/interaction.h"

static void insert_by_cost(struct ifr_icost_breakdown *breakdown, enum ifr_cause cause) {
	size_t at = breakdown->count++;
	for (; at && breakdown->alone[breakdown->order[at - 1]].cycles < breakdown->alone[cause].cycles; at--)
		breakdown->order[at] = breakdown->order[at - 1];
	breakdown->order[at] = cause;
}

void ifr_icost_break_down(const struct ifr_icost *icost, enum ifr_cause focus,
                          struct ifr_icost_breakdown *breakdown) {
	*breakdown = (struct ifr_icost_breakdown){0};
	for (unsigned i = 0; i < IFR_CAUSE_LIMIT; i++)
		if (icost->causes >> i & 1) {
			breakdown->alone[i] = ifr_icost_cost(icost, 1u << i);
			insert_by_cost(breakdown, (enum ifr_cause)i);
		}
	breakdown->focus = focus == IFR_CAUSE_LIMIT ? breakdown->order[0] : focus;
	breakdown->rest = ifr_icost_time(icost, icost->causes);
	breakdown->other = ifr_icost_time(icost, 0) - breakdown->rest;
	for (size_t k = 0; k < breakdown->count; k++) {
		const enum ifr_cause cause = breakdown->order[k];
		if (cause != breakdown->focus)
			breakdown->with_focus[cause] = ifr_icost_interaction(icost, 1u << cause | 1u << breakdown->focus);
		breakdown->error =
			fmax(breakdown->error, fmax(breakdown->alone[cause].error, breakdown->with_focus[cause].error));
		breakdown->other -= breakdown->alone[cause].cycles + breakdown->with_focus[cause].cycles;
	}
}
