/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "common/file.h"
#include "harness/exec/exec.h"
#include "harness/optimize/search.h"
#include "harness/simulate/simulate.h"

/* Of the rest of the budget. */
static const double recording_share = 0.25;

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
		.deadline_ns = stages->deadline_ns == INT64_MAX ? 0 : stages_moment(stages, recording_share),
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

int search_read_code(struct search *search, struct ifr_error *err) {
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
