/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The launcher: runs a program once under controlled conditions and says what happened.
 *
 * The program starts pinned to a processor, with address-space randomization off, in a small environment with
 * neutral names, its standard input a file or /dev/null, its output collected. Nothing of ours runs inside it but,
 * when an axis of the runtime is on or regions are measured, the runtime, preloaded. It leads a process group of
 * its own, which does not outlive the run. */
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
	const struct ifr_context *context;     /* environment, stack, mappings and heap of the process */
	unsigned repeats;                      /* of regions marked IFR_REPEAT; 0: 1 */
	const struct ifr_runtime_report *once; /* of a run before, with 1: see struct ifr_run_times; NULL: none */
	const char *stdin_file;                /* NULL: /dev/null */
	bool watch_stdin;                      /* give it one empty line instead, and see whether it is read */
	int cpu;                               /* the processor to run on; -1: any */
	bool keep_aslr;                        /* leave address-space randomization on */
	int64_t timeout_ns;                    /* 0: none */
	/* Called about every 5 ms with the running process and the time since its start; NULL: nobody looks. */
	void (*watch)(pid_t child, int64_t elapsed_ns, void *data);
	void *watch_data;
	struct ifr_counters *counters; /* NULL: none */
	unsigned pass;
};

struct ifr_outcome {
	int exit_status; /* 128+signal after a signal */
	int signal;      /* that ended it, or 0 */
	bool timed_out;
	bool interrupted; /* by ifr_launch_interrupt */
	bool read_stdin;  /* with watch_stdin */
	struct ifr_run_times times;
	struct ifr_buffer output;          /* standard output */
	struct ifr_buffer errors;          /* standard error */
	struct ifr_runtime_report runtime; /* its page; zeros without it */
	double *values;                    /* the counters', if any; NaN where there is no value */
	char refused[256];                 /* why this run's values do not count; "" if they do */
};

void ifr_outcome_init(struct ifr_outcome *outcome);
void ifr_outcome_release(struct ifr_outcome *outcome);

/* Runs it to its end, its time-out or an interruption. Errors: IFR_E_ENVIRONMENT if it cannot be started as asked.
 */
int ifr_launch_run(const struct ifr_launch *launch, struct ifr_outcome *outcome, struct ifr_error *err);

/* From a signal handler: ends the run that is under way, and every later one at once. */
void ifr_launch_interrupt(void);
bool ifr_launch_interrupted(void);

/* Whether a program is dynamically linked: by the loader it asks for. */
bool ifr_loads_libraries(const char *program);

/* Starts a small program of ours twice and compares where its stack, code, heap and libraries lie. Errors:
 * IFR_E_ENVIRONMENT if they moved, with the remedy. */
int ifr_aslr_check(int cpu, struct ifr_error *err);

/* The processor to pin to: wanted if it is allowed, else (wanted < 0) the last allowed one. The harness itself
 * moves to the others, if there are any. */
int ifr_pin_choose(int wanted, int *cpu, struct ifr_error *err);

#endif
