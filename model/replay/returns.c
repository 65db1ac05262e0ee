/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The return stack. Its moves are the same in every layout, so there is one stack, of the blocks that called; only
 * whether the return arrives behind that block is a matter of the layout. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct pair {
	uint32_t call, arrival; /* blocks */
};

struct returns {
	uint32_t *callers; /* a ring of size entries; the last depth of them, up to top, are filled */
	unsigned size, top, depth;
	uint64_t unpredicted; /* returns to an empty stack: missed in every layout */
	uint64_t *misses;     /* by lane */
	struct pair *pairs;   /* of this chunk */
	size_t pairs_count;
};

static void *create(const struct ifr_pass *pass) {
	struct returns *returns = ifr_alloc(sizeof *returns);
	returns->size = pass->machine->values[IFR_RETURN_STACK_ENTRIES];
	returns->callers = ifr_alloc((returns->size + 1) * sizeof *returns->callers);
	returns->misses = ifr_alloc(pass->lanes_count * sizeof *returns->misses);
	return returns;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct returns *returns = state;
	(void)pass;
	free(returns->callers);
	free(returns->misses);
	free(returns->pairs);
	free(returns);
}

static void push(struct returns *returns, uint32_t caller) {
	returns->top = (returns->top + 1) % returns->size;
	returns->callers[returns->top] = caller;
	returns->depth += returns->depth < returns->size;
}

static void pop(struct returns *returns, uint32_t arrival) {
	if (!returns->depth) {
		returns->unpredicted++;
		return;
	}
	returns->pairs[returns->pairs_count++] = (struct pair){returns->callers[returns->top], arrival};
	returns->top = (returns->top + returns->size - 1) % returns->size;
	returns->depth--;
}

static uint64_t wrong_arrivals(const struct returns *returns, const struct ifr_geometry *blocks) {
	uint64_t wrong = 0;
	for (size_t i = 0; i < returns->pairs_count; i++) {
		const struct ifr_geometry *call = &blocks[returns->pairs[i].call];
		wrong += call->address + call->bytes != blocks[returns->pairs[i].arrival].address;
	}
	return wrong;
}

static void run(void *state, struct ifr_pass *pass) {
	struct returns *returns = state;
	if (!returns->size)
		return;
	returns->pairs = ifr_realloc(returns->pairs, pass->calls.count + 1, sizeof *returns->pairs);
	returns->pairs_count = 0;
	for (size_t i = 0; i < pass->calls.count; i++) {
		const uint32_t block = pass->calls.steps[i] >> 1;
		if (pass->kinds[block] == IFR_BRANCH_RETURN)
			pop(returns, pass->calls.next[i]);
		else
			push(returns, block);
	}
	for (size_t i = 0; i < pass->lanes_count; i++)
		returns->misses[i] += wrong_arrivals(returns, pass->lanes[i].blocks);
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct returns *returns = state;
	(void)pass;
	counters->value[IFR_EVENT_RETURN_MISSES] += returns->misses[lane] + returns->unpredicted;
}

const struct ifr_stage ifr_stage_returns = {"scalar", create, run, count, destroy};
