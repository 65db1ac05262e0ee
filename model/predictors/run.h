/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop that every predictor's run is: with the verbs known, the compiler inlines them and drops what they do
 * not look at. */
#ifndef INTERFERO_MODEL_PREDICTOR_RUN_H
#define INTERFERO_MODEL_PREDICTOR_RUN_H

#include <string.h>

#include "common/buffer.h"
#include "model/predictors/predictor.h"

static inline __attribute__((always_inline)) struct ifr_branch_instance
ifr_branch_at(const struct ifr_branches *branches, const struct ifr_branch_layout *places, enum ifr_stream stream,
              size_t i) {
	const uint32_t block = branches->executions[i] >> 1;
	return (struct ifr_branch_instance){
		.pc = places->pcs[block],
		.target = stream == IFR_STREAM_CONDITIONAL ? 0 : places->blocks[branches->next[i]].address,
		.kind = stream == IFR_STREAM_CONDITIONAL ? IFR_BRANCH_CONDITIONAL : places->kinds[block],
		.taken = branches->executions[i] & 1,
		.backward = places->blocks[block].backward,
	};
}

static inline __attribute__((always_inline)) uint64_t
ifr_predictor_loop(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places,
                   enum ifr_stream stream, bool (*predict)(void *, const struct ifr_branch_instance *),
                   void (*train)(void *, const struct ifr_branch_instance *),
                   void (*track)(void *, const struct ifr_branch_instance *)) {
	/* Copies, which no store of the verbs can change. */
	const struct ifr_branches stream_copy = *branches;
	const struct ifr_branch_layout places_copy = *places;
	uint64_t misses = 0;
	for (size_t i = 0; i < stream_copy.count; i++) {
		const struct ifr_branch_instance branch = ifr_branch_at(&stream_copy, &places_copy, stream, i);
		if (branch.kind == IFR_BRANCH_CONDITIONAL) {
			misses += predict(state, &branch) != branch.taken;
			train(state, &branch);
		}
		track(state, &branch);
	}
	return misses;
}

static inline __attribute__((always_inline)) uint64_t
ifr_target_loop(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places,
                uint64_t (*predict)(void *, const struct ifr_branch_instance *),
                void (*train)(void *, const struct ifr_branch_instance *),
                void (*track)(void *, const struct ifr_branch_instance *)) {
	/* Copies, which no store of the verbs can change. */
	const struct ifr_branches stream_copy = *branches;
	const struct ifr_branch_layout places_copy = *places;
	uint64_t misses = 0;
	for (size_t i = 0; i < stream_copy.count; i++) {
		const struct ifr_branch_instance branch = ifr_branch_at(&stream_copy, &places_copy, IFR_STREAM_TAKEN, i);
		if (ifr_branch_is_indirect(branch.kind)) {
			misses += predict(state, &branch) != branch.target;
			train(state, &branch);
		}
		track(state, &branch);
	}
	return misses;
}

/* Counters of two bits, a byte each, that all start alike. */
static inline uint8_t *ifr_counters2_new(size_t count, unsigned start) {
	uint8_t *counters = ifr_alloc(count);
	memset(counters, (int)start, count);
	return counters;
}

/* Saturating counters of two bits, 0 to 3: 2 and 3 say taken. Smith 1981, strategy 7. */
static inline uint8_t ifr_counter2(uint8_t counter, bool taken) {
	static const uint8_t next[] = {0, 1, 0, 2, 1, 3, 2, 3};
	return next[counter << 1 | taken];
}

/* A signed counter kept within least … most. */
static inline int ifr_counter_signed(int counter, bool up, int least, int most) {
	return up ? counter + (counter < most) : counter - (counter > least);
}

#endif
