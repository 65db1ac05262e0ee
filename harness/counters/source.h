/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share: the two sources behind a set, and the steps of the perf source that are
 * tested one by one. */
#ifndef IFR_HARNESS_COUNTERS_SOURCE_H
#define IFR_HARNESS_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <perfmon/pfmlib_perf_event.h> /* with its own copy of the kernel's perf_event.h: never beside that one */

#include "harness/counters/counters.h"

/* ifr_counters_open with at most group_limit perf events in a pass (0: as many as the processor counts at once).
 */
int ifr_counters_open_limited(const char *specification, unsigned group_limit, struct ifr_counters **set,
                              struct ifr_strings *notes, struct ifr_error *err);

/* --- clock.c --- */

unsigned ifr_clock_count(void);
void ifr_clock_describe(unsigned index, struct ifr_counter *counter);
double ifr_clock_value(unsigned index, const struct ifr_run_times *times);

/* --- perf_event.c: one event --- */

struct ifr_perf_event {
	char name[64];
	const char *unit;
	bool hardware; /* counted by the processor, not by the kernel */
	int pass;      /* as in struct ifr_counter */
	int fd;        /* -1 while not armed */
	struct perf_event_attr attr;
};

/* Fills in an event from libpfm4's or perf's name. It counts user mode only; events that only ever happen in the
 * kernel (context-switches, cpu-migrations, cgroup-switches) are counted there, as user mode would show 0. Errors:
 * IFR_E_USAGE for names that libpfm4 does not know on this processor, and for kernel-mode or sampling modifiers.
 */
int ifr_perf_event_encode(const char *name, struct ifr_perf_event *event, struct ifr_error *err);

/* Opens a counting event on a process and the threads and children it will have. The first of a group (leader < 0)
 * is pinned and starts when told: at exec if at_exec, else by ioctl. Returns the file descriptor, or -1 with
 * errno. */
int ifr_perf_event_start(const struct ifr_perf_event *event, pid_t process, int leader, bool at_exec);

/* Writes why an event could not be opened, from errno's value, and what to do. Returns -IFR_E_ENVIRONMENT. */
int ifr_perf_event_refused(const struct ifr_perf_event *event, int error, struct ifr_error *err);

/* One reading of an event: its count, how long it was to count and how long it did. */
struct ifr_perf_reading {
	uint64_t value, enabled_ns, running_ns;
};
/* What is wrong with a reading of which got bytes were read: fails with IFR_E_ENVIRONMENT unless it is exact. */
int ifr_perf_reading_check(const char *name, const struct ifr_perf_reading *reading, ssize_t got,
                           struct ifr_error *err);

/* --- perf_split.c: events into passes --- */

/* Says whether the events of these indices can count at the same time. */
struct ifr_perf_fit {
	bool (*fits)(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count);
	const struct ifr_perf_event *events;
	unsigned group_limit; /* 0: none */
};
/* The answer of this machine: opens the group on the calling thread and lets it count for a moment. */
bool ifr_perf_fits_here(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count);
/* Splits count events, each of which fits alone, into passes: each event joins the first pass that it fits. The
 * first `anchors` of them are on in every pass (-1) unless that leaves another event without a place. Stores the
 * pass of each event and returns the number of passes, at least 1. */
unsigned ifr_perf_split(const struct ifr_perf_fit *fit, unsigned count, unsigned anchors, int *pass);

/* --- perf.c: the source --- */

struct ifr_perf;

/* Opens the events: the named ones, each of which must work, and, if defaults, those of the default list that the
 * processor has. */
int ifr_perf_open(const struct ifr_strings *names, bool defaults, unsigned group_limit, struct ifr_perf **perf,
                  struct ifr_strings *notes, struct ifr_error *err);
void ifr_perf_close(struct ifr_perf *perf);
unsigned ifr_perf_count(const struct ifr_perf *perf);
const struct ifr_perf_event *ifr_perf_get(const struct ifr_perf *perf, unsigned index);
unsigned ifr_perf_passes(const struct ifr_perf *perf);
int ifr_perf_arm(struct ifr_perf *perf, unsigned pass, pid_t child, struct ifr_error *err);
/* Stores a value for each event, NaN for those that are off in this pass. Does not disarm. */
int ifr_perf_collect(const struct ifr_perf *perf, unsigned pass, double *values, struct ifr_error *err);
void ifr_perf_disarm(struct ifr_perf *perf);

/* How many events are on in a pass, at most so many, and into fd (NULL: nowhere) their descriptors. */
unsigned ifr_perf_descriptors(const struct ifr_perf *perf, unsigned pass, unsigned most, int *fd);

/* --- regions.c --- */

struct ifr_regions;

/* Opens them by name; *regions is to be closed in every case. repeats: they are IFR_REPEAT's, measured by two
 * runs. */
int ifr_regions_open(const struct ifr_strings *names, bool repeats, struct ifr_regions **regions,
                     struct ifr_error *err);
void ifr_regions_close(struct ifr_regions *regions);
unsigned ifr_regions_count(const struct ifr_regions *regions);
bool ifr_regions_repeat(const struct ifr_regions *regions);
/* Of a region: an event, or (event NULL) what: 0 its time, 1 its cycles. */
void ifr_regions_describe(const struct ifr_regions *regions, unsigned region, const struct ifr_perf_event *event,
                          unsigned what, struct ifr_counter *counter);
int ifr_regions_check(const struct ifr_regions *regions, const struct ifr_runtime_report *report,
                      struct ifr_error *err);
/* index: 0 time, 1 cycles, 2 … the events that are on in the pass, in perf's order. Fails if the program did not
 * pass through the region, or its events were not read. */
int ifr_regions_value(const struct ifr_regions *regions, unsigned region, unsigned index,
                      const struct ifr_run_times *times, double *value, struct ifr_error *err);

/* --- perf_diagnose.c --- */

enum { IFR_PARANOID_ABSENT = -100 }; /* there is no /proc/sys/kernel/perf_event_paranoid */

struct ifr_perf_facts {
	int hardware_errno; /* of opening `cycles` in user mode; 0: it opened */
	bool silent;        /* it opened and counted nothing */
	int software_errno; /* of opening `page-faults` in user mode; 0: it opened */
	int paranoid;       /* perf_event_paranoid, or IFR_PARANOID_ABSENT */
	int seccomp;        /* 0 none, 1 strict, 2 filter */
	bool container;
	bool hypervisor;
	bool pmu;    /* the kernel drives a performance-monitoring unit of the processor */
	bool hybrid; /* it drives two kinds */
};
void ifr_perf_facts_collect(struct ifr_perf_facts *facts);
/* The diagnosis that these facts allow; depends on nothing else. */
void ifr_perf_explain(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis);

#endif
