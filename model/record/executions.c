/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/executions.h"

/* Longer straight runs are cut. */
enum { CHAIN_BYTES = 40000 };

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

/* The place of an access that is not where it was last time. False if it is another access than that. */
static __attribute__((noinline)) bool find_place(struct assembler *assembler, const uint64_t *event,
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
	if (keeps)
		access->extent = extent;
	*to = address + extent->delta;
	return true;
}

/* Stores the places of events up to end. False if they are other accesses than these. */
static inline bool add_places(struct assembler *assembler, const uint64_t *event, const uint64_t *end,
                              struct pattern_access *access, uint64_t *to) {
	for (; event < end; event++, access++, to++) {
		uint64_t address = *event - access->tag; /* another tag makes one that no extent has */
		const struct extent *extent = access->extent;
		if (__builtin_expect(address - extent->start < extent->bytes, 1))
			*to = address + extent->delta;
		else if (!find_place(assembler, event, access, to))
			return false;
	}
	return true;
}

static inline void add_values(struct assembler *assembler, struct thread *thread,
                              const struct access_pattern *pattern) {
	add_places(assembler, thread->events, thread->events + pattern->count, pattern->accesses,
	           thread->values + thread->value_count);
	thread->value_count += pattern->count;
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

/* Whether a step is recorded before which so many instructions ran. */
static bool in_window(const struct assembler *assembler, uint64_t instructions) {
	const struct assembler_window *window = &assembler->window;
	return instructions >= window->from && (!window->to || instructions < window->to) &&
	       (!window->region || assembler->regions);
}

/* How many instructions have run when that changes at the earliest, without a word of regions. */
static uint64_t window_changes(const struct assembler *assembler, bool inside) {
	const struct assembler_window *window = &assembler->window;
	if (inside)
		return window->to ? window->to : UINT64_MAX;
	return assembler->instructions < window->from ? window->from : UINT64_MAX;
}

/* The chain as it stands becomes a step. */
static void write_step(struct assembler *assembler, struct thread *thread, enum successor successor) {
	uint32_t chain = thread->chain;
	bool inside = in_window(assembler, thread->chain_start);
	if (inside && assembler->translations.chains[chain].block == NONE)
		translations_trace_block(&assembler->translations, chain, assembler->writer);
	if (inside)
		ifr_trace_add_execution(assembler->writer, assembler->translations.chains[chain].block, successor == TAKEN,
		                        thread->values);
	if (inside ? successor == NO_SUCCESSOR : assembler->inside)
		ifr_trace_add_break(assembler->writer);
	assembler->inside = inside;
	thread->chain = NONE;
	thread->value_count = thread->chain_bytes = 0;
}

void finish_block(struct assembler *assembler, struct thread *thread, uint64_t next) {
	uint32_t block = thread->block;
	struct translated *ran = &assembler->translations.blocks[block];
	enum successor successor = next ? successor_of(ran, next) : NO_SUCCESSOR;
	uint16_t cut = ran->block.instructions;
	if (successor == NO_SUCCESSOR)
		cut = fault_of(ran, thread);
	if (cut < ran->block.instructions)
		assembler->cuts++;
	bool repeated = thread->repeated;
	uint32_t pattern = find_pattern(assembler, block, thread, cut);
	if (thread->chain == NONE)
		thread->chain_start = assembler->instructions;
	thread->chain = translations_chain(&assembler->translations, thread->chain, pattern, repeated);
	add_values(assembler, thread, &assembler->translations.patterns[pattern]);
	ran = &assembler->translations.blocks[block];
	thread->chain_bytes += ran->block.bytes;
	assembler->instructions += repeated ? 0 : cut;
	thread->repeated = ran->block.end == RING_END_REPEAT && next == ran->repeats;
	bool goes_on = ran->block.end == RING_END_NONE && successor != NO_SUCCESSOR &&
	               thread->chain_bytes < CHAIN_BYTES && thread->value_count < EXECUTION_ACCESSES_MAX;
	if (!goes_on && cut)
		write_step(assembler, thread, successor);
	translations_set_fast_entry(&assembler->translations, pattern);
	thread->block = NONE;
}

/* Blocks inside the window, or outside of it: then they are not written, and where their accesses go does not
 * matter. */
static inline __attribute__((always_inline)) const uint64_t *
run(struct assembler *assembler, struct thread *thread, const uint64_t *words, const uint64_t *end, bool inside) {
	const struct fast_entry *fast = assembler->translations.fast, *ran = &fast[thread->block];
	const uint64_t blocks = assembler->translations.block_count, changes = window_changes(assembler, inside);
	while (ran->trace_block < (inside ? UNWRITTEN : NONE) && assembler->instructions < changes) {
		const uint64_t *next = words + ran->count;
		if (next >= end || (*next ^ RING_BLOCK) >= blocks)
			break;
		const struct fast_entry *follower = &fast[*next ^ RING_BLOCK];
		const bool taken = follower->address != ran->fall;
		if (taken & (follower->address != ran->target) & (ran->target != 0))
			break;
		if (inside && !add_places(assembler, words, next, ran->accesses, thread->values))
			break;
		if (inside)
			ifr_trace_add_execution(assembler->writer, ran->trace_block, taken, thread->values);
		assembler->instructions += ran->instructions;
		ran = follower;
		words = next + 1;
	}
	thread->block = (uint32_t)(ran - fast);
	return words;
}

const uint64_t *run_fast_path(struct assembler *assembler, struct thread *thread, const uint64_t *words,
                              const uint64_t *end) {
	const bool inside = in_window(assembler, assembler->instructions);
	if (thread->chain != NONE || thread->repeated || thread->in_allocator ||
	    (assembler->windowed && inside != assembler->inside))
		return words;
	return inside ? run(assembler, thread, words, end, true) : run(assembler, thread, words, end, false);
}
