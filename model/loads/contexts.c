/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: 10^9 instructions have some 10^8 block executions and 4 · 10^8 references, each of which lengthens a history;
 * contexts are wanted at the references of a few loads only.
 * Idea: histories that are cheap to push (history.h), and of all references' outcomes a bitmap of the chunk, in which
 * only misses are set. A chain of tables a load and kind counts (context_chain.h).
 * Invariant: the contexts of a load, kind and length sum up to the load's references and misses. */
#include "model/loads/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/parallel.h"
#include "model/loads/history.h"
#include "model/replay/outcomes.h"
#include "model/trace/ahead.h"

const char *const ifr_load_context_kind_names[IFR_LOAD_CONTEXT_KINDS] = {"control flow", "self", "global"};

/* Long enough for a thread to be started for each chunk. */
enum { CHUNK_EXECUTIONS = 1 << 16 };

struct profiled {
	struct ifr_profiled_load *counts;
	struct ifr_context_chain chains[IFR_LOAD_CONTEXT_KINDS];
	struct ifr_outcome_bits outcomes;
};

struct profiling {
	const struct ifr_load_context_request *request;
	const struct ifr_trace_block *blocks;
	const uint32_t *codes;
	uint32_t *numbers; /* by access of the trace: number of the profiled load + 1; 0: none */
	bool *wanted;      /* by block of the trace: has a profiled load */
	struct profiled *loads;
	struct ifr_block_history history;
	uint64_t powers[IFR_LOAD_CONTEXT_LENGTHS]; /* of IFR_HISTORY_BASE, to the length + 1 */
	uint64_t *bitmap; /* outcomes of the chunk's references, IFR_HISTORY_OUTCOMES earlier ones before */
	uint64_t executions, references; /* of the chunks before */
	size_t most;                     /* contexts in a table */
};

static uint64_t power_of(unsigned exponent) {
	uint64_t power = 1;
	while (exponent--)
		power *= IFR_HISTORY_BASE;
	return power;
}

/* --- outcomes of all references -------------------------------------------------------------------------------- */

static void clear_outcomes(struct profiling *profiling, size_t references) {
	const size_t words = (references + 63) / 64 + 1 + IFR_HISTORY_OUTCOMES / 64;
	profiling->bitmap = ifr_realloc(profiling->bitmap, words, sizeof *profiling->bitmap);
	memset(profiling->bitmap + 2, 0, (words - 2) * sizeof *profiling->bitmap);
}

static void set_outcomes(struct profiling *profiling, const struct ifr_lane_outcomes *lane) {
	for (size_t i = 0; i < lane->data_lines->count; i++) {
		const size_t at = lane->data_lines->items[i].position;
		if ((lane->outcomes->data[at] & 3u) > profiling->request->level)
			profiling->bitmap[2 + at / 64] |= 1ull << at % 64;
	}
}

/* The same from the stream of misses. */
static void set_misses(struct profiling *profiling, struct ifr_miss_cursor *misses, size_t references) {
	for (; misses->reference < profiling->references + references; ifr_miss_cursor_step(misses)) {
		const size_t at = (size_t)(misses->reference - profiling->references);
		profiling->bitmap[2 + at / 64] |= 1ull << at % 64;
	}
	profiling->references += references;
}

/* The 64 outcomes from a bit of the bitmap on. */
static inline uint64_t word_at(const uint64_t *bitmap, size_t bit) {
	const uint64_t *word = bitmap + bit / 64;
	return bit % 64 ? word[0] >> bit % 64 | word[1] << (64 - bit % 64) : word[0];
}

/* The outcomes before a reference of the chunk. */
static inline struct ifr_outcome_bits outcomes_before(const uint64_t *bitmap, size_t position) {
	return (struct ifr_outcome_bits){.young = word_at(bitmap, position + 64), .old = word_at(bitmap, position)};
}

