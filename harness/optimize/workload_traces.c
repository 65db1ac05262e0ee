/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/exec/exec.h"
#include "harness/optimize/search.h"
#include "harness/simulate/simulate.h"

/* Of the rest of the budget. */
static const double recording_share = 0.25;

/* A recording that was not over in its part of the budget: a run without the recorder tells about how long it takes. */
static int refuse_recording(struct stages *stages, struct ifr_recording_request *request, int64_t left_ns,
                            struct ifr_error *err) {
	struct ifr_error ignored = {0};
	int64_t needed_ns = 2 * left_ns;
	request->deadline_ns = 0;
	if (!ifr_recording_time_plain(request, &ignored) && ifr_recording_estimate_ns(request->plain_ns) > needed_ns)
		needed_ns = ifr_recording_estimate_ns(request->plain_ns);
	char *why = ifr_format("it takes about %.0f s", ceil(1e-9 * (double)needed_ns));
	const int result = stages_refuse(stages, "recording", needed_ns, left_ns, why, err);
	free(why);
	return result;
}

static int record(struct stages *stages, const struct ifr_optimization_workload *workload, const char *path,
                  double share, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &stages->search->campaign;
	struct ifr_recorded recorded = {0};
	const int64_t until_ns = stages_moment(stages, share), begun_ns = ifr_clock_ns();
	struct ifr_recording_request request = {.program = campaign->programs->path,
	                                        .argv = workload->argv,
	                                        .more_environment = &campaign->environment,
	                                        .path = path,
	                                        .stdin_file = campaign->stdin_file,
	                                        .silent = true,
	                                        .deadline_ns = until_ns == INT64_MAX ? 0 : until_ns,
	                                        .most_bytes = campaign->most_recording_bytes,
	                                        .progress = campaign->recording_progress};
	if (stages->search->announce)
		stages->search->announce("recording");
	int result = ifr_recording_make(&request, &recorded, err);
	if (recorded.end == IFR_RECORDING_TIME)
		result = refuse_recording(stages, &request, until_ns - begun_ns, err);
	if (!result && recorded.exit_status != campaign->expected_exit)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s exits with status %d where it is recorded, not %d",
		                  workload->argv[0], recorded.exit_status, campaign->expected_exit);
	return result;
}

static int read_workload(struct search *search, size_t index, double share, struct hot_code *code,
                         struct ifr_error *err) {
	struct stages *stages = &search->stages;
	const struct ifr_optimization_workload *workload = &stages->search->workloads[index];
	char *base = stage_name("program", workload), *name = ifr_format("%s.trace", base),
		 *path = stage_file(stages, name);
	struct ifr_trace *trace = NULL;
	int result = ifr_file_exists(path) ? 0 : record(stages, workload, path, share, err);
	if (!result)
		result = ifr_trace_open(path, &trace, err);
	if (!result)
		result = hot_code_read(trace, stages->source.relinker, code, err);
	ifr_trace_free(trace);
	free(path);
	free(name);
	free(base);
	return result;
}

int search_read_code(struct search *search, struct ifr_error *err) {
	const struct ifr_optimization *request = search->stages.search;
	const size_t count = request->workload_count;
	struct hot_code *codes = ifr_alloc(count * sizeof *codes);
	double *weights = ifr_alloc(count * sizeof *weights);
	int result = 0;
	for (size_t i = 0; i < count && !result; i++) {
		weights[i] = request->workloads[i].weight;
		result = read_workload(search, i, recording_share / (double)count, &codes[i], err);
	}
	if (!result && count == 1)
		search->code = codes[0];
	else if (!result)
		hot_code_mix(codes, weights, count, &search->code);
	for (size_t i = 0; i < count && result; i++)
		hot_code_release(&codes[i]);
	free(weights);
	free(codes);
	return result;
}
