/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories by which contexts are told: the last basic blocks, and the last outcomes. Private to the room.
 *
 * Problem: a context is the last N elements of a history, for several N up to 200 at once, at every reference of a chosen
 * load; and blocks and references are pushed far more often than contexts are asked for.
 * Idea: of blocks, the history keeps a polynomial hash of everything so far, and those of the last 256 moments: the last
 * N blocks have the hash H(now) - H(now - N) · B^N, modulo 2^64. Of outcomes, the last 128 are bits of two words.
 * Invariant: equal blocks give equal hashes wherever they occur; before the first block, everything is 0. Different
 * blocks share one with probability 2^-64 or so, as each enters by 64 mixed bits.
 * Ref: Karp and Rabin 1987, "Efficient randomized pattern-matching algorithms", section 2 (fingerprints of windows). */
#ifndef INTERFERO_MODEL_LOAD_HISTORY_H
#define INTERFERO_MODEL_LOAD_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { IFR_HISTORY_BLOCKS = 256, IFR_HISTORY_OUTCOMES = 128 };

#define IFR_HISTORY_BASE UINT64_C(0x9e3779b97f4a7c15) /* odd */

/* Mixes 64 bits, one to one. Ref: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators",
 * section 5 (mix64, in the variant 13 of Stafford's). */
static inline uint64_t ifr_history_mix(uint64_t bits) {
	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

struct ifr_block_history {
	uint64_t hashes[IFR_HISTORY_BLOCKS]; /* by moment, round and round */
	uint64_t count;
};

static inline void ifr_block_history_push(struct ifr_block_history *history, uint32_t block) {
	const uint64_t hash = history->hashes[history->count % IFR_HISTORY_BLOCKS];
	history->hashes[++history->count % IFR_HISTORY_BLOCKS] =
		hash * IFR_HISTORY_BASE + ifr_history_mix(block + 1ull);
}

/* The key of the last `length` blocks, below IFR_HISTORY_BLOCKS. power: IFR_HISTORY_BASE to that power. */
static inline uint64_t ifr_block_history_key(const struct ifr_block_history *history, unsigned length,
                                             uint64_t power) {
	const uint64_t now = history->hashes[history->count % IFR_HISTORY_BLOCKS];
	const uint64_t then =
		history->count < length ? 0 : history->hashes[(history->count - length) % IFR_HISTORY_BLOCKS];
	return now - then * power;
}

/* The last outcomes, 1 for a miss, the youngest in the highest bit of `young`. Before the first one all were hits. */
struct ifr_outcome_bits {
	uint64_t young, old;
};

static inline void ifr_outcome_bits_push(struct ifr_outcome_bits *bits, bool missed) {
	bits->old = bits->old >> 1 | bits->young << 63;
	bits->young = bits->young >> 1 | (uint64_t)missed << 63;
}

/* The key of the last `length` outcomes, 1 to IFR_HISTORY_OUTCOMES: up to 64 of them are its low bits, the youngest in
 * bit length - 1; more are mixed. */
static inline uint64_t ifr_outcome_bits_key(struct ifr_outcome_bits bits, unsigned length) {
	if (length <= 64)
		return bits.young >> (64 - length);
	return ifr_history_mix(bits.young) + (bits.old >> (IFR_HISTORY_OUTCOMES - length)) * IFR_HISTORY_BASE;
}

#endif
