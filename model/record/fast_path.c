/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: recording is bounded by the work per executed block, and the general way to finish a block needs its
 * successor, its access pattern, its chain and a look-up of every address.
 *
 * Idea: run_fast_path handles a block that does what it did last time: the same access pattern, each access in the
 * same extent as before, a plausible successor, no chain. Its entry (struct fast_entry) holds all that this takes in one
 * cache line: also the words by which its last successors begin, so that it is not looked up whether they may follow.
 * The next entry is found by the next word of the ring alone, so that the processor runs ahead: nothing of one block
 * waits for the block before. Accesses that are elsewhere are looked up by add_carefully, and blocks of which something
 * is to be copied or decided first by run_unusual. Everything else leaves the loop and goes through finish_block.
 *
 * Invariant: the fast path writes what finish_block would write. It holds because each assumption is tested. (1)
 * One addition and one comparison test an access: a word plus the offset of the expected access lies in the extent only
 * if instruction, size and kind are as expected, since addresses have 47 bits and tags differ by multiples of 2^49. A
 * block whose word tells the number of its words has made all of its accesses, so that each is appended at once. (2) The
 * extent has not changed since it was copied (epoch). (3) A successor that is neither the branch's target nor the
 * instruction behind it leaves the loop. (4) The loop ends before the window changes.
 *
 * Gain of the remembered successors and of appending at once: a tenth (mawk, lua, bzip2); of entries found by the word
 * alone and of a tighter loop: the encoder takes 23 % less time (mawk, xz), 15 % (bzip2), 8 % (zstd).
 * docs/counters-and-model.md says what was tried beyond that. */
#include "model/record/executions.h"

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

/* Appends the accesses of an execution from number `from` on, in other extents than last time, or whose extents may have
 * changed. Returns false if one is another than expected. */
static __attribute__((noinline)) bool add_carefully(struct assembler *assembler, struct thread *thread,
                                                    struct fast_entry *ran, const uint64_t *words, unsigned from) {
	const unsigned count = assembler->translations.facts[ran - assembler->translations.fast].count;
	const uint64_t ready = fast_ready(count, address_space_epoch(assembler->space));
	if (ran->ready != ready)
		for (unsigned i = 0; i < count; i++)
			pattern_access_refresh(&ran->accesses[i]);
	if (!assembler->translations.facts[ran - assembler->translations.fast].repeats)
		ran->ready = ready;
	if (!normalise_accesses(assembler, words + from, words + count, ran->accesses + from,
	                        thread->addresses + from))
		return false;
	trace_add_accesses(assembler->writer, trace_tail(assembler->writer), ran->coders + from,
	                   thread->addresses + from, count - from);
	return true;
}

/* Appends the accesses of an execution, each as soon as it is normalised. hits: predicted ones since the last
 * mispredicted one. Returns false if one is another than its block makes. */
static inline __attribute__((always_inline)) bool add_accesses(struct assembler *assembler, struct thread *thread,
                                                               struct fast_entry *ran, const uint64_t *words,
                                                               unsigned count, uint64_t *hits) {
	const struct pattern_access *access = ran->accesses;
	struct address_coder *coder = ran->coders;
	for (unsigned i = 0; i < count; i++, access++, coder++) {
		const uint64_t normalised = words[i] + access->offset;
		if (__builtin_expect(normalised - access->start >= access->bytes, 0)) {
			struct trace_tail *tail = trace_tail(assembler->writer);
			tail->hits = *hits + i;
			const bool good = add_carefully(assembler, thread, ran, words, i);
			*hits = tail->hits - count;
			if (!good)
				return false;
			break;
		}
		if (__builtin_expect(address_predicted(coder) == normalised, 1)) {
			address_advance(coder, normalised);
		} else {
			trace_add_miss(assembler->writer, coder, normalised, *hits + i);
			*hits = UINT64_MAX - i;
		}
	}
	*hits += count;
	return true;
}

/* Tells whether a block that the ring's word begins may follow an entry, and remembers it. */
static bool find_follower(const struct translations *translations, struct fast_entry *ran, uint64_t word) {
	if ((word & RING_RECORD) != RING_BLOCK || RING_ID(word) >= translations->block_count)
		return false;
	const struct translated *translated = &translations->blocks[(size_t)(ran - translations->fast) / 2];
	const uint64_t address = translations->facts[2 * (size_t)RING_ID(word)].address;
	if (address == translated->follower)
		ran->not_taken = word;
	else if (address == translated->taken)
		ran->taken = word;
	else
		return ran->taken_mask == RING_RECORD;
	return true;
}

/* Whether a word begins the successor of an entry if its branch is taken. */
static inline bool is_taken(const struct fast_entry *ran, uint64_t word) {
	return !((word ^ ran->taken) & ran->taken_mask);
}

