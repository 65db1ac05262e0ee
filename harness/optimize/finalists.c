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

/* Confirms by the search's arguments, then by each held-out list. */
static int confirm(struct search *search, const struct trial *best, struct ifr_error *err) {
	const struct ifr_strings *held_out = search->stages.search->held_out;
	struct ifr_optimum *optimum = search->optimum;
	const size_t count = 1 + (held_out ? held_out->count : 0);
	int result = 0;
	optimum->best = exp(best->time);
	optimum->clustered = best->candidate.origin == CANDIDATE_CLUSTERED;
	optimum->confirmed = ifr_alloc(count * sizeof *optimum->confirmed);
	for (size_t i = 0; i < count && !result && !search->stages.interrupted; i++) {
		struct ifr_confirmed *confirmed = &optimum->confirmed[i];
		char *name = i ? ifr_format("held-out-%zu", i) : ifr_strdup("confirmation");
		confirmed->arguments = i ? ifr_strdup(held_out->items[i - 1]) : NULL;
		result = stage_confirm(&search->stages, name, 1 / (double)(count - i), &best->candidate, confirmed, err);
		optimum->confirmed_count += !result;
		if (result)
			free(confirmed->arguments);
		free(name);
	}
	optimum->faster = !result && optimum->confirmed->faster;
	return optimum->faster ? write_pins(search, best, err) : result;
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
		result = confirm(search, best, err);
	for (size_t i = 0; i < count; i++)
		candidate_release(&finalists[i].candidate);
	return result;
}
