/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/prefetches.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"
#include "model/replay/outcomes.h"

enum { NO_PREFETCH = UINT32_MAX };

/* A prefetched line that was not referenced since. */
struct waiting_line {
	uint32_t prefetch, next_free;
	uint64_t instructions; /* executed before */
};

struct counting {
	struct ifr_load_prefetches *prefetches;
	struct ifr_load_sites sites;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	uint32_t *prefetch_of;    /* by access of the trace */
	struct ifr_table waiting; /* by line: index into lines */
	struct waiting_line *lines;
	uint32_t line_count, free_line; /* free_line: NO_PREFETCH: none */
	uint64_t instructions;
	unsigned level, line_shift;
};

/* Takes a line off those that wait. Returns it, or NULL; it stands until the next one is added. */
static const struct waiting_line *take_line(struct counting *counting, uint64_t line) {
	const uint32_t number = counting->waiting.count ? ifr_table_find(&counting->waiting, line) : IFR_TABLE_NONE;
	if (number == IFR_TABLE_NONE)
		return NULL;
	ifr_table_remove(&counting->waiting, line);
	counting->lines[number].next_free = counting->free_line;
	counting->free_line = number;
	return &counting->lines[number];
}

static void add_line(struct counting *counting, uint64_t line, uint32_t prefetch) {
	uint32_t number = counting->free_line;
	if (number == NO_PREFETCH) {
		number = counting->line_count++;
		counting->lines = ifr_realloc(counting->lines, counting->line_count, sizeof *counting->lines);
	} else {
		counting->free_line = counting->lines[number].next_free;
	}
	counting->lines[number] = (struct waiting_line){.prefetch = prefetch, .instructions = counting->instructions};
	ifr_table_add(&counting->waiting, line, number);
}

static void count_unused(struct counting *counting, const struct waiting_line *line) {
	counting->prefetches->unused++;
	counting->prefetches->items[line->prefetch].unused++;
}

static void count_prefetch(struct counting *counting, uint32_t prefetch, uint64_t line, bool missed) {
	struct ifr_prefetch_count *count = &counting->prefetches->items[prefetch];
	counting->prefetches->executed++;
	counting->prefetches->present += !missed;
	count->executed++;
	count->present += !missed;
	if (!missed)
		return;
	const struct waiting_line *before = take_line(counting, line);
	if (before)
		count_unused(counting, before);
	add_line(counting, line, prefetch);
}

static void count_used(struct counting *counting, const struct waiting_line *line) {
	struct ifr_prefetch_count *count = &counting->prefetches->items[line->prefetch];
	const uint64_t lead = counting->instructions - line->instructions;
	counting->prefetches->used++;
	count->used++;
	count->lead += lead < IFR_PREFETCH_LEAD_MOST ? lead : IFR_PREFETCH_LEAD_MOST;
}

static void count_reference(struct counting *counting, uint32_t access, uint64_t line, bool missed) {
	const uint32_t load = counting->sites.of_access[access];
	const struct waiting_line *waited = take_line(counting, line);
	if (waited && missed)
		count_unused(counting, waited);
	else if (waited)
		count_used(counting, waited);
	if (load == IFR_NO_LOAD || !missed)
		return;
	counting->prefetches->misses++;
	counting->prefetches->load_misses[load]++;
}

static void observe(void *data, const struct ifr_trace_chunk *chunk, const struct ifr_lane_outcomes *lane) {
	struct counting *counting = data;
	size_t position = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			continue;
		const struct ifr_trace_block *block = &counting->blocks[chunk->executions[i] >> 1];
		counting->instructions += block->instructions;
		for (uint32_t k = 0; k < block->accesses; k++, position++) {
			const uint64_t line = chunk->normalised[position] >> counting->line_shift;
			const bool missed = (lane->outcomes->data[position] & 3u) > counting->level;
			const uint32_t access = block->first_access + k;
			if (counting->prefetch_of[access] == NO_PREFETCH)
				count_reference(counting, access, line, missed);
			else
				count_prefetch(counting, counting->prefetch_of[access], line, missed);
		}
	}
}

static bool has_prefetches(const struct ifr_trace *trace) {
	const struct ifr_trace_access *accesses;
	const size_t count = ifr_trace_accesses(trace, &accesses);
	for (size_t i = 0; i < count; i++)
		if (accesses[i].kind == IFR_ACCESS_PREFETCH)
			return true;
	return false;
}

