/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches of up to 64 lanes that hold pieces of the program: the lines, or the pages, of a block, or its branch.
 *
 * A piece is what is touched together, upwards: in each lane a run of keys, or none. Pieces with the same keys in
 * all lanes are one. Of a piece two things are kept: in which lanes all of its keys are in the cache, as bits, and
 * when it was touched last. A touch that finds it everywhere notes the time, once for all lanes and keys. Only a
 * lane that misses needs to know which key must go, and the times tell. So this is exact, and hits cost next to
 * nothing. */
#ifndef INTERFERO_MODEL_RESIDENT_H
#define INTERFERO_MODEL_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memory/cache.h"
#include "model/replay/ids.h"

#define IFR_RESIDENT_LANES 64

struct ifr_piece {
	uint64_t here; /* lanes that have all keys, or that have none to touch, as bits */
	uint64_t touched;
};

/* The keys of a piece in a lane. */
struct ifr_keys {
	uint64_t first;
	uint32_t count;
};

struct ifr_resident_lane {
	struct ifr_ids keys;
	uint32_t *rows; /* by key's number: the first row that has it; IFR_NOTHING ends */
	size_t room;
	uint64_t *sets; /* by key's number: its set */
	uint32_t *ways; /* by set: what each holds, a key's number; IFR_NOTHING: nothing */
};

/* Which of a piece's keys it is, counted from 0. */
struct ifr_row {
	uint32_t piece, order;
};

/* A piece has as many rows as it has keys in the lane with most, one behind the other. */
struct ifr_resident {
	struct ifr_cache_shape shape;
	size_t lanes_count;
	struct ifr_piece *pieces;
	uint32_t *firsts; /* by piece: its first row; the next piece's is behind its last */
	size_t pieces_count, pieces_room;
	struct ifr_row *rows;
	uint32_t *numbers, *nexts; /* by row and lane: its key's number; the next row with that key */
	size_t rows_room;
	uint32_t *slots; /* of a table that finds pieces by their numbers: the piece plus one */
	size_t slots_count;
	uint64_t *times;        /* by way: room for choosing a victim */
	uint64_t *missed;       /* by row of the piece that was filled last: the lanes that missed it, as bits */
	struct ifr_row filling; /* that is being put into the caches: those of its piece before it are the newest */
	struct ifr_resident_lane lanes[IFR_RESIDENT_LANES];
};

#define IFR_NOTHING UINT32_MAX

void ifr_resident_init(struct ifr_resident *resident, struct ifr_cache_shape shape, size_t lanes_count);
void ifr_resident_release(struct ifr_resident *resident);
/* The piece with these keys, by lane. */
uint32_t ifr_resident_piece(struct ifr_resident *resident, const struct ifr_keys *keys);
/* Puts what of a piece is not there into the caches, where and when it is touched. Returns how many rows there
 * are: resident->missed says which lanes missed each. */
size_t ifr_resident_fill(struct ifr_resident *resident, uint32_t piece, uint64_t time);

/* Touches a piece in all lanes, at a time later than all before (below 2^50). True if it was there; else fill does
 * it. */
static inline bool ifr_resident_touch(struct ifr_resident *resident, uint32_t number, uint64_t time) {
	struct ifr_piece *piece = &resident->pieces[number];
	if (__builtin_expect(~piece->here != 0, 0))
		return false;
	piece->touched = time;
	return true;
}

#endif
