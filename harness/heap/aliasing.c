/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs and aliases of large blocks, in one pass over the log: a new block forms a pair with each live one, and an
 * alias with each live one of its page offset, so that two counters and 4096 offsets replace a comparison of all
 * pairs. */
#include "harness/heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 32768, OFFSETS = 4096 };

/* The live large blocks by address: open addressing, at most half full. */
struct live_blocks {
	uint64_t *address; /* 0: free; 1: deleted */
	size_t capacity, used;
};

/* The slot of an address, or the free slot where it belongs. */
static size_t find_slot(const struct live_blocks *blocks, uint64_t address) {
	size_t slot = (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (blocks->capacity - 1);
	while (blocks->address[slot] && blocks->address[slot] != address)
		slot = (slot + 1) & (blocks->capacity - 1);
	return slot;
}

static void grow_table(struct live_blocks *blocks) {
	struct live_blocks larger = {NULL, blocks->capacity ? 2 * blocks->capacity : 1024, 0};
	larger.address = ifr_alloc(larger.capacity * sizeof *larger.address);
	for (size_t i = 0; i < blocks->capacity; i++)
		if (blocks->address[i] > 1) {
			larger.address[find_slot(&larger, blocks->address[i])] = blocks->address[i];
			larger.used++;
		}
	free(blocks->address);
	*blocks = larger;
}

struct state {
	struct live_blocks blocks;
	uint64_t live, live_at[OFFSETS], total_at[OFFSETS]; /* blocks live; live and ever at a page offset */
	struct ifr_aliasing *result;
};

static void add_block(struct state *state, uint64_t address, uint64_t size) {
	unsigned low = address % OFFSETS;
	if (size <= LARGE || address <= 1)
		return;
	if (2 * state->blocks.used >= state->blocks.capacity)
		grow_table(&state->blocks);
	state->blocks.address[find_slot(&state->blocks, address)] = address;
	state->blocks.used++;
	state->result->blocks++;
	state->result->pairs += state->live++;
	state->result->aliases += state->live_at[low]++;
	state->total_at[low]++;
}

static void remove_block(struct state *state, uint64_t address) {
	size_t slot = state->blocks.capacity && address > 1 ? find_slot(&state->blocks, address) : 0;
	if (!state->blocks.capacity || state->blocks.address[slot] != address)
		return;
	/* Not 0: later slots of the same probe sequence must still be found. */
	state->blocks.address[slot] = 1;
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
	free(state->blocks.address);
	free(state);
}
