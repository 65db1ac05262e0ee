/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "harness/exec/exec.h"
#include "harness/optimize/local_moves.h"
#include "harness/optimize/search.h"
#include "harness/optimize/shortlist.h"

/* Orders of hot functions that are tried in each round; layouts from which local moves begin, and how many follow one
 * another; the part of the rest of the budget for a round's predictions, and for its runs. */
enum { ORDERS = 25, BASES = 2, MOVES = 4 };
static const double predicting_share = 0.15, round_share = 0.35;

/* Layouts of all sources by expectation, and by that less its standard error; and those of local moves, of the
 * surrogate's and of attribution's, which else fill both with layouts that are nearly alike. */
enum { BY_EXPECTATION, BY_OPTIMISM, BY_MOVES, BY_BLAME, LISTS };

static bool is_like(const struct search *search, const struct candidate *a, const struct candidate *b) {
	return !memcmp(a->features, b->features, features_count(&search->code) * sizeof *a->features);
}

static bool is_known(const struct search *search, const struct candidate *candidate, const struct trial *chosen,
                     size_t count) {
	for (size_t i = 0; i < search->count; i++)
		if (!search->trials[i].candidate.inexact && is_like(search, &search->trials[i].candidate, candidate))
			return true;
	for (size_t i = 0; i < count; i++)
		if (is_like(search, &chosen[i].candidate, candidate))
			return true;
	return false;
}

/* --- the shortlists ---------------------------------------------------------------------------------------------- */

/* Offers a candidate to both lists of all sources. */
static void offer(struct shortlist *lists, struct candidate *candidate) {
	struct candidate copy = *candidate;
	ifr_plan_copy(&copy.plan, &candidate->plan);
	shortlist_offer(&lists[BY_EXPECTATION], candidate);
	shortlist_offer(&lists[BY_OPTIMISM], &copy);
}

/* Offers orders of hot functions. Those of the rules are tried in each round, with other gaps. */
static void offer_orders(struct search *search, unsigned round, int64_t until_ns, struct shortlist *lists) {
	for (unsigned i = 0; i < ORDERS && (!i || ifr_clock_ns() < until_ns); i++) {
		struct candidate candidate;
		struct ifr_error ignored = {0};
		const enum function_rule rule = i < FUNCTIONS_DRAWN ? (enum function_rule)i : FUNCTIONS_DRAWN;
		if (!candidate_order(&search->stages.source, rule, round * ORDERS + i, CANDIDATE_GAPS_EXPECTED, &candidate,
		                     &ignored))
			offer(lists, &candidate);
		else
			candidate_release(&candidate);
		search->optimum->predicted++;
	}
}

