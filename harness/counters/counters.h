/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter sources: where numbers about a run come from. A source is one file; they share this face.
 *
 *     clock  wall time, TSC cycles and resource usage; always there
 *     model  one recording, replayed under every layout on a described machine (model/model.h): no run at all
 *     perf   the kernel's performance events under libpfm4's names; user mode only, pinned groups that never
 *            multiplex: where the counters do not suffice, several passes, each a run of its own
 *     region what the program spends between marks of its own, a pass: time, cycles and the events of perf
 *
 * A set is opened once per experiment from a specification and then measures one run after another:
 *
 *     launcher: fork; the child pins itself, switches ASLR off and waits
 *     ifr_counters_arm(set, pass, child)      events are attached, to start at exec
 *     launcher: releases the child, which execs; waits for its end
 *     ifr_counters_collect(set, pass, times)  the values, or a refusal
 *
 * What some names mean: perf counts from exec to the end, the program's children with it, in user mode; so its
 * page-faults are those of the program's own instructions. clock's page-faults and context-switches are the
 * kernel's account since fork and include the faults it takes itself on the program's behalf. context-switches and
 * cpu-migrations happen in the kernel alone and are counted there: perf needs perf_event_paranoid below 2 or
 * CAP_PERFMON for them. Where perf counts an event of a name that clock has, perf's takes its place.
 *
 * Ref: Wang and Jiménez 2011, section 5.5 (groups of counters, five runs each, median). */
#ifndef IFR_HARNESS_COUNTERS_H
#define IFR_HARNESS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "common/error.h"
#include "common/strings.h"
#include "runtime/runtime.h"

/* The pass of the model's counters, which are on in no run. */
enum { IFR_PASS_MODEL = -2 };

/* One counter of an open set. */
struct ifr_counter {
	char name[64];      /* perf's name: "duration_time", "page-faults", "branch-misses", … */
	char unit[16];      /* "ns", "cycles", "bytes", "" for a count */
	const char *source; /* "clock", "perf", "region", "repeat" or "model" */
	int pass;           /* the only pass in which it is on, or -1: in every pass, or IFR_PASS_MODEL */
	unsigned event;     /* of the model: enum ifr_event */
};

/* What the launcher saw of a run, from release to the child's end. */
struct ifr_run_times {
	int64_t wall_ns;
	uint64_t tsc_cycles;
	struct rusage usage;
	const struct ifr_runtime_report *regions; /* what the runtime counted in them; NULL: it was not asked */
	const struct ifr_runtime_report *once;    /* the same of a run with IFR_REPEAT once; NULL: there was none */
};

/* How often IFR_REPEAT runs its statement in the runs that are measured. */
enum { IFR_REGION_REPEATS = 101 };

struct ifr_counters;

/* Opens the sources named by a specification: "auto" (perf where it works, else clock, and then open to the
 * model), "clock", "perf" (its default events), or a list like "clock,perf:page-faults,region:sort". "repeat:NAME"
 * is what one run of the statement costs in a region IFR_REPEAT("NAME"), which takes two runs. clock is always
 * part of the set: every experiment has time. notes receives one sentence per thing worth telling the user, such
 * as why "auto" does without perf. Errors: IFR_E_USAGE for unknown words or events, IFR_E_ENVIRONMENT where perf
 * was asked for by name and is not there, with the cause and the remedy. */
int ifr_counters_open(const char *specification, struct ifr_counters **set, struct ifr_strings *notes,
                      struct ifr_error *err);
void ifr_counters_close(struct ifr_counters *set);

unsigned ifr_counters_count(const struct ifr_counters *set);
const struct ifr_counter *ifr_counters_get(const struct ifr_counters *set, unsigned index);
/* Whether the runtime has to be there, for regions; and whether each run needs one before it with IFR_REPEAT once.
 */
bool ifr_counters_has_regions(const struct ifr_counters *set);
bool ifr_counters_has_repeats(const struct ifr_counters *set);
/* Whether a run passed through every region that the set has. Errors: IFR_E_USAGE with the region. */
int ifr_counters_check_regions(const struct ifr_counters *set, const struct ifr_runtime_report *report,
                               struct ifr_error *err);
/* How many events the runtime is to count in regions in a pass, at most IFR_REGION_EVENTS, and, once they are
 * armed, into fd their descriptors in that order (NULL: nowhere). */
unsigned ifr_counters_region_events(const struct ifr_counters *set, unsigned pass, int *fd);
/* How many runs one full set of values takes; 0 if the model alone counts. */
unsigned ifr_counters_passes(const struct ifr_counters *set);
/* Whether the model counts, too: the campaign replays a recording for that (harness/campaign/model_values.c). */
bool ifr_counters_has_model(const struct ifr_counters *set);
/* Whether "auto" found no events of the processor, so that the model's would be welcome; and adding all of them,
 * once, behind the others. */
bool ifr_counters_may_add_model(const struct ifr_counters *set);
void ifr_counters_add_model(struct ifr_counters *set);

/* Attaches the events of a pass to a child that has not called exec yet. */
int ifr_counters_arm(struct ifr_counters *set, unsigned pass, pid_t child, struct ifr_error *err);
/* Stores ifr_counters_count values, NaN for counters that are not on in this pass, and disarms. Fails with
 * IFR_E_ENVIRONMENT (the run is then refused, with err's message as the reason) if a value is not exact: the group
 * was multiplexed, lost its pinned counters, or could not be read. */
int ifr_counters_collect(struct ifr_counters *set, unsigned pass, const struct ifr_run_times *times,
                         double *values, struct ifr_error *err);
/* Disarms after a run that did not come to an end. */
void ifr_counters_disarm(struct ifr_counters *set);

/* The time-stamp counter, ordered after all earlier loads. */
uint64_t ifr_tsc_read(void);

/* Why there are, or are not, hardware events on this machine. */
enum ifr_perf_state {
	IFR_PERF_HARDWARE,  /* hardware and software events */
	IFR_PERF_NO_PMU,    /* the kernel sees no performance-monitoring unit: a virtual machine that hides it */
	IFR_PERF_PARANOID,  /* /proc/sys/kernel/perf_event_paranoid forbids it to this user */
	IFR_PERF_SECCOMP,   /* the system call is filtered */
	IFR_PERF_CONTAINER, /* filtered, and this is a container */
	IFR_PERF_NO_KERNEL, /* the kernel was built without it */
	IFR_PERF_HYBRID     /* two kinds of cores: counts of one kind mean nothing on the other */
};
struct ifr_perf_diagnosis {
	enum ifr_perf_state state;
	bool software;      /* the kernel's software events work */
	char sentence[256]; /* what is the matter, in one sentence */
	char remedy[256];   /* what the user can do about it; "" where all is well */
};
void ifr_perf_diagnose(struct ifr_perf_diagnosis *diagnosis);

#endif
