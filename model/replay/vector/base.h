/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two-bit counters that say where no table does, of sixteen lanes: sixteen to a word, the lanes' words side by
 * side. */
#ifndef INTERFERO_MODEL_VECTOR_BASE_H
#define INTERFERO_MODEL_VECTOR_BASE_H

#include <string.h>

#include "model/replay/vector/bundle.h"

/* All begin at 1. */
static inline uint32_t *base_new(size_t counters) {
	const size_t words = (counters + 15) / 16 * LANES;
	uint32_t *base = ifr_alloc(words * sizeof *base);
	memset(base, 0x55, words * sizeof *base);
	return base;
}

/* The word in which each lane's counter of an index is, and where in it the counter begins. */
static inline vec base_place(vec index) {
	return vec_or(vec_and(index, vec_set(~15u)), vec_lanes());
}
static inline vec base_shift(vec index) {
	return vec_left(vec_and(index, vec_set(15)), 1);
}

static inline vec base_counter(vec words, vec shifts) {
	return vec_and(vec_right_each(words, shifts), vec_set(3));
}

/* The counters of some lanes, up or down by one unless they are at the end. */
static inline void base_count(uint32_t *base, vec_mask lanes, vec places, vec words, vec shifts, uint32_t taken) {
	const vec_mask end = vec_equal(base_counter(words, shifts), vec_set(taken ? 3 : 0));
	const vec moved = vec_add(words, vec_left_each(vec_set(2 * taken - 1), shifts));
	vec_scatter(base, mask_but(lanes, end), places, moved);
}

#endif
