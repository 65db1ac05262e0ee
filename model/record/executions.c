/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: recording is bounded by the work per executed block, and the general way to finish a block needs its
 * successor, its access pattern, its chain and a look-up of every address.
 *
 * Idea: run_fast_path handles a block that does what it did last time: the same access pattern, each access in the
 * same extent as before, a plausible successor, no chain. Its entry (struct fast_entry) holds all that this takes in one
 * cache line. A block whose accesses are elsewhere is written by write_carefully. Everything else leaves the loop and
 * goes through finish_block.
 *
 * Invariant: the fast path writes what finish_block would write. It holds because each assumption is tested. (1)
 * One addition and one comparison test an access: a word plus the offset of the expected access lies in the extent only
 * if instruction, size and kind are as expected, since addresses have 47 bits and tags differ by multiples of 2^49. (2)
 * The extent has not changed since it was copied (epoch). (3) A successor that is neither the branch's target nor the
 * instruction behind it leaves the loop. (4) The loop ends before the window changes. */
#include "model/record/executions.h"

/* A longer straight-line chain is cut. */
enum { CHAIN_BYTES = 40000 };

enum successor { NOT_TAKEN, TAKEN, NO_SUCCESSOR };

static enum successor find_successor(const struct translated *ran, uint64_t next) {
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

static inline bool matches(const struct access_pattern *pattern, const uint64_t *events, uint32_t count) {
	if (pattern->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (pattern->accesses[i].tag != (events[i] & ~RING_ADDRESS))
			return false;
	return true;
}

static uint32_t find_pattern(struct assembler *assembler, uint32_t block, const struct thread *thread,
                             uint16_t cut) {
	uint32_t pattern = assembler->translations.blocks[block].patterns;
	for (; pattern != NONE; pattern = assembler->translations.patterns[pattern].next)
		if (assembler->translations.patterns[pattern].cut == cut &&
		    matches(&assembler->translations.patterns[pattern], thread->events, thread->event_count))
			return pattern;
	return translations_add_pattern(&assembler->translations, block, thread->events, thread->event_count, cut);
}

/* Normalises an access that is not in its extent of last time. Returns false if it is another access than
 * expected. */
static __attribute__((noinline)) bool normalise_slowly(struct assembler *assembler, const uint64_t *event,
                                                       struct pattern_access *access, uint64_t *to) {
	uint64_t address = *event - access->tag;
	const struct extent *extent = access->extent;
	if (address > RING_ADDRESS)
		return false;
	if (extent == &follows_previous && *event == event[-1] + 8) {
		*to = to[-1] + 8;
		return true;
	}
	const bool keeps = extent != &follows_previous;
	extent = address_space_find(assembler->space, address, RING_STORE(*event));
	if (keeps) {
		access->extent = extent;
		pattern_access_refresh(access);
	}
	*to = address + extent->delta;
	return true;
}

/* Normalises the accesses up to end. Returns false if they are others than the expected ones. */
static inline bool normalise_accesses(struct assembler *assembler, const uint64_t *event, const uint64_t *end,
                                      struct pattern_access *access, uint64_t *to) {
	for (; event < end; event++, access++, to++) {
		uint64_t address = *event - access->tag; /* with another tag no extent holds it */
		const struct extent *extent = access->extent;
		if (__builtin_expect(address - extent->start < extent->bytes, 1))
			*to = address + extent->delta;
		else if (!normalise_slowly(assembler, event, access, to))
			return false;
	}
	return true;
}

static inline void add_chain_addresses(struct assembler *assembler, struct thread *thread,
                                       const struct access_pattern *pattern) {
	normalise_accesses(assembler, thread->events, thread->events + pattern->count, pattern->accesses,
	                   thread->addresses + thread->address_count);
	thread->address_count += pattern->count;
}

/* Finds the first instruction that did not run, if a fault stopped the block: the first behind the last recorded
 * access that must have made one. Returns the number of instructions if there is none. */
static uint16_t find_fault(const struct translated *ran, const struct thread *thread) {
	unsigned from = 0;
	if (thread->event_count)
		from = (unsigned)RING_INSN(thread->events[thread->event_count - 1]) + 1;
	for (unsigned i = from; i < ran->block.instructions; i++)
		if (ran->lengths[i] & RING_RECORDED && !(ran->lengths[i] & RING_MAYBE))
			return (uint16_t)i;
	return ran->block.instructions;
}

/* Whether a block that begins after so many instructions is recorded. */
static bool in_window(const struct assembler *assembler, uint64_t instructions) {
	const struct assembler_window *window = &assembler->window;
	return instructions >= window->from && (!window->to || instructions < window->to) &&
	       (!window->region || assembler->regions);
}

/* Returns the instruction count before which in_window cannot change, apart from marks of regions. */
static uint64_t next_window_change(const struct assembler *assembler, bool inside) {
	const struct assembler_window *window = &assembler->window;
	if (inside)
		return window->to ? window->to : UINT64_MAX;
	return assembler->instructions < window->from ? window->from : UINT64_MAX;
}

static bool is_at_limit(const struct thread *thread) {
	return thread->chain_bytes >= CHAIN_BYTES || thread->address_count >= EXECUTION_ACCESSES_MAX;
}

/* Writes the chain as one block execution. */
static void write_execution(struct assembler *assembler, struct thread *thread, enum successor successor) {
	uint32_t chain = thread->chain;
	bool inside = in_window(assembler, thread->chain_start);
	if (inside && assembler->translations.chains[chain].block == NONE)
		translations_trace_block(&assembler->translations, chain, is_at_limit(thread), assembler->writer);
	if (inside)
		ifr_trace_add_execution(assembler->writer, assembler->translations.chains[chain].block, successor == TAKEN,
		                        thread->addresses);
	if (inside ? successor == NO_SUCCESSOR : assembler->inside)
		ifr_trace_add_break(assembler->writer);
	assembler->inside = inside;
	thread->chain = NONE;
	thread->address_count = thread->chain_bytes = 0;
}

/* Drops the pending block, whose first instruction faulted: what ran before it has no successor. */
static void abandon_block(struct assembler *assembler, struct thread *thread) {
	if (thread->chain != NONE)
		write_execution(assembler, thread, NO_SUCCESSOR);
	else if (assembler->inside)
		ifr_trace_add_break(assembler->writer);
	thread->block = NONE;
	thread->repeated = false;
}

void finish_block(struct assembler *assembler, struct thread *thread, uint64_t next) {
	uint32_t block = thread->block;
	struct translated *ran = &assembler->translations.blocks[block];
	enum successor successor = next ? find_successor(ran, next) : NO_SUCCESSOR;
	uint16_t cut = ran->block.instructions;
	if (successor == NO_SUCCESSOR)
		cut = find_fault(ran, thread);
	if (cut < ran->block.instructions)
		assembler->cuts++;
	if (!cut) {
		abandon_block(assembler, thread);
		return;
	}
	bool repeated = thread->repeated;
	uint32_t pattern = find_pattern(assembler, block, thread, cut);
	if (thread->chain == NONE)
		thread->chain_start = assembler->instructions;
	thread->chain = translations_chain(&assembler->translations, thread->chain, pattern, repeated);
	add_chain_addresses(assembler, thread, &assembler->translations.patterns[pattern]);
	ran = &assembler->translations.blocks[block];
	thread->chain_bytes += ran->block.bytes;
	assembler->instructions += repeated ? 0 : cut;
	thread->repeated = ran->block.end == RING_END_REPEAT && next == ran->repeats;
	bool goes_on = ran->block.end == RING_END_NONE && successor != NO_SUCCESSOR && !is_at_limit(thread);
	if (!goes_on)
		write_execution(assembler, thread, successor);
	translations_set_fast_entry(&assembler->translations, pattern, repeated, assembler->writer);
	thread->block = NONE;
}

/* Normalises the accesses of an execution. Returns false if one is another than expected, or in another extent. */
static inline __attribute__((always_inline)) bool normalise_fast(const struct fast_entry *ran,
                                                                 const uint64_t *words, uint64_t *to) {
	bool inside = true;
	for (unsigned i = 0; i < ran->count; i++) {
		to[i] = words[i] + ran->accesses[i].offset;
		inside &= to[i] - ran->accesses[i].start < ran->accesses[i].bytes;
	}
	return inside;
}

/* Writes an execution with accesses in other extents than last time, or whose extents may have changed. Returns false,
 * without a trace of it, if it has another access pattern. */
static __attribute__((noinline)) bool write_carefully(struct assembler *assembler, struct thread *thread,
                                                      struct fast_entry *ran, const uint64_t *words, bool taken) {
	const uint32_t epoch = address_space_epoch(assembler->space);
	if (ran->epoch != epoch)
		for (unsigned i = 0; i < ran->count; i++)
			pattern_access_refresh(&ran->accesses[i]);
	ran->epoch = epoch;
	if (!normalise_accesses(assembler, words, words + ran->count, ran->accesses, thread->addresses))
		return false;
	ifr_trace_add_execution(assembler->writer, ran->trace_block, taken, thread->addresses);
	return true;
}

static inline bool count_differs(uint64_t count, const struct fast_entry *ran) {
	return count != ran->count && count != RING_WORDS_UNKNOWN;
}

/* The loop of run_fast_path, compiled for blocks inside the window and for blocks outside, which are neither
 * normalised nor written. */
static inline __attribute__((always_inline)) const uint64_t *run_fast(struct assembler *assembler,
                                                                      struct thread *thread, const uint64_t *words,
                                                                      const uint64_t *end, bool inside) {
	struct fast_entry *fast = assembler->translations.fast,
					  *ran = &fast[2 * (size_t)thread->block + thread->repeated];
	struct trace_tail *tail = trace_tail(assembler->writer);
	const uint64_t blocks = assembler->translations.block_count, changes = next_window_change(assembler, inside);
	const uint32_t epoch = address_space_epoch(assembler->space);
	uint64_t counts = 0, recorded = 0; /* of executions; the upper half of counts has accesses */
	uint64_t instructions = assembler->instructions, count = RING_WORDS(words[-1]);
	while (ran->trace_block < (inside ? UNWRITTEN : NONE) && instructions < changes) {
		/* The number of words comes from the ring, not from the entry: a look-up less before the next word is known. */
		const uint64_t *next = words + (count == RING_WORDS_UNKNOWN ? ran->count : count);
		if (next >= end || count_differs(count, ran) || (*next & RING_RECORD) != RING_BLOCK ||
		    RING_ID(*next) >= blocks)
			break;
		struct fast_entry *follower = &fast[2 * (size_t)RING_ID(*next)];
		const bool taken = follower->address != ran->fall;
		if (taken & (follower->address != ran->target) & (ran->target != 0))
			break;
		if (inside && __builtin_expect(ran->epoch == epoch && normalise_fast(ran, words, thread->addresses), 1)) {
			trace_add_accesses(assembler->writer, tail, ran->coders, thread->addresses, ran->count);
			*tail->executions++ = ran->trace_block << 1 | (taken & ran->branches);
			counts += ran->counts;
			recorded += ran->count;
			if (tail->executions == tail->limit)
				trace_end_frame(assembler->writer);
		} else if (inside && !write_carefully(assembler, thread, ran, words, taken & ran->branches)) {
			break;
		}
		count = RING_WORDS(*next);
		instructions += (uint32_t)ran->counts;
		ran = follower + (taken & ran->repeats);
		words = next + 1;
	}
	assembler->instructions = instructions;
	trace_count(assembler->writer, (uint32_t)counts, counts >> 32, recorded);
	thread->block = (uint32_t)((ran - fast) / 2);
	thread->repeated = (ran - fast) & 1;
	return words;
}

const uint64_t *run_fast_path(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                              const uint64_t *end) {
	const bool inside = in_window(assembler, assembler->instructions);
	if (thread->chain != NONE || thread->in_allocator || (assembler->windowed && inside != assembler->inside))
		return words;
	return inside ? run_fast(assembler, thread, words, end, true) : run_fast(assembler, thread, words, end, false);
}
