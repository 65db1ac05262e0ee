/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "harness/exec/exec.h"
#include "harness/optimize/search.h"
#include "harness/optimize/shortlist.h"

/* Orders of hot functions that are tried in each round; the part of the rest of the budget for a round's predictions,
 * and for its runs. */
enum { ORDERS = 24 };
static const double predicting_share = 0.15, round_share = 0.35;

static bool is_like(const struct search *search, const struct candidate *a, const struct candidate *b) {
	return !memcmp(a->features, b->features, features_count(&search->code) * sizeof *a->features);
}

static bool is_known(const struct search *search, const struct candidate *candidate, const struct trial *chosen,
                     size_t count) {
	for (size_t i = 0; i < search->count; i++)
		if (is_like(search, &search->trials[i].candidate, candidate))
			return true;
	for (size_t i = 0; i < count; i++)
		if (is_like(search, &chosen[i].candidate, candidate))
			return true;
	return false;
}

/* Offers a candidate to both lists. */
static void offer(struct shortlist lists[2], struct candidate *candidate) {
	struct candidate copy = *candidate;
	ifr_plan_copy(&copy.plan, &candidate->plan);
	shortlist_offer(&lists[0], candidate);
	shortlist_offer(&lists[1], &copy);
}

/* Offers orders of hot functions. Those of the rules are tried in each round, with other gaps. */
static void offer_orders(struct search *search, unsigned round, int64_t until_ns, struct shortlist lists[2]) {
	for (unsigned i = 0; i < ORDERS && (!i || ifr_clock_ns() < until_ns); i++) {
		struct candidate candidate;
		struct ifr_error ignored = {0};
		const enum function_rule rule = i < FUNCTIONS_DRAWN ? (enum function_rule)i : FUNCTIONS_DRAWN;
		if (!candidate_order(&search->stages.source, rule, round * ORDERS + i, CANDIDATE_GAPS_CHOSEN, &candidate,
		                     &ignored))
			offer(lists, &candidate);
		else
			candidate_release(&candidate);
		search->optimum->predicted++;
	}
}

static int fill_shortlists(struct search *search, unsigned round, struct shortlist lists[2],
                           struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	const unsigned first = plan->campaign.variants + 1;
	int result = 0;
	if (!search->drawn)
		search->drawn = ifr_alloc((plan->candidates + 1) * sizeof *search->drawn);
	offer_orders(search, round, stages_moment(&search->stages, predicting_share / 2), lists);
	const int64_t until_ns = stages_moment(&search->stages, predicting_share / 2);
	for (unsigned i = 0; i < plan->candidates && !result && ifr_clock_ns() < until_ns; i++) {
		struct candidate candidate;
		const bool known = i < search->drawn_count;
		if (ifr_launch_interrupted())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted");
		result =
			candidate_draw(&search->stages.source, first + i, known ? search->drawn[i] : NULL, &candidate, err);
		if (!result && !known)
			memcpy(search->drawn[search->drawn_count++], candidate.features, sizeof candidate.features);
		if (!result)
			offer(lists, &candidate);
		else
			candidate_release(&candidate);
	}
	return result;
}

/* Moves the most promising new layouts from a list to a round's. */
static void choose(const struct search *search, struct shortlist *list, struct trial *chosen, size_t *count,
                   size_t most) {
	for (size_t i = 0; i < list->count && *count < most; i++)
		if (!is_known(search, &list->items[i], chosen, *count)) {
			chosen[(*count)++].candidate = list->items[i];
			list->items[i] = (struct candidate){0};
		}
}

/* Heuristics run beside the surrogate's choice, which few random layouts have taught: clusters that enter the fewest
 * windows, then each rule's order as linkers have it. */
static void choose_heuristics(const struct search *search, struct trial *chosen, size_t *count, size_t most) {
	struct candidate_source source = search->stages.source;
	source.surrogate = NULL;
	for (int i = 0; i <= FUNCTIONS_DRAWN && *count < most; i++) {
		const enum function_rule rule = i ? (enum function_rule)(i - 1) : FUNCTIONS_CLUSTERED;
		struct candidate candidate;
		struct ifr_error ignored = {0};
		if (!candidate_order(&source, rule, 0, i ? CANDIDATE_GAPS_NONE : CANDIDATE_GAPS_CHOSEN, &candidate,
		                     &ignored) &&
		    !is_known(search, &candidate, chosen, *count))
			chosen[(*count)++].candidate = candidate;
		else
			candidate_release(&candidate);
	}
}

static void add_trials(struct search *search, struct trial *trials, size_t count) {
	search->trials = ifr_realloc(search->trials, search->count + count + 1, sizeof *search->trials);
	memcpy(search->trials + search->count, trials, count * sizeof *trials);
	search->count += count;
}

int search_run_round(struct search *search, unsigned round, struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	const size_t most = plan->each;
	struct shortlist lists[2];
	struct trial *chosen = ifr_alloc((most + 1) * sizeof *chosen);
	size_t count = 0;
	char *name = ifr_format("round-%u", round + 1);
	int result = search_fit(search, err);
	shortlist_init(&lists[0], 4 * most, 0);
	shortlist_init(&lists[1], 4 * most, 1);
	if (!result)
		result = fill_shortlists(search, round, lists, err);
	if (!result && !round)
		choose_heuristics(search, chosen, &count, (most + 1) / 2);
	for (int i = 0; i < 2 && !result; i++)
		choose(search, &lists[i], chosen, &count, i ? most : (most + count) / 2);
	shortlist_release(&lists[0]);
	shortlist_release(&lists[1]);
	if (!result && count)
		result = stage_measure(&search->stages, name, plan->campaign.repetitions, round_share, chosen, count, err);
	add_trials(search, chosen, count);
	free(chosen);
	free(name);
	return result;
}
