/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's stages, one after the other over a chunk. Only this folder sees it.
 *
 * survey, once: what all layouts share: block counts, branches in four streams, where each step's accesses start.
 * data, by group: L1D and DTLB. Leaves the misses of each group, by position.
 * fetch, by lane: L1I and ITLB. Leaves the misses of each lane, by position.
 * behind, by lane: both lists merged by position: L2, L3; STLB.
 * direction, by lane: the predictor of directions.
 * targets, by lane: the predictor of indirect branches.
 * btb, by lane: the BTB's levels. For many lanes at once, fetch and btb are one stage, front.
 * returns, once: the return stack, whose moves are the same in every layout.
 *
 * A stage owns its state, for all lanes (or groups), and reads of the pass what those before it wrote. To replace
 * one by a vectorised version, write another struct ifr_stage with the same counters and the same lists of misses
 * and name it in the engine's row in engine.c; the others stay as they are. Stages do not know one another's
 * state. Positions: a miss of data has that of its access in the chunk, counted from 0; one of a fetch that of the
 * next access. At equal positions the fetch comes first, and a list is in the order of events itself. */
#ifndef INTERFERO_MODEL_STAGES_H
#define INTERFERO_MODEL_STAGES_H

#include "model/machines/machine.h"
#include "model/memory/power.h"
#include "model/replay/replay.h"

struct ifr_miss {
	uint64_t key; /* line, or page: address / size */
	uint32_t position;
};

struct ifr_misses {
	struct ifr_miss *items;
	size_t count, capacity;
};

/* A stream of branches that grows with the chunk. */
struct ifr_stream_list {
	uint32_t *executions, *next; /* next is not filled in the stream CONDITIONAL */
	size_t count;
};

struct ifr_block_data {
	uint32_t loads, stores;
};

#define IFR_DATA_START_STEPS 16

struct ifr_pass {
	const struct ifr_machine *machine;
	unsigned line_shift, page_shift;
	size_t lanes_count, groups_count;
	const struct ifr_lane *lanes;
	unsigned *line_groups; /* by group: the first one that no cache with sets in a page tells from it */
	struct ifr_branch_layout *branch_layouts; /* by lane */
	const struct ifr_chunk *chunk;
	const uint64_t *const *addresses;
	/* Of the survey. */
	size_t blocks_count;
	uint8_t *kinds;         /* by block, enum ifr_branch */
	uint64_t *block_counts; /* by block, over all chunks */
	uint64_t *traits;       /* by block, of the survey alone */
	uint32_t *rare;         /* executions whose branches are listed apart, of the survey alone */
	struct ifr_block_data *block_data;
	uint32_t *data_starts;         /* by step / IFR_DATA_START_STEPS: position of the first access of these */
	uint8_t *access_kinds;         /* by access: bytes - 1, plus 64 for a store */
	uint8_t *data_kinds;           /* the same by position */
	bool wanted[IFR_STREAM_COUNT]; /* the others stay empty */
	struct ifr_stream_list streams[IFR_STREAM_COUNT];
	struct ifr_stream_list calls; /* calls and returns, in order */
	/* Of data, by group, and of fetch, by lane. */
	struct ifr_misses *data_lines, *data_pages;
	struct ifr_misses *fetch_lines, *fetch_pages;
};

struct ifr_stage {
	const char *name;
	void *(*create)(const struct ifr_pass *pass);
	void (*run)(void *state, struct ifr_pass *pass);
	/* Adds what was counted for a lane over all chunks. */
	void (*count)(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters);
	void (*destroy)(void *state, const struct ifr_pass *pass);
	/* Asks for the streams that it reads, besides those of the machine's predictors. NULL: none. */
	void (*want)(struct ifr_pass *pass);
};

extern const struct ifr_stage ifr_stage_data, ifr_stage_fetch, ifr_stage_behind, ifr_stage_direction,
	ifr_stage_targets, ifr_stage_btb, ifr_stage_returns;

/* Versions for many lanes at once: of any processor (model/replay/lanes/), and compiled for two sets of vector
 * instructions (model/replay/vector/). */
extern const struct ifr_stage ifr_lanes_stage_front, ifr_lanes_stage_behind, ifr_avx2_stage_direction,
	ifr_avx2_stage_targets, ifr_avx512_stage_direction, ifr_avx512_stage_targets;

/* Reads the chunk once for all lanes, or says why chunk and lanes do not fit together: then nothing is counted.
 * pending is the last step of the chunk before, IFR_EXECUTION_BREAK without one. */
int ifr_survey_chunk(struct ifr_pass *pass, uint32_t *pending, struct ifr_error *err);
/* Counters that follow from how often each block ran and where it lies. */
void ifr_survey_count(const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters);
void ifr_survey_release(struct ifr_pass *pass);

/* Adds a line or page (key, of 1 << shift bytes) that a step's fetch missed in a lane, at its position. */
void ifr_fetch_miss(const struct ifr_pass *pass, struct ifr_misses *misses, size_t lane, size_t step, uint64_t key,
                    unsigned shift);
void ifr_misses_grow(struct ifr_misses *misses);
static inline struct ifr_branches ifr_pass_stream(const struct ifr_pass *pass, enum ifr_stream stream) {
	const struct ifr_stream_list *list = &pass->streams[stream];
	return (struct ifr_branches){list->executions, stream == IFR_STREAM_CONDITIONAL ? NULL : list->next,
	                             list->count};
}

static inline void ifr_misses_add(struct ifr_misses *misses, uint64_t key, uint32_t position) {
	if (misses->count == misses->capacity)
		ifr_misses_grow(misses);
	misses->items[misses->count++] = (struct ifr_miss){key, position};
}

#endif
