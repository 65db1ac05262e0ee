/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: the sources behind a set, and the parts of the perf source, which are tested one by one.
 *
 *     set.c -> clock.c, regions.c, perf.c
 *     perf.c -> perf_list.c, perf_split.c, perf_refusal.c -> perf_diagnose.c -> perf_facts.c -> perf_event.c, host.c
 *     own_events.c -> perf_refusal.c, perf_event.c */
#ifndef IFR_HARNESS_COUNTERS_SOURCE_H
#define IFR_HARNESS_COUNTERS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <perfmon/pfmlib_perf_event.h> /* includes a copy of the kernel's perf_event.h, which must not be included, too */

#include "harness/counters/counters.h"

/* ifr_counters_open with at most group_limit perf events in a pass; 0: as many as the processor counts at once. */
int ifr_counters_open_limited(const char *specification, bool core, unsigned group_limit,
                              struct ifr_counters **set, struct ifr_strings *notes, struct ifr_error *err);

/* --- clock.c --- */

/* The counters of clock, by index below ifr_clock_count. */
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

/* Fills in an event from libpfm4's or perf's name. It counts in user mode; events that happen in the kernel only
 * (context-switches, cpu-migrations, cgroup-switches) count there. Errors: IFR_E_USAGE for names that libpfm4 does
 * not know on this processor, and for kernel-mode or sampling modifiers. */
int ifr_perf_event_encode(const char *name, struct ifr_perf_event *event, struct ifr_error *err);

/* Opens a counting event on a process, its future threads and children. The leader of a group (leader < 0) is
 * pinned and starts at exec if at_exec, else by ioctl. Returns the file descriptor, or -1 with errno. */
int ifr_perf_event_start(const struct ifr_perf_event *event, pid_t process, int leader, bool at_exec);

/* --- perf_list.c: all events --- */

struct ifr_perf_list {
	struct ifr_perf_event *events; /* named "LD_BLOCKS_PARTIAL:ADDRESS_ALIAS/r0107" */
	unsigned count;
};
/* Lists the processor's events, a unit mask each, without those that need a second register; no event is opened. Two
 * names of one code are listed once. The caller releases the list, after an error too. Errors: IFR_E_ENVIRONMENT where
 * libpfm4 does not know the processor. */
int ifr_perf_list_make(struct ifr_perf_list *list, struct ifr_error *err);
void ifr_perf_list_release(struct ifr_perf_list *list);

/* One reading of an event: its count, the time it was enabled and the time it counted. */
struct ifr_perf_reading {
	uint64_t value, enabled_ns, running_ns;
};
/* Checks a reading of which `got` bytes were read. Errors: IFR_E_ENVIRONMENT unless it is exact. */
int ifr_perf_reading_check(const char *name, const struct ifr_perf_reading *reading, ssize_t got,
                           struct ifr_error *err);

/* --- perf_refusal.c --- */

/* Fails with the reason why an event could not be opened, from errno's value, and the remedy. Returns
 * -IFR_E_ENVIRONMENT. */
int ifr_perf_event_refused(const struct ifr_perf_event *event, int error, struct ifr_error *err);

/* --- perf_split.c: events into passes --- */

/* A test whether events can count at the same time. */
struct ifr_perf_fit {
	/* Whether the events of the indices members[count] can. */
	bool (*fits)(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count);
	const struct ifr_perf_event *events;
	unsigned group_limit; /* 0: none */
};
/* The test on this machine: opens the group on the calling thread and lets it count for a moment. */
bool ifr_perf_fits_here(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count);
/* Splits count events, each of which fits alone, into passes by first fit. The first `anchors` events count in
 * every pass (-1) unless another event would then fit nowhere. Stores pass[count] and returns the number of
 * passes, >= 1. */
unsigned ifr_perf_split(const struct ifr_perf_fit *fit, unsigned count, unsigned anchors, int *pass);

/* --- perf.c: the source --- */

struct ifr_perf;

/* Opens the named events, each of which must work ("all": those of ifr_perf_list_make that do), and, if defaults, the
 * events of the default list that this processor has. */
int ifr_perf_open(const struct ifr_strings *names, bool defaults, unsigned group_limit, struct ifr_perf **perf,
                  struct ifr_strings *notes, struct ifr_error *err);
void ifr_perf_close(struct ifr_perf *perf);
unsigned ifr_perf_count(const struct ifr_perf *perf);
const struct ifr_perf_event *ifr_perf_get(const struct ifr_perf *perf, unsigned index);
unsigned ifr_perf_passes(const struct ifr_perf *perf);
int ifr_perf_arm(struct ifr_perf *perf, unsigned pass, pid_t child, struct ifr_error *err);
/* Stores values[ifr_perf_count], NaN for events that do not count in this pass. Does not disarm. */
int ifr_perf_collect(const struct ifr_perf *perf, unsigned pass, double *values, struct ifr_error *err);
void ifr_perf_disarm(struct ifr_perf *perf);

/* The number of events, at most `most`, that count in a pass; fd[] (may be NULL) gets their descriptors. */
unsigned ifr_perf_descriptors(const struct ifr_perf *perf, unsigned pass, unsigned most, int *fd);

/* --- regions.c --- */

struct ifr_regions;

/* Opens regions by name; the caller closes *regions, after an error too. repeats: the regions are IFR_REPEAT's,
 * measured by two runs. */
int ifr_regions_open(const struct ifr_strings *names, bool repeats, struct ifr_regions **regions,
                     struct ifr_error *err);
void ifr_regions_close(struct ifr_regions *regions);
unsigned ifr_regions_count(const struct ifr_regions *regions);
bool ifr_regions_are_repeated(const struct ifr_regions *regions);
/* Describes a counter of a region: an event, or (event NULL) value 0, its time, or 1, its cycles. */
void ifr_regions_describe(const struct ifr_regions *regions, unsigned region, const struct ifr_perf_event *event,
                          unsigned value, struct ifr_counter *counter);
/* ifr_counters_check_regions. */
int ifr_regions_check(const struct ifr_regions *regions, const struct ifr_runtime_report *report,
                      struct ifr_error *err);
/* Stores a value of a region: index 0 time, 1 cycles, 2 … the events of the pass, in perf's order. Errors:
 * IFR_E_PROGRAM if the program did not enter the region; IFR_E_ENVIRONMENT if its events were not read. */
int ifr_regions_value(const struct ifr_regions *regions, unsigned region, unsigned index,
                      const struct ifr_run_times *times, double *value, struct ifr_error *err);

/* --- perf_facts.c, perf_diagnose.c --- */

enum { IFR_PARANOID_ABSENT = -100 }; /* there is no /proc/sys/kernel/perf_event_paranoid */

struct ifr_perf_facts {
	int hardware_errno; /* of opening `cycles` in user mode; 0: it opened */
	bool silent;        /* `cycles` opened and counted nothing */
	int software_errno; /* of opening `page-faults` in user mode; 0: it opened */
	int paranoid;       /* perf_event_paranoid, or IFR_PARANOID_ABSENT */
	int seccomp;        /* 0 none, 1 strict, 2 filter */
	bool container;
	bool hypervisor;
	bool pmu;    /* the kernel drives a performance-monitoring unit of the processor */
	bool hybrid; /* the kernel drives two kinds of units */
};
/* Collects the facts on this machine. */
void ifr_perf_facts_collect(struct ifr_perf_facts *facts);
/* The diagnosis, as a pure function of the facts. */
void ifr_perf_explain(const struct ifr_perf_facts *facts, struct ifr_perf_diagnosis *diagnosis);

#endif