static int offer_random(struct search *search, int64_t until_ns, struct shortlist *lists, struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	const unsigned first = plan->campaign.variants + 1;
	int result = 0;
	if (!search->drawn)
		search->drawn = ifr_alloc((plan->candidates + 1) * sizeof *search->drawn);
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

static void take_move(void *taker, struct candidate *candidate) {
	shortlist_offer(taker, candidate);
}

/* Offers local moves from the best measured layouts. */
static void offer_moves(struct search *search, int64_t until_ns, struct shortlist *lists) {
	const struct trial *bases[BASES];
	const size_t count = search_best_trials(search, BASES, bases);
	for (size_t i = 0; i < count; i++) {
		struct ifr_error ignored = {0};
		local_moves_climb(&search->stages.source, &bases[i]->candidate.plan, MOVES, until_ns, take_move,
		                  &lists[BY_MOVES], &search->optimum->predicted, &ignored);
		search->optimum->predicted += blamed_moves_offer(&search->stages.source, &bases[i]->candidate.plan,
		                                                 &search->blamed, take_move, &lists[BY_BLAME]);
	}
}

static int fill_shortlists(struct search *search, unsigned round, struct shortlist *lists, struct ifr_error *err) {
	const double part = predicting_share / LISTS;
	offer_orders(search, round, stages_moment(&search->stages, part), lists);
	offer_moves(search, stages_moment(&search->stages, part), lists);
	return offer_random(search, stages_moment(&search->stages, part), lists, err);
}

/* Learns from modelled cycles, too, where a machine is given, and judges the shortlists anew. */
static int model_shortlists(struct search *search, struct shortlist *lists, struct ifr_error *err) {
	if (!search->stages.search->model)
		return 0;
	int result = search_model_trials(search, err);
	for (int i = 0; i < LISTS && !result; i++)
		result = search_model_candidates(search, lists[i].items, lists[i].count, err);
	if (!result)
		result = search_fit(search, true, err);
	for (int i = 0; i < LISTS && !result && search->surrogate.modelled; i++)
		shortlist_sort(&lists[i], search->stages.source.surrogate);
	return result;
}

/* --- the choice -------------------------------------------------------------------------------------------------- */

/* Moves the most promising new layouts from a list to a round's, so many at most. */
static void choose(const struct search *search, struct shortlist *list, size_t most, struct trial *chosen,
                   size_t *count) {
	size_t taken = 0, kept = 0;
	for (size_t i = 0; i < list->count; i++)
		if (taken < most && !is_known(search, &list->items[i], chosen, *count)) {
			chosen[(*count)++].candidate = list->items[i];
			taken++;
		} else {
			list->items[kept++] = list->items[i];
		}
	list->count = kept;
}

/* Heuristics run beside the surrogate's choice, which few random layouts have taught: clusters with the fewest windows
 * entered, chains with the fewest set conflicts, then orders as linkers have them, and clusters with branches parted. */
static void choose_heuristics(const struct search *search, struct trial *chosen, size_t *count, size_t most) {
	static const struct {
		enum function_rule rule;
		enum candidate_gaps gaps;
	} heuristics[] = {{FUNCTIONS_CLUSTERED, CANDIDATE_GAPS_OF_WINDOWS},
	                  {FUNCTIONS_EXT_TSP, CANDIDATE_GAPS_OF_SETS},
	                  {FUNCTIONS_CLUSTERED, CANDIDATE_GAPS_NONE},
	                  {FUNCTIONS_EXT_TSP, CANDIDATE_GAPS_NONE},
	                  {FUNCTIONS_SPLIT, CANDIDATE_GAPS_NONE},
	                  {FUNCTIONS_HOTTEST, CANDIDATE_GAPS_NONE},
	                  {FUNCTIONS_CLUSTERED, CANDIDATE_GAPS_OF_BRANCHES},
	                  {FUNCTIONS_CACHE_DIRECTED, CANDIDATE_GAPS_NONE}};
	for (size_t i = 0; i < sizeof heuristics / sizeof *heuristics && *count < most; i++) {
		struct candidate candidate;
		struct ifr_error ignored = {0};
		if (!candidate_order(&search->stages.source, heuristics[i].rule, 0, heuristics[i].gaps, &candidate,
		                     &ignored) &&
		    !is_known(search, &candidate, chosen, *count))
			chosen[(*count)++].candidate = candidate;
		else
			candidate_release(&candidate);
	}
}

/* A third of the round, after heuristics in the first one, is of local moves; an eighth is attribution's. */
static void choose_all(const struct search *search, struct shortlist *lists, bool first, size_t most,
                       struct trial *chosen, size_t *count) {
	if (first)
		choose_heuristics(search, chosen, count, (most + 1) / 2);
	choose(search, &lists[BY_BLAME], (most + 4) / 8, chosen, count);
	choose(search, &lists[BY_MOVES], (most - *count) / 3, chosen, count);
	choose(search, &lists[BY_EXPECTATION], (most - *count + 1) / 2, chosen, count);
	choose(search, &lists[BY_OPTIMISM], most - *count, chosen, count);
}

void search_add_trials(struct search *search, const struct trial *trials, size_t count) {
	search->trials = ifr_realloc(search->trials, search->count + count + 1, sizeof *search->trials);
	memcpy(search->trials + search->count, trials, count * sizeof *trials);
	search->count += count;
}

int search_run_round(struct search *search, unsigned round, struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	const size_t most = plan->each;
	struct shortlist lists[LISTS];
	struct trial *chosen = ifr_alloc((most + 1) * sizeof *chosen);
	size_t count = 0;
	char *name = ifr_format("round-%u", round + 1);
	int result = search_fit(search, false, err);
	for (int i = 0; i < LISTS; i++)
		shortlist_init(&lists[i], (plan->model ? 1 : 4) * most, i == BY_OPTIMISM);
	if (!result)
		result = fill_shortlists(search, round, lists, err);
	if (!result)
		result = model_shortlists(search, lists, err);
	if (!result)
		choose_all(search, lists, !round, most, chosen, &count);
	for (int i = 0; i < LISTS; i++)
		shortlist_release(&lists[i]);
	if (!result && count)
		result = stage_measure(&search->stages, name, plan->campaign.repetitions, round_share, chosen, count, err);
	search_add_trials(search, chosen, count);
	free(chosen);
	free(name);
	return result;
}
