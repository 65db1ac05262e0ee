/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contract of all predictors: predict, train, track (as MBPlib's; Domínguez-Sánchez and Ros 2023).
 *
 * For every branch that has a successor, in program order: a conditional branch is predicted, then trained with
 * its outcome; every branch is then tracked, which updates the histories. Nothing is delayed: the next prediction
 * sees all of it. A predictor is a file with one struct ifr_predictor; predictors.c lists them. */
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
	const char *about; /* meaning, unit, and source of the initial value */
};

/* The branches that a predictor is shown, and so the only ones that it can track. */
enum ifr_stream {
	IFR_STREAM_ALL,
	IFR_STREAM_CONDITIONAL,
	IFR_STREAM_TAKEN,
	IFR_STREAM_INDIRECT,
	IFR_STREAM_COUNT
};

/* A dynamic instance of a branch, in one layout. */
struct ifr_branch_instance {
	uint64_t pc;     /* address of its first or last byte, as the machine says */
	uint64_t target; /* start of the next block, meaningful if taken; 0 in the stream CONDITIONAL */
	uint8_t kind;    /* enum ifr_branch */
	bool taken;      /* for train and track; only the perfect predictor may predict by it */
	bool backward;
};

/* Branches in program order, by block; the same in every lane. */
struct ifr_branches {
	const uint32_t *executions; /* block << 1 | taken */
	const uint32_t *next;       /* block; NULL in the stream CONDITIONAL */
	size_t count;
};

/* Addresses of the branches in one lane. */
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
	/* Runs the three verbs over many branches, inlined. Returns the number of mispredicted conditional branches.
	 */
	uint64_t (*run)(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *layout);
	/* Returns why these values do not fit together, or NULL. May be NULL. */
	const char *(*refuse)(const unsigned *values);
	/* Sets values for so many bytes of tables; returns false if that is no size for it. NULL: there is one size
	 * only. */
	bool (*resize)(unsigned bytes, unsigned *values);
};

/* The contract of predictors of indirect branches: predict returns a target, and only indirect branches of the
 * stream are predicted and trained. */
struct ifr_target_predictor {
	const char *name, *about;
	const struct ifr_parameter *parameters;
	enum ifr_stream stream; /* TAKEN or INDIRECT */
	void *(*create)(const unsigned *values);
	void (*destroy)(void *state);
	uint64_t (*predict)(void *state, const struct ifr_branch_instance *branch);
	void (*train)(void *state, const struct ifr_branch_instance *branch);
	void (*track)(void *state, const struct ifr_branch_instance *branch);
	uint64_t (*run)(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *layout);
	const char *(*refuse)(const unsigned *values);
};

/* NULL ends the lists. */
extern const struct ifr_predictor *const ifr_predictors[];
extern const struct ifr_target_predictor *const ifr_target_predictors[];
/* Return NULL if there is none of that name. */
const struct ifr_predictor *ifr_predictor_find(const char *name);
const struct ifr_target_predictor *ifr_target_predictor_find(const char *name);

static inline bool ifr_branch_is_indirect(uint8_t kind) {
	return kind == IFR_BRANCH_INDIRECT_JUMP || kind == IFR_BRANCH_INDIRECT_CALL;
}

/* Whether a block execution ends with a taken branch. branch: the block's; execution: as in struct ifr_chunk. */
static inline bool ifr_branch_is_taken(uint8_t branch, uint32_t execution) {
	return branch == IFR_BRANCH_CONDITIONAL ? execution & 1 : branch != IFR_BRANCH_NONE;
}

#endif
