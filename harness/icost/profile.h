/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs by the shotgun profiler: from samples of a run, not from its graph (model/shotgun/). */
#ifndef IFR_HARNESS_ICOST_PROFILE_H
#define IFR_HARNESS_ICOST_PROFILE_H

#include "harness/icost/subject.h"

struct ifr_icost_profile {
	const char *samples; /* a file that has them; NULL: they are taken from a replay of the run */
	const char *save;    /* a file to write them to; NULL: none */
};

/* Fills in the times of an icost's sets, and the run's instructions. Errors: those of ifr_replay_plans and
 * ifr_shotgun_profile, and of files. */
int ifr_icost_profile(const struct ifr_icost_subject *subject, const struct ifr_icost_profile *profile,
                      struct ifr_icost *icost, uint64_t *instructions, struct ifr_shotgun_coverage *coverage,
                      struct ifr_error *err);

#endif
