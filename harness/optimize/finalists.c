/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "harness/optimize/pins.h"
#include "harness/optimize/search.h"
#include "harness/optimize/small_edit.h"

/* The finalists, of which two are orders by the recording's counts; the better half of them, which run in several
 * contexts once the others are out; their runs in each context; a heat's part of the rest of the budget, and that of
 * the contexts. The times of the rounds, by which the finalists were chosen, do not count, nor those of the first
 * heat once they ran in contexts: it had one position of the stack, and the layout that is best there need not be in
 * others.
 * Ref: Karnin, Koren and Somekh 2013 (sequential halving). */
enum { FINALISTS = 8, ORDERS = 2, LAST_FINALISTS = 4, LAST_RUNS = 2 };
static const double heat_share = 0.2, contexts_share = 0.4;

static bool is_among(const struct trial *trial, const struct trial *const *best, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (best[i] == trial)
			return true;
	return false;
}

/* The best of the orders that the recording alone gives, beside these trials. NULL: there is none. */
static const struct trial *best_order(const struct search *search, const struct trial *const *best, size_t count) {
	const struct trial *least = NULL;
	for (size_t i = 0; i < search->count; i++) {
		const struct trial *trial = &search->trials[i];
		if (trial->candidate.origin == CANDIDATE_ORDERED && isfinite(trial->time) &&
		    !is_among(trial, best, count) && (!least || trial->time < least->time))
			least = trial;
	}
	return least;
}

/* Gives the last places to the best further orders: such are fast in many programs, and the few runs of a round may have
 * been unlucky. Returns the number of finalists. */
static size_t put_orders(const struct search *search, const struct trial **best, size_t count) {
	const struct trial *order;
	size_t place = count < FINALISTS - ORDERS ? count : FINALISTS - ORDERS;
	for (; place < FINALISTS && (order = best_order(search, best, place)); place++)
		best[place] = order;
	while (place < count && !is_among(best[place], best, place))
		place++;
	return place;
}

/* Copies the most promising measured layouts. Returns their number, FINALISTS at most. */
static size_t choose_finalists(const struct search *search, struct trial *finalists) {
	const struct trial *best[FINALISTS];
	const size_t count = put_orders(search, best, search_best_trials(search, FINALISTS, best));
	for (size_t i = 0; i < count; i++) {
		finalists[i] = *best[i];
		ifr_plan_copy(&finalists[i].candidate.plan, &best[i]->candidate.plan);
	}
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
	if (!result)
		result = pin_write_forms(relinker, &best->candidate.plan, optimum->plan_file, err);
	return result;
}

static const char *contexts_stage(const struct ifr_optimization *search) {
	return search->goal == IFR_GOAL_MEAN ? "finalists-2" : "contexts";
}

/* Runs the finalists and the shipped layout in one workload, in the same contexts. */
static int run_in_contexts(struct stages *stages, size_t index, const struct ifr_plan *const *plans, size_t count,
                           struct context_table *table, struct ifr_error *err) {
	const bool mean = stages->search->goal == IFR_GOAL_MEAN;
	const struct contexts_request request = {.name = contexts_stage(stages->search),
	                                         .folder = "contexts",
	                                         .workload = &stages->search->workloads[index],
	                                         .share =
	                                             contexts_share / (double)(stages->search->workload_count - index),
	                                         .repetitions = mean ? LAST_RUNS : 0,
	                                         .plans = plans,
	                                         .count = count};
	struct ifr_comparison comparison;
	struct ifr_dataset dataset;
	int result = stage_run_in_contexts(stages, &request, &dataset, err);
	if (result)
		return result;
	result = search_compare_sides(stages, &dataset, 1, &comparison, err);
	if (!result)
		result = context_table_add(table, index, &dataset, comparison.metric.name, count, stages->search->contexts,
		                           err);
	ifr_dataset_release(&dataset);
	return result;
}

/* A finalist's time by its worst case: the upper end of the interval, or where there is none the estimate. */
static double worst_time(const struct context_table *table, size_t side) {
	const struct ifr_worst_case worst = worst_case_compare(table, side);
	return log(isfinite(worst.interval.high) ? worst.interval.high : worst.ratio);
}

/* A finalist's time by its mean change of one situation: of the shipped layout and it as they are, or both edited. */
static double mean_time(const struct stages *stages, const struct context_table *table, size_t shipped,
                        size_t side) {
	double sum = 0;
	for (size_t i = 0; i < stages->search->workload_count; i++)
		sum += stages->search->workloads[i].weight * context_table_mean_change(table, i, shipped, side);
	return sum;
}

/* The layouts that run in contexts: the shipped one, the finalists; and for a robust one all of these edited. */
struct sides {
	struct ifr_plan edited[1 + FINALISTS];
	const struct ifr_plan *plans[2 * (1 + FINALISTS)];
	size_t plain, count;
};

