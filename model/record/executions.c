/* SPDX-License-Identifier: GPL-3.0-or-later */
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

bool normalise_accesses(struct assembler *assembler, const uint64_t *event, const uint64_t *end,
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
bool in_window(struct assembler *assembler, uint64_t instructions) {
	const struct assembler_window *window = &assembler->window;
	return in_sample(assembler, instructions) && instructions >= window->from &&
	       (!window->to || instructions < window->to) && (!window->region || assembler->regions);
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
