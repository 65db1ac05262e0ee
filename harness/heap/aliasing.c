/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 32768, PLACES = 4096 };

/* The large blocks that are alive, by address: a table with open addressing, never more than half full. */
struct alive {
	uint64_t *address; /* 0: free; 1: was in use */
	size_t capacity, used;
};

static size_t place_of(const struct alive *alive, uint64_t address) {
	size_t place = (size_t)((address >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (alive->capacity - 1);
	while (alive->address[place] && alive->address[place] != address)
		place = (place + 1) & (alive->capacity - 1);
	return place;
}

static void grow(struct alive *alive) {
	struct alive larger = {NULL, alive->capacity ? 2 * alive->capacity : 1024, 0};
	larger.address = ifr_alloc(larger.capacity * sizeof *larger.address);
	for (size_t i = 0; i < alive->capacity; i++)
		if (alive->address[i] > 1) {
			larger.address[place_of(&larger, alive->address[i])] = alive->address[i];
			larger.used++;
		}
	free(alive->address);
	*alive = larger;
}

struct state {
	struct alive alive;
	uint64_t together, now[PLACES], ever[PLACES];
	struct ifr_aliasing *result;
};

static void born(struct state *state, uint64_t address, uint64_t size) {
	unsigned low = address % PLACES;
	if (size <= LARGE || address <= 1)
		return;
	if (2 * state->alive.used >= state->alive.capacity)
		grow(&state->alive);
	state->alive.address[place_of(&state->alive, address)] = address;
	state->alive.used++;
	state->result->blocks++;
	state->result->pairs += state->together++;
	state->result->aliases += state->now[low]++;
	state->ever[low]++;
}

static void died(struct state *state, uint64_t address) {
	size_t place = state->alive.capacity && address > 1 ? place_of(&state->alive, address) : 0;
	if (!state->alive.capacity || state->alive.address[place] != address)
		return;
	/* The place stays taken, so that others behind it are still found. */
	state->alive.address[place] = 1;
	state->together--;
	state->now[address % PLACES]--;
}

static void find_common(const struct state *state) {
	struct ifr_aliasing *result = state->result;
	for (int rank = 0; rank < 3; rank++)
		for (unsigned low = 0; low < PLACES; low++) {
			bool known = false;
			for (int i = 0; i < rank; i++)
				known |= result->common[i] == low;
			if (known || state->ever[low] <= result->seen[rank])
				continue;
			result->common[rank] = low;
			result->seen[rank] = state->ever[low];
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
			died(state, event->address);
		if (event->call == IFR_LOG_REALLOC)
			died(state, event->old);
		if (event->call != IFR_LOG_FREE)
			born(state, event->address, event->size);
	}
	find_common(state);
	free(state->alive.address);
	free(state);
}