/* Keeps the last outcomes for the next chunk. */
static void keep_outcomes(struct profiling *profiling, size_t count) {
	const struct ifr_outcome_bits last = outcomes_before(profiling->bitmap, count);
	profiling->bitmap[0] = last.old;
	profiling->bitmap[1] = last.young;
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

static inline uint64_t context_key(const struct profiling *profiling, const struct profiled *load,
                                   enum ifr_load_context_kind kind, size_t length, size_t position) {
	const unsigned n = profiling->request->lengths[length];
	if (kind == IFR_LOAD_CONTEXT_CONTROL_FLOW)
		return ifr_block_history_key(&profiling->history, n + 1, profiling->powers[length]);
	return ifr_outcome_bits_key(
		kind == IFR_LOAD_CONTEXT_SELF ? load->outcomes : outcomes_before(profiling->bitmap, position), n);
}

static inline void count_context(struct profiling *profiling, struct profiled *load,
                                 enum ifr_load_context_kind kind, uint64_t moment, size_t position, bool missed) {
	struct ifr_context_chain *chain = &load->chains[kind];
	uint64_t keys[IFR_LOAD_CONTEXT_LENGTHS];
	if (!chain->lengths ||
	    ifr_context_chain_meet(chain, context_key(profiling, load, kind, chain->lengths - 1, position), missed))
		return;
	for (size_t i = 0; i < chain->lengths; i++)
		keys[i] = context_key(profiling, load, kind, i, position);
	ifr_context_chain_add(chain, keys, missed, moment, profiling->most);
}

/* The kinds of contexts that two threads count. Each touches what is its own alone. */
enum counted { BY_BLOCKS, BY_OUTCOMES, COUNTED };

struct counted_chunk {
	struct profiling *profiling;
	const struct ifr_trace_chunk *chunk;
};

static inline void count_reference(struct profiling *profiling, struct profiled *load, enum counted counted,
                                   uint64_t moment, size_t position) {
	const bool missed = profiling->bitmap[2 + position / 64] >> position % 64 & 1;
	if (counted == BY_BLOCKS) {
		count_context(profiling, load, IFR_LOAD_CONTEXT_CONTROL_FLOW, moment, position, missed);
		load->counts->references++;
		load->counts->misses += missed;
		return;
	}
	count_context(profiling, load, IFR_LOAD_CONTEXT_SELF, moment, position, missed);
	count_context(profiling, load, IFR_LOAD_CONTEXT_GLOBAL, moment, position, missed);
	ifr_outcome_bits_push(&load->outcomes, missed);
}

static inline void count_block(struct profiling *profiling, const struct ifr_trace_block *block,
                               enum counted counted, uint64_t moment, size_t position) {
	for (uint32_t k = 0; k < block->accesses; k++) {
		const uint32_t number = profiling->numbers[block->first_access + k];
		if (number)
			count_reference(profiling, &profiling->loads[number - 1], counted, moment, position + k);
	}
}

/* Goes through a chunk whose outcomes are set. */
static inline void go_through(struct profiling *profiling, const struct ifr_trace_chunk *chunk,
                              enum counted counted) {
	size_t position = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		const uint32_t id = chunk->executions[i] >> 1;
		if (counted == BY_BLOCKS && chunk->executions[i] == IFR_EXECUTION_BREAK)
			ifr_block_history_push(&profiling->history, IFR_EXECUTION_BREAK);
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			continue;
		if (counted == BY_BLOCKS && profiling->codes[id])
			ifr_block_history_push(&profiling->history, profiling->codes[id]);
		if (profiling->wanted[id])
			count_block(profiling, &profiling->blocks[id], counted, profiling->executions + i, position);
		position += profiling->blocks[id].accesses;
	}
}

static int go_through_task(size_t index, size_t thread, void *data, struct ifr_error *err) {
	struct counted_chunk *counted = data;
	(void)thread;
	(void)err;
	if (index == BY_BLOCKS)
		go_through(counted->profiling, counted->chunk, BY_BLOCKS);
	else
		go_through(counted->profiling, counted->chunk, BY_OUTCOMES);
	return 0;
}

static void count_chunk(struct profiling *profiling, const struct ifr_trace_chunk *chunk, size_t references) {
	struct counted_chunk counted = {profiling, chunk};
	ifr_parallel_each(COUNTED, ifr_parallel_processors(), go_through_task, &counted, NULL);
	profiling->executions += chunk->executions_count;
	keep_outcomes(profiling, references);
}

static void observe(void *data, const struct ifr_trace_chunk *chunk, const struct ifr_lane_outcomes *lane) {
	struct profiling *profiling = data;
	clear_outcomes(profiling, chunk->accesses_count);
	set_outcomes(profiling, lane);
	count_chunk(profiling, chunk, chunk->accesses_count);
}

static size_t count_references(const struct profiling *profiling, const struct ifr_trace_chunk *chunk) {
	size_t count = 0;
	for (size_t i = 0; i < chunk->executions_count; i++)
		if (chunk->executions[i] != IFR_EXECUTION_BREAK)
			count += profiling->blocks[chunk->executions[i] >> 1].accesses;
	return count;
}

static int count_sequence(struct profiling *profiling, struct ifr_trace_ahead *ahead,
                          const struct ifr_count_settings *settings, struct ifr_error *err) {
	struct ifr_trace_chunk chunk;
	struct ifr_miss_cursor misses;
	ifr_miss_cursor_init(&misses, profiling->request->misses);
	for (;;) {
		ifr_trace_ahead_next(ahead, &chunk);
		if (!chunk.executions_count)
			return 0;
		if (settings->go_on && !settings->go_on(settings->data, chunk.executions_count))
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a replay");
		const size_t references = count_references(profiling, &chunk);
		clear_outcomes(profiling, references);
		set_misses(profiling, &misses, references);
		count_chunk(profiling, &chunk, references);
	}
}

/* Goes through the block sequence, with the outcomes of the stream. */
static int read_misses(struct profiling *profiling, struct ifr_trace *trace,
                       const struct ifr_count_settings *settings, struct ifr_error *err) {
	struct ifr_trace_ahead *ahead = ifr_trace_ahead_new(trace, CHUNK_EXECUTIONS, ifr_trace_read_sequence);
	const int result = count_sequence(profiling, ahead, settings, err);
	ifr_trace_ahead_free(ahead);
	return result;
}

