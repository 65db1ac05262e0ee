/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measuring loop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/campaign/state.h"
#include "harness/design/schedule.h"

/* Why a variant's run shows that the variant is not the program, or NULL. The text is valid until the next call.
 */
static const char *find_difference(const struct campaign_state *state, unsigned id,
                                   const struct ifr_outcome *outcome) {
	const char *expected = campaign_program_of(state, id)->reference_digest;
	static char why[160];
	char digest[IFR_SHA256_HEX];
	if (outcome->timed_out)
		snprintf(why, sizeof why, "did not end within %.1f s", (double)state->timeout_ns / 1e9);
	else if (outcome->signal)
		snprintf(why, sizeof why, "ended by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (outcome->exit_status != state->plan->expected_exit)
		snprintf(why, sizeof why, "exited with status %d instead of %d", outcome->exit_status,
		         state->plan->expected_exit);
	else {
		ifr_sha256(ifr_buffer_text(&outcome->output), outcome->output.length, digest);
		if (!*expected || !strcmp(digest, expected))
			return NULL;
		snprintf(why, sizeof why, "printed something else than the program as it ships");
	}
	return why;
}

static void remember_refusal(const struct campaign_state *state, struct ifr_campaign_result *result, unsigned id,
                             const char *why) {
	char name[IFR_NAME_MAX];
	campaign_variant_name(state, id, name);
	if (!result->refused_variants++)
		snprintf(result->refusal, sizeof result->refusal, "%s %s", name, why);
}

static int64_t wall_clock_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int record(struct campaign_state *state, unsigned round, const struct ifr_slot *slot, int64_t started_ns,
                  const struct ifr_outcome *outcome, struct ifr_campaign_result *result, struct ifr_error *err) {
	const char *difference = find_difference(state, slot->variant, outcome);
	struct ifr_experiment_run run = {
		.variant = slot->variant,
		.round = round,
		.pass = slot->pass,
		.started_ns = started_ns,
		.exit_status = outcome->exit_status,
		.refused = difference          ? difference
	               : *outcome->refused ? outcome->refused
	                                   : NULL,
		.values = outcome->values,
		.value_count = ifr_counters_count(state->counters),
	};
	int failed = ifr_experiment_add_run(state->experiment, &run, err);
	if (failed || !difference)
		return failed;
	if (campaign_index_of(state, slot->variant) == 0)
		/* The program itself is not steady: its one run is lost, the layout is not to blame. */
		return ifr_experiment_warn(
			state->experiment,
			"The program as it ships did not behave the same in every run; such runs were left out.", err);
	remember_refusal(state, result, slot->variant, difference);
	return ifr_experiment_refuse_variant(state->experiment, slot->variant, difference, err);
}

/* The run beside the measured one, in which regions of IFR_REPEAT run their statement once. Its events are counted
 * the same, and its region's sums serve launch. */
static int run_once(struct ifr_launch *launch, struct ifr_outcome *once, struct ifr_error *err) {
	struct ifr_launch first = *launch;
	first.repeats = 1;
	launch->once = &once->runtime;
	return ifr_launch_run(&first, once, err);
}

static int measure_slot(struct campaign_state *state, unsigned round, const struct ifr_slot *slot,
                        struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_launch launch;
	struct ifr_outcome outcome;
	char name[IFR_NAME_MAX];
	campaign_variant_name(state, slot->variant, name);
	char *program = ifr_format("%s/%s", state->folder, name);
	ifr_outcome_init(&outcome);
	int failed = campaign_prepare_launch(state, slot->variant, program, slot->pass, &launch, err);
	int64_t started_ns = wall_clock_ns();
	struct ifr_outcome once;
	ifr_outcome_init(&once);
	if (!failed && ifr_counters_repeat(state->counters))
		failed = run_once(&launch, &once, err);
	if (!failed && once.interrupted)
		outcome.interrupted = true;
	else if (!failed)
		failed = ifr_launch_run(&launch, &outcome, err);
	if (!failed && outcome.interrupted) {
		result->interrupted = true;
	} else if (!failed) {
		failed = record(state, round, slot, started_ns, &outcome, result, err);
		result->runs++;
	}
	ifr_outcome_release(&once);
	ifr_outcome_release(&outcome);
	free(program);
	return failed;
}

/* Whether another run fits into the budget. */
static bool time_is_up(const struct campaign_state *state, int64_t run_ns) {
	return campaign_now_ns() + run_ns + run_ns / 5 > state->deadline_ns;
}

struct pace {
	int64_t begun_ns, run_ns; /* run_ns: what one run takes, with its overhead */
	unsigned measured, done, planned;
};

static void keep_pace(const struct campaign_state *state, struct pace *pace) {
	pace->measured++;
	pace->run_ns = (campaign_now_ns() - pace->begun_ns) / pace->measured;
	int64_t left_ns = pace->run_ns * (pace->planned - pace->done);
	int64_t budget_left_ns = state->deadline_ns == INT64_MAX ? left_ns : state->deadline_ns - campaign_now_ns();
	if (state->plan->progress)
		state->plan->progress(pace->done, pace->planned, left_ns < budget_left_ns ? left_ns : budget_left_ns);
}

int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	unsigned variants = state->ready, passes = ifr_counters_passes(state->counters);
	struct ifr_slot *slots = ifr_alloc((size_t)variants * passes * sizeof *slots);
	struct pace pace = {campaign_now_ns(), state->reference_ns, 0, 0, variants * passes * state->plan->rounds};
	int failed = 0;
	bool stop = false;
	for (unsigned round = 0; round < state->plan->rounds && !failed && !stop; round++) {
		ifr_schedule_round(state->plan->generator.seed, round, variants, passes, slots);
		for (unsigned i = 0; i < variants * passes && !failed && !stop; i++) {
			pace.done++;
			if (!campaign_has(state, slots[i].variant) ||
			    ifr_experiment_has_run(state->experiment, slots[i].variant, round, slots[i].pass) ||
			    ifr_experiment_variant_refused(state->experiment, slots[i].variant))
				continue;
			stop = time_is_up(state, pace.run_ns) || ifr_launch_interrupted();
			if (stop)
				break;
			failed = measure_slot(state, round, &slots[i], result, err);
			stop = result->interrupted;
			keep_pace(state, &pace);
		}
	}
	result->interrupted |= ifr_launch_interrupted();
	result->complete = !failed && !stop && state->ready == campaign_ids(state);
	free(slots);
	return failed;
}
