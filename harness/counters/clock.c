/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock source: counters that need no privilege. Times run from the release of the child to its end; resource
 * usage is the kernel's account of the child since fork. Two limits of that account: max-rss is at least the size
 * of the launcher at the fork, and its times have the kernel's resolution. */
#include <stdio.h>

#include "harness/counters/source.h"

static double nanoseconds(struct timeval time) {
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static double wall(const struct ifr_run_times *times) {
	return (double)times->wall_ns;
}

static double tsc(const struct ifr_run_times *times) {
	return (double)times->tsc_cycles;
}

static double user(const struct ifr_run_times *times) {
	return nanoseconds(times->usage.ru_utime);
}

static double kernel(const struct ifr_run_times *times) {
	return nanoseconds(times->usage.ru_stime);
}

static double cpu(const struct ifr_run_times *times) {
	return user(times) + kernel(times);
}

int64_t ifr_run_processor_ns(const struct ifr_run_times *times) {
	const int64_t ns = (int64_t)cpu(times);
	return ns > 0 ? ns : 1;
}

static double page_faults(const struct ifr_run_times *times) {
	return (double)times->usage.ru_minflt + (double)times->usage.ru_majflt;
}

static double context_switches(const struct ifr_run_times *times) {
	return (double)times->usage.ru_nvcsw + (double)times->usage.ru_nivcsw;
}

static double max_rss(const struct ifr_run_times *times) {
	return (double)times->usage.ru_maxrss * 1024;
}

static const struct {
	const char *name, *unit;
	double (*value)(const struct ifr_run_times *times);
} counters[] = {
	{"duration_time", "ns", wall},
	{"tsc", "cycles", tsc},
	{"user_time", "ns", user},
	{"system_time", "ns", kernel},
	{"cpu_time", "ns", cpu},
	{"page-faults", "", page_faults},
	{"context-switches", "", context_switches},
	{"max-rss", "bytes", max_rss},
};

unsigned ifr_clock_count(void) {
	return sizeof counters / sizeof *counters;
}

void ifr_clock_describe(unsigned index, struct ifr_counter *counter) {
	snprintf(counter->name, sizeof counter->name, "%s", counters[index].name);
	snprintf(counter->unit, sizeof counter->unit, "%s", counters[index].unit);
	counter->source = "clock";
	counter->pass = -1;
}

double ifr_clock_value(unsigned index, const struct ifr_run_times *times) {
	return counters[index].value(times);
}
