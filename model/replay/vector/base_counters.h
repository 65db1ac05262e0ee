/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two-bit counters of a base predictor, of sixteen lanes. A word holds sixteen counters of one lane, and the
 * words of the lanes lie side by side: word = index / 16 * 16 + lane, counter at bit index % 16 * 2. */
#ifndef INTERFERO_MODEL_VECTOR_BASE_COUNTERS_H
#define INTERFERO_MODEL_VECTOR_BASE_COUNTERS_H

#include <string.h>

#include "model/replay/vector/vector_group.h"

/* All counters start at 1, weakly not taken. */
static inline uint32_t *base_counters_new(size_t counters) {
	const size_t words = (counters + 15) / 16 * LANES;
	uint32_t *base = ifr_alloc(words * sizeof *base);
	memset(base, 0x55, words * sizeof *base);
	return base;
}

/* Of each lane's index: the word that has the counter, and the bit where the counter starts. */
static inline vec base_word_index(vec index) {
	return vec_or(vec_and(index, vec_set(~15u)), vec_lanes());
}
static inline vec base_counter_shift(vec index) {
	return vec_left(vec_and(index, vec_set(15)), 1);
}

static inline vec base_counter(vec words, vec shifts) {
	return vec_and(vec_right_each(words, shifts), vec_set(3));
}

/* Moves the counters of some lanes up or down by one, within 0 to 3. */
static inline void base_counters_train(uint32_t *base, vec_mask lanes, vec places, vec words, vec shifts,
                                       uint32_t taken) {
	const vec_mask end = vec_equal(base_counter(words, shifts), vec_set(taken ? 3 : 0));
	const vec moved = vec_add(words, vec_left_each(vec_set(2 * taken - 1), shifts));
	vec_scatter(base, mask_without(lanes, end), places, moved);
}

#endif
