/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a pinned layout's upkeep (upkeep.h), and its steps. Private to this room. */
#ifndef IFR_HARNESS_OPTIMIZE_SESSION_H
#define IFR_HARNESS_OPTIMIZE_SESSION_H

#include "harness/optimize/pins.h"
#include "harness/optimize/search.h"

struct session {
	struct search search; /* without rounds; its code once it is recorded */
	struct ifr_plan plan; /* the layout, repaired step by step */
};

/* Gives places to hot functions that the plan has none for, and measures several ways to do so, of which the plan becomes
 * the fastest. Nothing where the plan orders no functions, and where it has places for all. */
int session_repair(struct session *session, struct ifr_upkeep *upkeep, struct ifr_error *err);

/* Gives every function slack in the plan, and aligns the loops of hot ones if the kit has templates. */
int session_stabilise(struct session *session, struct ifr_upkeep *upkeep, struct ifr_error *err);

#endif
