/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/summary.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/parallel.h"
#include "model/replay/outcomes.h"

enum { GAPS = 32 };

/* The state of a replay. */
struct counting {
	struct ifr_load_summary *summary;
	struct ifr_miss_stream *misses; /* NULL: none */
	uint64_t references;            /* before the chunk */
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	size_t block_count;
	uint64_t *block_counts;
	uint64_t instructions;  /* so far */
	uint64_t *last;         /* by block: their number at its last execution */
	uint32_t (*gaps)[GAPS]; /* by block and logarithm: instructions from one execution to the next */
};

unsigned ifr_data_levels(const struct ifr_machine *machine) {
	const unsigned *values = machine->values;
	return 1 + (values[IFR_L2_BYTES] != 0) + (values[IFR_L2_BYTES] && values[IFR_L3_BYTES]);
}

struct ifr_machine ifr_machine_caches(const struct ifr_machine *machine) {
	static const enum ifr_setting others[] = {IFR_BTB1_ENTRIES,         IFR_BTB2_ENTRIES,        IFR_BTB3_ENTRIES,
	                                          IFR_RETURN_STACK_ENTRIES, IFR_ITLB_ENTRIES,        IFR_DTLB_ENTRIES,
	                                          IFR_STLB_ENTRIES,         IFR_STORE_BUFFER_ENTRIES};
	struct ifr_machine caches = *machine;
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
		caches.values[others[i]] = 0;
	caches.direction = ifr_predictor_find("perfect");
	caches.indirect = ifr_target_predictor_find("perfect");
	return caches;
}

/* Counts in all levels of the machine that a line at this level missed. */
static void add_level(uint64_t *counts, unsigned level, unsigned levels) {
	for (unsigned i = 0; i < level && i < levels; i++)
		counts[i]++;
}

static void add_sample(struct ifr_load_count *load, uint64_t normalised) {
	const uint64_t number = load->misses[0];
	if (!(number & (number - 1)) && load->sample_count < IFR_LOAD_SAMPLES)
		load->samples[load->sample_count++] = normalised;
}

/* A run of lines that one access missed, with the level of each. reference: its number in the run. */
static void add_access(struct counting *counting, uint32_t access, uint64_t reference, uint64_t normalised,
                       const uint8_t *levels, size_t lines) {
	struct ifr_load_summary *summary = counting->summary;
	const uint32_t number = summary->sites.of_access[access];
	struct ifr_load_count *load = number == IFR_NO_LOAD ? NULL : &summary->loads[number];
	unsigned worst = 0;
	for (size_t i = 0; i < lines; i++) {
		add_level(load ? load->lines : summary->stores, levels[i], summary->levels);
		worst = levels[i] > worst ? levels[i] : worst;
	}
	if (counting->misses && worst > counting->misses->level)
		ifr_miss_stream_add(counting->misses, reference);
	if (!load)
		return;
	add_level(load->misses, worst, summary->levels);
	add_sample(load, normalised);
}

static inline void note_gap(struct counting *counting, uint32_t id) {
	const uint64_t gap = counting->instructions - counting->last[id];
	const unsigned shift = gap ? 63 - (unsigned)__builtin_clzll(gap) : 0;
	counting->last[id] = counting->instructions;
	counting->gaps[id][shift < GAPS ? shift : GAPS - 1]++;
}

static void observe(void *data, const struct ifr_trace_chunk *chunk, const struct ifr_lane_outcomes *lane) {
	struct counting *counting = data;
	struct ifr_load_summary *summary = counting->summary;
	const struct ifr_misses *misses = lane->data_lines;
	size_t position = 0, miss = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			continue;
		const uint32_t id = chunk->executions[i] >> 1;
		const struct ifr_trace_block *block = &counting->blocks[id];
		counting->block_counts[id]++;
		counting->instructions += block->instructions;
		if (block->accesses)
			note_gap(counting, id);
		while (miss < misses->count && misses->items[miss].position < position + block->accesses) {
			const uint32_t at = misses->items[miss].position;
			size_t lines = 1;
			while (miss + lines < misses->count && misses->items[miss + lines].position == at)
				lines++;
			add_access(counting, block->first_access + (uint32_t)(at - position), counting->references + at,
			           chunk->normalised[at], lane->outcomes->data_lines + miss, lines);
			miss += lines;
		}
		position += block->accesses;
	}
	for (size_t i = 0; i < lane->fetch_lines->count; i++)
		add_level(summary->fetches, lane->outcomes->fetch_lines[i], summary->levels);
	counting->references += position;
	summary->executions += chunk->executions_count;
}

