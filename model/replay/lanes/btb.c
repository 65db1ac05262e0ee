/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/front.h"

#include <stdlib.h>

#define ENTRIES_WORTH_IT 256

static const enum ifr_setting settings[IFR_BTB_LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};

bool ifr_btb_lot_fits(const struct ifr_machine *machine) {
	const struct ifr_cache_shape first = ifr_machine_btb_shape(machine, settings[0]);
	return (size_t)first.sets * first.ways >= ENTRIES_WORTH_IT;
}

void ifr_btb_lot_init(struct ifr_btb_lot *btb, struct ifr_lot lot, const struct ifr_machine *machine) {
	const bool fits = ifr_btb_lot_fits(machine);
	*btb = (struct ifr_btb_lot){.lot = lot};
	ifr_resident_init(&btb->first,
	                  fits ? ifr_machine_btb_shape(machine, settings[0]) : (struct ifr_cache_shape){0}, lot.count);
	for (size_t level = 1; fits && level < IFR_BTB_LEVELS && machine->values[settings[level]]; level++) {
		struct ifr_cache *caches = ifr_alloc(lot.count * sizeof *caches);
		for (size_t i = 0; i < lot.count; i++)
			ifr_cache_init(&caches[i], ifr_machine_btb_shape(machine, settings[level]));
		btb->others[btb->others_count++] = caches;
	}
}

void ifr_btb_lot_release(struct ifr_btb_lot *btb) {
	for (size_t level = 0; level < btb->others_count; level++) {
		for (size_t i = 0; i < btb->lot.count; i++)
			ifr_cache_release(&btb->others[level][i]);
		free(btb->others[level]);
	}
	ifr_resident_release(&btb->first);
}

uint32_t ifr_btb_lot_piece(struct ifr_btb_lot *btb, const struct ifr_branch_layout *places, size_t block) {
	struct ifr_keys keys[IFR_RESIDENT_LANES] = {{0}};
	for (size_t i = 0; i < btb->lot.count; i++)
		keys[i] = (struct ifr_keys){places[btb->lot.first + i].pcs[block], 1};
	return ifr_resident_piece(&btb->first, keys);
}

static bool others_have(struct ifr_btb_lot *btb, size_t lane, uint64_t pc) {
	for (size_t level = 0; level < btb->others_count; level++)
		if (ifr_cache_touch(&btb->others[level][lane], pc))
			return true;
	return false;
}

void ifr_btb_lot_miss(struct ifr_btb_lot *btb, const struct ifr_branch_layout *places, uint32_t block,
                      uint32_t piece, uint64_t time) {
	ifr_resident_fill(&btb->first, piece, time);
	for (uint64_t lanes = btb->first.missed[0]; lanes; lanes &= lanes - 1) {
		const size_t lane = (size_t)__builtin_ctzll(lanes);
		btb->misses[lane] += !others_have(btb, lane, places[btb->lot.first + lane].pcs[block]);
	}
}
