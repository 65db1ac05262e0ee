/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments of earlier calls that this call had no time to look at. */
#include <stdlib.h>

#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/campaign/audit_state.h"

/* The runs that every layout has. */
static size_t count_least_runs(const struct ifr_analysis *analysis) {
	size_t least = SIZE_MAX;
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (analysis->layouts[i].count < least)
			least = analysis->layouts[i].count;
	return analysis->layout_count ? least : 0;
}

/* More runs than a screen has, as few as further runs are where time is short. */
static bool is_full(const struct audit_state *state, unsigned which, const struct ifr_analysis *analysis) {
	const size_t all = audit_count_all_runs(state, which), least = IFR_AUDIT_SCREEN_RUNS + 1;
	return count_least_runs(analysis) >= (all < least ? all : least);
}

static void note_trigger(const struct audit_state *state, unsigned which, const char *file) {
	struct ifr_audit_outcome *outcome = &state->outcomes[which];
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_audit_row row = {0};
	if (ifr_experiment_load(file, &dataset, NULL))
		return;
	if (!ifr_analysis_make(&dataset, state->audit->campaign.metric, &analysis, NULL)) {
		ifr_audit_row_make(analysis, &row);
		outcome->measured = true;
		outcome->full = is_full(state, which, analysis);
		outcome->exact = analysis->exact;
		outcome->p = row.tested ? row.p : 1;
		if (outcome->full)
			outcome->why_not = (struct ifr_error){0};
		ifr_audit_row_release(&row);
	}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

void audit_note_stored(const struct audit_state *state) {
	const char *folder = state->audit->campaign.file;
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		struct ifr_audit_outcome *outcome = &state->outcomes[i];
		/* An experiment that was refused, as another program's, is not this audit's. */
		if (!state->possible[i] || (outcome->why_not.code && !outcome->no_time))
			continue;
		char *file = ifr_audit_file(folder, &ifr_triggers[i]),
			 *replication = ifr_audit_replication_file(folder, &ifr_triggers[i]);
		if (!outcome->full && ifr_file_exists(file))
			note_trigger(state, i, file);
		outcome->replicated |= ifr_file_exists(replication);
		free(replication);
		free(file);
	}
}
