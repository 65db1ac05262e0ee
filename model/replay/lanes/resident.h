/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches of up to 64 lanes that hold pieces of the program: lines, pages, branches.
 *
 * A piece is what is touched together, with a key in each lane; pieces with the same keys in all lanes are one. Of
 * a piece two things are kept: in which lanes its key is in the cache, as bits, and when it was touched last. A
 * touch that finds it everywhere notes the time, once for all lanes. Only a lane that misses needs to know which
 * key must go, and the times tell: LRU's is that of the least recent touch, and a tree's node points away from the
 * half that was touched later. So this is exact, and hits cost next to nothing. */
#ifndef INTERFERO_MODEL_RESIDENT_H
#define INTERFERO_MODEL_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memory/cache.h"
#include "model/replay/ids.h"

#define IFR_RESIDENT_LANES 64
#define IFR_NO_KEY UINT64_MAX

struct ifr_piece {
	uint64_t here; /* lanes that have the key, or no key for this piece, as bits */
	uint64_t touched;
};

struct ifr_resident_lane {
	struct ifr_ids keys;
	uint32_t *pieces; /* by key's number: the first piece that has it; IFR_NO_PIECE ends */
	size_t pieces_room;
	uint64_t *sets; /* by key's number: its set */
	uint32_t *ways; /* by set: what each holds, a key's number; IFR_NO_PIECE: nothing */
};

struct ifr_resident {
	struct ifr_cache_shape shape;
	size_t lanes_count;
	struct ifr_piece *pieces;
	size_t pieces_count, pieces_room;
	uint32_t *numbers, *nexts; /* by piece and lane: its key's number; the next piece with that key */
	uint32_t *slots;           /* of a table that finds pieces by their numbers: the piece plus one */
	size_t slots_count;
	uint64_t clock;
	uint64_t *times; /* by way: room for choosing a victim */
	struct ifr_resident_lane lanes[IFR_RESIDENT_LANES];
};

#define IFR_NO_PIECE UINT32_MAX

void ifr_resident_init(struct ifr_resident *resident, struct ifr_cache_shape shape, size_t lanes_count);
void ifr_resident_release(struct ifr_resident *resident);
/* The piece with these keys, one a lane; IFR_NO_KEY in lanes that touch nothing. */
uint32_t ifr_resident_piece(struct ifr_resident *resident, const uint64_t *keys);
/* Puts a piece into the caches of the lanes that have it not. Returns these, as bits. */
uint64_t ifr_resident_fill(struct ifr_resident *resident, uint32_t piece);

/* Touches a piece in all lanes. Returns those that missed, as bits. */
static inline uint64_t ifr_resident_touch(struct ifr_resident *resident, uint32_t number) {
	struct ifr_piece *piece = &resident->pieces[number];
	const uint64_t missed = ~piece->here ? ifr_resident_fill(resident, number) : 0;
	piece->touched = ++resident->clock;
	return missed;
}

#endif