static void list_sides(struct search *search, const struct trial *finalists, size_t count, struct sides *sides) {
	const bool robust = search->stages.search->goal == IFR_GOAL_ROBUST;
	struct ifr_error ignored = {0};
	struct small_edit edit;
	*sides = (struct sides){.plain = 1 + count, .count = 1 + count};
	for (size_t i = 0; i <= count; i++)
		ifr_plan_init(&sides->edited[i]);
	for (size_t i = 0; i < count; i++)
		sides->plans[1 + i] = &finalists[i].candidate.plan;
	if (!robust || small_edit_choose(search->stages.builder, &search->code, &edit, &ignored))
		return;
	for (size_t i = 0; i <= count; i++) {
		if (i)
			ifr_plan_copy(&sides->edited[i], sides->plans[i]);
		small_edit_apply(&edit, &sides->edited[i]);
		sides->plans[sides->count++] = &sides->edited[i];
	}
}

static double goal_time(const struct stages *stages, const struct context_table *table, const struct sides *sides,
                        size_t side) {
	if (stages->search->goal == IFR_GOAL_WORST)
		return worst_time(table, side);
	const double plain = mean_time(stages, table, 0, side);
	return sides->count == sides->plain ? plain
	                                    : fmax(plain, mean_time(stages, table, sides->plain, sides->plain + side));
}

/* Sets the finalists' times by their runs in several contexts. */
static int measure_in_contexts(struct search *search, struct trial *finalists, size_t count,
                               struct ifr_error *err) {
	struct stages *stages = &search->stages;
	const size_t workloads = stages->search->workload_count;
	struct context_table table = {0};
	struct sides sides;
	int result = 0;
	list_sides(search, finalists, count, &sides);
	for (size_t i = 0; i < workloads && !result && !stages->interrupted; i++)
		result = run_in_contexts(stages, i, sides.plans, sides.count, &table, err);
	for (size_t i = 0; i < count && !result && !stages->interrupted; i++)
		finalists[i].time = goal_time(stages, &table, &sides, 1 + i);
	context_table_release(&table);
	for (size_t i = 0; i <= count; i++)
		ifr_plan_release(&sides.edited[i]);
	return result;
}

static int by_time(const void *a, const void *b) {
	const struct trial *x = a, *y = b;
	/* A layout without a time comes last. */
	if (isnan(x->time) || isnan(y->time))
		return isnan(x->time) - isnan(y->time);
	return (x->time > y->time) - (x->time < y->time);
}

/* Measures the finalists beside one another, as often as the layouts before them. Without time for that they stay as
 * they are. */
static int run_first_heat(struct search *search, struct trial *finalists, size_t count, bool *measured,
                          struct ifr_error *err) {
	double before[FINALISTS];
	for (size_t i = 0; i < count; i++)
		before[i] = finalists[i].time;
	int result = stage_measure(&search->stages, "finalists-1", search->stages.search->campaign.repetitions,
	                           heat_share, finalists, count, err);
	*measured = !result;
	result = stage_skip(&search->stages, "finalists-1", result, err);
	for (size_t i = 0; i < count && !*measured && !result; i++)
		finalists[i].time = before[i];
	if (*measured)
		qsort(finalists, count, sizeof *finalists, by_time);
	return result;
}

/* Sorts the finalists, the best first; those that the first heat left out keep their place behind the others. */
static int measure_finalists(struct search *search, struct trial *finalists, size_t count, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	bool measured;
	int result = 0;
	if (stages->search->goal == IFR_GOAL_MEAN) {
		result = run_first_heat(search, finalists, count, &measured, err);
		if (result || !measured || stages->interrupted)
			return result;
		count = count < LAST_FINALISTS ? count : LAST_FINALISTS;
	}
	result = measure_in_contexts(search, finalists, count, err);
	if (result && stages->no_time)
		return stage_skip(stages, contexts_stage(stages->search), result, err);
	qsort(finalists, count, sizeof *finalists, by_time);
	return result;
}

int search_run_final(struct search *search, struct ifr_error *err) {
	struct trial finalists[FINALISTS];
	int result = search_fit(search, true, err);
	if (result)
		return result;
	const size_t count = choose_finalists(search, finalists);
	result = count ? measure_finalists(search, finalists, count, err)
	               : ifr_fail(err, IFR_E_USAGE, "no layout could be measured");
	search->optimum->runs = search->stages.runs;
	const struct trial *best = !result && count && isfinite(finalists->time) ? finalists : NULL;
	if (best && !search->stages.interrupted)
		result = search_confirm(search, best, err);
	/* By the worst case a layout may be better and not faster. */
	if (best && !result && search->optimum->found && !search->stages.interrupted &&
	    search->optimum->goal != IFR_GOAL_WORST)
		result = search_confirm_again(search, &best->candidate, err);
	if (best && !result && !search->stages.interrupted)
		search_shrink_gain(search);
	if (best && !result && search->optimum->found && !search->stages.interrupted)
		result = search_try_robustness(search, &best->candidate, err);
	if (best && !result && search->optimum->found)
		result = write_pins(search, best, err);
	for (size_t i = 0; i < count; i++)
		candidate_release(&finalists[i].candidate);
	return result;
}
