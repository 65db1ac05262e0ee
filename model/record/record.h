/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recording: a program runs once under qemu-x86_64 with the recorder as its plugin, and a trace comes of it. */
#ifndef IFR_MODEL_RECORD_H
#define IFR_MODEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "model/record/ring.h"
#include "model/trace/trace.h"

struct ifr_recording {
	const char *program; /* the file to run */
	const char *name;    /* by which the trace knows it; NULL: its real path */
	char *const *argv;
	char *const *environment; /* "NAME=value", NULL-terminated */
	const char *path;         /* of the trace */
	const char *recorder;     /* the plugin's file */
	const char *text;         /* further lines about the recording, "key value\n" each; NULL */
	const char *stdin_file;   /* NULL: /dev/null */
	int output_fd,
		errors_fd;         /* where its standard output and error go: files, so that it runs as it always does */
	uint64_t from, to;     /* record the blocks that begin in these instructions only; 0, 0: all */
	const char *region;    /* record this region of interfero.h only; NULL: all */
	const char *marks;     /* the library that its marks call */
	const char *objects;   /* record the allocator's objects, with this library as the allocator; NULL: do not */
	const char *settings;  /* of that allocator, "NAME=value" */
	bool everything;       /* record also accesses that follow from others: slower, for tests */
	int cpu;               /* the processor to pin it to; -1: any */
	int64_t timeout_ns;    /* 0: none */
	bool (*stopped)(void); /* true when the user wants to stop; NULL: never */
};

struct ifr_recorded {
	int exit_status; /* 128+signal after a signal */
	bool cut;        /* its time was up behind the part that was to be recorded, and it was ended */
	struct ifr_trace_totals totals;
	uint64_t instructions; /* that ran, recorded or not */
	uint64_t notes[RING_NOTES], cuts;
};

/* Runs the program to its end, or for timeout_ns if it is behind `to` then, and writes the trace. Errors:
 * IFR_E_USAGE for a file that is no program for x86-64 (a script, a 32-bit program); IFR_E_ENVIRONMENT if
 * qemu-x86_64 is missing or the trace cannot be written; IFR_E_PROGRAM if the program overwrote the recording. No
 * trace is left then. */
int ifr_record(const struct ifr_recording *recording, struct ifr_recorded *recorded, struct ifr_error *err);

/* What makes this recording less than repeatable or whole, a line each, in place of what was in text. */
void ifr_recorded_print_notes(const struct ifr_recorded *recorded, struct ifr_buffer *text);

#endif
