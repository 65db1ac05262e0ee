/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording: runs a program once under a recorder, and writes a trace. */
#ifndef IFR_MODEL_RECORD_H
#define IFR_MODEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "model/record/recorder.h"
#include "model/record/ring.h"
#include "model/trace/trace.h"

/* The remedy for a program that chooses its number of iterations by a clock. */
#define IFR_FIXED_ITERATIONS                                                                                 \
	"fix the number of iterations: ->Iterations(100) for Google Benchmark, whose versions from 1.8 on take " \
	"--benchmark_min_time=100x, too, "                                                                       \
	"-test.benchtime=100x for Go, epochIterations(100) for nanobench, a loop of your own for others"

/* Instructions of a sample: the first of them bring caches and predictors up to date. */
enum { IFR_RECORDING_SAMPLE = 2000000 };

/* How a recording ended: with the program, or at a bound. */
enum ifr_recording_end {
	IFR_RECORDING_WHOLE,    /* the program ended, or an error ended the recording */
	IFR_RECORDING_CUT,      /* the part to record was complete */
	IFR_RECORDING_TIME,     /* its time was up */
	IFR_RECORDING_ADAPTIVE, /* the program chooses its repetitions by a clock, and would never end */
};

/* A recording that goes on. left_ns: the expected time left, -1 while nothing tells. */
struct ifr_recording_progress {
	uint64_t instructions, bytes; /* executed; of the trace, so far */
	int64_t spent_ns, left_ns;
};

struct ifr_recording {
	const char *program; /* the file to run */
	const char *name;    /* the program's name in the trace; NULL: its real path */
	char *const *argv;
	char *const *environment; /* "NAME=value", NULL-terminated */
	const char *path;         /* of the trace file */
	enum ifr_recorder recorder;
	const char *tool;       /* file of the tool of Valgrind */
	const char *plugin;     /* file of the plugin for qemu */
	const char *text;       /* further lines for the trace's text, "key value\n" each; NULL: none */
	const char *stdin_file; /* NULL: /dev/null */
	int output_fd,
		errors_fd; /* files that take standard output and standard error: buffering differs on a pipe or a terminal */
	uint64_t from, to;    /* record only blocks that begin at an instruction in [from, to); 0, 0: all */
	uint64_t every;       /* record IFR_RECORDING_SAMPLE of each so many instructions, at least as many; 0: all */
	const char *region;   /* record only this marked region (interfero.h); NULL: everything */
	const char *marks;    /* the library that defines the region markers */
	const char *objects;  /* allocator library whose heap objects are recorded; NULL: objects are not recorded */
	const char *settings; /* settings of that allocator, "NAME=value" */
	bool everything;      /* record derivable accesses, too: slower, for tests */
	int cpu;              /* processor that the program is pinned to; -1: any */
	int64_t timeout_ns;   /* 0: none */
	int64_t plain_ns;    /* processor time of a run without the recorder, to recognise adaptive programs by; 0: not
	                          known */
	uint64_t most_bytes; /* of the trace; 0: no limit */
	void (*progress)(const struct ifr_recording_progress *progress); /* a few times a second; NULL: never */
	bool (*stopped)(void); /* true when the user wants to stop; NULL: never */
};

struct ifr_recorded {
	int exit_status;            /* 128+signal after a signal */
	bool killed;                /* by a signal that the program cannot handle: the trace ends there */
	enum ifr_recording_end end; /* also after an error */
	unsigned left;              /* processes that the program left running, which were ended */
	struct ifr_trace_totals totals;
	uint64_t instructions; /* executed instructions, recorded or not */
	uint64_t notes[IFR_RECORDING_NOTES], cuts;
};

/* Checks that a program can be recorded here, by a recorder (tool: as in struct ifr_recording). Errors: those of
 * ifr_record about the program's file and of ifr_recorder_choose. */
int ifr_record_check(const char *program, enum ifr_recorder recorder, const char *tool, struct ifr_error *err);

/* Runs the program to its end, or kills it after timeout_ns once `to` instructions have run, and writes the trace.
 * On an error no trace is left. Errors: IFR_E_USAGE if the file is no x86-64 program (a script, a 32-bit program);
 * IFR_E_ENVIRONMENT if the recorder is missing or fails, or the trace cannot be written; IFR_E_PROGRAM if the program
 * overwrote the recording, is adaptive, executes an instruction that the recorder does not know, or exceeded the limits
 * of time or size. */
int ifr_record(const struct ifr_recording *recording, struct ifr_recorded *recorded, struct ifr_error *err);

/* Estimates what recording a program takes whose plain run takes plain_ns of processor time. */
int64_t ifr_recording_estimate_ns(int64_t plain_ns);

/* Replaces text with one line "note …" for each reason why the recording is not repeatable or not complete. */
void ifr_recorded_print_notes(const struct ifr_recorded *recorded, struct ifr_buffer *text);

#endif
