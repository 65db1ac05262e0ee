/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/exec/exec.h"
#include "harness/optimize/pins.h"
#include "harness/optimize/shortlist.h"
#include "harness/optimize/stages.h"
#include "harness/simulate/simulate.h"

/* Orders of clusters that are tried in each round; layouts of the last stage, and by how much more they run; the part of
 * the rest of the budget for recording, random layouts, predictions and runs of each round, and finalists; the part of
 * the whole that rounds leave for finalists and confirmation. */
enum { CLUSTER_ORDERS = 24, FINALISTS = 4, FINAL_FACTOR = 3 };
static const double recording_share = 0.25, random_share = 0.5, predicting_share = 0.15, round_share = 0.35,
					final_share = 0.4, reserved_share = 0.3;

struct search {
	struct stages stages;
	struct hot_code code;
	struct trial *trials; /* measured layouts, the shipped one among them */
	size_t count;
	double (*drawn)[FEATURES_MOST]; /* the features of random layouts that rounds predicted, in their order */
	unsigned drawn_count;
	struct ifr_ridge surrogate;
	bool fitted;
	struct ifr_optimum *optimum;
};

/* The moment at which a share of the rest of the budget is used; INT64_MAX without one. */
static int64_t moment_of_share(const struct stages *stages, double share) {
	const int64_t now_ns = ifr_clock_ns();
	return stages->deadline_ns == INT64_MAX ? INT64_MAX
	                                        : now_ns + (int64_t)(share * (double)(stages->deadline_ns - now_ns));
}

/* --- the recording ----------------------------------------------------------------------------------------------- */

static int record(struct stages *stages, const char *path, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &stages->search->campaign;
	struct ifr_recorded recorded = {0};
	const struct ifr_recording_request request = {
		.program = campaign->programs->path,
		.argv = campaign->argv,
		.more_environment = &campaign->environment,
		.path = path,
		.stdin_file = campaign->stdin_file,
		.silent = true,
		.deadline_ns = stages->deadline_ns == INT64_MAX ? 0 : moment_of_share(stages, recording_share),
		.most_bytes = campaign->most_recording_bytes,
		.progress = campaign->recording_progress};
	if (stages->search->announce)
		stages->search->announce("recording");
	int result = ifr_recording_make(&request, &recorded, err);
	if (recorded.end == IFR_RECORDING_TIME)
		result = ifr_fail(
			err, IFR_E_USAGE,
			"to record the program takes longer than a quarter of the budget: give it more, or less work");
	if (!result && recorded.exit_status != campaign->expected_exit)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s exits with status %d where it is recorded, not %d",
		                  campaign->argv[0], recorded.exit_status, campaign->expected_exit);
	return result;
}

static int read_code(struct search *search, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	char *path = stage_file(stages, "program.trace");
	struct ifr_trace *trace = NULL;
	int result = ifr_file_exists(path) ? 0 : record(stages, path, err);
	if (!result)
		result = ifr_trace_open(path, &trace, err);
	if (!result)
		result = hot_code_read(trace, stages->source.relinker, &search->code, err);
	ifr_trace_free(trace);
	free(path);
	return result;
}

/* --- the surrogate ----------------------------------------------------------------------------------------------- */

static int fit(struct search *search, struct ifr_error *err) {
	const size_t features = features_count(&search->code);
	double *x = ifr_alloc((search->count * features + 1) * sizeof *x),
		   *y = ifr_alloc((search->count + 1) * sizeof *y);
	size_t count = 0;
	for (size_t i = 0; i < search->count; i++)
		if (isfinite(search->trials[i].time)) {
			memcpy(x + count * features, search->trials[i].candidate.features, features * sizeof *x);
			y[count++] = search->trials[i].time;
		}
	if (search->fitted)
		ifr_ridge_release(&search->surrogate);
	int result = ifr_ridge_fit(x, y, count, features, &search->surrogate, err);
	search->fitted = !result;
	search->stages.source.surrogate = search->fitted ? &search->surrogate : NULL;
	struct ifr_correlation correlation = {.r = NAN};
	if (!result && ifr_correlation_pearson(search->surrogate.left_out, y, count, 0.95, &correlation, NULL))
		correlation.r = NAN;
	if (!result)
		search->optimum->r = correlation.r;
	free(x);
	free(y);
	return result;
}

