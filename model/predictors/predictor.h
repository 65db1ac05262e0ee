/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one contract of all direction predictors: predict, train, track (as MBPlib's, Domínguez-Sánchez and Ros
 * 2023).
 *
 * For every branch that has a successor, in program order: if it is conditional it is predicted, then trained with
 * what happened; then it is tracked, which brings the histories up to date. Nothing is delayed: the next
 * prediction sees all of it. A predictor is a file with one struct ifr_predictor; predictors.c lists them. */
#ifndef INTERFERO_MODEL_PREDICTOR_H
#define INTERFERO_MODEL_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/replay/replay.h"

#define IFR_PREDICTOR_PARAMETERS 16

struct ifr_parameter {
	const char *name; /* NULL ends the table */
	unsigned initial, least, most;
	const char *about; /* meaning, unit, and where the initial value is from */
};

/* Which branches a predictor is shown. It sees no other, so it can track no other. */
enum ifr_stream {
	IFR_STREAM_ALL,
	IFR_STREAM_CONDITIONAL,
	IFR_STREAM_TAKEN,
	IFR_STREAM_INDIRECT,
	IFR_STREAM_COUNT
};

/* A branch in one layout. */
struct ifr_branch_instance {
	uint64_t pc;     /* of its first or last byte, as the machine says */
	uint64_t target; /* where the next block starts; of use if taken; 0 in the stream CONDITIONAL */
	uint8_t kind;    /* enum ifr_branch */
	bool taken;      /* predict may not look at it: only the perfect predictor does */
	bool backward;
};

/* Branches in program order, by block: how they went and what ran next. The same for every lane. */
struct ifr_branches {
	const uint32_t *executions; /* block << 1 | taken */
	const uint32_t *next;       /* block; NULL in the stream CONDITIONAL */
	size_t count;
};

/* What a lane says of blocks, prepared for branches. */
struct ifr_branch_layout {
	const uint64_t *pcs; /* by block */
	const struct ifr_geometry *blocks;
	const uint8_t *kinds; /* by block, enum ifr_branch */
};

struct ifr_predictor {
	const char *name, *about;               /* about: one line, with the source */
	const struct ifr_parameter *parameters; /* at most IFR_PREDICTOR_PARAMETERS */

	enum ifr_stream stream;                  /* ALL or CONDITIONAL */
	void *(*create)(const unsigned *values); /* values: by parameter, each within its bounds */
	void (*destroy)(void *state);
	bool (*predict)(void *state, const struct ifr_branch_instance *branch);
	void (*train)(void *state, const struct ifr_branch_instance *branch);
	void (*track)(void *state, const struct ifr_branch_instance *branch);
	/* The three verbs over many branches, inlined; returns how many conditional branches were mispredicted. */
	uint64_t (*run)(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places);
	/* NULL, or why these values do not go together. May be NULL itself. */
	const char *(*refuse)(const unsigned *values);
	/* Values for so many bytes of tables; false if that is no size for it. NULL: it comes in one size. */
	bool (*resize)(unsigned bytes, unsigned *values);
};

/* The same for the targets of indirect branches: values that are predicted, and the branch in the stream that is.
 */
struct ifr_target_predictor {
	const char *name, *about;
	const struct ifr_parameter *parameters;
	enum ifr_stream stream; /* TAKEN or INDIRECT */
	void *(*create)(const unsigned *values);
	void (*destroy)(void *state);
	uint64_t (*predict)(void *state, const struct ifr_branch_instance *branch);
	void (*train)(void *state, const struct ifr_branch_instance *branch);
	void (*track)(void *state, const struct ifr_branch_instance *branch);
	uint64_t (*run)(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places);
	const char *(*refuse)(const unsigned *values);
};

/* NULL ends the lists. */
extern const struct ifr_predictor *const ifr_predictors[];
extern const struct ifr_target_predictor *const ifr_target_predictors[];
/* NULL if there is none of that name. */
const struct ifr_predictor *ifr_predictor_find(const char *name);
const struct ifr_target_predictor *ifr_target_predictor_find(const char *name);

static inline bool ifr_branch_is_indirect(uint8_t kind) {
	return kind == IFR_BRANCH_INDIRECT_JUMP || kind == IFR_BRANCH_INDIRECT_CALL;
}

#endif
