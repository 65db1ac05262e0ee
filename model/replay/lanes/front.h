/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the front end of a lot of lanes touches: lines and pages of the blocks that are fetched, and entries of the
 * BTB for the branches that are taken (model/replay/fetch.c and btb.c say what is counted). */
#ifndef INTERFERO_MODEL_FRONT_H
#define INTERFERO_MODEL_FRONT_H

#include "model/replay/lanes/lot.h"

/* The L1I, or the ITLB. */
struct ifr_fetch_lot {
	struct ifr_lot lot;
	struct ifr_resident resident;
	unsigned shift;
	struct ifr_misses *lists; /* by lane of all: what of this chunk is missed */
	uint64_t misses[IFR_RESIDENT_LANES];
};

void ifr_fetch_lot_init(struct ifr_fetch_lot *fetch, struct ifr_lot lot, struct ifr_cache_shape shape,
                        unsigned shift, struct ifr_misses *lists);
/* The piece that a block's fetch touches. */
uint32_t ifr_fetch_lot_piece(struct ifr_fetch_lot *fetch, const struct ifr_lane *lanes, size_t block);
/* A step's fetch missed its piece in some lane. */
void ifr_fetch_lot_miss(struct ifr_fetch_lot *fetch, const struct ifr_pass *pass, size_t step, uint32_t piece,
                        uint64_t time);

#define IFR_BTB_LEVELS 3

/* The BTB. What its first level misses the others are asked for lane by lane. */
struct ifr_btb_lot {
	struct ifr_lot lot;
	struct ifr_resident first;
	struct ifr_cache *others[IFR_BTB_LEVELS - 1]; /* by level and lane */
	size_t others_count;
	uint64_t misses[IFR_RESIDENT_LANES];
};

/* Whether there is a first level, and one large enough: a small one misses so often that hits cannot pay for
 * choosing victims by their times. */
bool ifr_btb_lot_fits(const struct ifr_machine *machine);
/* Of a machine that does not fit, an empty one. */
void ifr_btb_lot_init(struct ifr_btb_lot *btb, struct ifr_lot lot, const struct ifr_machine *machine);
void ifr_btb_lot_release(struct ifr_btb_lot *btb);
uint32_t ifr_btb_lot_piece(struct ifr_btb_lot *btb, const struct ifr_branch_layout *places, size_t block);
void ifr_btb_lot_miss(struct ifr_btb_lot *btb, const struct ifr_branch_layout *places, uint32_t block,
                      uint32_t piece, uint64_t time);

#endif
