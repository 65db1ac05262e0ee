/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of sixteen 32-bit numbers, one a lane: one register of AVX-512, or two of AVX2. Sixteen 16-bit numbers
 * are an __m256i in both. Every file of this folder is compiled once for each instruction set; IFR_VECTOR names
 * its exports. */
#ifndef INTERFERO_MODEL_VEC_H
#define INTERFERO_MODEL_VEC_H

#include <immintrin.h>
#include <stdint.h>

#define LANES 16

#ifdef __AVX512F__

#define IFR_VECTOR(name) ifr_avx512_##name
#define ENGINE_NAME "avx512"
typedef __m512i vec;
typedef __mmask16 vec_mask;
#define VEC_BINARY(name, operation)              \
	static inline vec vec_##name(vec a, vec b) { \
		return _mm512_##operation(a, b);         \
	}
#define VEC_SHIFT(name, operation)                               \
	static inline vec vec_##name(vec a, unsigned n) {            \
		return _mm512_##operation(a, _mm_cvtsi32_si128((int)n)); \
	}
VEC_BINARY(and, and_si512)
VEC_BINARY(or, or_si512)
VEC_BINARY(xor, xor_si512)

static inline vec vec_set(uint32_t value) {
	return _mm512_set1_epi32((int)value);
}
static inline vec vec_load(const uint32_t *from) {
	return _mm512_loadu_si512(from);
}
static inline void vec_store(uint32_t *to, vec a) {
	_mm512_storeu_si512(to, a);
}
static inline vec vec_lanes(void) {
	return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
static inline vec vec_widen(__m256i a) {
	return _mm512_cvtepu16_epi32(a);
}
static inline vec_mask vec_equal(vec a, vec b) {
	return _mm512_cmpeq_epi32_mask(a, b);
}
/* Compares as signed numbers. */
static inline vec_mask vec_greater(vec a, vec b) {
	return _mm512_cmpgt_epi32_mask(a, b);
}
static inline vec vec_select(vec_mask mask, vec yes, vec no) {
	return _mm512_mask_blend_epi32(mask, no, yes);
}
static inline vec_mask mask_and(vec_mask a, vec_mask b) {
	return a & b;
}
static inline vec_mask mask_or(vec_mask a, vec_mask b) {
	return a | b;
}
/* a without b */
static inline vec_mask mask_without(vec_mask a, vec_mask b) {
	return a & (vec_mask)~b;
}
static inline unsigned mask_bits(vec_mask mask) {
	return mask;
}
#else

#define IFR_VECTOR(name) ifr_avx2_##name
#define ENGINE_NAME "avx2"
typedef struct {
	__m256i low, high;
} vec;
typedef vec vec_mask;
#define VEC_BINARY(name, operation)                                                         \
	static inline vec vec_##name(vec a, vec b) {                                            \
		return (vec){_mm256_##operation(a.low, b.low), _mm256_##operation(a.high, b.high)}; \
	}
#define VEC_SHIFT(name, operation)                                                         \
	static inline vec vec_##name(vec a, unsigned n) {                                      \
		const __m128i count = _mm_cvtsi32_si128((int)n);                                   \
		return (vec){_mm256_##operation(a.low, count), _mm256_##operation(a.high, count)}; \
	}
VEC_BINARY(and, and_si256)
VEC_BINARY(or, or_si256)
VEC_BINARY(xor, xor_si256)
VEC_BINARY(equal, cmpeq_epi32)
VEC_BINARY(greater, cmpgt_epi32)

static inline vec vec_set(uint32_t value) {
	return (vec){_mm256_set1_epi32((int)value), _mm256_set1_epi32((int)value)};
}
static inline vec vec_load(const uint32_t *from) {
	return (vec){_mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)(from + 8))};
}
static inline void vec_store(uint32_t *to, vec a) {
	_mm256_storeu_si256((__m256i *)to, a.low);
	_mm256_storeu_si256((__m256i *)(to + 8), a.high);
}
static inline vec vec_lanes(void) {
	return (vec){_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)};
}
static inline vec vec_widen(__m256i a) {
	return (vec){_mm256_cvtepu16_epi32(_mm256_castsi256_si128(a)),
	             _mm256_cvtepu16_epi32(_mm256_extracti128_si256(a, 1))};
}
static inline vec vec_select(vec_mask mask, vec yes, vec no) {
	return (vec){_mm256_blendv_epi8(no.low, yes.low, mask.low), _mm256_blendv_epi8(no.high, yes.high, mask.high)};
}
static inline vec_mask mask_and(vec_mask a, vec_mask b) {
	return vec_and(a, b);
}
static inline vec_mask mask_or(vec_mask a, vec_mask b) {
	return vec_or(a, b);
}
/* a without b */
static inline vec_mask mask_without(vec_mask a, vec_mask b) {
	return (vec){_mm256_andnot_si256(b.low, a.low), _mm256_andnot_si256(b.high, a.high)};
}
static inline unsigned mask_bits(vec_mask mask) {
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask.low)) |
	       (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask.high)) << 8;
}
static inline __m256i half_at(const uint32_t *w, const uint32_t *i) {
	return _mm256_setr_epi32((int)w[i[0]], (int)w[i[1]], (int)w[i[2]], (int)w[i[3]], (int)w[i[4]], (int)w[i[5]],
	                         (int)w[i[6]], (int)w[i[7]]);
}
#endif

VEC_BINARY(add, add_epi32)
VEC_BINARY(sub, sub_epi32)
VEC_BINARY(multiply, mullo_epi32)
VEC_BINARY(left_each, sllv_epi32)
VEC_BINARY(right_each, srlv_epi32)
VEC_BINARY(low_words, unpacklo_epi32)
VEC_BINARY(high_words, unpackhi_epi32)
VEC_BINARY(low_pairs, unpacklo_epi64)
VEC_BINARY(high_pairs, unpackhi_epi64)
VEC_SHIFT(left, sll_epi32)
VEC_SHIFT(right, srl_epi32)
#undef VEC_BINARY
#undef VEC_SHIFT

/* Stores values[i] to words[index[i]] in the lanes of mask, whose indices differ. AVX-512's scatter costs the same
 * for one lane as for sixteen, so a few lanes are stored one by one (git log 8bf04c3). */
static inline void vec_scatter(uint32_t *words, vec_mask mask, vec index, vec values) {
	uint32_t at[LANES], what[LANES];
	unsigned bits = mask_bits(mask);
	if (!bits)
		return;
#ifdef __AVX512F__
	if (__builtin_popcount(bits) > 4) {
		_mm512_mask_i32scatter_epi32(words, mask, index, values, 4);
		return;
	}
#endif
	vec_store(at, index);
	vec_store(what, values);
	for (; bits; bits &= bits - 1)
		words[at[__builtin_ctz(bits)]] = what[__builtin_ctz(bits)];
}

#endif
