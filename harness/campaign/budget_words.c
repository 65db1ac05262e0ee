/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a campaign on its budget: at its begin what the budget holds, at its end that it was too short. */
#include "harness/campaign/budget_words.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/clock.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/missing_runs.h"

/* The random layouts of which every program ran at least once. */
static unsigned count_measured_layouts(const struct campaign_state *state) {
	unsigned count = 0;
	for (unsigned layout = 1; layout <= state->plan.variants; layout++) {
		bool ran = true;
		for (unsigned program = 0; program < state->plan.program_count; program++)
			ran &= ifr_experiment_has_run(state->experiment, campaign_variant_id(state, program, layout), 0, 0);
		count += ran;
	}
	return count;
}

/* Describes a budget that is too short; the caller frees it. The result receives what a run takes, and a budget that is
 * enough: it gives two runs to each of two layouts and to the shipped one. */
static char *describe_short_budget(const struct campaign_state *state, struct ifr_campaign_result *result) {
	enum { RUNS = (2 + 1) * 2 };
	const uint64_t runs = (uint64_t)RUNS * ifr_counters_passes(state->counters) * state->plan.program_count;
	const int64_t run_ns = state->run_ns > state->reference_ns ? state->run_ns : state->reference_ns;
	const int64_t spent_ns = ifr_clock_ns() - state->begun_ns - (int64_t)result->runs * run_ns;
	if (!runs)
		return ifr_format("the budget is too short: %s; give a longer --budget",
		                  *result->model_left_out ? result->model_left_out : "it has no time for two layouts");
	if (*result->model_left_out)
		return ifr_format("the budget is too short: one run takes %.2g s, and %s; give a longer --budget",
		                  (double)run_ns / 1e9, result->model_left_out);
	result->run_ns = run_ns;
	result->two_layouts_s = budget_scale_to_whole(budget_enough_seconds(spent_ns > 0 ? spent_ns : 0, run_ns, runs),
	                                              state->plan.budget_ns, state->plan.whole_budget_ns);
	return ifr_format("the budget is too short for two layouts: one run takes %.2g s, and --budget %" PRId64
	                  "s is enough",
	                  (double)run_ns / 1e9, result->two_layouts_s);
}

void campaign_announce_budget(const struct campaign_state *state) {
	const unsigned variants = campaign_variant_count(state), passes = ifr_counters_passes(state->counters);
	if (!state->plan.budget_ns || !passes)
		return;
	const struct plan_size size = {
		.missing_runs =
			campaign_missing_runs(state) + (uint64_t)(variants - state->ready) * state->plan.repetitions * passes,
		.layouts = variants / state->plan.program_count,
		.repetitions = state->plan.repetitions,
	};
	const int64_t run_ns = state->fastest_ns ? state->fastest_ns : state->reference_ns;
	char *text = budget_describe_few(run_ns, state->deadline_ns - ifr_clock_ns(), &size);
	if (text)
		campaign_say(state, text);
	free(text);
}

int campaign_check_budget(const struct campaign_state *state, struct ifr_campaign_result *result,
                          struct ifr_error *err) {
	const bool runs_count = ifr_counters_passes(state->counters);
	if (result->complete || result->interrupted || !state->plan.budget_ns)
		return 0;
	const bool few = count_measured_layouts(state) < 2;
	if (!result->runs && !few) {
		campaign_say(state, "the budget had no time for another run; give a longer --budget");
		return 0;
	}
	result->budget_ended =
		!result->runs || (runs_count ? state->plan.variants >= 2 && few : *result->model_left_out != '\0');
	if (!result->budget_ended || (result->runs && !runs_count))
		return 0;
	char *text = describe_short_budget(state, result);
	if (result->runs)
		campaign_say(state, text);
	const int failed = result->runs ? 0 : ifr_fail(err, IFR_E_USAGE, "%s", text);
	free(text);
	return failed;
}
