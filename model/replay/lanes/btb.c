/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taken branches in the BTBs of many lanes at once (model/replay/btb.c says what is counted). */
#include "model/replay/lanes/lot.h"

#include <stdlib.h>

#define LEVELS 3
/* A small first level misses so often that hits cannot pay for choosing victims by their times: it is asked lane
 * by lane, as in the scalar engine. */
#define ENTRIES_WORTH_IT 256

struct btb {
	struct ifr_lot lot;
	struct ifr_resident first;
	struct ifr_cache *others[LEVELS - 1]; /* by level and lane */
	size_t others_count;
	uint32_t *pieces; /* by block */
};

struct btbs {
	struct btb *lots;
	void *scalar; /* NULL: lots do it */
};

static struct btb *create_lots(const struct ifr_pass *pass) {
	static const enum ifr_setting settings[LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	struct btb *btbs = ifr_alloc(ifr_lots_of(pass) * sizeof *btbs);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		struct btb *btb = &btbs[i];
		btb->lot = ifr_lot_at(pass, i);
		ifr_resident_init(&btb->first, ifr_machine_btb(pass->machine, IFR_BTB1_ENTRIES), btb->lot.count);
		for (; btb->others_count < LEVELS - 1; btb->others_count++) {
			const enum ifr_setting setting = settings[btb->others_count + 1];
			if (!pass->machine->values[setting])
				break;
			struct ifr_cache *caches = ifr_alloc(btb->lot.count * sizeof *caches);
			for (size_t lane = 0; lane < btb->lot.count; lane++)
				ifr_cache_init(&caches[lane], ifr_machine_btb(pass->machine, setting));
			btb->others[btb->others_count] = caches;
		}
	}
	return btbs;
}

static void *create(const struct ifr_pass *pass) {
	const struct ifr_cache_shape first = ifr_machine_btb(pass->machine, IFR_BTB1_ENTRIES);
	struct btbs *all = ifr_alloc(sizeof *all);
	if ((size_t)first.sets * first.ways < ENTRIES_WORTH_IT)
		all->scalar = ifr_stage_btb.create(pass);
	else
		all->lots = create_lots(pass);
	return all;
}

static void destroy_lots(struct btb *btbs, const struct ifr_pass *pass) {
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		for (size_t level = 0; level < btbs[i].others_count; level++) {
			for (size_t lane = 0; lane < btbs[i].lot.count; lane++)
				ifr_cache_release(&btbs[i].others[level][lane]);
			free(btbs[i].others[level]);
		}
		ifr_resident_release(&btbs[i].first);
		free(btbs[i].pieces);
	}
	free(btbs);
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct btbs *all = state;
	if (all->scalar)
		ifr_stage_btb.destroy(all->scalar, pass);
	else
		destroy_lots(all->lots, pass);
	free(all);
}

static void place(struct btb *btb, const struct ifr_pass *pass) {
	uint64_t keys[IFR_RESIDENT_LANES];
	btb->pieces = ifr_realloc(btb->pieces, pass->blocks_count + 1, sizeof *btb->pieces);
	for (; btb->lot.placed < pass->blocks_count; btb->lot.placed++) {
		for (size_t i = 0; i < btb->lot.count; i++)
			keys[i] = pass->places[btb->lot.first + i].pcs[btb->lot.placed];
		btb->pieces[btb->lot.placed] = ifr_resident_piece(&btb->first, keys);
	}
}

static bool others_have(struct btb *btb, size_t lane, uint64_t pc) {
	for (size_t level = 0; level < btb->others_count; level++)
		if (ifr_cache_touch(&btb->others[level][lane], pc))
			return true;
	return false;
}

static void miss(struct btb *btb, const struct ifr_pass *pass, uint32_t block, uint64_t lanes) {
	for (; lanes; lanes &= lanes - 1) {
		const size_t lane = (size_t)__builtin_ctzll(lanes);
		btb->lot.misses[lane] += !others_have(btb, lane, pass->places[btb->lot.first + lane].pcs[block]);
	}
}

static void run_lots(struct btb *btbs, const struct ifr_pass *pass) {
	const struct ifr_branches branches = ifr_pass_stream(pass, IFR_STREAM_TAKEN);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		struct btb *btb = &btbs[i];
		place(btb, pass);
		for (size_t k = 0; k < branches.count; k++) {
			const uint32_t block = branches.steps[k] >> 1;
			const uint64_t missed = ifr_resident_touch(&btb->first, btb->pieces[block]);
			if (missed)
				miss(btb, pass, block, missed);
		}
	}
}

static void run(void *state, struct ifr_pass *pass) {
	struct btbs *all = state;
	if (all->scalar)
		ifr_stage_btb.run(all->scalar, pass);
	else
		run_lots(all->lots, pass);
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct btbs *all = state;
	if (all->scalar) {
		ifr_stage_btb.count(all->scalar, pass, lane, counters);
		return;
	}
	const struct btb *btb = &all->lots[lane / IFR_RESIDENT_LANES];
	counters->value[IFR_EVENT_BTB_MISSES] += btb->lot.misses[lane % IFR_RESIDENT_LANES];
}

const struct ifr_stage ifr_lanes_stage_btb = {"lanes", create, run, count, destroy};
