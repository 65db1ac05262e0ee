/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cache of up to 64 lanes, of keys that depend on the block alone: the lines or pages of a block, or the address
 * of its branch.
 *
 * Problem: an instruction cache hits nearly always, and yet a replay of 64 layouts looks up 64 lines for each
 * block.
 * Idea: a key group is what one block touches: in each lane a run of consecutive keys, or none. Blocks with the
 * same keys in all lanes share a group. A group keeps one bit a lane, which says that all its keys are in that
 * lane's cache, and the time of its last touch. A touch that finds all bits set stores the time, once for all
 * lanes and keys. Only a lane that misses must know the order of touches in its set, and reads it off the times of
 * the groups that have the keys of that set.
 * Invariant: bit l of present is set exactly if lane l holds every key of the group. insert_key evicts and inserts
 * keys, nothing else does, and update_presence corrects the bits of every group that has the key. LRU and tree
 * PLRU depend on nothing but the times of last touches (model/memory/cache.h), and a key's time is the latest of
 * its groups'. So victims are those of the scalar engine.
 * Gain: a block execution costs the same for one lane as for 64 (git log 338d3e4, 62018ba). */
#ifndef INTERFERO_MODEL_RESIDENT_H
#define INTERFERO_MODEL_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/table.h"
#include "model/memory/cache.h"

#define IFR_RESIDENT_LANES 64

struct ifr_key_group {
	uint64_t present; /* lanes, as bits: that hold all keys, or have none to touch */
	uint64_t last_touch;
};

/* The consecutive keys of a group in one lane. */
struct ifr_key_run {
	uint64_t first;
	uint32_t count;
};

struct ifr_resident_lane {
	struct ifr_table keys; /* key ids, 0, 1, 2, … in the order of first use: 32 bits a lane suffice to compare */
	uint32_t *rows;        /* by key id: the first row that has it; IFR_NOTHING ends the list */
	size_t room;
	uint64_t *sets; /* by key id: its set */
	uint32_t *ways; /* by set: the key ids it holds; IFR_NOTHING: an empty way */
};

/* The order-th key of a group, from 0. */
struct ifr_row {
	uint32_t group, order;
};

/* A group has as many rows as keys in the lane that has most. Its rows are consecutive. */
struct ifr_resident {
	struct ifr_cache_shape shape;
	size_t lanes_count;
	struct ifr_key_group *groups;
	uint32_t *firsts; /* by group: its first row; the first row of the next group ends it */
	size_t groups_count, groups_room;
	struct ifr_row *rows;
	uint32_t *key_ids, *nexts; /* by row and lane: key id; the next row with that key */
	size_t rows_room;
	struct ifr_table by_keys; /* groups by a hash of their key ids */
	uint64_t *times;          /* by way: scratch for choosing a victim */
	uint64_t *missed;         /* by row of the group filled last: the lanes that missed it, as bits */
	struct ifr_row filling;   /* row that is being inserted: the rows of its group before it are the newest */
	struct ifr_resident_lane lanes[IFR_RESIDENT_LANES];
};

#define IFR_NOTHING UINT32_MAX

void ifr_resident_init(struct ifr_resident *resident, struct ifr_cache_shape shape, size_t lanes_count);
void ifr_resident_release(struct ifr_resident *resident);
/* Returns the group with these keys (by lane), which is made if there is none. */
uint32_t ifr_resident_add(struct ifr_resident *resident, const struct ifr_key_run *keys);
/* Inserts the keys of a group that lanes miss, and touches it at this time. Returns the number of its rows;
 * resident->missed has the lanes that missed each row. */
size_t ifr_resident_fill(struct ifr_resident *resident, uint32_t group, uint64_t time);

/* Touches a group in all lanes, at a time (below 2^50) later than all before. Returns false, and does nothing, if
 * a lane misses it: then call ifr_resident_fill. */
static inline bool ifr_resident_touch(struct ifr_resident *resident, uint32_t group_index, uint64_t time) {
	struct ifr_key_group *group = &resident->groups[group_index];
	if (__builtin_expect(~group->present != 0, 0))
		return false;
	group->last_touch = time;
	return true;
}

#endif
