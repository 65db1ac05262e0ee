/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter sources: the numbers measured of a run.
 *
 *     clock   wall time, TSC cycles and resource usage; available everywhere
 *     perf    the kernel's performance events under libpfm4's names, in user mode, in pinned groups that are never
 *             multiplexed; where the processor has too few counters, in several passes, each a run of its own
 *     region  time, cycles and perf's events between the program's own marks, per entry of the region
 *     program figures that the program prints about its own benchmarks, read by harness/metrics; a counter each
 *     model   events of one recording, replayed under every layout on a described machine (model/model.h); no run
 *
 * A set is opened once per experiment from a specification and then measures one run after another:
 *
 *     launcher: fork; the child pins itself, switches ASLR off and waits
 *     ifr_counters_arm(set, pass, child)              attaches the events, to start at exec
 *     launcher: releases the child, which execs; waits for its end
 *     ifr_counters_collect(set, pass, times, values)  stores the values, or refuses the run
 *
 * Names that two sources have:
 *   page-faults       perf: faults at the program's own instructions, its children included, from exec to the end.
 *                     clock: the kernel's account since fork, with faults that the kernel takes for the program.
 *   context-switches, happen in the kernel and are counted there; perf needs perf_event_paranoid below 2 or
 *   cpu-migrations    CAP_PERFMON for them.
 * An event of perf replaces the counter of clock with the same name.
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
#include "harness/counters/own_events.h"
#include "harness/counters/profile.h"
#include "harness/metrics/metrics.h"
#include "runtime/runtime.h"

/* The pass of the model's counters, which count in no run. */
enum { IFR_PASS_MODEL = -2 };

/* One counter of an open set. */
struct ifr_counter {
	char name[64];      /* perf's name: "duration_time", "page-faults", "branch-misses", … */
	char unit[16];      /* "ns", "cycles", "bytes", "" for a count */
	const char *source; /* "clock", "perf", "region", "repeat", "program" or "model" */
	int pass;           /* the only pass in which it counts; -1: all passes; or IFR_PASS_MODEL */
	unsigned event;     /* enum ifr_event, of a counter of the model */
};

/* A run as the launcher measured it, from the release of the child to its end. */
struct ifr_run_times {
	int64_t wall_ns;
	uint64_t tsc_cycles;
	struct rusage usage;
	const struct ifr_runtime_report *regions; /* report of the runtime; NULL: none requested */
	const struct ifr_runtime_report *once;    /* of a run with one repetition of IFR_REPEAT; NULL: none */
	const struct ifr_own_figures *figures;    /* of the program's benchmarks; NULL: none are read */
};

/* The processor time of a run, of the program and the kernel, and at least a nanosecond. */
int64_t ifr_run_processor_ns(const struct ifr_run_times *times);

/* Repetitions of the statement of IFR_REPEAT in measured runs. */
enum { IFR_REGION_REPEATS = 101 };

struct ifr_counters;

/* Opens the sources of a specification, a list of words separated by commas or spaces; the caller closes the set.
 *
 *     auto          perf where it works, else clock; then the model may be added (ifr_counters_add_model)
 *     clock         part of every set that needs runs
 *     perf          perf's default events
 *     perf:EVENT    one event, by libpfm4's or perf's name or by its raw code, as r0107
 *     perf:all      all events of the processor that libpfm4 lists and the machine counts, in passes
 *     region:NAME   a region of the program, per entry
 *     repeat:NAME   one execution of the statement of IFR_REPEAT("NAME"), measured by two runs
 *     model         all events of the model; model:EVENT one of them
 *
 * core: the model replays a core, so that events that need one are there (ifr_event_needs_core).
 * notes (may be NULL) receives a sentence for each thing the user should know, such as why "auto" does without
 * perf. Errors: IFR_E_USAGE for unknown words or events, IFR_E_ENVIRONMENT, with cause and remedy, where perf is
 * named and not available. */
int ifr_counters_open(const char *specification, bool core, struct ifr_counters **set, struct ifr_strings *notes,
                      struct ifr_error *err);
void ifr_counters_close(struct ifr_counters *set);

