/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "harness/optimize/pins.h"
#include "harness/optimize/search.h"

/* Layouts of the last stage, and by how much more they run; their part of the rest of the budget. */
enum { FINALISTS = 4, FINAL_FACTOR = 3 };
static const double final_share = 0.4;

/* Copies the most promising measured layouts. Returns their number. */
static size_t choose_finalists(const struct search *search, struct trial finalists[FINALISTS]) {
	size_t count = 0;
	bool *taken = ifr_alloc(search->count + 1);
	while (count < FINALISTS) {
		const struct trial *best = NULL;
		for (size_t i = 0; i < search->count; i++) {
			const struct trial *trial = &search->trials[i];
			if (!taken[i] && isfinite(trial->time) && !trial_is_shipped(trial) &&
			    (!best || search_shrunk_time(search, trial) < search_shrunk_time(search, best)))
				best = trial;
		}
		if (!best)
			break;
		taken[best - search->trials] = true;
		finalists[count] = *best;
		ifr_plan_copy(&finalists[count++].candidate.plan, &best->candidate.plan);
	}
	free(taken);
	return count;
}

static int write_pins(struct search *search, const struct trial *best, struct ifr_error *err) {
	struct ifr_optimum *optimum = search->optimum;
	const struct ifr_relinker *relinker = search->stages.source.relinker;
	optimum->plan_file = stage_file(&search->stages, "best.plan");
	optimum->order_file = stage_file(&search->stages, "best.order");
	optimum->sections_file = stage_file(&search->stages, "best.sections");
	int result = pin_write_plan(relinker, &best->candidate.plan, optimum->plan_file, err);
	if (!result)
		result =
			pin_write_order(relinker, &best->candidate.plan, optimum->order_file, optimum->sections_file, err);
	return result;
}

int search_run_final(struct search *search, struct ifr_error *err) {
	struct trial finalists[FINALISTS];
	int result = search_fit(search, err);
	if (result)
		return result;
	const size_t count = choose_finalists(search, finalists);
	const struct trial *best = NULL;
	if (!count)
		result = ifr_fail(err, IFR_E_USAGE, "no layout could be measured");
	else
		result =
			stage_measure(&search->stages, "finalists", FINAL_FACTOR * search->stages.search->campaign.repetitions,
		                  final_share, finalists, count, err);
	for (size_t i = 0; i < count && !result; i++)
		if (isfinite(finalists[i].time) && (!best || finalists[i].time < best->time))
			best = &finalists[i];
	if (best && !search->stages.interrupted)
		result = search_confirm(search, best, err);
	if (best && !result && search->optimum->faster)
		result = write_pins(search, best, err);
	for (size_t i = 0; i < count; i++)
		candidate_release(&finalists[i].candidate);
	return result;
}
