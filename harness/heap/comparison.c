/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of allocators: one logged run of each for the aliases, then timed runs in turn. */
#include "harness/heap/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/exec/exec.h"
#include "harness/statistics/statistics.h"

const struct ifr_allocator ifr_allocators[] = {
	{"glibc", NULL, "glibc", "glibc", "libc6"},
	{"jemalloc", "libjemalloc.so.2", "glibc", "glibc", "libjemalloc2"},
	{"tcmalloc", "libtcmalloc_minimal.so.4", "glibc", "glibc", "libtcmalloc-minimal4 or libtcmalloc-minimal4t64"},
	{"mimalloc", "libmimalloc.so.2|libmimalloc.so.3", "glibc", "glibc", "libmimalloc2.0 or libmimalloc3"},
	{"blocks aligned", NULL, "glibc", "aligned", NULL},
	{"blocks random", NULL, "glibc", "random", NULL},
	{"blocks alias-free", NULL, "glibc", "alias-free", NULL},
	{"heap shuffle", NULL, "shuffle", "glibc", NULL},
	{"heap diehard", NULL, "diehard", "glibc", NULL},
};
_Static_assert(sizeof ifr_allocators / sizeof *ifr_allocators == IFR_ALLOCATORS, "the table and its length");

enum { REPEATS = 101 };

/* Options of one run beside its allocator. */
struct run_options {
	const char *log;  /* NULL: none */
	unsigned repeats; /* of IFR_REPEAT; 0: none */
	int64_t timeout_ns;
	struct ifr_patience *patience; /* of the first run; NULL: it is none */
};

static void watch_run(pid_t child, int64_t elapsed_ns, void *data) {
	(void)child;
	ifr_patience_watch(data, elapsed_ns);
}

/* Of the first run, where none was asked for, as for the reference run of bench. */
static const int64_t first_timeout_ns = INT64_C(3600000000000), least_timeout_ns = INT64_C(10000000000);
enum { TIMEOUT_RUNS = 20 };

static bool needs_runtime(const struct ifr_allocator *allocator, const struct run_options *options) {
	return options->log || options->repeats || strcmp(allocator->heap, "glibc") ||
	       strcmp(allocator->blocks, "glibc");
}

static int run_program(const struct ifr_heap_plan *plan, const struct ifr_allocator *allocator,
                       const char *library, const struct run_options *options, struct ifr_outcome *outcome,
                       struct ifr_error *err) {
	struct ifr_context context;
	ifr_context_init(&context, &plan->environment);
	if (library)
		ifr_strings_take(&context.environment, ifr_format("LD_PRELOAD=%s", library));
	if (needs_runtime(allocator, options))
		context.runtime = ifr_format("1;heap=%s;blocks=%s;log=%s", allocator->heap, allocator->blocks,
		                             options->log ? options->log : "");
	struct ifr_launch launch = {
		.program = plan->program,
		.argv = plan->argv,
		.context = &context,
		.repeats = options->repeats,
		.stdin_file = plan->stdin_file,
		.cpu = plan->cpu,
		.keep_aslr = true,
		.timeout_ns = options->timeout_ns,
		.watch = options->patience ? watch_run : NULL,
		.watch_data = options->patience,
	};
	int result = ifr_launch_run(&launch, outcome, err);
	if (!result && outcome->timed_out)
		snprintf(outcome->refused, sizeof outcome->refused, "did not end within %.1f s: --timeout gives more",
		         (double)options->timeout_ns / 1e9);
	else if (!result && outcome->signal)
		snprintf(outcome->refused, sizeof outcome->refused, "ends by signal %d (%s)", outcome->signal,
		         strsignal(outcome->signal));
	else if (!result && outcome->exit_status)
		snprintf(outcome->refused, sizeof outcome->refused, "exits with status %d", outcome->exit_status);
	ifr_context_release(&context);
	return result;
}

/* Runs the program with a log of its allocations and counts aliases. */
static int log_allocations(const struct ifr_heap_plan *plan, const struct ifr_allocator *allocator,
                           const char *library, const char *folder, int64_t *timeout_ns, struct ifr_heap_row *row,
                           struct ifr_error *err) {
	char *log = ifr_format("%s/log", folder);
	const int64_t limit_ns = *timeout_ns ? *timeout_ns : first_timeout_ns;
	struct ifr_patience patience = {.program = plan->argv[0],
	                                .limit_ns = limit_ns,
	                                .options = "--timeout",
	                                .say = plan->say,
	                                .progress = plan->waiting};
	struct run_options options = {log, 0, limit_ns, allocator == ifr_allocators ? &patience : NULL};
	struct ifr_outcome outcome;
	struct ifr_log_event *events = NULL;
	size_t count = 0;
	int result = run_program(plan, allocator, library, &options, &outcome, err);
	row->left += outcome.left;
	if (!result && *outcome.refused)
		snprintf(row->why, sizeof row->why, "%s", outcome.refused);
	else if (!result)
		result = ifr_log_read(log, &events, &count, err);
	if (!result && !*timeout_ns) {
		*timeout_ns = TIMEOUT_RUNS * outcome.times.wall_ns;
		*timeout_ns = *timeout_ns < least_timeout_ns ? least_timeout_ns : *timeout_ns;
	}
	if (!result && !*row->why)
		ifr_aliasing_count(events, count, &row->aliasing);
	ifr_outcome_release(&outcome);
	free(events);
	unlink(log);
	free(log);
	return result;
}