/* Whether a word begins one of an entry's last successors. */
static inline bool is_known(const struct fast_entry *ran, uint64_t word, uint32_t block_count) {
	return ((word == ran->not_taken) | is_taken(ran, word)) & (RING_ID(word) < block_count);
}

/* Handles an execution whose extents are to be copied first, or that may have made fewer accesses than last time; outside
 * the window, every execution. Returns the words behind it; NULL if it does not take the fast path. */
static __attribute__((noinline)) const uint64_t *run_unusual(struct assembler *assembler, struct thread *thread,
                                                             struct fast_entry *ran, const uint64_t *words,
                                                             const uint64_t *end, bool inside) {
	const struct translations *translations = &assembler->translations;
	const struct fast_facts *facts = &translations->facts[ran - translations->fast];
	const uint64_t count = RING_WORDS(words[-1]), *next = words + facts->count;
	if (facts->trace_block >= (inside ? UNWRITTEN : NONE) ||
	    (count != facts->count && count != RING_WORDS_UNKNOWN) || next >= end)
		return NULL;
	if (!is_known(ran, *next, translations->block_count) && !find_follower(translations, ran, *next))
		return NULL;
	return !inside || add_carefully(assembler, thread, ran, words, 0) ? next : NULL;
}

/* The loop of run_fast_path, compiled for blocks inside the window and for blocks outside, which are neither
 * normalised nor written; bounded: the window may change. */
static inline __attribute__((always_inline)) const uint64_t *run_fast(struct assembler *assembler,
                                                                      struct thread *thread, const uint64_t *words,
                                                                      const uint64_t *end, bool inside,
                                                                      bool bounded) {
	struct fast_entry *const fast = assembler->translations.fast;
	struct fast_entry *ran = &fast[2 * (size_t)thread->block + thread->repeated];
	struct trace_tail *tail = trace_tail(assembler->writer);
	const uint64_t left = next_window_change(assembler, inside) - assembler->instructions;
	const uint64_t ready = fast_ready(0, address_space_epoch(assembler->space));
	const uint64_t *const begin = words;
	uint64_t accesses = 0, instructions = 0, count = RING_WORDS(words[-1]), hits = tail->hits;
	uint32_t *executions = tail->executions, *first = executions;
	size_t appended = 0;
	while (!bounded || instructions < left) {
		/* The number of words comes from the ring, not from the entry: a look-up less before the next word is known. */
		const uint64_t *next = words + count;
		const bool usual = inside && ran->ready == (ready | count);
		if (__builtin_expect(!usual, 0)) {
			tail->hits = hits;
			next = run_unusual(assembler, thread, ran, words, end, inside);
			if (!next)
				break;
			hits = tail->hits;
		} else {
			if (next >= end || (__builtin_expect(!is_known(ran, *next, assembler->translations.block_count), 0) &&
			                    !find_follower(&assembler->translations, ran, *next)))
				break;
			if (!add_accesses(assembler, thread, ran, words, (unsigned)count, &hits)) {
				assembler->malformed = true;
				break;
			}
		}
		const bool taken = is_taken(ran, *next);
		struct fast_entry *follows = &fast[2 * (size_t)RING_ID(*next)];
		if (!usual)
			follows += taken & assembler->translations.facts[ran - fast].repeats;
		if (inside) {
			*executions++ = ran->executions[taken];
			if (__builtin_expect(executions >= tail->limit, 0)) {
				appended += (size_t)(executions - first);
				tail->executions = executions;
				trace_end_frame(assembler->writer);
				executions = first = tail->executions;
				hits = 0;
			}
		}
		instructions += ran->instructions;
		accesses += ran->all_accesses;
		count = RING_WORDS(*next);
		ran = follows;
		words = next + 1;
	}
	if (inside) {
		appended += (size_t)(executions - first);
		tail->executions = executions;
		tail->hits = hits;
		trace_count(assembler->writer, instructions, accesses, (size_t)(words - begin) - appended);
	}
	assembler->instructions += instructions;
	thread->block = (uint32_t)((ran - fast) / 2);
	thread->repeated = (ran - fast) & 1;
	return words;
}

const uint64_t *run_fast_path(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                              const uint64_t *end) {
	const bool inside = in_window(assembler, assembler->instructions);
	if (thread->chain != NONE || thread->in_allocator || (assembler->windowed && inside != assembler->inside))
		return words;
	if (!inside)
		return run_fast(assembler, thread, words, end, false, true);
	return assembler->window.to ? run_fast(assembler, thread, words, end, true, true)
	                            : run_fast(assembler, thread, words, end, true, false);
}
