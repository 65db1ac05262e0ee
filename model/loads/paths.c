/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/paths.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/loads/history.h"
#include "model/trace/ahead.h"

enum { CHUNK_EXECUTIONS = 16384 };

struct search {
	uint32_t recent[IFR_HISTORY_BLOCKS]; /* round and round */
	uint64_t recent_count;
	struct ifr_load_path **waiting; /* by moment */
	size_t next, count;
	uint64_t moment;
};

static int compare_moments(const void *left, const void *right) {
	const struct ifr_load_path *const *a = left, *const *b = right;
	return ((*a)->moment > (*b)->moment) - ((*a)->moment < (*b)->moment);
}

static void copy_recent(const struct search *search, struct ifr_load_path *path) {
	path->count = search->recent_count < path->length + 1 ? (unsigned)search->recent_count : path->length + 1;
	for (unsigned i = 0; i < path->count; i++)
		path->blocks[i] = search->recent[(search->recent_count - path->count + i) % IFR_HISTORY_BLOCKS];
}

static void walk_chunk(struct search *search, const struct ifr_load_sites *sites,
                       const struct ifr_trace_chunk *chunk) {
	for (size_t i = 0; i < chunk->executions_count && search->next < search->count; i++, search->moment++) {
		const uint32_t execution = chunk->executions[i];
		const bool cut = execution == IFR_EXECUTION_BREAK;
		if (cut || sites->codes[execution >> 1])
			search->recent[search->recent_count++ % IFR_HISTORY_BLOCKS] = cut ? execution : execution >> 1;
		while (search->next < search->count && search->waiting[search->next]->moment == search->moment)
			copy_recent(search, search->waiting[search->next++]);
	}
}

void ifr_load_paths_find(struct ifr_trace *trace, const struct ifr_load_sites *sites, struct ifr_load_path *paths,
                         size_t count) {
	struct search *search = ifr_alloc(sizeof *search);
	struct ifr_trace_chunk chunk;
	search->count = count;
	search->waiting = ifr_alloc((count + 1) * sizeof(struct ifr_load_path *));
	for (size_t i = 0; i < count; i++)
		search->waiting[i] = &paths[i];
	qsort(search->waiting, count, sizeof(struct ifr_load_path *), compare_moments);
	struct ifr_trace_ahead *ahead = ifr_trace_ahead_new(trace, CHUNK_EXECUTIONS, ifr_trace_read_sequence);
	do {
		ifr_trace_ahead_next(ahead, &chunk);
		walk_chunk(search, sites, &chunk);
	} while (chunk.executions_count && search->next < count);
	ifr_trace_ahead_free(ahead);
	free(search->waiting);
	free(search);
}