/* The time of one entry of the marked region, in milliseconds; -1 if the program has no such region. */
static double region_ms(const struct ifr_runtime_report *report, const char *marker) {
	for (uint32_t i = 0; i < report->regions && i < IFR_REGIONS; i++)
		if (!strncmp(report->region[i].name, marker, IFR_REGION_NAME - 1) && report->region[i].entries)
			return (double)report->region[i].time_ns / 1e6 / (double)report->region[i].entries;
	return -1;
}

static int time_once(const struct ifr_heap_plan *plan, const struct ifr_allocator *allocator, const char *library,
                     int64_t timeout_ns, struct ifr_heap_row *row, double *ms, double *kib,
                     struct ifr_error *err) {
	double region[2] = {0, 0};
	for (int i = 0; i < (plan->marker ? 2 : 1); i++) {
		struct run_options options = {NULL, plan->marker ? (i ? REPEATS : 1) : 0, timeout_ns, NULL};
		struct ifr_outcome outcome;
		int result = run_program(plan, allocator, library, &options, &outcome, err);
		*ms = (double)outcome.times.wall_ns / 1e6;
		*kib = (double)outcome.times.usage.ru_maxrss;
		row->left += outcome.left;
		if (plan->marker)
			region[i] = region_ms(&outcome.runtime, plan->marker);
		if (*outcome.refused && !*row->why)
			snprintf(row->why, sizeof row->why, "%s", outcome.refused);
		ifr_outcome_release(&outcome);
		if (result)
			return result;
	}
	if (plan->marker)
		*ms = (region[1] - region[0]) / (REPEATS - 1);
	if (plan->marker && region[0] < 0 && !*row->why)
		return ifr_fail(err, IFR_E_USAGE, "%s has no region IFR_REPEAT(\"%s\"), or did not pass it", plan->program,
		                plan->marker);
	return 0;
}

static int measure_allocators(const struct ifr_heap_plan *plan, char *const *library, double *ms, double *kib,
                              const char *folder, struct ifr_heap_row *rows, struct ifr_error *err) {
	int64_t timeout_ns = plan->timeout_ns;
	for (int a = 0; a < IFR_ALLOCATORS; a++) {
		int result = rows[a].measured ? log_allocations(plan, &ifr_allocators[a], library[a], folder, &timeout_ns,
		                                                &rows[a], err)
		                              : 0;
		if (result)
			return result;
		if (a == 0 && *rows[0].why)
			return ifr_fail(err, IFR_E_PROGRAM, "%s %s", plan->program, rows[0].why);
	}
	/* In turn, so that drift of the machine affects all allocators equally. */
	for (unsigned run = 0; run < plan->runs; run++)
		for (int a = 0; a < IFR_ALLOCATORS; a++) {
			size_t at = (size_t)a * plan->runs + run;
			int result =
				rows[a].measured && !*rows[a].why
					? time_once(plan, &ifr_allocators[a], library[a], timeout_ns, &rows[a], &ms[at], &kib[at], err)
					: 0;
			if (result)
				return result;
		}
	return 0;
}

int ifr_heap_compare(const struct ifr_heap_plan *plan, struct ifr_heap_row rows[IFR_ALLOCATORS],
                     struct ifr_error *err) {
	char *library[IFR_ALLOCATORS] = {NULL}, *folder = NULL;
	double *ms = ifr_alloc(IFR_ALLOCATORS * plan->runs * sizeof *ms);
	double *kib = ifr_alloc(IFR_ALLOCATORS * plan->runs * sizeof *kib);
	memset(rows, 0, IFR_ALLOCATORS * sizeof *rows);
	for (int a = 0; a < IFR_ALLOCATORS; a++) {
		library[a] = ifr_allocators[a].library ? ifr_allocator_find(ifr_allocators[a].library) : NULL;
		rows[a].measured = library[a] || !ifr_allocators[a].library;
		if (!rows[a].measured)
			snprintf(rows[a].why, sizeof rows[a].why, "not installed (Debian: %s)", ifr_allocators[a].package);
	}
	int result = ifr_temporary_dir(&folder, err);
	if (!result)
		result = measure_allocators(plan, library, ms, kib, folder, rows, err);
	for (int a = 0; a < IFR_ALLOCATORS && !result; a++) {
		rows[a].measured = rows[a].measured && !*rows[a].why;
		result = ifr_sample_median(ms + (size_t)a * plan->runs, plan->runs, &rows[a].time_ms, err);
		if (!result)
			result = ifr_sample_median(kib + (size_t)a * plan->runs, plan->runs, &rows[a].memory_kib, err);
	}
	for (int a = 0; a < IFR_ALLOCATORS; a++)
		free(library[a]);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	free(ms);
	free(kib);
	return result;
}
