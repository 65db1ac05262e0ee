/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Front ends of up to sixteen lanes side by side. Private to the folder.
 *
 * Problem: all lanes enter the same blocks, and each front end finds out again, at every execution, in which windows
 * and lines of the op cache a block's instructions lie.
 * Idea: this depends on addresses and on the stretch before the block alone, and so does the stretch behind it. So a
 * block behind a stretch of each lane is worked out once, as an entry; the next one is found from it. At an execution,
 * only the lines' presence in each lane's op cache is looked up.
 * Invariant: a lane that lacks a line, or whose decoders or loop buffer deliver, takes its front end itself
 * (model/core/front.h) from the same stretch, so each lane's op cache sees the same calls in the same order as if it were
 * alone. */
#ifndef IFR_MODEL_JOINT_FRONT_H
#define IFR_MODEL_JOINT_FRONT_H

#include "model/replay/core_lanes.h"

enum { JOINT_LANES = 16 };

/* Lanes in which a delivery of the op cache begins with an instruction, and how (struct ifr_delivery). */
struct joint_begin {
	uint16_t lanes, boundaries, windows;
};

struct joint_entry {
	_Alignas(64) uint32_t addresses[JOINT_LANES]; /* of the block, low bits */
	uint32_t slots[JOINT_LANES];
	struct ifr_stretch before[JOINT_LANES], after[JOINT_LANES];
	struct ifr_foreseen_line *lines; /* of all lanes, one lane behind the other */
	uint32_t lines_end[JOINT_LANES];
	struct joint_begin *begins;      /* by instruction */
	struct joint_entry *next, *more; /* the entry that last followed; the block's other entries */
	uint32_t block;
	uint16_t possible, unfused; /* lanes whose op cache may have all; in which the last pair is not fused */
	uint16_t crossing;          /* lanes whose first instruction begins before its window (begins_before) */
	bool arrived;               /* behind a taken branch or a cut: `before` does not matter */
};

struct joint_front {
	const struct ifr_pass *pass;
	const struct ifr_core *core;
	struct core_lane *lanes;
	size_t first, count; /* number of the first lane in the pass, and of lanes; further ones are as the last */
	struct joint_entry **arrived,
		**entries; /* by block: behind a taken branch or a cut, and behind another block */
	size_t entries_count;
	struct joint_entry *last; /* entry of the block before */
	unsigned synced;          /* lanes whose stretch is last->after: their front ends do not know it */
	unsigned decoding;        /* lanes whose decoders deliver */
	bool cut;
	struct ifr_foreseen foreseen;
	/* --- of the block entered last --- */
	unsigned slow; /* lanes with deliveries of their own */
	const struct ifr_delivery *deliveries[JOINT_LANES];
	uint32_t deliveries_count[JOINT_LANES];
	_Alignas(64) uint32_t slots[JOINT_LANES]; /* from the op cache, that no front end knows */
	uint64_t settled[JOINT_LANES];            /* the same, before joint_front_slots was called last */
};

/* first, count: lanes of the pass; lanes: the first of them. */
struct joint_front *joint_front_new(const struct ifr_core *core, struct core_lane *lanes, size_t first,
                                    size_t count);
void joint_front_free(struct joint_front *joint);
/* Enters a block in all lanes, as ifr_front_enter does. Returns its entry. */
const struct joint_entry *joint_front_enter(struct joint_front *joint, const struct ifr_pass *pass, uint32_t block,
                                            bool taken, bool call);
/* The sequence is cut, in all lanes. */
void joint_front_cut(struct joint_front *joint);
/* Tells the slots so far of a lane, by source; at least once in 2^32 slots. */
void joint_front_slots(struct joint_front *joint, size_t lane, uint64_t slots[IFR_SOURCES]);

static inline const struct ifr_placed *joint_placed(const struct joint_front *joint, size_t lane, uint32_t block) {
	return &joint->lanes[lane < joint->count ? lane : joint->count - 1].fronts[0].placed[block];
}

#endif