/* Numbers the prefetch instructions of the trace; one may be in many blocks. */
static void find_prefetches(struct ifr_trace *trace, struct counting *counting) {
	struct ifr_load_prefetches *prefetches = counting->prefetches;
	struct ifr_table numbers = {0};
	const size_t accesses = ifr_trace_accesses(trace, &counting->accesses);
	const size_t blocks = ifr_trace_blocks(trace, &counting->blocks);
	counting->prefetch_of = ifr_alloc((accesses + 1) * sizeof *counting->prefetch_of);
	for (size_t i = 0; i < accesses; i++)
		counting->prefetch_of[i] = NO_PREFETCH;
	for (size_t i = 0; i < blocks; i++)
		for (uint32_t k = 0; k < counting->blocks[i].accesses; k++) {
			const struct ifr_trace_access *access = &counting->accesses[counting->blocks[i].first_access + k];
			const uint64_t at = counting->blocks[i].normalised + access->end - 1u;
			if (access->kind != IFR_ACCESS_PREFETCH)
				continue;
			const uint32_t number = ifr_table_number(&numbers, at);
			counting->prefetch_of[counting->blocks[i].first_access + k] = number;
			if (number < prefetches->count)
				continue;
			prefetches->items = ifr_realloc(prefetches->items, ++prefetches->count, sizeof *prefetches->items);
			prefetches->items[number] = (struct ifr_prefetch_count){.normalised = at};
		}
	ifr_table_release(&numbers);
}

/* Lines that stay to the end are of no use. */
static void count_rest(struct counting *counting) {
	for (uint32_t free = counting->free_line; free != NO_PREFETCH; free = counting->lines[free].next_free)
		counting->lines[free].prefetch = NO_PREFETCH;
	for (uint32_t i = 0; i < counting->line_count; i++)
		if (counting->lines[i].prefetch != NO_PREFETCH)
			count_unused(counting, &counting->lines[i]);
}

static int replay(struct ifr_trace *trace, struct ifr_address_map *map, const struct ifr_count_settings *settings,
                  struct counting *counting, struct ifr_error *err) {
	const struct ifr_machine caches = ifr_machine_caches(settings->machine);
	struct ifr_count_settings observed = *settings;
	struct ifr_counts counts;
	ifr_load_sites_find(trace, &counting->sites);
	find_prefetches(trace, counting);
	for (unsigned bytes = caches.values[IFR_L1D_BYTES + 2]; bytes > 1; bytes /= 2)
		counting->line_shift++;
	counting->prefetches->load_count = counting->sites.count;
	counting->prefetches->load_misses = ifr_alloc((counting->sites.count + 1) * sizeof(uint64_t));
	observed.machine = &caches;
	observed.core = IFR_CORE_NONE;
	observed.load_stalls = NULL;
	observed.observe = observe;
	observed.observer = counting;
	const int result = ifr_count_events(trace, &map, 1, &observed, &counts, NULL, err);
	count_rest(counting);
	ifr_table_release(&counting->waiting);
	free(counting->lines);
	free(counting->prefetch_of);
	ifr_load_sites_release(&counting->sites);
	return result;
}

int ifr_load_prefetches_make(const struct ifr_trace *trace, struct ifr_address_map *map,
                             const struct ifr_count_settings *settings, unsigned level,
                             struct ifr_load_prefetches *prefetches, struct ifr_error *err) {
	struct counting counting = {.prefetches = prefetches, .level = level, .free_line = NO_PREFETCH};
	struct ifr_trace *again = NULL;
	*prefetches = (struct ifr_load_prefetches){0};
	int result = ifr_trace_reopen(trace, &again, err);
	if (result)
		return result;
	ifr_trace_keep_prefetches(again);
	const bool any = has_prefetches(again);
	if (any)
		result = replay(again, map, settings, &counting, err);
	prefetches->in_core = any && settings->core && settings->machine->values[IFR_PREFETCH_SOFTWARE];
	if (!result && prefetches->in_core) {
		struct ifr_count_settings with = *settings;
		with.load_stalls = NULL;
		result = ifr_count_events(again, &map, 1, &with, &prefetches->counters, NULL, err);
	}
	ifr_trace_free(again);
	return result;
}

void ifr_load_prefetches_release(struct ifr_load_prefetches *prefetches) {
	free(prefetches->load_misses);
	free(prefetches->items);
	*prefetches = (struct ifr_load_prefetches){0};
}
