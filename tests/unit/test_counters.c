/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counter sources. The perf source is tested on the kernel's software events, which need no counter hardware;
 * parts that need particular machines are tested through their pure functions. This program is its own measured
 * child: its arguments name the work to do. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/counters/source.h"

enum { PAGES = 1000, PAGES_OF_SLACK = 300, SLEEPS = 20, CHILD_LIMIT_S = 20, VALUES_MAX = 32 };

static const char *self; /* this program's file */

/* --- the measured child --- */

static char *fresh_pages(size_t count) {
	size_t bytes = count * (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE))
		_exit(9);
	return pages;
}

static void touch(void) {
	char *pages = fresh_pages(PAGES);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)pages)[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

/* The kernel touches these pages first. */
static void have_touched(void) {
	size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY);
	if (zero < 0 || read(zero, fresh_pages(PAGES), bytes) != (ssize_t)bytes)
		_exit(9);
}

static void touch_in_child(void) {
	pid_t child = fork();
	if (child == 0) {
		touch();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void doze(void) {
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&(struct timespec){0, 100000}, NULL);
}

static int measured(const char *what) {
	if (!strcmp(what, "touch"))
		touch();
	else if (!strcmp(what, "have-touched"))
		have_touched();
	else if (!strcmp(what, "touch-in-child"))
		touch_in_child();
	else if (!strcmp(what, "doze"))
		doze();
	else if (!strcmp(what, "wait"))
		pause();
	return 0;
}

/* --- launching the child as the harness does --- */

struct launch {
	pid_t child;
	int release; /* a write releases the child */
	int started; /* end of file: the child has called exec or has ended */
};

/* Forks a child that waits; with what NULL it never calls exec. */
static struct launch hold(const char *what) {
	int release[2], started[2];
	assert_int_equal(pipe2(release, O_CLOEXEC), 0);
	assert_int_equal(pipe2(started, O_CLOEXEC), 0);
	pid_t child = fork();
	if (child == 0) {
		char byte;
		alarm(CHILD_LIMIT_S); /* survives exec */
		close(release[1]);
		if (read(release[0], &byte, 1) == 1 && what)
			execl(self, "child", what, (char *)NULL);
		_exit(0);
	}
	assert_true(child > 0);
	close(release[0]);
	close(started[1]);
	return (struct launch){child, release[1], started[0]};
}

static void let_go(const struct launch *launch) {
	char byte = 0;
	assert_int_equal(write(launch->release, &byte, 1), 1);
	assert_int_equal(read(launch->started, &byte, 1), 0);
}

static void finish(const struct launch *launch, struct ifr_run_times *times) {
	int status;
	memset(times, 0, sizeof *times);
	assert_int_equal(wait4(launch->child, &status, 0, &times->usage), launch->child);
	assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
	close(launch->release);
	close(launch->started);
}

static int measure(struct ifr_counters *set, unsigned pass, const char *what, double *values,
                   struct ifr_error *err) {
	struct ifr_run_times times;
	struct launch launch = hold(what);
	assert_int_equal(ifr_counters_arm(set, pass, launch.child, err), 0);
	let_go(&launch);
	finish(&launch, &times);
	return ifr_counters_collect(set, pass, &times, values, err);
}

static double value_of(const struct ifr_counters *set, const double *values, const char *name) {
	for (unsigned i = 0; i < ifr_counters_count(set); i++)
		if (!strcmp(ifr_counters_get(set, i)->name, name))
			return values[i];
	fail_msg("no counter %s", name);
	return 0;
}

/* Opens a specification, or skips the test where this machine lacks it. */
static struct ifr_counters *open_or_skip(const char *specification, unsigned limit) {
	struct ifr_counters *set = NULL;
	struct ifr_error err = {0};
	if (ifr_counters_open_limited(specification, true, limit, &set, NULL, &err)) {
		assert_int_equal(err.code, IFR_E_ENVIRONMENT);
		print_message("%s\n", err.message);
		skip();
	}
	assert_true(ifr_counters_count(set) <= VALUES_MAX);
	return set;
}

static double measured_value(const char *event, const char *what) {
	char specification[80];
	double values[VALUES_MAX];
	struct ifr_error err = {0};
	snprintf(specification, sizeof specification, "perf:%s", event);
	struct ifr_counters *set = open_or_skip(specification, 0);
	int result = measure(set, 0, what, values, &err);
	double value = value_of(set, values, event);
	ifr_counters_close(set);
	assert_string_equal(err.message, "");
	assert_int_equal(result, 0);
	return value;
}

/* --- clock --- */

static void clock_converts_units(void **state) {
	(void)state;
	/* By hand: getrusage gives s and µs, KiB for the resident set; the counters are in ns and bytes. */
	struct ifr_run_times times = {.wall_ns = 3000000001, .tsc_cycles = 7800000000};
	times.usage.ru_utime = (struct timeval){1, 500000};
	times.usage.ru_stime = (struct timeval){0, 250001};
	times.usage.ru_minflt = 40;
	times.usage.ru_majflt = 2;
	times.usage.ru_nvcsw = 5;
	times.usage.ru_nivcsw = 3;
	times.usage.ru_maxrss = 1000;
	static const struct {
		const char *name, *unit;
		double value;
	} expected[] = {{"duration_time", "ns", 3000000001}, {"tsc", "cycles", 7800000000},
	                {"user_time", "ns", 1500000000},     {"system_time", "ns", 250001000},
	                {"cpu_time", "ns", 1750001000},      {"page-faults", "", 42},
	                {"context-switches", "", 8},         {"max-rss", "bytes", 1024000}};
	struct ifr_counters *set;
	double values[VALUES_MAX];
	assert_int_equal(ifr_counters_open("clock", false, &set, NULL, NULL), 0);
	assert_int_equal(ifr_counters_passes(set), 1);
	assert_int_equal(ifr_counters_count(set), 8);
	assert_null(ifr_counters_get(set, 8));
	assert_int_equal(ifr_counters_arm(set, 0, getpid(), NULL), 0);
	assert_int_equal(ifr_counters_collect(set, 0, &times, values, NULL), 0);
	for (unsigned i = 0; i < 8; i++) {
		assert_string_equal(ifr_counters_get(set, i)->name, expected[i].name);
		assert_string_equal(ifr_counters_get(set, i)->unit, expected[i].unit);
		assert_int_equal(ifr_counters_get(set, i)->pass, -1);
		assert_true(values[i] == expected[i].value);
	}
	ifr_counters_close(set);
}

static void tsc_never_goes_back(void **state) {
	(void)state;
	uint64_t first = ifr_tsc_read(), second = ifr_tsc_read();
	assert_true(second >= first && first > 0);
}

/* --- specifications --- */

static void usage_error(const char *specification, const char *named) {
	struct ifr_counters *set = NULL;
	struct ifr_error err = {0};
	assert_int_equal(ifr_counters_open(specification, false, &set, NULL, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, named));
	assert_null(set);
}

static void wrong_specifications_are_named(void **state) {
	(void)state;
	usage_error("", "none named");
	usage_error("clock,cloak", "'cloak'");
	usage_error("perf:", "'perf:'");
	usage_error("perf:no-such-event", "'no-such-event'");
	usage_error("perf:page-faults:k", "user mode");
	usage_error("perf:page-faults:u=1:k=1", "user mode");
	usage_error("perf:a-name-that-is-much-longer-than-any-processor-manual-has-for-its-events", "longer");
}

static void kernel_side_events_count_there(void **state) {
	(void)state;
	struct ifr_perf_event event;
	assert_int_equal(ifr_perf_event_encode("page-faults", &event, NULL), 0);
	assert_true(event.attr.exclude_kernel && event.attr.inherit && !event.hardware);
	assert_int_equal(ifr_perf_event_encode("context-switches", &event, NULL), 0);
	assert_false(event.attr.exclude_kernel);
	assert_int_equal(ifr_perf_event_encode("cpu-migrations", &event, NULL), 0);
	assert_false(event.attr.exclude_kernel);
	assert_int_equal(ifr_perf_event_encode("instructions", &event, NULL), 0);
	assert_true(event.attr.exclude_kernel && event.attr.exclude_hv && event.hardware);
}

static void auto_and_perf_follow_the_diagnosis(void **state) {
	(void)state;
	struct ifr_perf_diagnosis diagnosis;
	struct ifr_counters *set = NULL;
	struct ifr_strings notes = {0};
	struct ifr_error err = {0};
	ifr_perf_diagnose(&diagnosis);
	bool hardware = diagnosis.state == IFR_PERF_HARDWARE;
	assert_int_equal(ifr_counters_open("perf", false, &set, NULL, &err), hardware ? 0 : -IFR_E_ENVIRONMENT);
	assert_true(hardware || (strstr(err.message, diagnosis.sentence) && strstr(err.message, diagnosis.remedy)));
	ifr_counters_close(set);
	assert_int_equal(ifr_counters_open("auto", false, &set, &notes, &err), 0);
	assert_true(hardware ? ifr_counters_count(set) > 8 : ifr_counters_count(set) == 8);
	assert_true(hardware || (notes.count == 1 && strstr(notes.items[0], diagnosis.sentence)));
	ifr_counters_close(set);
	ifr_strings_release(&notes);
}

/* --- perf on software events --- */

static void fresh_pages_fault(void **state) {
	(void)state;
	double faults = measured_value("page-faults", "touch"), startup = measured_value("page-faults", "nothing");
	assert_true(faults >= PAGES && faults - startup < PAGES + PAGES_OF_SLACK);
}

static void faults_inside_the_kernel_are_not_user_mode(void **state) {
	(void)state;
	double faults = measured_value("page-faults", "have-touched"),
		   startup = measured_value("page-faults", "nothing");
	assert_true(faults - startup < PAGES_OF_SLACK);
}

static void children_are_counted(void **state) {
	(void)state;
	assert_true(measured_value("minor-faults", "touch-in-child") >= PAGES);
}

static void every_sleep_switches(void **state) {
	(void)state;
	assert_true(measured_value("context-switches", "doze") >= SLEEPS);
}

static void task_clock_runs(void **state) {
	(void)state;
	assert_true(measured_value("task-clock", "touch") > 0);
}

static void perf_replaces_the_clock(void **state) {
	(void)state;
	struct ifr_counters *set = open_or_skip("clock,perf:page-faults,perf:faults,perf:page-faults", 0);
	unsigned found = 0;
	assert_int_equal(ifr_counters_count(set), 8);
	for (unsigned i = 0; i < 8; i++)
		if (!strcmp(ifr_counters_get(set, i)->name, "page-faults")) {
			assert_string_equal(ifr_counters_get(set, i)->source, "perf");
			found++;
		}
	assert_int_equal(found, 1);
	ifr_counters_close(set);
}

static void passes_leave_the_others_empty(void **state) {
	(void)state;
	static const char *const names[] = {"page-faults", "task-clock", "minor-faults"};
	struct ifr_counters *set = open_or_skip("perf:page-faults,perf:task-clock,perf:minor-faults", 1);
	struct ifr_error err = {0};
	assert_int_equal(ifr_counters_passes(set), 3);
	for (unsigned pass = 0; pass < 3; pass++) {
		double values[VALUES_MAX];
		assert_int_equal(measure(set, pass, "touch", values, &err), 0);
		for (unsigned i = 0; i < 3; i++)
			assert_true(i == pass ? value_of(set, values, names[i]) >= PAGES
			                      : isnan(value_of(set, values, names[i])));
		assert_false(isnan(value_of(set, values, "context-switches")));
	}
	assert_int_equal(ifr_counters_arm(set, 3, getpid(), &err), -IFR_E_BUG);
	ifr_counters_close(set);
}

static void a_child_that_never_execs_is_refused(void **state) {
	(void)state;
	struct ifr_counters *set = open_or_skip("perf:page-faults", 0);
	double values[VALUES_MAX];
	struct ifr_error err = {0};
	assert_int_equal(measure(set, 0, NULL, values, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "never counted"));
	assert_true(isnan(value_of(set, values, "page-faults")));
	ifr_counters_close(set);
}

static void a_killed_child_keeps_its_counts(void **state) {
	(void)state;
	struct ifr_counters *set = open_or_skip("perf:task-clock", 0);
	double values[VALUES_MAX];
	struct ifr_error err = {0};
	struct ifr_run_times times;
	struct launch launch = hold("wait");
	assert_int_equal(ifr_counters_arm(set, 0, launch.child, &err), 0);
	let_go(&launch);
	kill(launch.child, SIGKILL);
	finish(&launch, &times);
	assert_int_equal(ifr_counters_collect(set, 0, &times, values, &err), 0);
	assert_true(value_of(set, values, "task-clock") > 0);
	/* ifr_counters_collect disarms the events. */
	assert_int_equal(ifr_counters_collect(set, 0, &times, values, &err), -IFR_E_BUG);
	/* The child is gone now. */
	assert_int_equal(ifr_counters_arm(set, 0, launch.child, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "gone"));
	ifr_counters_close(set);
}

/* Two names of one event count each fault twice; between stop and start nothing counts. */
static void own_events_count_between_start_and_stop(void **state) {
	(void)state;
	enum { BYTES = PAGES * 4096 };
	struct ifr_own_events *events = NULL;
	struct ifr_error err = {0};
	double count = 0;
	if (ifr_own_events_open("page-faults+minor-faults", &events, &err))
		skip();
	for (unsigned i = 0; i < 3; i++) {
		char *pages = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(pages != MAP_FAILED);
		madvise(pages, 2 * BYTES, MADV_NOHUGEPAGE);
		for (unsigned j = 0; j < PAGES; j++)
			((volatile char *)pages)[j * 4096] = 1;
		ifr_own_events_start(events);
		for (unsigned j = 0; i < 2 && j < PAGES; j++)
			((volatile char *)pages)[BYTES + j * 4096] = 1;
		assert_int_equal(ifr_own_events_stop(events, &count, &err), 0);
		assert_true(i < 2 ? count >= 2 * PAGES && count < 2 * (PAGES + PAGES_OF_SLACK)
		                  : count < 2 * PAGES_OF_SLACK);
		munmap(pages, 2 * BYTES);
	}
	ifr_own_events_close(events);
	assert_int_equal(ifr_own_events_open("page-faults+no-such-event", &events, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "no-such-event"));
	assert_int_equal(ifr_own_events_open("faults+faults+faults+faults+faults", &events, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "at most 4"));
}

static void inexact_readings_are_refused(void **state) {
	(void)state;
	struct ifr_perf_reading exact = {5, 1000, 1000}, shared = {5, 1000, 999}, never = {0, 0, 0};
	struct ifr_error err = {0};
	const ssize_t whole = sizeof exact;
	assert_int_equal(ifr_perf_reading_check("e", &exact, whole, &err), 0);
	assert_int_equal(ifr_perf_reading_check("e", &shared, whole, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "shared"));
	assert_int_equal(ifr_perf_reading_check("e", &never, whole, &err), -IFR_E_ENVIRONMENT);
	assert_int_equal(ifr_perf_reading_check("e", &exact, 0, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "lost its counter"));
	assert_int_equal(ifr_perf_reading_check("e", &exact, 8, &err), -IFR_E_ENVIRONMENT);
	errno = EIO;
	assert_int_equal(ifr_perf_reading_check("e", &exact, -1, &err), -IFR_E_ENVIRONMENT);
}

/* --- passes --- */

/* A simulated processor with group_limit counters; software events need none. The name of event 3 may exclude it
 * from a group with event 0. */
static bool fits_pretended(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count) {
	unsigned hardware = 0;
	bool first = false, foe = false;
	for (unsigned i = 0; i < count; i++) {
		hardware += fit->events[members[i]].hardware;
		first = first || members[i] == 0;
		foe = foe || !strcmp(fit->events[members[i]].name, "foe");
	}
	return hardware <= fit->group_limit && !(first && foe);
}

static void expect_passes(unsigned counters, const char *third, unsigned passes, const int expected[7]) {
	struct ifr_perf_event events[7] = {0};
	for (int i = 0; i < 7; i++)
		events[i].hardware = i < 6;
	snprintf(events[3].name, sizeof events[3].name, "%s", third);
	struct ifr_perf_fit fit = {fits_pretended, events, counters};
	int pass[7];
	assert_int_equal(ifr_perf_split(&fit, 7, 2, pass), passes);
	assert_memory_equal(pass, expected, sizeof pass);
}

/* By hand: two anchors, four other hardware events, one software event that needs no counter. */
static void events_are_split_into_passes(void **state) {
	(void)state;
	expect_passes(6, "", 1, (const int[]){-1, -1, 0, 0, 0, 0, 0});
	expect_passes(4, "", 2, (const int[]){-1, -1, 0, 0, 1, 1, 0});
	expect_passes(3, "", 4, (const int[]){-1, -1, 0, 1, 2, 3, 0});
	/* Anchors that fill both counters, or do not fit together, are treated like other events. */
	expect_passes(2, "", 3, (const int[]){0, 0, 1, 1, 2, 2, 0});
	expect_passes(1, "", 6, (const int[]){0, 1, 2, 3, 4, 5, 0});
	expect_passes(4, "foe", 2, (const int[]){0, 0, 0, 1, 0, 1, 0});
}

/* --- the diagnosis --- */

static const struct {
	struct ifr_perf_facts
		facts; /* errno, silent, software errno, paranoid, seccomp, container, hypervisor, pmu, hybrid */
	enum ifr_perf_state state;
	const char *sentence, *remedy; /* substrings of the diagnosis */
} cases[] = {
	{{0, false, 0, 2, 0, false, false, true, false}, IFR_PERF_HARDWARE, "work", ""},
	/* events may work inside a container and under a filter */
	{{0, false, 0, 2, 2, true, true, true, false}, IFR_PERF_HARDWARE, "work", ""},
	{{ENOENT, false, 0, 2, 0, false, true, false, false}, IFR_PERF_NO_PMU, "virtual machine", "virtual PMU"},
	{{EOPNOTSUPP, false, 0, 2, 0, true, true, false, false}, IFR_PERF_NO_PMU, "virtual machine", "virtual PMU"},
	{{0, true, 0, 2, 0, false, true, true, false}, IFR_PERF_NO_PMU, "stay at 0", "virtual PMU"},
	{{ENOENT, false, 0, 2, 0, false, false, false, false}, IFR_PERF_NO_PMU, "drives no", "kernel"},
	{{ENOENT, false, 0, 2, 0, false, false, true, false}, IFR_PERF_NO_PMU, "cycles", "other events"},
	{{EBUSY, false, 0, 2, 0, false, false, true, false}, IFR_PERF_NO_PMU, "taken", "nmi_watchdog"},
	{{EACCES, false, EACCES, 3, 0, false, false, true, false}, IFR_PERF_PARANOID, "paranoid=3", "paranoid=2"},
	{{EPERM, false, EPERM, 4, 0, false, false, true, false}, IFR_PERF_PARANOID, "paranoid=4", "paranoid=2"},
	{{EACCES, false, EACCES, 3, 2, true, false, true, false}, IFR_PERF_PARANOID, "paranoid=3", "on the host"},
	{{EPERM, false, EPERM, 2, 2, false, false, true, false}, IFR_PERF_SECCOMP, "seccomp", "filter"},
	{{ENOSYS, false, ENOSYS, 2, 2, false, false, true, false}, IFR_PERF_SECCOMP, "seccomp", "filter"},
	{{EACCES, false, EACCES, 1, 0, false, false, true, false}, IFR_PERF_SECCOMP, "security module", "CAP_PERFMON"},
	{{EPERM, false, EPERM, 2, 2, true, false, true, false}, IFR_PERF_CONTAINER, "container", "PERFMON"},
	{{EPERM, false, EPERM, 4, 2, true, false, true, false}, IFR_PERF_CONTAINER, "container", "PERFMON"},
	{{ENOSYS, false, ENOSYS, IFR_PARANOID_ABSENT, 0, false, true, false, false},
     IFR_PERF_NO_KERNEL,
     "kernel",
     "CONFIG"},
	{{0, false, 0, 2, 0, false, false, true, true}, IFR_PERF_HYBRID, "two kinds", "clock"},
	{{ENOENT, false, 0, 2, 0, false, false, true, true}, IFR_PERF_HYBRID, "two kinds", "clock"},
};

static void each_cause_is_told_apart(void **state) {
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_perf_diagnosis diagnosis;
		ifr_perf_explain(&cases[i].facts, &diagnosis);
		if (diagnosis.state != cases[i].state || !strstr(diagnosis.sentence, cases[i].sentence) ||
		    !strstr(diagnosis.remedy, cases[i].remedy))
			fail_msg("case %zu: state %d, '%s', '%s'", i, (int)diagnosis.state, diagnosis.sentence,
			         diagnosis.remedy);
		assert_int_equal(diagnosis.software, !cases[i].facts.software_errno);
		assert_int_equal(diagnosis.state == IFR_PERF_HARDWARE, !diagnosis.remedy[0]);
	}
}

