/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation blocks that ran become steps of the trace, as soon as it is known what runs next. Private to
 * assemble.c. */
#ifndef IFR_MODEL_STEPS_H
#define IFR_MODEL_STEPS_H

#include "model/record/assembler.h"
#include "model/record/translations.h"

enum { EXECUTION_ACCESSES_MAX = 20000 }; /* longer straight runs are cut */

struct thread {
	uint32_t block; /* that ran last and whose successor is not known yet, NONE */
	const uint64_t *events;
	uint32_t event_count;
	uint64_t *saved; /* events whose chunk is gone */
	uint32_t chain;  /* what ran before it without a branch, NONE */
	uint32_t chain_bytes;
	uint64_t chain_start; /* instructions that had run before it */
	uint64_t *values;     /* places of the chain's accesses */
	uint32_t value_count;
	bool repeated;         /* what comes next is a further round of a repeated instruction */
	unsigned in_allocator; /* how deep, where objects are recorded: what it executes is left out */
	uint64_t after_call;   /* where a system call that changed mappings returns to; 0: none did just now */
};

struct assembler {
	struct ifr_trace_writer *writer;
	struct address_space *space;
	struct translations translations;
	struct thread threads[RING_THREADS];
	struct assembler_window window;
	bool windowed;
	bool inside;      /* the last block was recorded */
	unsigned regions; /* begun and not ended, of all threads */
	uint64_t notes[RING_NOTES];
	uint64_t instructions, cuts;
	uint32_t last_thread;
	bool begun;
};

/* The block that ran last, now that it is known what runs next (0: nothing). */
void finish_block(struct assembler *assembler, struct thread *thread, uint64_t next);
/* The same for nearly all blocks, from the one whose accesses begin at words on: those that run as they did last
 * time, and go on where they can. Returns the words of the first other one, which is thread's block then. */
const uint64_t *run_fast_path(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                              const uint64_t *end);

#endif
