/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Front end of a batch of lanes: the lines and pages of the blocks that are fetched, and the BTB entries of the
 * branches that are taken. model/replay/fetch.c and btb.c define the counters. */
#ifndef INTERFERO_MODEL_FRONT_END_H
#define INTERFERO_MODEL_FRONT_END_H

#include "model/replay/lanes/batch.h"

/* An L1I or an ITLB. */
struct ifr_fetch_batch {
	struct ifr_lane_batch batch;
	struct ifr_resident resident;
	unsigned shift;
	struct ifr_misses *lists; /* by lane of the pass: misses of this chunk */
	uint64_t misses[IFR_RESIDENT_LANES];
};

void ifr_fetch_batch_init(struct ifr_fetch_batch *fetch, struct ifr_lane_batch batch, struct ifr_cache_shape shape,
                          unsigned shift, struct ifr_misses *lists);
/* Adds a block; returns the key group that its fetch touches. */
uint32_t ifr_fetch_batch_add_block(struct ifr_fetch_batch *fetch, const struct ifr_lane *lanes, size_t block);
/* Handles a fetch that missed its key group in at least one lane: inserts the keys and lists the misses. */
void ifr_fetch_batch_miss(struct ifr_fetch_batch *fetch, const struct ifr_pass *pass, size_t execution,
                          uint32_t group, uint64_t time);

#define IFR_BTB_LEVELS 3

/* A BTB. The first level is resident; the outer levels are one cache a lane. */
struct ifr_btb_batch {
	struct ifr_lane_batch batch;
	struct ifr_resident first;
	struct ifr_cache *outer[IFR_BTB_LEVELS - 1]; /* by level and lane */
	size_t outer_count;
	uint64_t misses[IFR_RESIDENT_LANES];
};

/* Makes a BTB. On a machine without one, no block may be added. */
void ifr_btb_batch_init(struct ifr_btb_batch *btb, struct ifr_lane_batch batch, const struct ifr_machine *machine);
void ifr_btb_batch_release(struct ifr_btb_batch *btb);
/* Adds a block that ends in a branch; returns the key group of the branch. */
uint32_t ifr_btb_batch_add_block(struct ifr_btb_batch *btb, const struct ifr_branch_layout *layouts, size_t block);
/* Handles a taken branch that missed the first level in at least one lane: looks it up in the outer levels. number: of
 * the taken branch (outcomes.h). */
void ifr_btb_batch_miss(struct ifr_btb_batch *btb, const struct ifr_pass *pass, uint32_t block, uint32_t group,
                        uint32_t number, uint64_t time);

#endif
