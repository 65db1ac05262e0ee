/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The return stack.
 *
 * Problem: a return is predicted right if it arrives at the instruction after its call, whose address differs by lane.
 * Idea: pushes and pops are the same in every layout, so one stack of calling blocks serves all lanes. Only the
 * comparison depends on the lane, and it depends on the pair (call, arrival) alone: runs of equal arrivals of a
 * call are counted, and the lanes are compared once a run.
 * Invariant: misses + the counted runs of callers = misses so far, in each lane.
 * Gain: git log c945215. */
#include "model/replay/return_stack.h"

#include <stdlib.h>
#include <string.h>

/* A calling block: the block where its return arrived last, and how often in a row. */
struct caller {
	uint32_t arrival;
	uint64_t times;
};

struct returns {
	struct ifr_return_stack stack;
	uint64_t unpredicted; /* returns with an empty stack: missed in every layout */
	uint64_t *misses;     /* by lane, without the runs that callers still count */
	struct caller *callers;
	size_t callers_count; /* by block */
};

static void *create_returns(const struct ifr_pass *pass) {
	struct returns *returns = ifr_alloc(sizeof *returns);
	returns->stack = ifr_return_stack_new(pass);
	returns->misses = ifr_alloc(pass->lanes_count * sizeof *returns->misses);
	return returns;
}

static void destroy_returns(void *state, const struct ifr_pass *pass) {
	struct returns *returns = state;
	(void)pass;
	free(returns->stack.calls);
	free(returns->misses);
	free(returns->callers);
	free(returns);
}

static bool arrives_elsewhere(const struct ifr_geometry *blocks, uint32_t call, uint32_t arrival) {
	return blocks[call].address + blocks[call].bytes != blocks[arrival].address;
}

static void charge_misses(struct returns *returns, const struct ifr_pass *pass, uint32_t call) {
	const struct caller *caller = &returns->callers[call];
	for (size_t i = 0; i < pass->lanes_count && caller->times; i++)
		if (arrives_elsewhere(pass->lanes[i].blocks, call, caller->arrival))
			returns->misses[i] += caller->times;
}

static void predict_return(struct returns *returns, const struct ifr_pass *pass, uint32_t arrival) {
	uint32_t call;
	if (!ifr_return_stack_pop(&returns->stack, &call)) {
		returns->unpredicted++;
		return;
	}
	struct caller *caller = &returns->callers[call];
	if (caller->arrival != arrival) {
		charge_misses(returns, pass, call);
		*caller = (struct caller){.arrival = arrival};
	}
	caller->times++;
}

static void add_blocks(struct returns *returns, size_t count) {
	if (count <= returns->callers_count)
		return;
	returns->callers = ifr_realloc(returns->callers, count, sizeof *returns->callers);
	memset(returns->callers + returns->callers_count, 0,
	       (count - returns->callers_count) * sizeof *returns->callers);
	returns->callers_count = count;
}

static void run_returns(void *state, struct ifr_pass *pass) {
	struct returns *returns = state;
	if (!returns->stack.size)
		return;
	add_blocks(returns, pass->blocks_count);
	for (size_t i = 0; i < pass->calls.count; i++) {
		const uint32_t block = pass->calls.executions[i] >> 1;
		if (pass->kinds[block] == IFR_BRANCH_RETURN)
			predict_return(returns, pass, pass->calls.next[i]);
		else
			ifr_return_stack_push(&returns->stack, block);
	}
}

static void count_returns(const void *state, const struct ifr_pass *pass, size_t lane,
                          struct ifr_counts *counters) {
	const struct returns *returns = state;
	const struct ifr_geometry *blocks = pass->lanes[lane].blocks;
	uint64_t misses = returns->misses[lane] + returns->unpredicted;
	for (uint32_t i = 0; i < returns->callers_count; i++)
		if (returns->callers[i].times && arrives_elsewhere(blocks, i, returns->callers[i].arrival))
			misses += returns->callers[i].times;
	counters->value[IFR_EVENT_RETURN_MISSES] += misses;
}

const struct ifr_stage ifr_stage_returns = {.name = "scalar",
                                            .create = create_returns,
                                            .run = run_returns,
                                            .count = count_returns,
                                            .destroy = destroy_returns};
