/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of one word a lane from indices that are in memory (a gather, done by scalar loads). */
#ifndef INTERFERO_MODEL_VECTOR_GATHER_H
#define INTERFERO_MODEL_VECTOR_GATHER_H

#include "model/replay/vector/vec.h"

#ifdef __AVX512F__
static inline __m128i quarter_at(const uint32_t *w, const uint32_t *i) {
	return _mm_setr_epi32((int)w[i[0]], (int)w[i[1]], (int)w[i[2]], (int)w[i[3]]);
}
static inline __m256i half_at(const uint32_t *w, const uint32_t *i) {
	return _mm256_inserti128_si256(_mm256_castsi128_si256(quarter_at(w, i)), quarter_at(w, i + 4), 1);
}
/* words[at[i]] for each lane i. Faster than a gather instruction, which other work hardly overlaps, if at was
 * stored long ago; slower if at was stored just now (store forwarding). Under AVX2: path predictors of sixteen
 * layouts 1.8 times as fast, L-TAGE 1.2 times (git log d9bd723). */
static inline vec vec_load_at(const uint32_t *words, const uint32_t *at) {
	return _mm512_inserti64x4(_mm512_castsi256_si512(half_at(words, at)), half_at(words, at + 8), 1);
}
/* The four words from words[at[i]] on, for i = 0, 4, 8 and 12. */
static inline vec vec_load_quads(const uint32_t *words, const uint32_t *at) {
	vec fours = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(words + at[0])));
	fours = _mm512_inserti32x4(fours, _mm_loadu_si128((const __m128i *)(words + at[4])), 1);
	fours = _mm512_inserti32x4(fours, _mm_loadu_si128((const __m128i *)(words + at[8])), 2);
	return _mm512_inserti32x4(fours, _mm_loadu_si128((const __m128i *)(words + at[12])), 3);
}
#else
static inline vec vec_load_at(const uint32_t *words, const uint32_t *at) {
	return (vec){half_at(words, at), half_at(words, at + 8)};
}
static inline __m256i load_two_quads(const uint32_t *low, const uint32_t *high) {
	return _mm256_loadu2_m128i((const __m128i *)high, (const __m128i *)low);
}
static inline vec vec_load_quads(const uint32_t *words, const uint32_t *at) {
	return (vec){load_two_quads(words + at[0], words + at[4]), load_two_quads(words + at[8], words + at[12])};
}
#endif

/* words[at[i]] and the three words after it, for each lane i: one load a lane and a transposition. */
static inline void vec_load4_at(const uint32_t *words, const uint32_t *at, vec *out) {
	const vec a = vec_load_quads(words, at), b = vec_load_quads(words, at + 1);
	const vec c = vec_load_quads(words, at + 2), d = vec_load_quads(words, at + 3);
	out[0] = vec_low_pairs(vec_low_words(a, b), vec_low_words(c, d));
	out[1] = vec_high_pairs(vec_low_words(a, b), vec_low_words(c, d));
	out[2] = vec_low_pairs(vec_high_words(a, b), vec_high_words(c, d));
	out[3] = vec_high_pairs(vec_high_words(a, b), vec_high_words(c, d));
}

#endif
