/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: recorders report translation blocks, whose boundaries depend on pages and on limits, and the trace
 * needs blocks and branch outcomes that do not depend on the layout.
 *
 * Idea: a translation block is finished only when its successor is known. The successor's address tells whether
 * the branch was taken (executions.c: find_successor). A block that ended without a branch joins a chain with its
 * successor; the chain becomes one block of the trace at the next branch, system call or repeated string
 * instruction. Nearly all blocks repeat what they did last time, so run_fast_path handles them without chains or
 * tables.
 *
 * Invariant: addresses are normalised with the mappings of the moment at which the access happened. It holds
 * because every event that changes mappings (a mapping call, an allocator request) first finishes the pending
 * block (finish_before_call); the recorder orders these events by handing over its chunk before another thread
 * runs. */
#include "model/record/assembler.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/record/executions.h"

struct assembler *assembler_new(struct ifr_trace_writer *writer, struct address_space *space,
                                const struct assembler_window *window, struct bounds *bounds) {
	struct assembler *assembler = ifr_alloc(sizeof *assembler);
	assembler->writer = writer;
	assembler->space = space;
	assembler->window = *window;
	assembler->bounds = bounds;
	assembler->windowed = window->from || window->to || window->region || window->every;
	if (window->every)
		find_first_sample(assembler);
	translations_init(&assembler->translations);
	for (int i = 0; i < RING_THREADS; i++)
		assembler->threads[i].block = assembler->threads[i].chain = NONE;
	return assembler;
}

void assembler_free(struct assembler *assembler) {
	for (int i = 0; i < RING_THREADS; i++) {
		free(assembler->threads[i].saved);
		free(assembler->threads[i].addresses);
	}
	translations_release(&assembler->translations);
	free(assembler);
}

const uint64_t *assembler_notes(const struct assembler *assembler) {
	return assembler->notes;
}
uint64_t assembler_instructions(const struct assembler *assembler) {
	return assembler->instructions;
}
uint64_t assembler_cuts(const struct assembler *assembler) {
	return assembler->cuts;
}

/* --- records ------------------------------------------------------------------------------------------------- */

static void read_initial_mapping(struct assembler *assembler, const uint64_t *words) {
	address_space_add_initial(assembler->space, &(struct initial_mapping){.start = words[0],
	                                                                      .end = words[1],
	                                                                      .writable = words[2] & 2,
	                                                                      .file_offset = words[3],
	                                                                      .path = (const char *)(words + 4)});
}

static bool read_definition(struct assembler *assembler, const uint64_t *words, uint32_t count) {
	if (!assembler->begun)
		address_space_start_program(assembler->space, words[0]);
	assembler->begun = true;
	return translations_define(&assembler->translations, words, count,
	                           address_space_find(assembler->space, words[0], false)->delta);
}

static void count_note(struct assembler *assembler, uint64_t note, uint64_t value) {
	/* The dynamic loader reads the time-stamp counter for its own statistics: no effect on the program. */
	if (note == IFR_RECORDING_NOTE_TSC && address_space_in_loader(assembler->space, value))
		return;
	if (note < IFR_RECORDING_NOTES)
		assembler->notes[note]++;
	if (note == IFR_RECORDING_NOTE_TIME && assembler->bounds)
		bounds_read_clock(assembler->bounds, assembler->instructions);
	assembler->regions += note == IFR_RECORDING_NOTE_BEGIN;
	assembler->regions -= note == IFR_RECORDING_NOTE_END && assembler->regions;
}

static void enter_allocator(struct assembler *assembler, struct thread *thread) {
	if (!thread->in_allocator++ && assembler->inside)
		ifr_trace_add_break(assembler->writer);
	assembler->inside = false;
}

static void leave_allocator(struct assembler *assembler, struct thread *thread, const uint64_t *numbers) {
	thread->block = NONE;
	if (thread->in_allocator && !--thread->in_allocator)
		address_space_apply_request(assembler->space, (uint16_t)(thread - assembler->threads), numbers);
}

