/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/record/translated.h"

/* Longer straight runs are cut. */
enum { VALUES_MOST = 20000, CHAIN_BYTES = 40000 };

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
	struct spaces *spaces;
	struct tables tables;
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

struct assembler *assembler_new(struct ifr_trace_writer *writer, struct spaces *spaces,
                                const struct assembler_window *window) {
	struct assembler *assembler = ifr_alloc(sizeof *assembler);
	assembler->writer = writer;
	assembler->spaces = spaces;
	assembler->window = *window;
	assembler->windowed = window->from || window->to || window->region;
	tables_init(&assembler->tables);
	for (int i = 0; i < RING_THREADS; i++)
		assembler->threads[i].block = assembler->threads[i].chain = NONE;
	return assembler;
}

void assembler_free(struct assembler *assembler) {
	for (int i = 0; i < RING_THREADS; i++) {
		free(assembler->threads[i].saved);
		free(assembler->threads[i].values);
	}
	tables_release(&assembler->tables);
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

/* --- a block has run, and what runs next is known --------------------------------------------------------------
 */

enum successor { NOT_TAKEN, TAKEN, NO_SUCCESSOR };

static enum successor successor_of(const struct translated *ran, uint64_t next) {
	const struct ring_block *block = &ran->block;
	uint64_t end = block->address + block->bytes;
	switch (block->branch) {
	case IFR_BRANCH_CONDITIONAL:
		return next == end ? NOT_TAKEN : next == block->target ? TAKEN : NO_SUCCESSOR;
	case IFR_BRANCH_JUMP:
	case IFR_BRANCH_CALL:
		return next == block->target ? TAKEN : NO_SUCCESSOR;
	case IFR_BRANCH_NONE:
		return next == end || (block->end == RING_END_REPEAT && next == ran->repeats) ? NOT_TAKEN : NO_SUCCESSOR;
	default:
		return TAKEN;
	}
}

static inline bool matches(const struct shape *shape, const uint64_t *events, uint32_t count) {
	if (shape->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (shape->accesses[i].tag != (events[i] & ~RING_ADDRESS))
			return false;
	return true;
}

static uint32_t shape_of(struct assembler *assembler, uint32_t block, const struct thread *thread, uint16_t cut) {
	uint32_t shape = assembler->tables.blocks[block].shapes;
	for (; shape != NONE; shape = assembler->tables.shapes[shape].next)
		if (assembler->tables.shapes[shape].cut == cut &&
		    matches(&assembler->tables.shapes[shape], thread->events, thread->event_count))
			return shape;
	return tables_shape(&assembler->tables, block, thread->events, thread->event_count, cut);
}

/* The place of an access that is not where it was last time. False if it is another access than that. */
static __attribute__((noinline)) bool find_place(struct assembler *assembler, const uint64_t *event,
                                                 struct hot_access *access, uint64_t *to) {
	uint64_t address = *event - access->tag;
	const struct span *span = access->span;
	if (address > RING_ADDRESS)
		return false;
	if (span == &tables_follows && *event == event[-1] + 8) {
		*to = to[-1] + 8;
		return true;
	}
	const bool keeps = span != &tables_follows;
	span = spaces_find(assembler->spaces, address, RING_STORE(*event));
	if (keeps)
		access->span = span;
	*to = address + span->delta;
	return true;
}

/* Stores the places of events up to end. False if they are other accesses than these. */
static inline bool add_places(struct assembler *assembler, const uint64_t *event, const uint64_t *end,
                              struct hot_access *access, uint64_t *to) {
	for (; event < end; event++, access++, to++) {
		uint64_t address = *event - access->tag; /* another tag makes one that no span has */
		const struct span *span = access->span;
		if (__builtin_expect(address - span->start < span->bytes, 1))
			*to = address + span->delta;
		else if (!find_place(assembler, event, access, to))
			return false;
	}
	return true;
}

static inline void add_values(struct assembler *assembler, struct thread *thread, const struct shape *shape) {
	add_places(assembler, thread->events, thread->events + shape->count, shape->accesses,
	           thread->values + thread->value_count);
	thread->value_count += shape->count;
}

/* The first instruction that did not run, if a fault stopped the block: the first behind the last access that was
 * to make one. All instructions if none was to. */
static uint16_t fault_of(const struct translated *ran, const struct thread *thread) {
	unsigned from = 0;
	if (thread->event_count)
		from = (unsigned)RING_INSN(thread->events[thread->event_count - 1]) + 1;
	for (unsigned i = from; i < ran->block.instructions; i++)
		if (ran->lengths[i] & RING_RECORDED && !(ran->lengths[i] & RING_MAYBE))
			return (uint16_t)i;
	return ran->block.instructions;
}

/* The chain as it stands becomes a step. */
static void write_step(struct assembler *assembler, struct thread *thread, enum successor successor) {
	uint32_t chain = thread->chain;
	const struct assembler_window *window = &assembler->window;
	bool inside = thread->chain_start >= window->from && (!window->to || thread->chain_start < window->to) &&
	              (!window->region || assembler->regions);
	if (inside && assembler->tables.chains[chain].block == NONE)
		tables_block(&assembler->tables, chain, assembler->writer);
	if (inside)
		ifr_trace_run(assembler->writer, assembler->tables.chains[chain].block, successor == TAKEN,
		              thread->values);
	if (inside ? successor == NO_SUCCESSOR : assembler->inside)
		ifr_trace_break(assembler->writer);
	assembler->inside = inside;
	thread->chain = NONE;
	thread->value_count = thread->chain_bytes = 0;
}

/* The block that ran last, now that it is known what runs next (0: nothing). */
static void finish(struct assembler *assembler, struct thread *thread, uint64_t next) {
	uint32_t block = thread->block;
	struct translated *ran = &assembler->tables.blocks[block];
	enum successor successor = next ? successor_of(ran, next) : NO_SUCCESSOR;
	uint16_t cut = ran->block.instructions;
	if (successor == NO_SUCCESSOR)
		cut = fault_of(ran, thread);
	if (cut < ran->block.instructions)
		assembler->cuts++;
	bool repeated = thread->repeated;
	uint32_t shape = shape_of(assembler, block, thread, cut);
	if (thread->chain == NONE)
		thread->chain_start = assembler->instructions;
	thread->chain = tables_chain(&assembler->tables, thread->chain, shape, repeated);
	add_values(assembler, thread, &assembler->tables.shapes[shape]);
	ran = &assembler->tables.blocks[block];
	thread->chain_bytes += ran->block.bytes;
	assembler->instructions += repeated ? 0 : cut;
	thread->repeated = ran->block.end == RING_END_REPEAT && next == ran->repeats;
	bool goes_on = ran->block.end == RING_END_NONE && successor != NO_SUCCESSOR &&
	               thread->chain_bytes < CHAIN_BYTES && thread->value_count < VALUES_MOST;
	if (!goes_on && cut)
		write_step(assembler, thread, successor);
	tables_warm(&assembler->tables, shape);
	thread->block = NONE;
}

/* The same for nearly all blocks, from the one whose accesses begin at words on: those that run as they did last
 * time, and go on where they can. Returns the words of the first other one, which is thread's block then. */
static const uint64_t *run_hot(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                               const uint64_t *end) {
	const struct hot *hot = assembler->tables.hot, *ran = &hot[thread->block];
	const uint64_t blocks = assembler->tables.block_count;
	while (ran->trace_block != NONE) {
		const uint64_t *next = words + ran->count;
		if (next >= end || (*next ^ RING_BLOCK) >= blocks)
			break;
		const struct hot *follower = &hot[*next ^ RING_BLOCK];
		const bool taken = follower->address != ran->fall;
		if (taken & (follower->address != ran->target) & (ran->target != 0))
			break;
		if (!add_places(assembler, words, next, ran->accesses, thread->values))
			break;
		ifr_trace_run(assembler->writer, ran->trace_block, taken, thread->values);
		assembler->instructions += ran->instructions;
		ran = follower;
		words = next + 1;
	}
	thread->block = (uint32_t)(ran - hot);
	return words;
}

/* --- words -----------------------------------------------------------------------------------------------------
 */

static void read_mapping(struct assembler *assembler, const uint64_t *words) {
	spaces_initial(assembler->spaces, &(struct spaces_row){.start = words[0],
	                                                       .end = words[1],
	                                                       .writable = words[2] & 2,
	                                                       .file_offset = words[3],
	                                                       .path = (const char *)(words + 4)});
}

static bool read_definition(struct assembler *assembler, const uint64_t *words, uint32_t count) {
	if (!assembler->begun)
		spaces_begin(assembler->spaces, words[0]);
	assembler->begun = true;
	return tables_define(&assembler->tables, words, count, spaces_find(assembler->spaces, words[0], false)->delta);
}

static void take_note(struct assembler *assembler, uint64_t note, uint64_t value) {
	/* The loader reads the clock for statistics that nobody asked for. */
	if (note == RING_NOTE_TSC && spaces_in_loader(assembler->spaces, value))
		return;
	if (note < RING_NOTES)
		assembler->notes[note]++;
	assembler->regions += note == RING_NOTE_BEGIN;
	assembler->regions -= note == RING_NOTE_END && assembler->regions;
}

static void enter_allocator(struct assembler *assembler, struct thread *thread) {
	if (!thread->in_allocator++ && assembler->inside)
		ifr_trace_break(assembler->writer);
	assembler->inside = false;
}

static void leave_allocator(struct assembler *assembler, struct thread *thread, const uint64_t *numbers) {
	thread->block = NONE;
	if (thread->in_allocator && !--thread->in_allocator)
		spaces_request(assembler->spaces, (uint16_t)(thread - assembler->threads), numbers);
}

/* The number of words that a record takes, 0 if it makes no sense. */
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
		read_mapping(assembler, words + 1);
	if (type == RING_SYSCALL)
		spaces_call(assembler->spaces, words + 1, (const char *)(words + 9), thread->in_allocator);
	if (type == RING_LEAVE && count == 5)
		leave_allocator(assembler, thread, words + 1);
	if (type == RING_NOTE && count == 2)
		take_note(assembler, words[1], words[2]);
	return count + 1;
}

/* A call is about to change what lies where: what ran before it looks at places as they are still. It is taken to
 * return; begin_block finds out whether a signal came first. */
static void finish_before_call(struct assembler *assembler, struct thread *thread) {
	if (thread->block == NONE || thread->in_allocator)
		return;
	const struct ring_block *block = &assembler->tables.blocks[thread->block].block;
	thread->after_call = block->address + block->bytes;
	finish(assembler, thread, thread->after_call);
}

/* The block before it is finished, now that its successor is known. */
static void begin_block(struct assembler *assembler, struct thread *thread, uint32_t block) {
	uint64_t address = assembler->tables.hot[block].address;
	if (thread->block != NONE && !thread->in_allocator)
		finish(assembler, thread, address);
	if (thread->after_call && thread->after_call != address && assembler->inside)
		ifr_trace_break(assembler->writer);
	thread->after_call = 0;
	thread->block = block;
}

static void keep_events(struct thread *thread) {
	if (thread->block == NONE)
		return;
	if (!thread->saved)
		thread->saved = ifr_realloc(NULL, RING_RESERVE_WORDS, sizeof *thread->saved);
	if (thread->event_count)
		memmove(thread->saved, thread->events, thread->event_count * sizeof *thread->saved);
	thread->events = thread->saved;
}

/* Another thread runs: what the last one does next comes later. */
static void change_thread(struct assembler *assembler, uint32_t number) {
	if (number == RING_THREADS || number == assembler->last_thread)
		return;
	if (assembler->notes[RING_NOTE_THREAD])
		ifr_trace_break(assembler->writer);
	assembler->last_thread = number;
}

static int nonsense(struct ifr_error *err) {
	return ifr_fail(err, IFR_E_PROGRAM,
	                "the recording broke off: the program wrote into memory that is not its own; look for the "
	                "stray store with valgrind");
}

int assembler_read(struct assembler *assembler, uint32_t number, const uint64_t *words, uint32_t count,
                   struct ifr_error *err) {
	struct thread *thread = &assembler->threads[number % RING_THREADS];
	const uint64_t *end = words + count;
	if (number > RING_THREADS || count > RING_CHUNK_WORDS)
		return nonsense(err);
	change_thread(assembler, number);
	if (!thread->values)
		thread->values = ifr_realloc(NULL, VALUES_MOST + RING_RESERVE_WORDS, sizeof *thread->values);
	while (words < end) {
		if ((*words & RING_RECORD) == RING_RECORD) {
			enum ring_record type = *words >> RING_TYPE_SHIFT & 0xff;
			if (type == RING_SYSCALL || type == RING_ENTER)
				finish_before_call(assembler, thread);
			if (type == RING_ENTER)
				enter_allocator(assembler, thread);
			uint32_t took = read_record(assembler, thread, words, (uint32_t)(end - words));
			if (!took)
				return nonsense(err);
			words += took;
			continue;
		}
		uint32_t block = (uint32_t)*words++;
		if (!(words[-1] & RING_BLOCK) || block >= assembler->tables.block_count || number == RING_THREADS)
			return nonsense(err);
		begin_block(assembler, thread, block);
		if (thread->chain == NONE && !thread->repeated && !thread->in_allocator && !assembler->windowed)
			words = run_hot(assembler, thread, words, end);
		thread->events = words;
		while (words < end && !(*words & RING_BLOCK))
			words++;
		thread->event_count = (uint32_t)(words - thread->events);
		if (thread->event_count > RING_RESERVE_WORDS)
			return nonsense(err);
	}
	if (number != RING_THREADS)
		keep_events(thread);
	return 0;
}

void assembler_end(struct assembler *assembler) {
	for (int i = 0; i < RING_THREADS; i++)
		if (assembler->threads[i].block != NONE && !assembler->threads[i].in_allocator)
			finish(assembler, &assembler->threads[i], 0);
}
