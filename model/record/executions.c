/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: recording is bounded by the work per executed block, and the general way to finish a block needs its
 * successor, its access pattern, its chain and a look-up of every address.
 *
 * Idea: run_fast_path handles a block that does what it did last time: the same access pattern, each access in the
 * same extent as before, a plausible successor, no chain. Its entry (struct fast_entry) holds all that this takes in one
 * cache line: also the words by which its last successors begin, so that it is not looked up whether they may follow.
 * Accesses that are elsewhere are looked up by add_carefully. Everything else leaves the loop and goes through
 * finish_block.
 *
 * Invariant: the fast path writes what finish_block would write. It holds because each assumption is tested. (1)
 * One addition and one comparison test an access: a word plus the offset of the expected access lies in the extent only
 * if instruction, size and kind are as expected, since addresses have 47 bits and tags differ by multiples of 2^49.
 * Where the number of accesses is known and all words are accesses, they can be no others, so that each is appended at
 * once. (2) The extent has not changed since it was copied (epoch). (3) A successor that is neither the branch's target
 * nor the instruction behind it leaves the loop. (4) The loop ends before the window changes.
 *
 * Gain of the remembered successors and of appending at once: a tenth (mawk, lua, bzip2). docs/counters-and-model.md says
 * what was tried beyond that. */
#include "model/record/executions.h"

#include "common/random.h"

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

/* Finds the sample that ends behind so many instructions: each period has one, at a random place (stratified sampling),
 * so that a program of another period does not go along with it. */
static void find_sample(struct assembler *assembler, uint64_t instructions) {
	const uint64_t every = assembler->window.every;
	uint64_t period = instructions / every;
	do
		assembler->sample = every * period + ifr_random_below(ifr_siphash(every, period, "sample", 6),
		                                                      every - IFR_RECORDING_SAMPLE + 1);
	while (period++, instructions >= assembler->sample + IFR_RECORDING_SAMPLE);
}

void find_first_sample(struct assembler *assembler) {
	find_sample(assembler, 0);
}

static bool in_sample(struct assembler *assembler, uint64_t instructions) {
	if (!assembler->window.every)
		return true;
	if (instructions >= assembler->sample + IFR_RECORDING_SAMPLE)
		find_sample(assembler, instructions);
	return instructions >= assembler->sample;
}

/* Whether a block that begins after so many instructions is recorded. */
static bool in_window(struct assembler *assembler, uint64_t instructions) {
	const struct assembler_window *window = &assembler->window;
	return in_sample(assembler, instructions) && instructions >= window->from &&
	       (!window->to || instructions < window->to) && (!window->region || assembler->regions);
}

