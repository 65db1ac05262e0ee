/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a program's iterations are fixed for the model. Versions of one framework take different arguments, so that the
 * argument of the newest is tried before it is advised. */
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/figures.h"
#include "model/model.h"

enum { ITERATIONS = 100, RUNS = 2 };

static void release_runs(struct ifr_outcome runs[RUNS]) {
	for (unsigned i = 0; i < RUNS; i++)
		ifr_outcome_release(&runs[i]);
}

/* Whether a program with the argument succeeds, and prints the same iterations twice. */
static int try_program(struct campaign_state *state, unsigned program, bool *works, struct ifr_error *err) {
	struct ifr_outcome runs[RUNS];
	struct ifr_adaptation found;
	int result = 0;
	*works = true;
	for (unsigned i = 0; i < RUNS; i++)
		ifr_outcome_init(&runs[i]);
	for (unsigned i = 0; i < RUNS && !result && *works; i++) {
		result = campaign_observe_run(state, program, false, &runs[i], err);
		*works = !result && runs[i].exit_status == state->plan.expected_exit && !runs[i].interrupted;
	}
	if (*works) {
		ifr_adaptation_recognise(ifr_buffer_text(&runs[0].output), ifr_buffer_text(&runs[1].output), &found);
		*works = found.framework && !found.differs;
	}
	release_runs(runs);
	return result;
}

static int try_argument(struct campaign_state *state, const char *argument, bool *works, struct ifr_error *err) {
	int result = 0;
	*works = true;
	ifr_strings_add(&state->argv, argument);
	for (unsigned i = 0; i < state->plan.program_count && !result && *works; i++)
		result = try_program(state, i, works, err);
	ifr_strings_drop_last(&state->argv);
	return result;
}

static int advise(struct campaign_state *state, const struct ifr_metrics *metrics, struct ifr_error *err) {
	char *argument = ifr_metrics_fix_argument(metrics, ITERATIONS);
	bool works = false;
	int result = argument ? try_argument(state, argument, &works, err) : 0;
	if (!result && works)
		result = ifr_fail(err, IFR_E_PROGRAM,
		                  "the model cannot record a program that chooses its iterations anew in every run (%s): "
		                  "fix their number by the argument %s",
		                  state->adaptive_framework, argument);
	else if (!result)
		result = ifr_fail(err, IFR_E_PROGRAM,
		                  "the model cannot record a program that chooses its iterations anew in every run (%s): "
		                  "%s%s%s%s",
		                  state->adaptive_framework, argument ? "this version does not take " : "",
		                  argument ? argument : "", argument ? ", but " : "", ifr_metrics_fix_advice(metrics));
	free(argument);
	return result;
}

int campaign_check_iterations(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_metrics *metrics = NULL;
	char *fixed = ifr_experiment_get(state->experiment, "iterations argument");
	const bool adaptive = state->adaptive_option && (!fixed || !*fixed);
	free(fixed);
	if (!adaptive)
		return 0;
	int result = ifr_metrics_open(state->adaptive_option, &metrics, err);
	if (!result)
		result = advise(state, metrics, err);
	ifr_metrics_close(metrics);
	return result;
}
