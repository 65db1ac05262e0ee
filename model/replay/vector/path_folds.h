/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path histories (model/predictors/path_history.h) of sixteen lanes, of which only the lowest bits and sums of the
 * older ones are kept. Sixteen bits a lane do for both.
 *
 * A push shifts the history by two and mixes into its lowest sixteen bits, so bits from 14 on change no more. A
 * sum is all of them ever pushed, folded to a width. The sum of some pushes ago, turned by as much, takes away
 * what is beyond a length: one sum a width does for folds of all lengths, and is cheap to push. What was pushed
 * before the length began falls out, too, whatever it was: pushes that no fold looks at may be left out. */
#ifndef INTERFERO_MODEL_PATH_FOLDS_H
#define INTERFERO_MODEL_PATH_FOLDS_H

#include "model/predictors/path_history.h"
#include "model/replay/vector/bundle.h"

#define PATH_SUMS 3
#define RING 256

/* How many pushes ago bits came to lie beyond a length, which is even. */
#define PATH_AGE(length) (((length)-14) / 2)

_Static_assert(RING > PATH_AGE(IFR_PATH_LONGEST), "the ring holds the longest history");

/* Shifts by a number that is no constant take longer than multiplications by a power of two, of whose product the
 * upper half is the right shift. */
struct path_sum {
	unsigned width;                                 /* 8 to 15 */
	uint16_t turn[LANES], wrap[LANES], keep[LANES]; /* shift right by width - 2 and by width; the bits below it */
	uint16_t values[RING][LANES];                   /* after each push, at its place in the ring */
};

struct path_history {
	uint16_t low[LANES]; /* the lowest sixteen bits */
	unsigned head, last; /* places in the ring: of the last push, and the highest that is used */
	size_t reach;        /* pushes that folds depend on */
	unsigned sums_count;
	struct path_sum sums[PATH_SUMS];
};

/* A fold of a length: the sum now, and that of so many pushes ago, turned left: both parts of it by products. */
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

/* Whether this can be done with histories of such lengths: a push is two bits. */
static inline bool path_lengths_fit(const unsigned *lengths, unsigned count) {
	for (unsigned i = 0; i < count; i++)
		if (lengths[i] % 2)
			return false;
	return true;
}

/* The number of the sum of a width, which is made if there is none. */
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

/* Of a history of which nothing is pushed yet; at most PATH_SUMS widths. */
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

/* What stands above the width wraps round; above it, the result is not clean. */
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

/* What folds begin with: each sum, and with it the bits that may change yet. */
struct path_now {
	__m256i sums[PATH_SUMS];
};

static inline struct path_now path_history_now(const struct path_history *history) {
	const __m256i unsettled = _mm256_and_si256(words_load(history->low), words_set(0x3fff));
	struct path_now now;
	for (unsigned i = 0; i < history->sums_count; i++)
		now.sums[i] = _mm256_xor_si256(words_load(history->sums[i].values[history->head]),
		                               path_wrap(unsettled, &history->sums[i]));
	return now;
}

/* Above its width, it is not clean. */
static inline __m256i path_fold(const struct path_history *history, const struct path_fold *fold,
                                const struct path_now *now) {
	const struct path_sum *sum = &history->sums[fold->sum];
	const __m256i beyond = words_load(sum->values[(history->head - fold->age) & history->last]);
	const __m256i turned = _mm256_or_si256(_mm256_mullo_epi16(beyond, words_load(fold->left)),
	                                       _mm256_mulhi_epu16(beyond, words_load(fold->right)));
	return _mm256_xor_si256(now->sums[fold->sum], turned);
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
			const struct ifr_branch_layout *places = &pass->branch_layouts[lane_of(bundle, i)];
			rows[block].leave[i] = (uint16_t)places->pcs[block];
			rows[block].arrive[i] = (uint16_t)(places->blocks[block].address & 0x3f);
		}
	return rows;
}

static inline __m256i path_footprint(const struct path_row *rows, uint32_t from, uint32_t to) {
	return _mm256_xor_si256(words_load(rows[from].leave), words_load(rows[to].arrive));
}

#endif
