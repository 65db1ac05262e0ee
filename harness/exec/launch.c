/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/children.h"
#include "common/clock.h"
#include "common/file.h"
#include "harness/exec/allocators.h"
#include "harness/exec/directory.h"
#include "harness/exec/handover.h"
#include "harness/exec/keeper.h"
#include "harness/exec/runtime_settings.h"
#include "harness/exec/stand_in.h"

static volatile sig_atomic_t interrupted;

void ifr_launch_interrupt(void) {
	interrupted = 1;
}

bool ifr_launch_interrupted(void) {
	return interrupted;
}

void ifr_outcome_init(struct ifr_outcome *outcome) {
	memset(outcome, 0, sizeof *outcome);
}

void ifr_outcome_release(struct ifr_outcome *outcome) {
	ifr_buffer_release(&outcome->output);
	ifr_buffer_release(&outcome->errors);
	ifr_own_figures_release(&outcome->figures);
	free(outcome->values);
	ifr_outcome_init(outcome);
}

/* The descriptors of one run. */
struct channels {
	int go[2];   /* the child waits here until the counters are attached */
	int fail[2]; /* closed by a successful exec; else the child says what failed */
	int in, out, errors;
	int report; /* the runtime's page; -1: none */
};

struct failure {
	char what[64];
	int error;
};

static void close_all(struct channels *channels) {
	int *all[] = {&channels->go[0], &channels->go[1], &channels->fail[0], &channels->fail[1],
	              &channels->in,    &channels->out,   &channels->errors,  &channels->report};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static int open_channels(const struct ifr_launch *launch, struct channels *channels, struct ifr_error *err) {
	*channels = (struct channels){{-1, -1}, {-1, -1}, -1, -1, -1, -1};
	const char *input = launch->stdin_file ? launch->stdin_file : "/dev/null";
	if (launch->watch_stdin && !launch->stdin_file) {
		channels->in = memfd_create("in", MFD_CLOEXEC);
		if (channels->in >= 0 && (write(channels->in, "\n", 1) != 1 || lseek(channels->in, 0, SEEK_SET)))
			return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot prepare standard input");
	} else {
		channels->in = open(input, O_RDONLY | O_CLOEXEC);
	}
	if (channels->in < 0)
		return ifr_fail_errno(err, IFR_E_USAGE, "cannot open %s for standard input", input);
	channels->out = memfd_create("out", MFD_CLOEXEC);
	channels->errors = memfd_create("errors", MFD_CLOEXEC);
	if (channels->out < 0 || channels->errors < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channels->go) || pipe2(channels->fail, O_CLOEXEC))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot prepare a run");
	if (ifr_runtime_wanted(launch->context->runtime))
		return ifr_runtime_page(&channels->report, err);
	return 0;
}

static const char *prepare_child(const struct ifr_launch *launch, const struct channels *channels) {
	cpu_set_t one;
	CPU_ZERO(&one);
	if (launch->cpu >= 0)
		CPU_SET((unsigned)launch->cpu, &one);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (launch->cpu >= 0 && sched_setaffinity(0, sizeof one, &one))
		return "pin it to its processor";
	if (!launch->keep_aslr && personality(ADDR_NO_RANDOMIZE) < 0)
		return "switch off ASLR";
	if (ifr_context_enter(launch->context))
		return "move its mappings";
	if (channels->report >= 0 && fcntl(channels->report, F_SETFD, 0))
		return "pass it a page";
	if (dup2(channels->in, 0) < 0 || dup2(channels->out, 1) < 0 || dup2(channels->errors, 2) < 0)
		return "redirect it";
	return ifr_handover_receive(channels->go[0], IFR_EVENT_FD) ? NULL : "release it";
}

/* The arguments of exec, and the folder of the working directory's mount. */
struct execution {
	char *path, **argv, *folder;
	struct ifr_strings environment;
};

static void exec_program(const struct ifr_launch *launch, const struct channels *channels,
                         const struct execution *execution) {
	struct failure failure = {"start it", 0};
	const char *what = prepare_child(launch, channels);
	if (!what)
		execve(execution->path, execution->argv, execution->environment.items);
	failure.error = errno;
	if (what)
		snprintf(failure.what, sizeof failure.what, "%s", what);
	ssize_t done = write(channels->fail[1], &failure, sizeof failure);
	_exit(done == sizeof failure ? 127 : 126);
}

/* One start of a program, in its own process or in its keeper's. */
struct start {
	const struct ifr_launch *launch;
	struct channels *channels;
	const struct execution *execution;
};

static const char *make_mounts(void *data) {
	const struct start *start = data;
	const struct ifr_launch *launch = start->launch;
	if (launch->stand_in && ifr_stand_in_enter(launch->stand_in, launch->place))
		return "put the variant into the program's place";
	if (ifr_directory_enter(launch->context, start->execution->folder))
		return "mount its working directory (stack:directory-bytes)";
	return NULL;
}