/* Returns the instruction count before which in_window cannot change, apart from marks of regions. */
static uint64_t next_window_change(const struct assembler *assembler, bool inside) {
	const struct assembler_window *window = &assembler->window;
	const uint64_t sample = !window->every ? UINT64_MAX
	                        : assembler->instructions < assembler->sample
	                            ? assembler->sample
	                            : assembler->sample + IFR_RECORDING_SAMPLE;
	if (inside)
		return window->to && window->to < sample ? window->to : sample;
	return assembler->instructions < window->from && window->from < sample ? window->from : sample;
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

/* Appends the accesses of an execution from number `from` on, in other extents than last time, or whose extents may have
 * changed. Returns false if one is another than expected. */
static __attribute__((noinline)) bool add_carefully(struct assembler *assembler, struct thread *thread,
                                                    struct fast_entry *ran, const uint64_t *words, unsigned from) {
	const uint32_t epoch = address_space_epoch(assembler->space);
	if (ran->epoch != epoch)
		for (unsigned i = 0; i < ran->count; i++)
			pattern_access_refresh(&ran->accesses[i]);
	ran->epoch = epoch;
	if (!normalise_accesses(assembler, words + from, words + ran->count, ran->accesses + from,
	                        thread->addresses + from))
		return false;
	trace_add_accesses(assembler->writer, trace_tail(assembler->writer), ran->coders + from,
	                   thread->addresses + from, ran->count - from);
	return true;
}

/* Whether so many words are accesses. In a block that an exit or a fault left early, one begins the next block. */
static inline __attribute__((always_inline)) bool are_accesses(const uint64_t *words, unsigned count) {
	uint64_t any = 0;
	for (unsigned i = 0; i < count; i++)
		any |= words[i];
	return !(any & RING_BLOCK);
}

/* Appends the accesses of an execution that made all of them, each as soon as it is normalised. Returns false if one is
 * another than its block makes. */
static inline __attribute__((always_inline)) bool add_accesses(struct assembler *assembler, struct thread *thread,
                                                               struct fast_entry *ran, const uint64_t *words,
                                                               struct trace_tail *tail) {
	uint64_t before = tail->hits; /* predicted since the last mispredicted one, at the execution's begin */
	for (unsigned i = 0; i < ran->count; i++) {
		const struct pattern_access *access = &ran->accesses[i];
		struct address_coder *coder = &ran->coders[i];
		const uint64_t normalised = words[i] + access->offset;
		if (__builtin_expect(normalised - access->start >= access->bytes, 0)) {
			tail->hits = before + i;
			return add_carefully(assembler, thread, ran, words, i);
		}
		if (__builtin_expect(address_predicted(coder) == normalised, 1)) {
			address_advance(coder, normalised);
		} else {
			trace_add_miss(assembler->writer, coder, normalised, before + i);
			before = UINT64_MAX - i;
		}
	}
	tail->hits = before + ran->count;
	return true;
}

/* Tells whether a block that the ring's word begins may follow, and remembers it. */
static inline bool find_follower(const struct assembler *assembler, struct fast_entry *ran, uint64_t word) {
	const struct translations *translations = &assembler->translations;
	if ((word & RING_RECORD) != RING_BLOCK || RING_ID(word) >= translations->block_count)
		return false;
	const size_t block = (size_t)(ran - translations->fast) / 2;
	const struct translated *translated = &translations->blocks[block];
	const uint64_t address = translations->fast[2 * (size_t)RING_ID(word)].address;
	if (address == translated->follower)
		ran->not_taken = word;
	else if (!translated->taken || address == translated->taken)
		ran->taken = word;
	else
		return false;
	return true;
}

/* The loop of run_fast_path, compiled for blocks inside the window and for blocks outside, which are neither
 * normalised nor written. */
static inline __attribute__((always_inline)) const uint64_t *run_fast(struct assembler *assembler,
                                                                      struct thread *thread, const uint64_t *words,
                                                                      const uint64_t *end, bool inside) {
	struct fast_entry *fast = assembler->translations.fast,
					  *ran = &fast[2 * (size_t)thread->block + thread->repeated];
	struct trace_tail *tail = trace_tail(assembler->writer);
	const uint64_t changes = next_window_change(assembler, inside), begun = assembler->instructions;
	const uint32_t epoch = address_space_epoch(assembler->space);
	uint64_t accesses = 0, recorded = 0, instructions = begun, count = RING_WORDS(words[-1]);
	while (ran->trace_block < (inside ? UNWRITTEN : NONE) && instructions < changes) {
		/* The number of words comes from the ring, not from the entry: a look-up less before the next word is known. */
		const bool whole = count == ran->count;
		const uint64_t *next = words + (whole ? count : ran->count);
		if ((!whole && count != RING_WORDS_UNKNOWN) || next >= end)
			break;
		const uint64_t word = *next;
		const bool known = (word == ran->taken) | (word == ran->not_taken);
		if (__builtin_expect(!known, 0) && !find_follower(assembler, ran, word))
			break;
		const bool taken = word == ran->taken;
		if (inside && whole && !are_accesses(words, ran->count))
			break;
		if (inside && __builtin_expect(whole && ran->epoch == epoch, 1)) {
			if (!add_accesses(assembler, thread, ran, words, tail)) {
				assembler->malformed = true;
				break;
			}
		} else if (inside && !add_carefully(assembler, thread, ran, words, 0)) {
			break;
		}
		if (inside) {
			*tail->executions++ = ran->trace_block << 1 | (taken & ran->branches);
			if (tail->executions >= tail->limit)
				trace_end_frame(assembler->writer);
			accesses += ran->all_accesses;
			recorded += ran->count;
		}
		instructions += ran->instructions;
		count = RING_WORDS(word);
		ran = &fast[2 * (size_t)RING_ID(word) + (taken & ran->repeats)];
		words = next + 1;
	}
	if (inside)
		trace_count(assembler->writer, instructions - begun, accesses, recorded);
	assembler->instructions = instructions;
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
