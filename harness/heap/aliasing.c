/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs and aliases of large blocks, in one pass over the log: a new block forms a pair with each live one, and an
 * alias with each live one at nearly its page offset, so that a counter and 4096 offsets replace a comparison of all
 * pairs. */
#include "harness/heap/heap.h"

#include <stdlib.h>
#include <string.h>

#include "common/table.h"

enum { LARGE = IFR_HEAP_LARGE_BYTES, OFFSETS = 4096, NEAR = IFR_HEAP_NEAR_BYTES };

struct state {
	struct ifr_table blocks;                            /* live large blocks by address; the value means nothing */
	uint64_t live, live_at[OFFSETS], total_at[OFFSETS]; /* blocks live; live and ever at a page offset */
	struct ifr_aliasing *result;
};

/* Live blocks whose page offset is less than NEAR bytes from this one, in either direction. */
static uint64_t count_near(const struct state *state, unsigned low) {
	uint64_t near = 0;
	for (unsigned i = 1; i < 2 * NEAR; i++)
		near += state->live_at[(low + OFFSETS - NEAR + i) % OFFSETS];
	return near;
}

static void add_block(struct state *state, uint64_t address, uint64_t size) {
	unsigned low = address % OFFSETS;
	if (size <= LARGE || !address)
		return;
	if (ifr_table_find(&state->blocks, address) == IFR_TABLE_NONE)
		ifr_table_add(&state->blocks, address, 0);
	state->result->blocks++;
	state->result->pairs += state->live++;
	state->result->aliases += count_near(state, low);
	state->live_at[low]++;
	state->total_at[low]++;
}

static void remove_block(struct state *state, uint64_t address) {
	if (!ifr_table_remove(&state->blocks, address))
		return;
	state->live--;
	state->live_at[address % OFFSETS]--;
}

/* Finds the three most frequent page offsets. */
static void find_common_offsets(const struct state *state) {
	struct ifr_aliasing *result = state->result;
	for (int rank = 0; rank < 3; rank++)
		for (unsigned low = 0; low < OFFSETS; low++) {
			bool known = false;
			for (int i = 0; i < rank; i++)
				known |= result->common[i] == low;
			if (known || state->total_at[low] <= result->seen[rank])
				continue;
			result->common[rank] = low;
			result->seen[rank] = state->total_at[low];
		}
}

void ifr_aliasing_count(const struct ifr_log_event *events, size_t count, struct ifr_aliasing *aliasing) {
	struct state *state = ifr_alloc(sizeof *state);
	memset(aliasing, 0, sizeof *aliasing);
	state->result = aliasing;
	for (size_t i = 0; i < count; i++) {
		const struct ifr_log_event *event = &events[i];
		if (event->process != events[0].process)
			continue;
		if (event->call == IFR_LOG_FREE)
			remove_block(state, event->address);
		if (event->call == IFR_LOG_REALLOC)
			remove_block(state, event->old);
		if (event->call != IFR_LOG_FREE)
			add_block(state, event->address, event->size);
	}
	find_common_offsets(state);
	ifr_table_release(&state->blocks);
	free(state);
}
