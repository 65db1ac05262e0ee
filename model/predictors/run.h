/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop of every predictor's run function: the three verbs are constants here, so the compiler inlines them and
 * drops the fields that they do not read. */
#ifndef INTERFERO_MODEL_PREDICTOR_RUN_H
#define INTERFERO_MODEL_PREDICTOR_RUN_H

#include <string.h>

#include "common/buffer.h"
#include "model/predictors/predictor.h"

static inline __attribute__((always_inline)) struct ifr_branch_instance
ifr_branch_at(const struct ifr_branches *branches, const struct ifr_branch_layout *layout, enum ifr_stream stream,
              size_t i) {
	const uint32_t block = branches->executions[i] >> 1;
	return (struct ifr_branch_instance){
		.pc = layout->pcs[block],
		.target = stream == IFR_STREAM_CONDITIONAL ? 0 : layout->blocks[branches->next[i]].address,
		.kind = stream == IFR_STREAM_CONDITIONAL ? IFR_BRANCH_CONDITIONAL : layout->kinds[block],
		.taken = branches->executions[i] & 1,
		.backward = layout->blocks[block].backward,
	};
}

static inline __attribute__((always_inline)) uint64_t
ifr_predictor_loop(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *layout,
                   enum ifr_stream stream, bool (*predict)(void *, const struct ifr_branch_instance *),
                   void (*train)(void *, const struct ifr_branch_instance *),
                   void (*track)(void *, const struct ifr_branch_instance *)) {
	/* Local copies: no store of the verbs can change them. */
	const struct ifr_branches stream_copy = *branches;
	const struct ifr_branch_layout layout_copy = *layout;
	uint64_t misses = 0;
	for (size_t i = 0; i < stream_copy.count; i++) {
		const struct ifr_branch_instance branch = ifr_branch_at(&stream_copy, &layout_copy, stream, i);
		if (branch.kind == IFR_BRANCH_CONDITIONAL) {
			misses += predict(state, &branch) != branch.taken;
			train(state, &branch);
		}
		track(state, &branch);
	}
	return misses;
}

static inline __attribute__((always_inline)) uint64_t
ifr_target_loop(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *layout,
                uint64_t (*predict)(void *, const struct ifr_branch_instance *),
                void (*train)(void *, const struct ifr_branch_instance *),
                void (*track)(void *, const struct ifr_branch_instance *)) {
	/* Local copies: no store of the verbs can change them. */
	const struct ifr_branches stream_copy = *branches;
	const struct ifr_branch_layout layout_copy = *layout;
	uint64_t misses = 0;
	for (size_t i = 0; i < stream_copy.count; i++) {
		const struct ifr_branch_instance branch = ifr_branch_at(&stream_copy, &layout_copy, IFR_STREAM_TAKEN, i);
		if (ifr_branch_is_indirect(branch.kind)) {
			misses += predict(state, &branch) != branch.target;
			train(state, &branch);
		}
		track(state, &branch);
	}
	return misses;
}

/* Makes two-bit counters, a byte each, all at start. */
static inline uint8_t *ifr_counters2_new(size_t count, unsigned start) {
	uint8_t *counters = ifr_alloc(count);
	memset(counters, (int)start, count);
	return counters;
}

/* Saturating two-bit counter, 0 to 3: 2 and 3 predict taken. Ref: Smith 1981, strategy 7. */
static inline uint8_t ifr_counter2(uint8_t counter, bool taken) {
	static const uint8_t next[] = {0, 1, 0, 2, 1, 3, 2, 3};
	return next[counter << 1 | taken];
}

/* Signed saturating counter, least to most. */
static inline int ifr_counter_signed(int counter, bool up, int least, int most) {
	return up ? counter + (counter < most) : counter - (counter > least);
}

#endif
