/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L1I, ITLB and BTB of many lanes at once, in one pass over the steps: mostly a step finds all that it touches in
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
	size_t placed;        /* blocks that are known */
	uint64_t time;        /* in steps */
	uint32_t last;        /* the step before this chunk, whose branch waits for it; IFR_STEP_BREAK */
};

struct front {
	struct front_lot *lots;
	bool btb, fetch;  /* whether there is anything to touch */
	void *scalar_btb; /* of a machine whose BTB is not for lots */
};

static void *create(const struct ifr_pass *pass) {
	const struct ifr_machine *machine = pass->machine;
	struct front *front = ifr_alloc(sizeof *front);
	front->lots = ifr_alloc(ifr_lots_of(pass) * sizeof *front->lots);
	front->btb = ifr_btb_lot_fits(machine);
	front->fetch = machine->values[IFR_L1I_BYTES] || machine->values[IFR_ITLB_ENTRIES];
	if (!front->btb)
		front->scalar_btb = ifr_stage_btb.create(pass);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		const struct ifr_lot lot = ifr_lot_at(pass, i);
		struct front_lot *own = &front->lots[i];
		ifr_fetch_lot_init(&own->lines, lot, ifr_machine_cache(machine, IFR_L1I_BYTES), pass->line_shift,
		                   pass->fetch_lines);
		ifr_fetch_lot_init(&own->pages, lot, ifr_machine_tlb(machine, IFR_ITLB_ENTRIES), pass->page_shift,
		                   pass->fetch_pages);
		ifr_btb_lot_init(&own->btb, lot, machine);
		own->last = IFR_STEP_BREAK;
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
	const uint32_t branch = branches ? ifr_btb_lot_piece(&lot->btb, pass->places, block) : no_branch;
	lot->visits[2 * block + 1] = (struct visit){ifr_fetch_lot_piece(&lot->lines, pass->lanes, block),
	                                            ifr_fetch_lot_piece(&lot->pages, pass->lanes, block), branch};
	lot->visits[2 * block] = lot->visits[2 * block + 1];
	if (kind == IFR_BRANCH_CONDITIONAL)
		lot->visits[2 * block].branch = no_branch;
}

static void place(struct front_lot *lot, const struct ifr_pass *pass, bool btb) {
	const struct ifr_keys none[IFR_RESIDENT_LANES] = {{0}};
	const uint32_t no_branch = ifr_resident_piece(&lot->btb.first, none);
	lot->visits = ifr_realloc(lot->visits, 2 * pass->blocks_count + 1, sizeof *lot->visits);
	for (; lot->placed < pass->blocks_count; lot->placed++)
		place_block(lot, pass, lot->placed, no_branch, btb);
}

static void walk(struct front_lot *lot, const struct ifr_pass *pass) {
	const uint32_t *steps = pass->chunk->steps;
	const size_t count = pass->chunk->steps_count;
	uint64_t time = lot->time;
	uint32_t last = lot->last;
	for (size_t i = 0; i < count; i++) {
		const uint32_t step = steps[i], before = last;
		last = step;
		if (__builtin_expect(step == IFR_STEP_BREAK, 0))
			continue;
		const struct visit visit = lot->visits[step];
		time++;
		if (before != IFR_STEP_BREAK && !ifr_resident_touch(&lot->btb.first, lot->visits[before].branch, time))
			ifr_btb_lot_miss(&lot->btb, pass->places, before >> 1, lot->visits[before].branch, time);
		if (!ifr_resident_touch(&lot->lines.resident, visit.lines, time))
			ifr_fetch_lot_miss(&lot->lines, pass, i, visit.lines, time);
		if (!ifr_resident_touch(&lot->pages.resident, visit.pages, time))
			ifr_fetch_lot_miss(&lot->pages, pass, i, visit.pages, time);
	}
	lot->time = time;
	lot->last = last;
}

static void run(void *state, struct ifr_pass *pass) {
	struct front *front = state;
	for (size_t lane = 0; lane < pass->lanes_count; lane++)
		pass->fetch_lines[lane].count = pass->fetch_pages[lane].count = 0;
	for (size_t i = 0; i < ifr_lots_of(pass) && (front->fetch || front->btb); i++) {
		place(&front->lots[i], pass, front->btb);
		walk(&front->lots[i], pass);
	}
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
