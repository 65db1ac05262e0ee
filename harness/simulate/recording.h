/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the shipped program or a variant in the process context of measured runs, and describes that context in
 * the trace for the replay. */
#ifndef IFR_HARNESS_RECORDING_H
#define IFR_HARNESS_RECORDING_H

#include "common/plan.h"
#include "common/strings.h"
#include "harness/exec/exec.h"
#include "model/model.h"

struct ifr_recording_request {
	const char *program; /* absolute */
	char *const *argv;
	const struct ifr_strings *more_environment; /* as for ifr_context_init */
	enum ifr_recorder recorder;                 /* IFR_RECORDER_AUTO: as INTERFERO_RECORDER says, if it is set */
	const char *path;                           /* of the trace, which is written */
	const char *library;           /* a library that layouts move instead of the program; NULL: none */
	const char *library_file;      /* its file, as the loader maps it */
	const char *stdin_file;        /* NULL: /dev/null */
	bool silent;                   /* drop the program's output */
	const struct ifr_plan *plan;   /* record its variant, with its stack and load; NULL: the program */
	uint64_t stack_bytes;          /* of additional environment */
	uint64_t from, to;             /* window in instructions; 0, 0: all */
	uint64_t every;                /* as in struct ifr_recording */
	const char *region;            /* name of the marked region (interfero.h); NULL: all */
	bool everything;               /* derivable accesses, too: slower, for tests */
	bool objects;                  /* record requests to the allocator and their heap objects */
	int64_t timeout_ns;            /* of the run; 0: none */
	int64_t deadline_ns;           /* of all runs, on CLOCK_MONOTONIC; 0: none */
	uint64_t most_bytes;           /* of the trace; 0: no limit */
	struct ifr_patience *patience; /* of the run without the recorder; NULL: none */
	int64_t plain_ns;              /* processor time of a run without the recorder; 0: not known */
	void (*progress)(const struct ifr_recording_progress *progress); /* as in struct ifr_recording */
};

/* Finds the recorder of a request: where it leaves the choice, INTERFERO_RECORDER may name one. Errors: IFR_E_USAGE if
 * that names none. */
int ifr_recording_recorder(const struct ifr_recording_request *request, enum ifr_recorder *recorder,
                           struct ifr_error *err);

/* Runs the program once without the recorder, and stores its processor time in the request. Errors: those of
 * ifr_launch_run and of a program that cannot be recorded; IFR_E_PROGRAM if it does not end in its time. */
int ifr_recording_time_plain(struct ifr_recording_request *request, struct ifr_error *err);
/* The time that the next run of a request may take; 0: any. */
int64_t ifr_recording_time_left(const struct ifr_recording_request *request);

/* Records the program, and copies its output and errors to ours after its end. Errors: those of ifr_record and
 * ifr_builder_make; IFR_E_USAGE for a plan that moves heap objects if they are not recorded or belong to several
 * threads. */
int ifr_recording_make(const struct ifr_recording_request *request, struct ifr_recorded *recorded,
                       struct ifr_error *err);

#endif