/* The number of counters of a set. */
unsigned ifr_counters_count(const struct ifr_counters *set);
/* The counter of an index, NULL from ifr_counters_count on; valid until the set is closed. */
const struct ifr_counter *ifr_counters_get(const struct ifr_counters *set, unsigned index);
/* The number of runs for one full set of values; 0 if only the model counts. */
unsigned ifr_counters_passes(const struct ifr_counters *set);

/* Whether the set has regions, which need the runtime. */
bool ifr_counters_has_regions(const struct ifr_counters *set);
/* Whether the regions are IFR_REPEAT's, so that each run needs one before it with a single repetition. */
bool ifr_counters_has_repeats(const struct ifr_counters *set);
/* Checks that a run entered every region of the set. Errors: IFR_E_USAGE with the region. */
int ifr_counters_check_regions(const struct ifr_counters *set, const struct ifr_runtime_report *report,
                               struct ifr_error *err);
/* The number of events, 0 … IFR_REGION_EVENTS, that the runtime counts in regions in a pass; fd[] (may be NULL)
 * gets their descriptors once they are armed. */
unsigned ifr_counters_region_events(const struct ifr_counters *set, unsigned pass, int *fd);

/* Whether the set has counters of the model; the campaign replays a recording for them. */
bool ifr_counters_has_model(const struct ifr_counters *set);
/* Whether "auto" found no hardware events and the set has no counters of the model yet. */
bool ifr_counters_may_add_model(const struct ifr_counters *set);
/* Whether a counter of the model depends on the core: cycles, or an event that needs it. */
bool ifr_counters_use_core(const struct ifr_counters *set);
/* Appends all counters of the model to the set, as "model" does; at most once. */
void ifr_counters_add_model(struct ifr_counters *set, bool core);

/* Adds a counter for each figure that the set does not have yet, of the source "program"; before the first run is stored.
 * A figure with the name of another counter becomes "program:NAME". */
void ifr_counters_add_figures(struct ifr_counters *set, const struct ifr_own_figures *figures);

/* Attaches the events of a pass, 0 … ifr_counters_passes - 1, to a child that has not called exec yet. Errors:
 * IFR_E_ENVIRONMENT if the kernel refuses an event. */
int ifr_counters_arm(struct ifr_counters *set, unsigned pass, pid_t child, struct ifr_error *err);
/* Stores values[ifr_counters_count], NaN for counters that do not count in this pass, and disarms. Errors:
 * IFR_E_ENVIRONMENT, on which the run is refused with err->message as the reason, if a value is not exact (a group
 * was multiplexed, lost its pinned counters or could not be read); IFR_E_PROGRAM if a region was not entered. */
int ifr_counters_collect(struct ifr_counters *set, unsigned pass, const struct ifr_run_times *times,
                         double *values, struct ifr_error *err);
/* Disarms after a run that did not end normally. */
void ifr_counters_disarm(struct ifr_counters *set);

/* --- perf's availability ---------------------------------------------------------------------------------- */

/* The reason why this machine has, or lacks, hardware events. */
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
	char sentence[256]; /* the state, in one sentence */
	char remedy[256];   /* the remedy; "" for IFR_PERF_HARDWARE */
};
/* Tries events on the calling thread and explains the outcome. */
void ifr_perf_diagnose(struct ifr_perf_diagnosis *diagnosis);

/* --- the host --------------------------------------------------------------------------------------------- */

enum { IFR_HYPERVISOR_NAME_BYTES = 13 };

/* The time-stamp counter, ordered after all earlier loads. */
uint64_t ifr_tsc_read(void);
/* Whether the time-stamp counter runs at one rate in all power states. Ref: Intel SDM volume 3, "Invariant TSC". */
bool ifr_machine_tsc_invariant(void);
/* Whether CPUID reports a hypervisor; name (may be NULL) gets its signature ("KVMKVMKVM", …), "" without one. */
bool ifr_machine_hypervisor(char name[IFR_HYPERVISOR_NAME_BYTES]);
/* Whether this is a container, by the marks of docker, podman, lxc and systemd-nspawn. */
bool ifr_machine_container(void);
/* Stores the first word of a file, NUL-terminated and cut to size bytes; false if the file is empty or unreadable.
 */
bool ifr_machine_word(const char *path, char *word, unsigned size);
/* The number that is the first word of a file, or otherwise if there is none. */
long ifr_machine_number(const char *path, long otherwise);

#endif
