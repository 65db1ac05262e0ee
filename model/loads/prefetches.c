/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/prefetches.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"
#include "model/replay/outcomes.h"

struct counting {
	struct ifr_load_prefetches *prefetches;
	struct ifr_load_sites sites;
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	struct ifr_table waiting; /* prefetched lines that were not referenced since */
	unsigned level, line_shift;
};

static void count_prefetch(struct counting *counting, uint64_t line, bool missed) {
	counting->prefetches->executed++;
	counting->prefetches->present += !missed;
	if (!missed)
		return;
	if (ifr_table_remove(&counting->waiting, line))
		counting->prefetches->unused++;
	ifr_table_add(&counting->waiting, line, 0);
}

static void count_reference(struct counting *counting, uint32_t access, uint64_t line, bool missed) {
	const uint32_t load = counting->sites.of_access[access];
	if (counting->waiting.count && ifr_table_remove(&counting->waiting, line)) {
		counting->prefetches->used += !missed;
		counting->prefetches->unused += missed;
	}
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
		for (uint32_t k = 0; k < block->accesses; k++, position++) {
			const uint64_t line = chunk->normalised[position] >> counting->line_shift;
			const bool missed = (lane->outcomes->data[position] & 3u) > counting->level;
			if (counting->accesses[block->first_access + k].kind == IFR_ACCESS_PREFETCH)
				count_prefetch(counting, line, missed);
			else
				count_reference(counting, block->first_access + k, line, missed);
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

static int replay(struct ifr_trace *trace, struct ifr_address_map *map, const struct ifr_count_settings *settings,
                  struct counting *counting, struct ifr_error *err) {
	const struct ifr_machine caches = ifr_machine_caches(settings->machine);
	struct ifr_count_settings observed = *settings;
	struct ifr_counts counts;
	ifr_load_sites_find(trace, &counting->sites);
	ifr_trace_blocks(trace, &counting->blocks);
	ifr_trace_accesses(trace, &counting->accesses);
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
	counting->prefetches->unused += counting->waiting.count;
	ifr_table_release(&counting->waiting);
	ifr_load_sites_release(&counting->sites);
	return result;
}

int ifr_load_prefetches_make(const struct ifr_trace *trace, struct ifr_address_map *map,
                             const struct ifr_count_settings *settings, unsigned level,
                             struct ifr_load_prefetches *prefetches, struct ifr_error *err) {
	struct counting counting = {.prefetches = prefetches, .level = level};
	struct ifr_trace *again = NULL;
	*prefetches = (struct ifr_load_prefetches){0};
	int result = ifr_trace_reopen(trace, &again, err);
	if (result)
		return result;
	ifr_trace_keep_prefetches(again);
	if (has_prefetches(again))
		result = replay(again, map, settings, &counting, err);
	ifr_trace_free(again);
	return result;
}

void ifr_load_prefetches_release(struct ifr_load_prefetches *prefetches) {
	free(prefetches->load_misses);
	*prefetches = (struct ifr_load_prefetches){0};
}
