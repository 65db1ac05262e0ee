/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More of vec.h for the graph: masks, gathers, and bits. */
#ifndef INTERFERO_MODEL_GRAPH_VEC_H
#define INTERFERO_MODEL_GRAPH_VEC_H

#include <stdbool.h>

#include "model/replay/vector/vec.h"

#ifdef __AVX512F__

#define VEC_BINARY(name, operation)              \
	static inline vec vec_##name(vec a, vec b) { \
		return _mm512_##operation(a, b);         \
	}
static inline vec_mask mask_of_bits(unsigned bits) {
	return (vec_mask)bits;
}
/* words[index] in the lanes of a mask, else `otherwise`. */
static inline vec vec_gather(vec_mask mask, const uint32_t *words, vec index, vec otherwise) {
	return _mm512_mask_i32gather_epi32(otherwise, mask, index, words, 4);
}
/* a where the mask is, else 0. */
static inline vec vec_where(vec_mask mask, vec a) {
	return _mm512_maskz_mov_epi32(mask, a);
}
/* 0 where the mask is, else a. */
static inline vec vec_without(vec_mask mask, vec a) {
	return _mm512_maskz_mov_epi32((vec_mask)~mask, a);
}
/* One more in the lanes of a mask. */
static inline vec vec_increment(vec_mask mask, vec a) {
	return _mm512_mask_add_epi32(a, mask, a, _mm512_set1_epi32(1));
}
/* a & ~b */
static inline vec vec_without_bits(vec a, vec b) {
	return _mm512_andnot_si512(b, a);
}
static inline vec vec_popcount(vec a) {
	return _mm512_popcnt_epi32(a);
}
/* The number of the only bit of each lane. */
static inline vec vec_index_of_bit(vec a) {
	return _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(a));
}
static inline uint32_t vec_first(vec a) {
	return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(a));
}

#else

#define VEC_BINARY(name, operation)                                                         \
	static inline vec vec_##name(vec a, vec b) {                                            \
		return (vec){_mm256_##operation(a.low, b.low), _mm256_##operation(a.high, b.high)}; \
	}
static inline vec_mask mask_of_bits(unsigned bits) {
	const vec each = vec_left_each(vec_set(1), vec_lanes());
	return vec_equal(vec_and(vec_set(bits), each), each);
}
static inline vec vec_gather(vec_mask mask, const uint32_t *words, vec index, vec otherwise) {
	return (vec){_mm256_mask_i32gather_epi32(otherwise.low, (const int *)words, index.low, mask.low, 4),
	             _mm256_mask_i32gather_epi32(otherwise.high, (const int *)words, index.high, mask.high, 4)};
}
static inline vec vec_where(vec_mask mask, vec a) {
	return vec_and(mask, a);
}
static inline vec vec_increment(vec_mask mask, vec a) {
	return (vec){_mm256_sub_epi32(a.low, mask.low), _mm256_sub_epi32(a.high, mask.high)};
}
static inline vec vec_without_bits(vec a, vec b) {
	return (vec){_mm256_andnot_si256(b.low, a.low), _mm256_andnot_si256(b.high, a.high)};
}
static inline vec vec_without(vec_mask mask, vec a) {
	return (vec){_mm256_andnot_si256(mask.low, a.low), _mm256_andnot_si256(mask.high, a.high)};
}
static inline __m256i half_popcount(__m256i a) {
	const __m256i four = _mm256_set1_epi8(15), ones = _mm256_set1_epi8(1);
	const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3,
	                                      1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_shuffle_epi8(bits, _mm256_and_si256(a, four));
	const __m256i high = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(a, 4), four));
	return _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_add_epi8(low, high), ones), _mm256_set1_epi16(1));
}
static inline vec vec_popcount(vec a) {
	return (vec){half_popcount(a.low), half_popcount(a.high)};
}
/* By the exponent of a floating number. */
static inline __m256i half_index_of_bit(__m256i a) {
	const __m256i exponent =
		_mm256_srli_epi32(_mm256_slli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(a)), 1), 24);
	return _mm256_sub_epi32(exponent, _mm256_set1_epi32(127));
}
static inline vec vec_index_of_bit(vec a) {
	return (vec){half_index_of_bit(a.low), half_index_of_bit(a.high)};
}
static inline uint32_t vec_first(vec a) {
	return (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(a.low));
}

#endif

VEC_BINARY(max, max_epi32)
VEC_BINARY(min, min_epi32)
#undef VEC_BINARY

/* One number a lane, in memory. */
struct lane_words {
	_Alignas(64) uint32_t at[LANES];
};

static inline vec words_get(const struct lane_words *words) {
	return vec_load(words->at);
}
static inline void words_put(struct lane_words *words, vec_mask mask, vec value) {
	vec_store(words->at, vec_select(mask, value, vec_load(words->at)));
}
static inline void words_set(struct lane_words *words, vec value) {
	vec_store(words->at, value);
}
/* 1 in the lanes of a mask. */
static inline vec vec_ones(vec_mask mask) {
	return vec_select(mask, vec_set(1), vec_set(0));
}
static inline void words_add(struct lane_words *words, vec_mask mask, vec more) {
	vec_store(words->at, vec_add(vec_load(words->at), vec_select(mask, more, vec_set(0))));
}
/* Rows of a ring or table, one number a lane each: the number of each lane's own row. */
static inline vec rows_gather(vec_mask mask, const struct lane_words *rows, vec row, vec otherwise) {
	return vec_gather(mask, rows->at, vec_add(vec_left(row, 4), vec_lanes()), otherwise);
}
static inline void rows_scatter(struct lane_words *rows, vec_mask mask, vec row, vec values) {
	vec_scatter(rows->at, mask, vec_add(vec_left(row, 4), vec_lanes()), values);
}
/* Whether all lanes have the same number. */
static inline bool vec_is_one(vec a) {
	return mask_bits(vec_equal(a, vec_set(vec_first(a)))) == 0xffffu;
}
static inline vec_mask mask_not_zero(vec a, vec_mask among) {
	return mask_without(among, vec_equal(a, vec_set(0)));
}

#endif
