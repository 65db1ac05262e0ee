/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path histories (model/predictors/path_history.h) of sixteen lanes, of which only the folds and the bits that are
 * about to leave are kept. Sixteen bits a lane do for both.
 *
 * A push shifts the history by two and mixes into its lowest sixteen bits: bits 14 and 15 change no more, and
 * leave a length of L bits (L - 16) / 2 pushes later. So a ring of these pairs stands for all that is older. */
#ifndef INTERFERO_MODEL_PATH_FOLDS_H
#define INTERFERO_MODEL_PATH_FOLDS_H

#include "model/predictors/path_history.h"
#include "model/replay/vector/bundle.h"

#define RING 256 /* pushes kept: more than (IFR_PATH_LONGEST - 16) / 2 + 1 */

_Static_assert(RING > (IFR_PATH_LONGEST - IFR_PATH_SHORTEST) / 2 + 1, "the ring holds the longest history");

struct path_ring {
	uint16_t pairs[RING][LANES]; /* bits 14 and 15 after a push */
	uint16_t low[LANES];         /* the lowest sixteen bits */
	unsigned head;               /* of the last push */
};

struct path_fold {
	uint16_t value[LANES];
	unsigned width; /* 8 to 15 */
	unsigned out;   /* where the bits that leave would lie: length mod width */
};

static inline struct path_fold path_fold_new(unsigned length, unsigned width) {
	return (struct path_fold){.width = width, .out = length % width};
}

static inline __m256i words_load(const uint16_t *from) {
	return _mm256_loadu_si256((const __m256i *)from);
}
static inline void words_store(uint16_t *to, __m256i value) {
	_mm256_storeu_si256((__m256i *)to, value);
}
static inline __m256i words_left(__m256i value, unsigned n) {
	return _mm256_sll_epi16(value, _mm_cvtsi32_si128((int)n));
}
static inline __m256i words_right(__m256i value, unsigned n) {
	return _mm256_srl_epi16(value, _mm_cvtsi32_si128((int)n));
}

/* The two oldest bits of a length: the older is bit 1. */
static inline __m256i path_oldest(const struct path_ring *ring, unsigned length) {
	const unsigned at = ring->head - (length - IFR_PATH_SHORTEST) / 2;
	const __m256i pair = words_load(ring->pairs[at % RING]);
	if (length % 2 == 0)
		return pair;
	const __m256i before = words_load(ring->pairs[(at - 1) % RING]);
	return _mm256_or_si256(_mm256_srli_epi16(pair, 1),
	                       _mm256_slli_epi16(_mm256_and_si256(before, _mm256_set1_epi16(1)), 1));
}

/* Brings a fold up to date for the push of a footprint that is next; oldest is of its history.
 * What stands above the width wraps round. */
static inline void path_fold_push(struct path_fold *fold, __m256i footprint, __m256i oldest) {
	const unsigned width = fold->width;
	const __m256i value = words_load(fold->value);
	const __m256i turned = _mm256_or_si256(_mm256_slli_epi16(value, 2), words_right(value, width - 2));
	const __m256i mixed = _mm256_xor_si256(footprint, words_left(oldest, fold->out));
	const __m256i all = _mm256_xor_si256(_mm256_xor_si256(turned, mixed), words_right(mixed, width));
	words_store(fold->value, _mm256_and_si256(all, _mm256_set1_epi16((short)((1 << width) - 1))));
}

static inline void path_ring_push(struct path_ring *ring, __m256i footprint) {
	const __m256i low = _mm256_xor_si256(_mm256_slli_epi16(words_load(ring->low), 2), footprint);
	ring->head = (ring->head + 1) % RING;
	words_store(ring->low, low);
	words_store(ring->pairs[ring->head], _mm256_srli_epi16(low, 14));
}

/* Of branches and of arrivals in a block, side by side: of each the bits that come into a footprint, whose
 * exclusive or it is. */
struct path_row {
	uint16_t leave[LANES], arrive[LANES];
};

static inline struct path_row *path_rows_place(struct path_row *rows, const struct ifr_pass *pass,
                                               const struct bundle *bundle, size_t blocks) {
	rows = ifr_realloc(rows, blocks + 1, sizeof *rows);
	for (size_t block = bundle->placed; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++) {
			const struct ifr_branch_places *places = &pass->places[lane_of(bundle, i)];
			rows[block].leave[i] = (uint16_t)places->pcs[block];
			rows[block].arrive[i] = (uint16_t)(places->blocks[block].address & 0x3f);
		}
	return rows;
}

static inline __m256i path_footprint(const struct path_row *rows, uint32_t from, uint32_t to) {
	return _mm256_xor_si256(words_load(rows[from].leave), words_load(rows[to].arrive));
}

#endif