/* The collected facts agree with the kernel's files. */
static void facts_are_of_this_machine(void **state) {
	(void)state;
	struct ifr_perf_facts facts;
	ifr_perf_facts_collect(&facts);
	assert_int_equal(facts.paranoid == IFR_PARANOID_ABSENT,
	                 access("/proc/sys/kernel/perf_event_paranoid", R_OK) != 0);
	assert_int_equal(facts.seccomp, prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
}

int main(int argc, char **argv) {
	if (argc == 2)
		return measured(argv[1]);
	self = argv[0];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_converts_units),
		cmocka_unit_test(tsc_never_goes_back),
		cmocka_unit_test(wrong_specifications_are_named),
		cmocka_unit_test(kernel_side_events_count_there),
		cmocka_unit_test(auto_and_perf_follow_the_diagnosis),
		cmocka_unit_test(fresh_pages_fault),
		cmocka_unit_test(faults_inside_the_kernel_are_not_user_mode),
		cmocka_unit_test(children_are_counted),
		cmocka_unit_test(every_sleep_switches),
		cmocka_unit_test(task_clock_runs),
		cmocka_unit_test(perf_replaces_the_clock),
		cmocka_unit_test(passes_leave_the_others_empty),
		cmocka_unit_test(a_child_that_never_execs_is_refused),
		cmocka_unit_test(a_killed_child_keeps_its_counts),
		cmocka_unit_test(own_events_count_between_start_and_stop),
		cmocka_unit_test(inexact_readings_are_refused),
		cmocka_unit_test(events_are_split_into_passes),
		cmocka_unit_test(each_cause_is_told_apart),
		cmocka_unit_test(facts_are_of_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
