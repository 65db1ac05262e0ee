/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of the variants' files.
 *
 * Problem: the physical pages that hold a file decide on conflicts in caches, and a file keeps its pages for as long as
 * it lives. With one file for all repetitions their effect counts as an effect of the layout.
 *
 * Idea: each repetition runs a new file at the same path. It is written beside the old one and renamed over it, so that
 * its pages are allocated before the old ones are free. Bytes, mode and path stay equal. A mean over n runs of a layout
 * then has a share of 1 / n of the variance of copies, which is the least for n runs where a copy costs next to nothing.
 *
 * The axis `copies` asks for the opposite: each layout but the shipped one keeps its file, so that the place of a file
 * in memory is what differs between layouts. A file that was lost and made again has the next number.
 * Ref: Kalibera and Jones 2013, section 6. */
#include <stdlib.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/missing_runs.h"
#include "harness/campaign/state.h"

bool campaign_keeps_file(const struct campaign_state *state, unsigned id) {
	return state->plan.one_file ||
	       (campaign_layout_of(state, id) && state->plan.generator.axes & 1u << IFR_AXIS_COPIES);
}

bool campaign_has_twin(const struct campaign_state *state, unsigned id, unsigned repetition) {
	const struct ifr_campaign *plan = &state->plan;
	return repetition == 0 && plan->repetitions >= 2 && !campaign_keeps_file(state, id) &&
	       ifr_schedule_has_twin(plan->generator.seed, campaign_layout_of(state, id));
}

bool campaign_needs_run(const struct campaign_state *state, const struct ifr_job *job) {
	struct ifr_experiment *experiment = state->experiment;
	const bool again = job->repetition >= state->plan.repetitions;
	if ((again && !(state->again && state->again[job->variant])) ||
	    !campaign_shares_run(state, job->variant, job->repetition))
		return false;
	if (!campaign_has_variant(state, job->variant) || ifr_experiment_variant_refused(experiment, job->variant) ||
	    ifr_experiment_run_copy(experiment, job->variant, job->repetition, job->pass, job->twin) >= 0)
		return false;
	if (!job->twin)
		return true;
	return ifr_experiment_run_copy(experiment, job->variant, job->repetition, job->pass, false) ==
	       state->copies[job->variant];
}

static bool needs_copy(const struct campaign_state *state, unsigned id, unsigned repetition) {
	struct ifr_job job = {.variant = id, .repetition = repetition};
	/* A twin runs behind its sibling, on its copy, and needs none of its own. */
	for (; job.pass < ifr_counters_passes(state->counters); job.pass++)
		if (campaign_needs_run(state, &job))
			return true;
	return false;
}

static int copy_variant(struct campaign_state *state, unsigned id, struct ifr_error *err) {
	char *path = campaign_variant_path(state, id);
	struct ifr_error why = {0};
	struct stat status;
	int result = stat(path, &status) ? ifr_fail_errno(&why, IFR_E_ENVIRONMENT, "cannot read %s", path)
	                                 : ifr_file_copy(path, path, status.st_mode & 07777, &why);
	if (!result)
		state->copies[id] = ifr_experiment_last_copy(state->experiment, id) + 1;
	else
		result =
			ifr_fail(err, why.code,
		             "a layout's file cannot be copied for the next repetition: %s; the same command continues "
		             "where there is room, and --one-file goes without copies",
		             why.message);
	free(path);
	return result;
}

/* A file that this call did not make is the one of the runs before. --one-file numbers no copies. */
static void take_kept_file(struct campaign_state *state, unsigned id) {
	int64_t last = ifr_experiment_last_copy(state->experiment, id);
	if (state->plan.one_file)
		state->copies[id] = 0;
	else if (state->copies[id] < 0)
		state->copies[id] = last < 0 ? 0 : last;
}

int campaign_copy_variants(struct campaign_state *state, unsigned repetition, int64_t deadline_ns, bool *whole,
                           struct ifr_error *err) {
	int64_t copy_ns = 0;
	int result = 0;
	*whole = true;
	for (unsigned id = 0; id < state->ready && !result && *whole; id++) {
		if (!needs_copy(state, id, repetition))
			continue;
		int64_t begun_ns = ifr_clock_ns();
		const bool kept = campaign_keeps_file(state, id);
		*whole = !ifr_launch_interrupted() && begun_ns + copy_ns <= deadline_ns;
		if (*whole && kept)
			take_kept_file(state, id);
		else if (*whole)
			result = copy_variant(state, id, err);
		copy_ns = ifr_clock_ns() - begun_ns;
		if (*whole && !kept)
			state->copying = (struct campaign_cost){state->copying.spent_ns + copy_ns, state->copying.count + 1};
	}
	return result;
}