/* Applies one record. Returns its length in words, 0 if it is malformed. */
static uint32_t read_record(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                            uint32_t left) {
	uint32_t count = (uint32_t)*words;
	enum ring_record type = *words >> RING_TYPE_SHIFT & 0xff;
	bool text = type == RING_MAPPING || type == RING_SYSCALL;
	if (count >= left || (text && (count < 9U - 4 * (type == RING_MAPPING) || words[count] >> 56)))
		return 0;
	if (type == RING_DEFINE &&
	    (count < sizeof(struct ring_block) / 8 || !read_definition(assembler, words + 1, count)))
		return 0;
	if (type == RING_MAPPING)
		read_initial_mapping(assembler, words + 1);
	if (type == RING_SYSCALL)
		address_space_apply_call(assembler->space, words + 1, (const char *)(words + 9), thread->in_allocator);
	if (type == RING_LEAVE && count == 6)
		leave_allocator(assembler, thread, words + 1);
	if (type == RING_NOTE && count == 2)
		count_note(assembler, words[1], words[2]);
	return count + 1;
}

/* Finishes the pending block before a call changes the mappings that its accesses refer to. The call is assumed to
 * return; begin_block notices when a signal handler runs first. */
static void finish_before_call(struct assembler *assembler, struct thread *thread) {
	if (thread->block == NONE || thread->in_allocator)
		return;
	const struct ring_block *block = &assembler->translations.blocks[thread->block].block;
	thread->after_call = block->address + block->bytes;
	finish_block(assembler, thread, thread->after_call);
}

/* Starts a block and finishes its predecessor, whose successor is now known. */
static void begin_block(struct assembler *assembler, struct thread *thread, uint32_t block) {
	uint64_t address = assembler->translations.facts[2 * (size_t)block].address;
	if (thread->block != NONE && !thread->in_allocator)
		finish_block(assembler, thread, address);
	if (thread->after_call && thread->after_call != address && assembler->inside)
		ifr_trace_add_break(assembler->writer);
	thread->after_call = 0;
	thread->block = block;
}

static void save_events(struct thread *thread) {
	if (thread->block == NONE)
		return;
	if (!thread->saved)
		thread->saved = ifr_realloc(NULL, RING_RESERVE_WORDS, sizeof *thread->saved);
	if (thread->event_count)
		memmove(thread->saved, thread->events, thread->event_count * sizeof *thread->saved);
	thread->events = thread->saved;
}

/* Breaks the block sequence where another thread goes on. */
static void change_thread(struct assembler *assembler, uint32_t number) {
	if (number == RING_THREADS || number == assembler->last_thread)
		return;
	if (assembler->notes[IFR_RECORDING_NOTE_THREAD])
		ifr_trace_add_break(assembler->writer);
	assembler->last_thread = number;
}

static int fail_malformed(struct ifr_error *err) {
	return ifr_fail(err, IFR_E_PROGRAM,
	                "the recording broke off: the program wrote into memory that is not its own; look for the "
	                "stray store with valgrind");
}

int assembler_read_chunk(struct assembler *assembler, uint32_t number, const uint64_t *words, uint32_t count,
                         struct ifr_error *err) {
	struct thread *thread = &assembler->threads[number % RING_THREADS];
	const uint64_t *end = words + count;
	if (number > RING_THREADS || count > RING_CHUNK_WORDS)
		return fail_malformed(err);
	change_thread(assembler, number);
	if (!thread->addresses)
		thread->addresses =
			ifr_realloc(NULL, EXECUTION_ACCESSES_MAX + RING_RESERVE_WORDS, sizeof *thread->addresses);
	while (words < end) {
		if ((*words & RING_RECORD) == RING_RECORD) {
			enum ring_record type = *words >> RING_TYPE_SHIFT & 0xff;
			if (type == RING_SYSCALL || type == RING_ENTER)
				finish_before_call(assembler, thread);
			if (type == RING_ENTER)
				enter_allocator(assembler, thread);
			uint32_t took = read_record(assembler, thread, words, (uint32_t)(end - words));
			if (!took)
				return fail_malformed(err);
			words += took;
			continue;
		}
		uint32_t block = RING_ID(*words++);
		if (!(words[-1] & RING_BLOCK) || block >= assembler->translations.block_count || number == RING_THREADS)
			return fail_malformed(err);
		begin_block(assembler, thread, block);
		words = run_fast_path(assembler, thread, words, end);
		if (assembler->malformed)
			return fail_malformed(err);
		thread->events = words;
		while (words < end && !(*words & RING_BLOCK))
			words++;
		thread->event_count = (uint32_t)(words - thread->events);
		if (thread->event_count > RING_RESERVE_WORDS)
			return fail_malformed(err);
	}
	if (number != RING_THREADS)
		save_events(thread);
	return 0;
}

void assembler_finish(struct assembler *assembler) {
	for (int i = 0; i < RING_THREADS; i++)
		if (assembler->threads[i].block != NONE && !assembler->threads[i].in_allocator)
			finish_block(assembler, &assembler->threads[i], 0);
}
