/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layout of a trace, replayed under sets of causes. Private to the room, but for the struct. */
#ifndef IFR_HARNESS_ICOST_SUBJECT_H
#define IFR_HARNESS_ICOST_SUBJECT_H

#include "harness/icost/interaction.h"
#include "harness/simulate/simulate.h"

/* The run to ask about. */
struct ifr_icost_subject {
	struct ifr_trace *trace;
	const struct ifr_plan *plan;
	const struct ifr_machine *machine;
	enum ifr_core_use core;
	void (*progress)(double share, int64_t spent_ns); /* as in struct ifr_plan_replay */
};

/* Fills in the times of an icost's sets, and the run's instructions. marks: of sites among the causes; NULL without, and
 * then cycles are noted by instruction. Errors: those of ifr_replay_plans. */
int ifr_icost_replay(const struct ifr_icost_subject *subject, const struct ifr_site_marks *marks,
                     struct ifr_icost *icost, uint64_t *instructions, struct ifr_error *err);

#endif