/* The middle of the median's power of two. */
static uint64_t find_gap(const uint32_t *gaps, uint64_t executions) {
	uint64_t below = 0;
	for (unsigned i = 0; i < GAPS; i++) {
		below += gaps[i];
		if (2 * below >= executions)
			return i ? (UINT64_C(3) << i) / 2 : 1;
	}
	return 0;
}

/* The gap of each load is that of its block with the most executions. */
static void find_gaps(const struct counting *counting) {
	struct ifr_load_summary *summary = counting->summary;
	uint64_t *most = ifr_alloc((summary->sites.count + 1) * sizeof *most);
	for (size_t i = 0; i < counting->block_count; i++)
		for (uint32_t k = 0; k < counting->blocks[i].accesses; k++) {
			const uint32_t load = summary->sites.of_access[counting->blocks[i].first_access + k];
			if (load == IFR_NO_LOAD || counting->block_counts[i] <= most[load])
				continue;
			most[load] = counting->block_counts[i];
			summary->loads[load].gap = find_gap(counting->gaps[i], counting->block_counts[i]);
		}
	free(most);
}

static void count_references(const struct counting *counting) {
	struct ifr_load_summary *summary = counting->summary;
	for (size_t i = 0; i < counting->block_count; i++)
		for (uint32_t k = 0; k < counting->blocks[i].accesses; k++) {
			const uint32_t load = summary->sites.of_access[counting->blocks[i].first_access + k];
			if (load != IFR_NO_LOAD)
				summary->loads[load].references += counting->block_counts[i];
		}
}

int ifr_load_summary_make(struct ifr_trace *trace, struct ifr_address_map *map,
                          const struct ifr_count_settings *settings, struct ifr_miss_stream *misses,
                          struct ifr_load_summary *summary, struct ifr_error *err) {
	struct counting counting = {.summary = summary, .misses = misses};
	struct ifr_count_settings observed = *settings;
	*summary = (struct ifr_load_summary){.levels = ifr_data_levels(settings->machine)};
	ifr_load_sites_find(trace, &summary->sites);
	summary->loads = ifr_alloc((summary->sites.count + 1) * sizeof *summary->loads);
	counting.block_count = ifr_trace_blocks(trace, &counting.blocks);
	const size_t access_count = ifr_trace_accesses(trace, &counting.accesses);
	counting.block_counts = ifr_alloc((counting.block_count + 1) * sizeof *counting.block_counts);
	counting.last = ifr_alloc((counting.block_count + 1) * sizeof *counting.last);
	counting.gaps = ifr_alloc((counting.block_count + 1) * sizeof *counting.gaps);
	const struct ifr_machine caches = ifr_machine_caches(settings->machine);
	if (!settings->core)
		observed.machine = &caches;
	observed.ahead = ifr_parallel_processors() > 1;
	observed.observe = observe;
	observed.observer = &counting;
	observed.load_stalls = settings->core ? ifr_alloc((access_count + 1) * sizeof *observed.load_stalls) : NULL;
	const int result = ifr_count_events(trace, &map, 1, &observed, &summary->counts, NULL, err);
	count_references(&counting);
	find_gaps(&counting);
	for (size_t i = 0; i < access_count && observed.load_stalls; i++)
		if (summary->sites.of_access[i] != IFR_NO_LOAD)
			summary->loads[summary->sites.of_access[i]].stalls += observed.load_stalls[i];
	free(observed.load_stalls);
	free(counting.gaps);
	free(counting.last);
	free(counting.block_counts);
	return result;
}

void ifr_load_summary_release(struct ifr_load_summary *summary) {
	ifr_load_sites_release(&summary->sites);
	free(summary->loads);
	*summary = (struct ifr_load_summary){0};
}
