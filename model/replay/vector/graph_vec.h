/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More of vec.h for the graph: masks, gathers, and vectors as four bytes a lane. */
#ifndef INTERFERO_MODEL_GRAPH_VEC_H
#define INTERFERO_MODEL_GRAPH_VEC_H

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
static inline vec vec_shuffle_bytes(vec a, vec order) {
	return _mm512_shuffle_epi8(a, order);
}
/* All ones in bytes that are equal. */
static inline vec vec_equal_bytes(vec a, vec b) {
	return _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(a, b));
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
static inline vec vec_shuffle_bytes(vec a, vec order) {
	return (vec){_mm256_shuffle_epi8(a.low, order.low), _mm256_shuffle_epi8(a.high, order.high)};
}
static inline vec vec_equal_bytes(vec a, vec b) {
	return (vec){_mm256_cmpeq_epi8(a.low, b.low), _mm256_cmpeq_epi8(a.high, b.high)};
}

#endif

VEC_BINARY(max, max_epi32)
VEC_BINARY(min, min_epi32)
VEC_BINARY(add_bytes, add_epi8)
VEC_BINARY(sub_bytes, sub_epi8)
VEC_BINARY(min_bytes, min_epu8)
VEC_BINARY(max_bytes, max_epu8)
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
static inline vec_mask mask_not_zero(vec a, vec_mask among) {
	return mask_without(among, vec_equal(a, vec_set(0)));
}

#endif
