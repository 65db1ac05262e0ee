/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded path histories (model/predictors/path_history.h) of sixteen lanes.
 *
 * Problem: each lane has a history of up to 446 bits, and a predictor needs six to twelve folds of it, of several
 * lengths, at every branch.
 * Idea: a push shifts the history by two bits and changes its lowest sixteen, so that bits from 14 on are final. A
 * sum is all final bits ever pushed, folded to a width: bit i at i mod width. The fold of a length is the sum now
 * xor the sum of PATH_AGE(length) pushes ago, rotated by as much, which cancels every bit beyond the length. One
 * sum a width serves folds of all lengths, and sixteen bits a lane hold a sum.
 * Invariant: sums->values[head] is the folded sum after the last push; the ring keeps those of the last RING
 * pushes, more than the longest length needs. Bits pushed before a length begins cancel whatever they were: pushes
 * that no fold depends on (reach) may be left out.
 * Gain: a push takes a third of the time of updating a fold for each length (git log 701bc0f). */
#ifndef INTERFERO_MODEL_PATH_FOLDS_H
#define INTERFERO_MODEL_PATH_FOLDS_H

#include "model/predictors/path_history.h"
#include "model/replay/vector/vector_group.h"

#define PATH_SUMS 3
#define RING 256

/* Pushes until a bit lies beyond a length, which must be even. */
#define PATH_AGE(length) (((length)-14) / 2)

_Static_assert(RING > PATH_AGE(IFR_PATH_LONGEST), "the ring holds the longest history");

/* A multiplication by a power of two is a left shift in its lower half and a right shift in its upper half, and is
 * faster than a shift by a variable count. */
struct path_sum {
	unsigned width; /* 8 to 15 */
	uint16_t turn[LANES], wrap[LANES],
		keep[LANES];              /* factors: right shift by width - 2 and by width; mask of the width */
	uint16_t values[RING][LANES]; /* by place in the ring: the sum after each push */
};

struct path_history {
	uint16_t low[LANES]; /* the lowest sixteen bits of the history */
	unsigned head, last; /* ring places: of the last push, and the highest in use */
	size_t reach;        /* pushes on which folds depend */
	unsigned sums_count;
	struct path_sum sums[PATH_SUMS];
};

/* A fold: the sum now, and the sum of age pushes ago rotated left, by the products with left and right. */
struct path_fold {
	unsigned sum, age;
	uint16_t left[LANES], right[LANES];
};

static inline __m256i words_load(const uint16_t *from) {
	return _mm256_loadu_si256((const __m256i *)from);
}
static inline void words_store(uint16_t *to, __m256i value) {
	_mm256_storeu_si256((__m256i *)to, value);
}
static inline __m256i words_set(unsigned value) {
	return _mm256_set1_epi16((short)value);
}

/* True if all lengths are even: a push is two bits. */
static inline bool path_lengths_fit(const unsigned *lengths, unsigned count) {
	for (unsigned i = 0; i < count; i++)
		if (lengths[i] % 2)
			return false;
	return true;
}

/* Returns the index of the sum of a width, which is made if there is none. */
static inline unsigned path_sum_of(struct path_history *history, unsigned width) {
	for (unsigned i = 0; i < history->sums_count; i++)
		if (history->sums[i].width == width)
			return i;
	struct path_sum *sum = &history->sums[history->sums_count];
	sum->width = width;
	words_store(sum->turn, words_set(1u << (18 - width)));
	words_store(sum->wrap, words_set(1u << (16 - width)));
	words_store(sum->keep, words_set((1u << width) - 1));
	return history->sums_count++;
}

/* Makes a fold, before the first push; at most PATH_SUMS widths. */
static inline struct path_fold path_fold_new(struct path_history *history, unsigned length, unsigned width) {
	const unsigned age = PATH_AGE(length);
	while (history->last < age)
		history->last = history->last * 2 + 1;
	if (history->reach < age + 7)
		history->reach = age + 7;
	struct path_fold fold = {.sum = path_sum_of(history, width), .age = age};
	const unsigned turn = 2 * age % width;
	words_store(fold.left, words_set(1u << turn));
	words_store(fold.right, words_set(1u << (16 - width + turn)));
	return fold;
}

/* Folds the bits above the width into it; leaves them above it undefined. */
static inline __m256i path_wrap(__m256i value, const struct path_sum *sum) {
	return _mm256_xor_si256(value, _mm256_mulhi_epu16(value, words_load(sum->wrap)));
}

static inline void path_history_push(struct path_history *history, __m256i footprint) {
	const __m256i low = _mm256_xor_si256(_mm256_slli_epi16(words_load(history->low), 2), footprint);
	const __m256i settled = _mm256_and_si256(low, words_set(0xc000));
	const unsigned before = history->head, head = history->head = (before + 1) & history->last;
	words_store(history->low, low);
	for (unsigned i = 0; i < history->sums_count; i++) {
		struct path_sum *sum = &history->sums[i];
		const __m256i value = words_load(sum->values[before]);
		const __m256i turned =
			_mm256_or_si256(_mm256_slli_epi16(value, 2), _mm256_mulhi_epu16(value, words_load(sum->turn)));
		const __m256i all = _mm256_xor_si256(turned, path_wrap(settled, sum));
		words_store(sum->values[head], _mm256_and_si256(all, words_load(sum->keep)));
	}
}

/* Sums now, with the bits that later pushes still change. */
struct path_sums_now {
	__m256i sums[PATH_SUMS];
};

static inline struct path_sums_now path_history_sums(const struct path_history *history) {
	const __m256i unsettled = _mm256_and_si256(words_load(history->low), words_set(0x3fff));
	struct path_sums_now now;
	for (unsigned i = 0; i < history->sums_count; i++)
		now.sums[i] = _mm256_xor_si256(words_load(history->sums[i].values[history->head]),
		                               path_wrap(unsettled, &history->sums[i]));
	return now;
}

/* The bits above the width are undefined. */
static inline __m256i path_fold(const struct path_history *history, const struct path_fold *fold,
                                const struct path_sums_now *now) {
	const struct path_sum *sum = &history->sums[fold->sum];
	const __m256i beyond = words_load(sum->values[(history->head - fold->age) & history->last]);
	const __m256i turned = _mm256_or_si256(_mm256_mullo_epi16(beyond, words_load(fold->left)),
	                                       _mm256_mulhi_epu16(beyond, words_load(fold->right)));
	return _mm256_xor_si256(now->sums[fold->sum], turned);
}

/* A block's part of a footprint, as the source of a branch (leave) and as its target (arrive); a footprint is the
 * xor of both. */
struct path_row {
	uint16_t leave[LANES], arrive[LANES];
};

static inline struct path_row *path_rows_grow(struct path_row *rows, const struct ifr_pass *pass,
                                              const struct vector_group *vector_group, size_t blocks) {
	rows = ifr_realloc(rows, blocks + 1, sizeof *rows);
	for (size_t block = vector_group->blocks_count; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++) {
			const struct ifr_branch_layout *layout = &pass->branch_layouts[group_lane(vector_group, i)];
			rows[block].leave[i] = (uint16_t)layout->pcs[block];
			rows[block].arrive[i] = (uint16_t)(layout->blocks[block].address & 0x3f);
		}
	return rows;
}

static inline __m256i path_footprint(const struct path_row *rows, uint32_t from, uint32_t to) {
	return _mm256_xor_si256(words_load(rows[from].leave), words_load(rows[to].arrive));
}

#endif