/* --- begin and end ----------------------------------------------------------------------------------------------- */

/* The most contexts that each of so many tables may have: seven eighths of a power of two of slots. */
static size_t table_limit(const struct ifr_load_context_request *request) {
	const size_t tables = request->load_count * IFR_LOAD_CONTEXT_KINDS * request->length_count;
	size_t slots = 16;
	while (tables && ifr_context_table_bytes(2 * slots) <= request->most_bytes / tables)
		slots *= 2;
	return slots / 8 * 7;
}

static void find_wanted(struct profiling *profiling, const struct ifr_trace *trace,
                        const struct ifr_load_sites *sites) {
	const struct ifr_trace_access *accesses;
	const size_t count = ifr_trace_blocks(trace, &profiling->blocks);
	const size_t access_count = ifr_trace_accesses(trace, &accesses);
	uint32_t *by_load = ifr_alloc((sites->count + 1) * sizeof *by_load);
	profiling->numbers = ifr_alloc((access_count + 1) * sizeof *profiling->numbers);
	profiling->wanted = ifr_alloc((count + 1) * sizeof *profiling->wanted);
	for (size_t i = 0; i < profiling->request->load_count; i++)
		by_load[profiling->request->loads[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < profiling->blocks[i].accesses; k++) {
			const uint32_t at = profiling->blocks[i].first_access + k, load = sites->of_access[at];
			profiling->numbers[at] = load == IFR_NO_LOAD ? 0 : by_load[load];
			profiling->wanted[i] |= profiling->numbers[at] != 0;
		}
	free(by_load);
}

static void begin(struct profiling *profiling, struct ifr_profiled_load *counts) {
	const struct ifr_load_context_request *request = profiling->request;
	profiling->loads = ifr_alloc((request->load_count + 1) * sizeof *profiling->loads);
	profiling->bitmap = ifr_alloc(IFR_HISTORY_OUTCOMES / 8);
	profiling->most = table_limit(request);
	for (size_t i = 0; i < request->length_count; i++)
		profiling->powers[i] = power_of(request->lengths[i] + 1);
	for (size_t i = 0; i < request->load_count; i++) {
		counts[i].load = request->loads[i];
		profiling->loads[i].counts = &counts[i];
		for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
			profiling->loads[i].chains[kind].lengths = request->length_count;
	}
}

static void finish(struct profiling *profiling) {
	for (size_t i = 0; i < profiling->request->load_count; i++)
		for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++) {
			struct ifr_context_chain *chain = &profiling->loads[i].chains[kind];
			ifr_context_chain_sum(chain);
			for (size_t k = 0; k < profiling->request->length_count; k++) {
				struct ifr_load_context_list *list = &profiling->loads[i].counts->lists[kind][k];
				list->too_many = k >= chain->lengths;
				list->items = ifr_context_chain_take(chain, k, &list->count);
			}
		}
	free(profiling->loads);
	free(profiling->bitmap);
	free(profiling->numbers);
	free(profiling->wanted);
}

/* The same by a replay, whose outcomes are observed. */
static int replay_misses(struct profiling *profiling, struct ifr_trace *trace, struct ifr_address_map *map,
                         const struct ifr_count_settings *settings, struct ifr_error *err) {
	struct ifr_count_settings observed = *settings;
	struct ifr_counts counts;
	const struct ifr_machine caches = ifr_machine_caches(settings->machine);
	observed.machine = &caches;
	observed.core = IFR_CORE_NONE;
	observed.load_stalls = NULL;
	observed.observe = observe;
	observed.observer = profiling;
	return ifr_count_events(trace, &map, 1, &observed, &counts, NULL, err);
}

int ifr_load_contexts_make(struct ifr_trace *trace, struct ifr_address_map *map,
                           const struct ifr_count_settings *settings, const struct ifr_load_sites *sites,
                           const struct ifr_load_context_request *request, struct ifr_profiled_load **loads,
                           struct ifr_error *err) {
	struct profiling *profiling = ifr_alloc(sizeof *profiling);
	*profiling = (struct profiling){.request = request, .codes = sites->codes};
	*loads = ifr_alloc((request->load_count + 1) * sizeof **loads);
	begin(profiling, *loads);
	find_wanted(profiling, trace, sites);
	const int result = request->misses && !request->misses->given_up
	                       ? read_misses(profiling, trace, settings, err)
	                       : replay_misses(profiling, trace, map, settings, err);
	finish(profiling);
	free(profiling);
	return result;
}

void ifr_load_contexts_release(struct ifr_profiled_load *loads, size_t count) {
	for (size_t i = 0; i < count; i++)
		for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
			for (unsigned k = 0; k < IFR_LOAD_CONTEXT_LENGTHS; k++)
				free(loads[i].lists[kind][k].items);
	free(loads);
}
