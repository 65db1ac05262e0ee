/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taken branches in the BTBs of sixteen lanes (model/replay/btb.c says what is counted). */
#include "model/replay/vector/recent.h"

#define LEVELS 3

struct btb {
	struct bundle bundle;
	struct recent first;
	struct ifr_cache others[LEVELS - 1][LANES];
	size_t others_count;
	struct recent_row *rows; /* by block */
};

static void create_one(struct btb *btb, const struct ifr_pass *pass) {
	static const enum ifr_setting settings[LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	recent_init(&btb->first, &btb->bundle, ifr_machine_btb(pass->machine, IFR_BTB1_ENTRIES));
	for (size_t level = 1; level < LEVELS && pass->machine->values[settings[level]]; level++, btb->others_count++)
		for (size_t i = 0; i < btb->bundle.count; i++)
			ifr_cache_init(&btb->others[level - 1][i], ifr_machine_btb(pass->machine, settings[level]));
}

static void *create(const struct ifr_pass *pass) {
	struct btb *btbs = ifr_alloc(bundles_of(pass) * sizeof *btbs);
	for (size_t i = 0; i < bundles_of(pass); i++) {
		btbs[i].bundle = bundle_at(pass, i);
		create_one(&btbs[i], pass);
	}
	return btbs;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct btb *btbs = state;
	for (size_t i = 0; i < bundles_of(pass); i++) {
		recent_release(&btbs[i].first);
		for (size_t lane = 0; lane < LANES * (LEVELS - 1); lane++)
			ifr_cache_release(&btbs[i].others[lane / LANES][lane % LANES]);
		free(btbs[i].rows);
	}
	free(btbs);
}

static void place(struct btb *btb, const struct ifr_pass *pass) {
	btb->rows = ifr_realloc(btb->rows, pass->blocks_count + 1, sizeof *btb->rows);
	for (size_t block = btb->bundle.placed; block < pass->blocks_count; block++)
		for (size_t i = 0; i < LANES; i++)
			if (i < btb->bundle.count)
				recent_place(&btb->first, &btb->rows[block], i, pass->places[btb->bundle.first + i].pcs[block]);
			else
				recent_pad(&btb->first, &btb->rows[block], i);
	btb->bundle.placed = pass->blocks_count;
}

static bool others_have(struct btb *btb, size_t lane, uint64_t pc) {
	for (size_t level = 0; level < btb->others_count; level++)
		if (ifr_cache_touch(&btb->others[level][lane], pc))
			return true;
	return false;
}

static void touch(struct btb *btb, const struct ifr_pass *pass, uint32_t block, unsigned stale) {
	for (; stale; stale &= stale - 1) {
		const size_t lane = (size_t)__builtin_ctz(stale);
		const uint64_t pc = pass->places[btb->bundle.first + lane].pcs[block];
		if (!recent_touch(&btb->first, &btb->rows[block], lane, pc))
			btb->bundle.misses[lane] += !others_have(btb, lane, pc);
	}
}

static void run(void *state, struct ifr_pass *pass) {
	struct btb *btbs = state;
	const struct ifr_branches branches = ifr_pass_stream(pass, IFR_STREAM_TAKEN);
	for (size_t i = 0; i < bundles_of(pass) && btbs[i].first.shape.sets; i++) {
		struct btb *btb = &btbs[i];
		place(btb, pass);
		for (size_t k = 0; k < branches.count; k++) {
			const uint32_t block = branches.steps[k] >> 1;
			const unsigned stale = recent_stale(&btb->first, &btb->rows[block]);
			if (stale)
				touch(btb, pass, block, stale);
		}
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counters *counters) {
	const struct btb *btb = (const struct btb *)state + lane / LANES;
	(void)pass;
	counters->value[IFR_EVENT_BTB_MISSES] += btb->bundle.misses[lane % LANES];
}

const struct ifr_stage IFR_VECTOR(stage_btb) = {ENGINE_NAME, create, run, count, destroy};
