/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel's path history: every taken branch shifts it by two bits and mixes in a footprint, sixteen bits of its
 * address and target.
 *
 * Ref: Yavarzadeh, Taram, Narayan, Stefan and Tullsen 2023, "Half&Half: demystifying Intel's directional branch
 * predictors for fast, secure partitioned execution" (length, two bits a taken branch, 16 address and 6 target
 * bits); Li, Yavarzadeh and Tullsen 2024, "Indirector". Simplified: the footprint is address xor target. */
#ifndef INTERFERO_MODEL_PATH_HISTORY_H
#define INTERFERO_MODEL_PATH_HISTORY_H

#include <stdint.h>

#define IFR_PATH_WORDS 7
#define IFR_PATH_LONGEST (64 * IFR_PATH_WORDS - 2)
#define IFR_PATH_SHORTEST 16

struct ifr_path {
	uint64_t words[IFR_PATH_WORDS]; /* the newest bits lowest */
};

/* Folded history: the newest length bits, bit i xored into bit i mod width. length from IFR_PATH_SHORTEST, width 8
 * to 16. */
struct ifr_path_fold {
	uint32_t value, mask;
	unsigned width,
		out[2]; /* out: folded positions of the two bits that leave: length and length + 1, mod width */
};

static inline struct ifr_path_fold ifr_path_fold_new(unsigned length, unsigned width) {
	return (struct ifr_path_fold){0, (1u << width) - 1, width, {length % width, (length + 1) % width}};
}

static inline uint32_t ifr_path_footprint(uint64_t pc, uint64_t target) {
	return (uint32_t)((pc & 0xffff) ^ (target & 0x3f));
}

static inline uint32_t ifr_path_bit(const struct ifr_path *path, unsigned bit) {
	return path->words[bit / 64] >> bit % 64 & 1;
}

/* Returns the two bits that leave a history of this length at the next push, the older one in bit 1. */
static inline uint32_t ifr_path_leaving(const struct ifr_path *path, unsigned length) {
	return ifr_path_bit(path, length - 1) << 1 | ifr_path_bit(path, length - 2);
}

/* Updates a fold for the push that follows. */
static inline void ifr_path_fold_push(struct ifr_path_fold *fold, uint32_t leaving, uint32_t footprint) {
	uint32_t value = fold->value << 2 | fold->value >> (fold->width - 2);
	value ^= (leaving & 1) << fold->out[0] ^ leaving >> 1 << fold->out[1];
	fold->value = (value ^ footprint ^ footprint >> fold->width) & fold->mask;
}

static inline void ifr_path_push(struct ifr_path *path, uint32_t footprint) {
	for (unsigned i = IFR_PATH_WORDS - 1; i; i--)
		path->words[i] = path->words[i] << 2 | path->words[i - 1] >> 62;
	path->words[0] = path->words[0] << 2 ^ footprint;
}

#endif
