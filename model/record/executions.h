/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Appends block executions to the trace, each as soon as its successor is known. Private to assembler.c. */
#ifndef IFR_MODEL_STEPS_H
#define IFR_MODEL_STEPS_H

#include "model/record/assembler.h"
#include "model/record/translations.h"

enum { EXECUTION_ACCESSES_MAX = 20000 }; /* accesses; a longer straight-line chain is cut */

struct thread {
	uint32_t block; /* the last block that ran, whose successor is not known yet; NONE */
	const uint64_t *events;
	uint32_t event_count;
	uint64_t *saved; /* copy of events whose chunk went back to the recorder */
	uint32_t chain;  /* blocks that ran before it without a branch between; NONE */
	uint32_t chain_bytes;
	uint64_t chain_start; /* instructions executed before the chain */
	uint64_t *addresses;  /* normalised addresses of the chain's recorded accesses */
	uint32_t address_count;
	bool repeated;         /* the next block is another iteration of a repeated string instruction */
	unsigned in_allocator; /* nesting depth of allocator calls, whose execution is left out of the trace */
	uint64_t after_call;   /* return address of the mapping call that just ran; 0: none */
};

struct assembler {
	struct ifr_trace_writer *writer;
	struct address_space *space;
	struct translations translations;
	struct thread threads[RING_THREADS];
	struct assembler_window window;
	uint64_t sample;       /* the first instruction of the sample that goes on, or comes */
	struct bounds *bounds; /* NULL: none */
	bool windowed;
	bool inside;      /* the previous block lay inside the window */
	unsigned regions; /* open marked regions of all threads */
	uint64_t notes[IFR_RECORDING_NOTES];
	uint64_t instructions, cuts;
	uint32_t last_thread;
	bool begun;
	bool malformed; /* an access is another than its block makes */
};

/* Finds the first sample of a recording that has samples. */
void find_first_sample(struct assembler *assembler);
/* Finishes the thread's pending block. next: address of the block that runs next, 0 if none does. */
void finish_block(struct assembler *assembler, struct thread *thread, uint64_t next);
/* Whether a block that begins after so many instructions is recorded. */
bool in_window(struct assembler *assembler, uint64_t instructions);
/* Normalises the accesses up to end. Returns false if they are others than the expected ones. */
bool normalise_accesses(struct assembler *assembler, const uint64_t *event, const uint64_t *end,
                        struct pattern_access *access, uint64_t *to);
/* Executes blocks that take their fast path, starting with the thread's pending block, whose accesses begin at
 * words. Returns the words of the first block that does not take it, which is the pending one then. */
const uint64_t *run_fast_path(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                              const uint64_t *end);

#endif
