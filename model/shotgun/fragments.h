/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fragments of a run, put together from samples: of each signature, its instructions, of each of them the
 * execution that a detailed sample tells.
 *
 * The signature knows only where it begins. The code tells what follows: the next address, the target of a direct
 * branch whose bit 1 is set, the caller on the stack of calls; of another branch, the detailed sample that was
 * chosen. Of the detailed samples of an instruction, those count that have its own two bits, and of these the one
 * with most bits in common with the signature. Bits that no instruction there could have, and code that is not
 * known, show that the path is wrong since the last target that a sample told. The fragment ends there, or before a
 * target that no sample tells; it is dropped if no instruction behind the warm-up is left.
 * Ref: Fields et al. 2004, section 5.4, figure 7. */
#ifndef IFR_MODEL_SHOTGUN_FRAGMENTS_H
#define IFR_MODEL_SHOTGUN_FRAGMENTS_H

#include "model/core/front.h"
#include "model/core/graph.h"
#include "model/shotgun/samples.h"
#include "model/trace/trace.h"

/* The code that ran. */
struct ifr_shotgun_code {
	const struct ifr_core *core;
	const struct ifr_core_program *program;
	const struct ifr_trace_block *blocks; /* as the program's */
	size_t blocks_count;
	const struct ifr_trace_access *accesses; /* of all blocks */
	size_t accesses_count;
};

/* A block execution of a fragment. */
struct ifr_shotgun_step {
	uint32_t block;
	uint32_t first_access; /* in the fragments' addresses and levels */
	uint64_t address;
	uint64_t decoded; /* as ifr_front_tell takes it */
	unsigned line_wait, page_wait;
	uint8_t btb;
	bool call, taken, mispredicted, known; /* of the branch before */
};

struct ifr_shotgun_fragment {
	uint32_t first, measured, end; /* steps; cycles count from `measured` on */
	uint32_t instructions;         /* from there on */
	bool head;                     /* as its signature's */
};

struct ifr_shotgun_fragments {
	struct ifr_shotgun_step *steps;
	struct ifr_shotgun_fragment *items;
	uint64_t *addresses;
	uint8_t *levels;
	struct ifr_access *accesses; /* of all blocks of the code */
	size_t steps_count, count, accesses_count;
	size_t steps_room, room, accesses_room;
	/* signatures, and those dropped for bits that cannot be, for code that is not known, for an indirect branch
	 * without samples, and because they are too short; and fragments that end early for one of the first three */
	uint64_t signatures, impossible, unknown, lost, cut, shortened;
	/* instructions that were put together, those of them whose sample has all bits of the signature, and those without
	 * a sample */
	uint64_t instructions, exact, missing;
};

/* Puts fragments together; the caller releases them. */
void ifr_shotgun_assemble(const struct ifr_shotgun_code *code, const struct ifr_shotgun_samples *samples,
                          struct ifr_shotgun_fragments *fragments);
void ifr_shotgun_fragments_release(struct ifr_shotgun_fragments *fragments);

#endif