/* The mean of a layout's measured time and of the surrogate's expectation: noise is drawn towards what features tell. */
static double shrunk_time(const struct search *search, const struct trial *trial) {
	return (trial->time + ifr_ridge_predict(&search->surrogate, trial->candidate.features, NULL)) / 2;
}

/* --- rounds ------------------------------------------------------------------------------------------------------ */

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

/* Offers orders of clusters. The first, the densest cluster first, is tried in each round, with other gaps. */
static void offer_clusters(struct search *search, unsigned round, int64_t until_ns, struct shortlist lists[2]) {
	for (unsigned i = 0; i < CLUSTER_ORDERS && (!i || ifr_clock_ns() < until_ns); i++) {
		struct candidate candidate;
		struct ifr_error ignored = {0};
		if (!candidate_cluster(&search->stages.source, i ? round * CLUSTER_ORDERS + i : 0, &candidate, &ignored))
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
	offer_clusters(search, round, moment_of_share(&search->stages, predicting_share / 2), lists);
	const int64_t until_ns = moment_of_share(&search->stages, predicting_share / 2);
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

static void add_trials(struct search *search, struct trial *trials, size_t count) {
	search->trials = ifr_realloc(search->trials, search->count + count + 1, sizeof *search->trials);
	memcpy(search->trials + search->count, trials, count * sizeof *trials);
	search->count += count;
}

static int run_round(struct search *search, unsigned round, struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	const size_t most = plan->each;
	struct shortlist lists[2];
	struct trial *chosen = ifr_alloc((most + 1) * sizeof *chosen);
	size_t count = 0;
	char *name = ifr_format("round-%u", round + 1);
	int result = fit(search, err);
	shortlist_init(&lists[0], 4 * most, 0);
	shortlist_init(&lists[1], 4 * most, 1);
	if (!result)
		result = fill_shortlists(search, round, lists, err);
	for (int i = 0; i < 2 && !result; i++)
		choose(search, &lists[i], chosen, &count, i ? most : most / 2);
	shortlist_release(&lists[0]);
	shortlist_release(&lists[1]);
	if (!result && count)
		result = stage_measure(&search->stages, name, plan->campaign.repetitions, round_share, chosen, count, err);
	add_trials(search, chosen, count);
	free(chosen);
	free(name);
	return result;
}

/* --- finalists --------------------------------------------------------------------------------------------------- */

static bool is_shipped(const struct trial *trial) {
	return !ifr_plan_axes(&trial->candidate.plan) && !trial->candidate.plan.place_count;
}

/* Copies the most promising measured layouts. Returns their number. */
static size_t choose_finalists(const struct search *search, struct trial finalists[FINALISTS]) {
	size_t count = 0;
	bool *taken = ifr_alloc(search->count + 1);
	while (count < FINALISTS) {
		const struct trial *best = NULL;
		for (size_t i = 0; i < search->count; i++) {
			const struct trial *trial = &search->trials[i];
			if (!taken[i] && isfinite(trial->time) && !is_shipped(trial) &&
			    (!best || shrunk_time(search, trial) < shrunk_time(search, best)))
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

static int run_final(struct search *search, struct ifr_error *err) {
	struct trial finalists[FINALISTS];
	int result = fit(search, err);
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

/* --- the search -------------------------------------------------------------------------------------------------- */

/* Names the features by the size of their effect. */
static void name_features(struct search *search) {
	const struct ifr_ridge *ridge = &search->surrogate;
	bool taken[FEATURES_MOST] = {false};
	for (int n = 0; n < IFR_OPTIMUM_FEATURES && search->fitted; n++) {
		size_t best = ridge->predictors;
		for (size_t i = 0; i < ridge->predictors; i++)
			if (!taken[i] && isfinite(ridge->scale[i]) &&
			    (best == ridge->predictors || fabs(ridge->coefficient[i]) > fabs(ridge->coefficient[best])))
				best = i;
		if (best == ridge->predictors)
			return;
		struct ifr_buffer name = {0};
		taken[best] = true;
		features_name(&search->code, best, &name);
		search->optimum->feature[n].name = ifr_buffer_detach(&name);
		search->optimum->feature[n].effect = ridge->coefficient[best];
	}
}

static void find_fastest_random(struct search *search) {
	search->optimum->fastest_random = INFINITY;
	for (size_t i = 0; i < search->count; i++)
		if (!is_shipped(&search->trials[i]))
			search->optimum->fastest_random = fmin(search->optimum->fastest_random, exp(search->trials[i].time));
}

/* Whether a round leaves what is reserved for finalists and confirmation. */
static bool has_time(const struct stages *stages) {
	const double reserved_ns = reserved_share * (double)stages->search->campaign.budget_ns;
	return stages->deadline_ns == INT64_MAX || (double)(stages->deadline_ns - ifr_clock_ns()) > 1.5 * reserved_ns;
}

static int run_stages(struct search *search, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	int result = read_code(search, err);
	stages->source.code = &search->code;
	if (!result)
		result = stage_learn(stages, random_share, &search->trials, &search->count, err);
	if (!result)
		find_fastest_random(search);
	for (unsigned i = 0; i < stages->search->rounds && !result && !stages->interrupted && has_time(stages); i++)
		result = run_round(search, i, err);
	if (!result && !stages->interrupted)
		result = run_final(search, err);
	for (size_t i = 0; i < search->count; i++)
		search->optimum->measured += isfinite(search->trials[i].time) && !is_shipped(&search->trials[i]);
	search->optimum->predicted += search->drawn_count;
	name_features(search);
	return result;
}

/* Stages of given layouts have no kit, by which the model would lay them out. */
static bool asks_for_model(const char *counters) {
	struct ifr_strings names = {0};
	ifr_strings_split(&names, counters ? counters : "", ",");
	const bool asks = ifr_strings_contain(&names, "model") || ifr_strings_contain(&names, "auto");
	ifr_strings_release(&names);
	return asks;
}

static int check_request(const struct ifr_optimization *search, struct ifr_error *err) {
	const unsigned others = search->campaign.generator.axes & ~ifr_axes_of(IFR_OWNER_RELINKER);
	if (!search->campaign.programs->kit)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s has no kit, so that its code cannot be moved: build it with CC=interfero-gcc",
		                search->campaign.programs->path);
	if (asks_for_model(search->campaign.counters))
		return ifr_fail(
			err, IFR_E_USAGE,
			"a search measures by the clock or by perf, and its features are the model's part: leave model and auto "
			"out of --counters");
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (others & 1u << i)
			return ifr_fail(err, IFR_E_USAGE,
			                "a search moves what the relinker can, and %s is not of it: leave it out of --axes",
			                ifr_axes[i].name);
	return search->campaign.generator.axes ? 0 : ifr_fail(err, IFR_E_USAGE, "a search needs an axis to vary");
}

int ifr_optimize(const struct ifr_optimization *plan, struct ifr_optimum *optimum, struct ifr_error *err) {
	const int64_t budget_ns = plan->campaign.budget_ns;
	struct search search = {.stages = {.search = plan,
	                                   .source = {.generator = &plan->campaign.generator},
	                                   .deadline_ns = budget_ns ? ifr_clock_ns() + budget_ns : INT64_MAX},
	                        .optimum = optimum};
	*optimum = (struct ifr_optimum){.r = NAN, .best = NAN, .fastest_random = NAN};
	int result = check_request(plan, err);
	if (result)
		return result;
	search.stages.source.kit_key = plan->campaign.programs->kit->key;
	result = ifr_dir_make(plan->campaign.file, err);
	if (!result)
		result = ifr_builder_open(plan->campaign.programs->kit, &search.stages.builder, err);
	if (!result) {
		search.stages.source.relinker = ifr_builder_relinker(search.stages.builder);
		result = run_stages(&search, err);
	}
	optimum->interrupted = search.stages.interrupted;
	for (size_t i = 0; i < search.count; i++)
		candidate_release(&search.trials[i].candidate);
	free(search.trials);
	free(search.drawn);
	if (search.fitted)
		ifr_ridge_release(&search.surrogate);
	hot_code_release(&search.code);
	ifr_builder_close(search.stages.builder);
	return result;
}

void ifr_optimum_release(struct ifr_optimum *optimum) {
	for (int i = 0; i < IFR_OPTIMUM_FEATURES; i++)
		free(optimum->feature[i].name);
	for (size_t i = 0; i < optimum->confirmed_count; i++) {
		free(optimum->confirmed[i].arguments);
		free(optimum->confirmed[i].metric);
	}
	free(optimum->confirmed);
	free(optimum->plan_file);
	free(optimum->order_file);
	free(optimum->sections_file);
	*optimum = (struct ifr_optimum){0};
}
