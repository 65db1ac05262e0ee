/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L1I, ITLB and BTB of many lanes at once, in one pass over the executions: mostly a step finds all that it touches in
 * all lanes, and then notes when. */
#include "model/replay/lanes/front.h"

#include <stdlib.h>

/* The pieces that a step touches; branch: if its successor is known. */
struct visit {
	uint32_t lines, pages, branch;
};

struct front_lot {
	struct ifr_fetch_lot lines, pages;
	struct ifr_btb_lot btb;
	struct visit *visits; /* by step: block and whether taken */
};

struct front {
	struct front_lot *lots;
	size_t placed;       /* blocks that lots know */
	uint64_t executions; /* before this chunk: times are counted in them */
	uint32_t last;       /* of these, whose branch waits for its successor; IFR_EXECUTION_BREAK */
	bool btb, fetch;     /* whether there is anything to touch */
	void *scalar_btb;    /* of a machine whose BTB is not for lots */
};

static void *create(const struct ifr_pass *pass) {
	const struct ifr_machine *machine = pass->machine;
	struct front *front = ifr_alloc(sizeof *front);
	front->lots = ifr_alloc(ifr_lots_of(pass) * sizeof *front->lots);
	front->last = IFR_EXECUTION_BREAK;
	front->btb = ifr_btb_lot_fits(machine);
	front->fetch = machine->values[IFR_L1I_BYTES] || machine->values[IFR_ITLB_ENTRIES];
	if (!front->btb)
		front->scalar_btb = ifr_stage_btb.create(pass);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		const struct ifr_lot lot = ifr_lot_at(pass, i);
		struct front_lot *own = &front->lots[i];
		ifr_fetch_lot_init(&own->lines, lot, ifr_machine_cache_shape(machine, IFR_L1I_BYTES), pass->line_shift,
		                   pass->fetch_lines);
		ifr_fetch_lot_init(&own->pages, lot, ifr_machine_tlb_shape(machine, IFR_ITLB_ENTRIES), pass->page_shift,
		                   pass->fetch_pages);
		ifr_btb_lot_init(&own->btb, lot, machine);
	}
	return front;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct front *front = state;
	if (!front->btb)
		ifr_stage_btb.destroy(front->scalar_btb, pass);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		ifr_resident_release(&front->lots[i].lines.resident);
		ifr_resident_release(&front->lots[i].pages.resident);
		ifr_btb_lot_release(&front->lots[i].btb);
		free(front->lots[i].visits);
	}
	free(front->lots);
	free(front);
}

/* Only conditional branches can be not taken, whatever the step says. */
static void place_block(struct front_lot *lot, const struct ifr_pass *pass, size_t block, uint32_t no_branch,
                        bool btb) {
	const uint8_t kind = pass->kinds[block];
	const bool branches = btb && kind != IFR_BRANCH_NONE;
	const uint32_t branch = branches ? ifr_btb_lot_piece(&lot->btb, pass->branch_layouts, block) : no_branch;
	lot->visits[2 * block + 1] = (struct visit){ifr_fetch_lot_piece(&lot->lines, pass->lanes, block),
	                                            ifr_fetch_lot_piece(&lot->pages, pass->lanes, block), branch};
	lot->visits[2 * block] = lot->visits[2 * block + 1];
	if (kind == IFR_BRANCH_CONDITIONAL)
		lot->visits[2 * block].branch = no_branch;
}

/* Blocks from placed on. */
static void place(struct front_lot *lot, const struct ifr_pass *pass, size_t placed, bool btb) {
	const struct ifr_keys none[IFR_RESIDENT_LANES] = {{0}};
	const uint32_t no_branch = ifr_resident_piece(&lot->btb.first, none);
	lot->visits = ifr_realloc(lot->visits, 2 * pass->blocks_count + 1, sizeof *lot->visits);
	for (; placed < pass->blocks_count; placed++)
		place_block(lot, pass, placed, no_branch, btb);
}

static void walk(struct front_lot *lot, const struct ifr_pass *pass, uint64_t time, uint32_t last) {
	const uint32_t *executions = pass->chunk->executions;
	const size_t count = pass->chunk->executions_count;
	for (size_t i = 0; i < count; i++) {
		const uint32_t step = executions[i], before = last;
		last = step;
		if (__builtin_expect(step == IFR_EXECUTION_BREAK, 0))
			continue;
		const struct visit visit = lot->visits[step];
		time++;
		if (before != IFR_EXECUTION_BREAK &&
		    !ifr_resident_touch(&lot->btb.first, lot->visits[before].branch, time))
			ifr_btb_lot_miss(&lot->btb, pass->branch_layouts, before >> 1, lot->visits[before].branch, time);
		if (!ifr_resident_touch(&lot->lines.resident, visit.lines, time))
			ifr_fetch_lot_miss(&lot->lines, pass, i, visit.lines, time);
		if (!ifr_resident_touch(&lot->pages.resident, visit.pages, time))
			ifr_fetch_lot_miss(&lot->pages, pass, i, visit.pages, time);
	}
}

static void run(void *state, struct ifr_pass *pass) {
	struct front *front = state;
	const struct ifr_chunk *chunk = pass->chunk;
	for (size_t lane = 0; lane < pass->lanes_count; lane++)
		pass->fetch_lines[lane].count = pass->fetch_pages[lane].count = 0;
	for (size_t i = 0; i < ifr_lots_of(pass) && (front->fetch || front->btb); i++) {
		if (front->placed < pass->blocks_count)
			place(&front->lots[i], pass, front->placed, front->btb);
		walk(&front->lots[i], pass, front->executions, front->last);
	}
	front->placed = pass->blocks_count;
	front->executions += chunk->executions_count;
	front->last = chunk->executions_count ? chunk->executions[chunk->executions_count - 1] : front->last;
	if (!front->btb)
		ifr_stage_btb.run(front->scalar_btb, pass);
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct front *front = state;
	const struct front_lot *lot = &front->lots[lane / IFR_RESIDENT_LANES];
	const size_t own = lane % IFR_RESIDENT_LANES;
	counters->value[IFR_EVENT_L1I_MISSES] += lot->lines.misses[own];
	counters->value[IFR_EVENT_ITLB_MISSES] += lot->pages.misses[own];
	if (front->btb)
		counters->value[IFR_EVENT_BTB_MISSES] += lot->btb.misses[own];
	else
		ifr_stage_btb.count(front->scalar_btb, pass, lane, counters);
}

static void want(struct ifr_pass *pass) {
	if (!ifr_btb_lot_fits(pass->machine))
		ifr_stage_btb.want(pass);
}

const struct ifr_stage ifr_lanes_stage_front = {
	.name = "lanes", .create = create, .run = run, .count = count, .destroy = destroy, .want = want};