static void start_program(void *data) {
	const struct start *start = data;
	exec_program(start->launch, start->channels, start->execution);
}

static void leave_run(void *data) {
	const struct start *start = data;
	close_all(start->channels);
}

/* Forks the program's process, which waits for its release; known: the children before it. */
static int fork_program(struct start *start, struct ifr_keeper *keeper, struct ifr_children *known, pid_t *child,
                        struct ifr_error *err) {
	const struct ifr_keeper_work work = {make_mounts, start_program, leave_run, start};
	const bool kept = start->launch->stand_in || start->execution->folder;
	int result = kept ? ifr_keeper_start(keeper, &work, start->launch->program, err) : 0;
	if (result)
		return result;
	ifr_children_adopt(known);
	*child = kept ? ifr_keeper_fork(keeper) : fork();
	if (*child == 0)
		start_program(start);
	return *child < 0 ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot start a process") : 0;
}

/* The launcher's own check that addresses do not move: after exec, the kernel shows what the process really got.
 */
static void check_personality(pid_t child, struct ifr_outcome *outcome) {
	char path[64], text[32] = "";
	snprintf(path, sizeof path, "/proc/%d/personality", (int)child);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	/* A program that has ended by now, or that the kernel hides, shows nothing: the check before the experiment
	 * stands. */
	if (got > 0 && !(strtoul(text, NULL, 16) & ADDR_NO_RANDOMIZE))
		snprintf(outcome->refused, sizeof outcome->refused,
		         "address-space randomization was switched on again at exec");
}

enum { LOOK_NS = 5000000 };

/* Waits until the child ends, its time is up or we are interrupted; then it is dead in every case. */
static void await(const struct ifr_launch *launch, pid_t child, int64_t start_ns, struct ifr_outcome *outcome,
                  int *status) {
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd watch = {.fd = pidfd, .events = POLLIN};
	for (;;) {
		int64_t left_ns =
			launch->timeout_ns ? start_ns + launch->timeout_ns - ifr_clock_ns() : INT64_C(1000000000);
		if (launch->timeout_ns && left_ns <= 0)
			outcome->timed_out = true;
		if (interrupted)
			outcome->interrupted = true;
		if (outcome->timed_out || outcome->interrupted)
			break;
		if (left_ns > INT64_C(1000000000))
			left_ns = INT64_C(1000000000);
		if (launch->watch && left_ns > LOOK_NS)
			left_ns = LOOK_NS;
		if (pidfd < 0 || poll(&watch, 1, (int)(left_ns / 1000000) + 1) > 0)
			break;
		if (launch->watch)
			launch->watch(child, ifr_clock_ns() - start_ns, launch->watch_data);
	}
	if (outcome->timed_out || outcome->interrupted)
		kill(-child, SIGKILL);
	while (wait4(child, status, 0, &outcome->times.usage) < 0 && errno == EINTR)
		if (interrupted)
			kill(-child, SIGKILL);
	if (pidfd >= 0)
		close(pidfd);
}

static void read_back(int fd, struct ifr_buffer *into) {
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ifr_file_read(path, 0, into, NULL);
}

/* Lets the child go on, with the events that its regions count. */
static bool release_child(const struct ifr_launch *launch, int socket) {
	int fd[IFR_REGION_EVENTS];
	unsigned count = launch->counters ? ifr_counters_region_events(launch->counters, launch->pass, fd) : 0;
	/* Events that could not be armed have refused the run already. */
	if (count && fd[0] < 0)
		count = 0;
	return ifr_handover_send(socket, fd, count);
}

/* From the child's release to its end. known: the children before it. */
static int observe(const struct ifr_launch *launch, struct channels *channels, pid_t child,
                   const struct ifr_children *known, struct ifr_outcome *outcome, struct ifr_error *err) {
	struct ifr_error inner = {0};
	struct failure failure;
	if (launch->counters && ifr_counters_arm(launch->counters, launch->pass, child, &inner))
		snprintf(outcome->refused, sizeof outcome->refused, "%.255s", inner.message);
	if (launch->profile && ifr_profile_arm(launch->profile, child, launch->cpu, &inner))
		snprintf(outcome->refused, sizeof outcome->refused, "%.255s", inner.message);
	if (launch->threads)
		ifr_profile_arm(launch->threads, child, launch->cpu, &inner);
	int64_t start_ns = ifr_clock_ns();
	uint64_t start_cycles = ifr_tsc_read();
	bool released = release_child(launch, channels->go[1]);
	bool failed = read(channels->fail[0], &failure, sizeof failure) == sizeof failure;
	if (!failed && !launch->keep_aslr)
		check_personality(child, outcome);
	int status = 0;
	await(launch, child, start_ns, outcome, &status);
	outcome->times.tsc_cycles = ifr_tsc_read() - start_cycles;
	outcome->times.wall_ns = ifr_clock_ns() - start_ns;
	outcome->left = ifr_children_end(known);
	kill(-child, SIGKILL);
	if (launch->profile)
		ifr_profile_collect(launch->profile);
	if (launch->threads)
		ifr_profile_collect(launch->threads);
	if (failed || !released) {
		if (launch->counters)
			ifr_counters_disarm(launch->counters);
		errno = failed ? failure.error : EPIPE;
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "%s: cannot %s", launch->program,
		                      failed ? failure.what : "start it");
	}
	outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	outcome->exit_status = outcome->signal ? 128 + outcome->signal : WEXITSTATUS(status);
	return 0;
}

