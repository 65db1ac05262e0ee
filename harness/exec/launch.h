/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launcher: runs a program once under controlled conditions and reports the outcome.
 *
 * The program starts pinned to a processor, with address-space randomization off, in a small environment with
 * neutral names, its standard input a file or /dev/null, its output collected. The runtime is preloaded only if an
 * axis of the runtime is on or regions are measured. The program leads a process group of its own. Neither the group nor
 * any other process that it started outlives the run. */
#ifndef IFR_HARNESS_LAUNCH_H
#define IFR_HARNESS_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"
#include "harness/counters/counters.h"
#include "harness/exec/context.h"
#include "runtime/runtime.h"

struct ifr_launch {
	const char *program;                   /* the file to run */
	char *const *argv;                     /* its arguments, argv[0] first, NULL-terminated */
	const char *stand_in, *place;          /* the file that the program finds at a place; NULL: none */
	const struct ifr_context *context;     /* environment, stack, mappings and heap of the process */
	unsigned repeats;                      /* of regions marked IFR_REPEAT; 0: 1 */
	const struct ifr_runtime_report *once; /* of a run before, with 1: see struct ifr_run_times; NULL: none */
	const char *stdin_file;                /* NULL: /dev/null */
	bool watch_stdin;   /* offer one empty line instead, and watch whether the program reads it */
	int cpu;            /* the processor to run on; -1: any */
	bool keep_aslr;     /* leave address-space randomization on */
	int64_t timeout_ns; /* 0: none */
	/* Called about every 5 ms with the running process and the time since its start; NULL: no calls. */
	void (*watch)(pid_t child, int64_t elapsed_ns, void *data);
	void *watch_data;
	struct ifr_profile *profile;   /* NULL: none. Where it cannot be armed, the run is made without, and refused */
	struct ifr_profile *threads;   /* counts threads, where it can be armed; NULL: none */
	struct ifr_counters *counters; /* NULL: none */
	const struct ifr_metrics *metrics; /* the program's own figures, which are read behind the run; NULL: none */
	unsigned pass;
};

struct ifr_outcome {
	int exit_status; /* 128 + signal after a signal */
	int signal;      /* the signal that ended the program, or 0 */
	bool timed_out;
	bool interrupted; /* by ifr_launch_interrupt */
	bool read_stdin;  /* with watch_stdin */
	unsigned left;    /* processes that the program left running, which were ended */
	struct ifr_run_times times;
	struct ifr_buffer output;          /* standard output */
	struct ifr_buffer errors;          /* standard error */
	struct ifr_runtime_report runtime; /* the runtime's report; zeros without the runtime */
	struct ifr_own_figures figures;    /* of the program's own benchmarks */
	double *values;                    /* one a counter; NaN for no value */
	char refused[256];                 /* the reason to refuse this run's values, or "" */
};

void ifr_outcome_init(struct ifr_outcome *outcome);
void ifr_outcome_release(struct ifr_outcome *outcome);

/* Runs a program to its end, its time-out or an interruption. Errors: IFR_E_ENVIRONMENT if the program cannot be
 * started under these conditions. */
int ifr_launch_run(const struct ifr_launch *launch, struct ifr_outcome *outcome, struct ifr_error *err);

/* Ends the current run, and every later one at its start. Safe in a signal handler. */
void ifr_launch_interrupt(void);
bool ifr_launch_interrupted(void);

/* Whether a program is dynamically linked: its file names a loader. */
bool ifr_loads_libraries(const char *program);
/* Whether a file is a shared library that nothing starts: no program, which names a loader or says that it is one. */
bool ifr_is_library(const char *file);

/* The bytes of a program's text that huge pages can hold: those between the first and the last multiple of 2 MiB, where
 * the kernel loads it without address-space randomization. */
uint64_t ifr_huge_text_bytes(const char *program);

/* Starts the probe program twice and compares the addresses of its stack, code, heap and libraries. Errors:
 * IFR_E_ENVIRONMENT if they differ, with the remedy. */
int ifr_aslr_check(int cpu, struct ifr_error *err);

/* Chooses the processor to pin programs to: wanted, or the last allowed one where wanted < 0. The harness itself moves
 * to the other processors, if there are any. Errors: IFR_E_USAGE or IFR_E_ENVIRONMENT for a processor that is not
 * allowed. */
int ifr_pin_choose(int wanted, int *cpu, struct ifr_error *err);

#endif
