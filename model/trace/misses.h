/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: nine tenths of a compressor's trace are addresses that no stride predicts, and a distance of three bytes
 * each.
 *
 * Idea: such addresses come in groups. A base that has moved moves several accesses by one distance, and a record that
 * is looked up is read in several places. So a mispredicted access names one of the last four distances, or one of the
 * last five mispredicted addresses and what it lies beyond that, and tells its distance only otherwise. One byte, the
 * token, says which, and how many predicted accesses precede it. Tokens, nearby offsets and the rest are stored apart,
 * as each compresses best among its like.
 *
 * Invariant: writer and reader note the same accesses in the same order, so that both have the same lists.
 *
 * Gain over pairs of varints, number and distance, in bytes an instruction: zstd 0.199 to 0.149, a calculator 0.094 to
 * 0.059, bzip2 0.062 to 0.049, xz 0.128 to 0.112, gawk 0.019 to 0.017; a shell's trace grew by 5 %. */
#ifndef IFR_MODEL_MISSES_H
#define IFR_MODEL_MISSES_H

#include "model/trace/coding.h"

/* A token: predicted accesses before, below MISS_HITS_MAX, in its upper half; in the lower half the number of an equal
 * distance, or MISS_FAR, or behind that the number of an address nearby. At MISS_HITS_MAX, a varint among the rest says
 * how many more they are. */
enum {
	MISS_DISTANCES = 4,
	MISS_FAR = MISS_DISTANCES,
	MISS_ADDRESSES = 5,
	MISS_RING = 8,
	MISS_HITS_MAX = 15,
	MISS_NEAR = 64 /* bytes; an offset is in [-MISS_NEAR, MISS_NEAR) */
};

struct miss_coder {
	int64_t distances[MISS_DISTANCES]; /* the newest first */
	uint64_t addresses[2 * MISS_RING]; /* a ring, twice: MISS_RING of them from the newest on, newest first */
	uint32_t newest;                   /* below MISS_RING */
};

/* The three parts: tokens, offsets of a byte, varints (numbers of predicted accesses, and zigzag distances). */
struct miss_parts {
	uint8_t *tokens, *offsets, *rest;
};

static inline uint64_t miss_address(const struct miss_coder *coder, unsigned number) {
	return coder->addresses[coder->newest + number];
}

/* Notes a mispredicted access. number: of its distance, MISS_DISTANCES or more if there is none. */
static inline void miss_note(struct miss_coder *coder, unsigned number, int64_t distance, uint64_t normalised) {
#pragma GCC unroll 8
	for (unsigned i = MISS_DISTANCES - 1; i; i--)
		coder->distances[i] = i <= number ? coder->distances[i - 1] : coder->distances[i];
	coder->distances[0] = distance;
	coder->newest = (coder->newest - 1) % MISS_RING;
	coder->addresses[coder->newest] = coder->addresses[coder->newest + MISS_RING] = normalised;
}

/* Number of an equal distance; MISS_DISTANCES if there is none. Without a branch, as none could be predicted. */
static inline unsigned miss_distance(const struct miss_coder *coder, int64_t distance) {
	unsigned equal = MISS_DISTANCES;
#pragma GCC unroll 8
	for (unsigned i = MISS_DISTANCES; i--;)
		equal = coder->distances[i] == distance ? i : equal;
	return equal;
}

/* Number of the newest mispredicted address nearby; MISS_ADDRESSES if there is none. */
static inline unsigned miss_nearby(const struct miss_coder *coder, uint64_t normalised) {
	const uint64_t *addresses = &coder->addresses[coder->newest];
	unsigned near = MISS_ADDRESSES;
#pragma GCC unroll 8
	for (unsigned i = MISS_ADDRESSES; i--;)
		near = normalised - addresses[i] + MISS_NEAR < 2 * MISS_NEAR ? i : near;
	return near;
}

/* Appends a mispredicted access. hits: predicted ones since the last. */
static inline void miss_put(struct miss_coder *coder, struct miss_parts *to, uint64_t hits, int64_t distance,
                            uint64_t normalised) {
	unsigned kind = miss_distance(coder, distance);
	const unsigned number = kind;
	if (hits >= MISS_HITS_MAX)
		to->rest = varint_put(to->rest, hits - MISS_HITS_MAX);
	if (kind == MISS_FAR) {
		const unsigned near = miss_nearby(coder, normalised);
		if (near < MISS_ADDRESSES) {
			*to->offsets++ = (uint8_t)(normalised - miss_address(coder, near));
			kind = MISS_FAR + 1 + near;
		} else {
			to->rest = varint_put(to->rest, zigzag(distance));
		}
	}
	*to->tokens++ = (uint8_t)((hits < MISS_HITS_MAX ? hits : MISS_HITS_MAX) << 4 | kind);
	miss_note(coder, number, distance, normalised);
}

#endif