static void collect_values(const struct ifr_launch *launch, struct ifr_outcome *outcome) {
	struct ifr_error inner = {0};
	unsigned count = ifr_counters_count(launch->counters);
	struct ifr_run_times times = outcome->times;
	times.regions = &outcome->runtime;
	times.once = launch->once;
	times.figures = &outcome->figures;
	outcome->values = ifr_alloc(count * sizeof *outcome->values);
	for (unsigned i = 0; i < count; i++)
		outcome->values[i] = NAN;
	if (ifr_counters_collect(launch->counters, launch->pass, &times, outcome->values, &inner) &&
	    !*outcome->refused)
		snprintf(outcome->refused, sizeof outcome->refused, "%.255s", inner.message);
}

static void read_figures(const struct ifr_launch *launch, struct ifr_outcome *outcome) {
	struct ifr_error inner = {0};
	int result = ifr_metrics_read(launch->metrics, ifr_buffer_text(&outcome->output),
	                              ifr_buffer_text(&outcome->errors), &outcome->figures, &inner);
	if (result && !*outcome->refused)
		snprintf(outcome->refused, sizeof outcome->refused, "%.255s", inner.message);
}

static int prepare_execution(const struct ifr_launch *launch, const struct channels *channels,
                             struct execution *execution, struct ifr_error *err) {
	const struct ifr_context *context = launch->context;
	int result = ifr_context_check(context, launch->program, err);
	if (!result)
		result = ifr_context_program(context, launch->program, &execution->path, err);
	if (!result)
		result = ifr_context_arguments(context, launch->argv, &execution->argv, err);
	if (!result)
		result = ifr_directory_make(context, &execution->folder, err);
	if (result)
		return result;
	ifr_context_environment(context, &execution->environment);
	unsigned events = launch->counters ? ifr_counters_region_events(launch->counters, launch->pass, NULL) : 0;
	if (context->runtime)
		ifr_runtime_environment(&execution->environment, context->runtime, launch->repeats, events,
		                        channels->report);
	return 0;
}

static void release_execution(struct execution *execution) {
	ifr_directory_remove(execution->folder);
	ifr_strings_release(&execution->environment);
	free(execution->argv);
	free(execution->path);
}

/* Whether the process was as planned, as far as the run itself can show. */
static void check_run(const struct ifr_launch *launch, const struct channels *channels,
                      struct ifr_outcome *outcome) {
	const char *complaint = ifr_allocator_complaint(ifr_buffer_text(&outcome->errors));
	if (channels->report >= 0 && !*outcome->refused)
		ifr_runtime_check(channels->report, launch->context->runtime, &outcome->runtime, outcome->refused,
		                  sizeof outcome->refused);
	if (launch->context->allocator && complaint && !*outcome->refused)
		snprintf(outcome->refused, sizeof outcome->refused, "%s", complaint);
}

static void collect_outcome(const struct ifr_launch *launch, const struct channels *channels, bool whole,
                            struct ifr_outcome *outcome) {
	outcome->read_stdin = launch->watch_stdin && !launch->stdin_file && lseek(channels->in, 0, SEEK_CUR) > 0;
	read_back(channels->out, &outcome->output);
	read_back(channels->errors, &outcome->errors);
	if (!whole)
		return;
	check_run(launch, channels, outcome);
	if (launch->metrics)
		read_figures(launch, outcome);
	if (launch->counters)
		collect_values(launch, outcome);
}

int ifr_launch_run(const struct ifr_launch *launch, struct ifr_outcome *outcome, struct ifr_error *err) {
	struct channels channels;
	struct ifr_children known = {0};
	struct execution execution = {0};
	struct ifr_keeper keeper = {.socket = -1};
	struct start start = {launch, &channels, &execution};
	pid_t child = -1;
	ifr_outcome_init(outcome);
	int result = open_channels(launch, &channels, err);
	if (!result)
		result = prepare_execution(launch, &channels, &execution, err);
	if (!result)
		result = fork_program(&start, &keeper, &known, &child, err);
	if (result)
		goto out;
	setpgid(child, child);
	close(channels.go[0]);
	close(channels.fail[1]);
	channels.go[0] = channels.fail[1] = -1;
	result = observe(launch, &channels, child, &known, outcome, err);
	collect_outcome(launch, &channels, !result, outcome);
out:
	ifr_keeper_end(&keeper);
	close_all(&channels);
	ifr_children_release(&known);
	release_execution(&execution);
	return result;
}
