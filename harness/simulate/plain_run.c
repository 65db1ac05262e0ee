/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain run: the program once, without the recorder. What it costs tells how long a recording takes, and that a
 * recording which executes far more is of an adaptive program. */
#include <stdlib.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/exec/exec.h"
#include "harness/simulate/recording.h"
#include "harness/simulate/recording_context.h"

int ifr_recording_recorder(const struct ifr_recording_request *request, enum ifr_recorder *recorder,
                           struct ifr_error *err) {
	const char *name = getenv("INTERFERO_RECORDER");
	*recorder = request->recorder;
	if (*recorder != IFR_RECORDER_AUTO || !name || !*name)
		return 0;
	*recorder = ifr_recorder_named(name);
	return *recorder == IFR_RECORDERS
	           ? ifr_fail(err, IFR_E_USAGE, "INTERFERO_RECORDER is \"%s\", not auto, valgrind or qemu", name)
	           : 0;
}

/* The time that a run may take: until the deadline, and no longer than the limit; 0: for ever. */
int64_t ifr_recording_time_left(const struct ifr_recording_request *request) {
	int64_t left_ns = request->deadline_ns ? request->deadline_ns - ifr_clock_ns() : 0;
	if (request->deadline_ns && left_ns < 1)
		left_ns = 1;
	if (!left_ns || (request->timeout_ns && request->timeout_ns < left_ns))
		return request->timeout_ns;
	return left_ns;
}

static int judge(const struct ifr_outcome *outcome, struct ifr_error *err) {
	if (outcome->interrupted)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted; no trace was written");
	if (outcome->timed_out)
		return ifr_fail(
			err, IFR_E_PROGRAM,
			"the program did not end in its time, although it ran without the recorder, which takes some "
			"thirty times as long; give it more, or record a part (--to)");
	return 0;
}

static void watch_run(pid_t child, int64_t elapsed_ns, void *data) {
	(void)child;
	ifr_patience_watch(data, elapsed_ns);
}

int ifr_recording_time_plain(struct ifr_recording_request *request, struct ifr_error *err) {
	struct ifr_context context;
	struct ifr_outcome outcome;
	enum ifr_recorder recorder;
	char *tool = ifr_path_libexec(IFR_RECORDER_TOOL);
	int result = ifr_recording_recorder(request, &recorder, err);
	if (!result)
		result = ifr_record_check(request->program, recorder, tool, err);
	free(tool);
	if (result)
		return result;
	ifr_recording_context(&context, request->more_environment, NULL, 0);
	ifr_outcome_init(&outcome);
	const struct ifr_launch launch = {.program = request->program,
	                                  .argv = request->argv,
	                                  .context = &context,
	                                  .stdin_file = request->stdin_file,
	                                  .cpu = -1,
	                                  .timeout_ns = ifr_recording_time_left(request),
	                                  .watch = request->patience ? watch_run : NULL,
	                                  .watch_data = request->patience};
	result = ifr_launch_run(&launch, &outcome, err);
	if (!result)
		result = judge(&outcome, err);
	if (!result)
		request->plain_ns = ifr_run_processor_ns(&outcome.times);
	ifr_outcome_release(&outcome);
	ifr_context_release(&context);
	return result;
}
