/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The context that tells a load's hits from its misses, and its worth: the correlation profile of model/loads/, judged by
 * statistics/tolerance.h.
 *
 * Each load, kind of context and length is judged twice: by the groups themselves, as Mowry and Luk 1997 (sections 3 and
 * 4.2) do, and with each reference left out of its own prediction. The latter decides: by the former, longer contexts are
 * never worse, because each of them predicts itself where they occur once. */
#ifndef IFR_HARNESS_LOAD_CONTEXTS_H
#define IFR_HARNESS_LOAD_CONTEXTS_H

#include "harness/statistics/statistics.h"
#include "model/model.h"

/* A load's references in the contexts of one kind and length, or all together: a single action for each group. */
struct ifr_judged {
	struct ifr_miss_prediction predicted, left_out;
	uint64_t bins[IFR_MISS_RATIO_BINS]; /* references by miss ratio of their group */
	size_t groups;
	bool known; /* false: the contexts were too many to be counted */
};

struct ifr_judged_load {
	uint64_t references, misses;
	struct ifr_judged summary;
	struct ifr_judged contexts[IFR_LOAD_CONTEXT_KINDS][IFR_LOAD_CONTEXT_LENGTHS];
	/* By kind: the shortest length, as an index, whose cost without the reference itself is within a hundredth of the
	 * summary's of the best one's; -1: no length is known. */
	int lengths[IFR_LOAD_CONTEXT_KINDS];
	/* The kind that costs least at its length, the first of those within a hundredth; -1: none is cheaper than the
	 * summary by more. Control flow comes first as programs can follow it most easily, global last (section 5.2). */
	int kind;
};

/* Schemes: the same kind for all loads, or each load's own. */
enum ifr_miss_scheme {
	IFR_SCHEME_SUMMARY,
	IFR_SCHEME_CONTROL_FLOW,
	IFR_SCHEME_SELF,
	IFR_SCHEME_GLOBAL,
	IFR_SCHEME_BEST,
	IFR_MISS_SCHEMES
};
extern const char *const ifr_miss_scheme_names[IFR_MISS_SCHEMES];

struct ifr_judged_loads {
	struct ifr_judged_load *items; /* as the loads' contexts */
	size_t count;
	uint64_t references, misses;                 /* of them together */
	struct ifr_judged schemes[IFR_MISS_SCHEMES]; /* sums over loads */
	struct ifr_latency latency;
};

/* Judges loads; the caller releases. lengths: as many as there are lists of each kind. */
void ifr_load_contexts_judge(const struct ifr_profiled_load *loads, size_t count, size_t lengths,
                             struct ifr_latency latency, struct ifr_judged_loads *judged);
void ifr_judged_loads_release(struct ifr_judged_loads *judged);
/* The judgement of a load under a scheme: the summary's where a scheme has no context for it. */
const struct ifr_judged *ifr_judged_of(const struct ifr_judged_load *load, enum ifr_miss_scheme scheme);
/* Cycles of all loads together under a scheme with the contexts chosen above, at another latency. */
double ifr_scheme_cycles(const struct ifr_judged_loads *judged, const struct ifr_profiled_load *loads,
                         enum ifr_miss_scheme scheme, struct ifr_latency latency);

#endif
