/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages of an engine. They run one after the other over each chunk. Private to this folder (and
 * tests/bench/rates.c).
 *
 *   stage      runs    does                                          leaves
 *   survey     once    everything that all layouts share             block counts, branch streams, access positions
 *   data       a group L1D, DTLB                                     the group's misses, by position
 *   alias      a group loads that meet a store modulo 4096
 *   fetch      a lane  L1I, ITLB                                     the lane's misses, by position
 *   outer      a lane  L2, L3, STLB: both lists merged by position
 *   direction  a lane  predictor of conditional branches
 *   targets    a lane  predictor of indirect branches
 *   btb        a lane  BTB
 *   front_end  a batch fetch and btb, of many lanes at once          as fetch
 *   returns    once    return stack
 *   core       a lane  front end and dependence graph, from the outcomes of all others (outcomes.h)
 *
 * A stage owns its state, for all lanes or groups, and reads in the pass what earlier stages wrote; stages do not
 * see one another's state. A vectorised version is another struct ifr_stage with the same counters and the same
 * lists of misses, named in the engine's row in engine.c.
 * Position: a data miss has the index of its access in the chunk, a fetch miss the index of the next access. At
 * equal positions the fetch comes first. Lists are in program order. */
#ifndef INTERFERO_MODEL_STAGES_H
#define INTERFERO_MODEL_STAGES_H

#include "model/machines/machine.h"
#include "model/memory/power.h"
#include "model/replay/outcomes.h"
#include "model/replay/replay.h"
#include "model/replay/steps.h"

/* A stream of branches; its room grows with the chunk. */
struct ifr_stream_list {
	uint32_t *executions, *next; /* next is not filled in the stream CONDITIONAL */
	size_t count;
};

struct ifr_block_data {
	uint32_t loads, stores, prefetches;
};

#define IFR_DATA_START_INTERVAL 16

struct ifr_sampled_cycles;
struct ifr_pass {
	const struct ifr_machine *machine;
	unsigned line_shift, page_shift;
	size_t lanes_count, groups_count;
	const struct ifr_lane *lanes;
	unsigned *line_groups; /* by group: the first group that a cache indexed within a page cannot tell from it */
	struct ifr_branch_layout *branch_layouts; /* by lane */
	const struct ifr_chunk *chunk;
	const uint64_t *const *addresses;
	/* --- written by the survey --- */
	size_t blocks_count;
	uint8_t *kinds;         /* by block, enum ifr_branch */
	uint64_t *block_counts; /* by block, over all chunks */
	uint64_t *traits;       /* by block; for the survey only */
	uint32_t *rare;         /* executions of rare branches; for the survey only */
	struct ifr_block_data *block_data;
	uint32_t *data_starts;         /* by execution / IFR_DATA_START_INTERVAL: position of the next access */
	uint8_t *access_kinds;         /* by access: bytes - 1, plus 64 for a store, 128 for a prefetch */
	uint8_t *data_kinds;           /* by position: as access_kinds */
	bool has_prefetches;           /* some block has */
	bool wanted[IFR_STREAM_COUNT]; /* streams that are not wanted stay empty */
	struct ifr_stream_list streams[IFR_STREAM_COUNT];
	struct ifr_stream_list calls; /* calls and returns, in order */
	/* --- written by data (by group) and by fetch (by lane) --- */
	struct ifr_misses *data_lines, *data_pages;
	struct ifr_misses *fetch_lines, *fetch_pages;
	/* --- written by all stages, by lane, if a core is replayed or outcomes are kept; else NULL --- */
	struct ifr_outcomes *outcomes;
	const struct ifr_core_program *program;
	uint64_t core_period;            /* of the samples; 0: the graph runs over all instructions */
	struct ifr_count_errors *errors; /* by lane */
	const uint32_t *ideal_sets;      /* sets of causes under which the core runs, too (idealised.h) */
	size_t ideal_sets_count;
	bool ideal_instructions;                /* their cycles are noted by instruction, too */
	struct ifr_ideal_times *ideal_times;    /* by lane */
	struct ifr_sampled_cycles *load_stalls; /* by lane; NULL: not noted */
	struct ifr_step_observer steps;         /* of the first lane */
};

/* Cycles by access (for which a core's retirement waits for loads), or by instruction of the program: of the
 * instructions that all count, and of samples, which stand for `scale` times as many. */
struct ifr_sampled_cycles {
	uint64_t *head, *sampled;
	size_t count;
	double scale;
};

struct ifr_stage {
	const char *name;
	void *(*create)(const struct ifr_pass *pass);
	void (*run)(void *state, struct ifr_pass *pass);
	/* Adds a lane's counts over all chunks to counters. */
	void (*count)(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters);
	void (*destroy)(void *state, const struct ifr_pass *pass);
	/* Sets pass->wanted for the streams that the stage reads, besides those of the machine's predictors. NULL:
	 * none. */
	void (*want)(struct ifr_pass *pass);
};

extern const struct ifr_stage ifr_stage_data, ifr_stage_alias, ifr_stage_fetch, ifr_stage_outer,
	ifr_stage_direction, ifr_stage_targets, ifr_stage_btb, ifr_stage_returns, ifr_stage_core;

/* Versions for many lanes at once: for any processor (lanes/), and compiled for two instruction sets (vector/). */
extern const struct ifr_stage ifr_lanes_stage_front_end, ifr_lanes_stage_outer, ifr_avx2_stage_direction,
	ifr_avx2_stage_targets, ifr_avx2_stage_core, ifr_avx512_stage_direction, ifr_avx512_stage_targets,
	ifr_avx512_stage_core;

/* Surveys the chunk, or says why chunk and lanes do not fit together; then nothing is counted. pending: the last
 * execution of the chunk before, IFR_EXECUTION_BREAK without one; set to this chunk's last. */
int ifr_survey_chunk(struct ifr_pass *pass, uint32_t *pending, struct ifr_error *err);
/* Adds the counters that follow from how often each block ran and where it lies. */
void ifr_survey_count(const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters);
void ifr_survey_release(struct ifr_pass *pass);

/* Appends a line or page (key, of 1 << shift bytes) that a lane's fetch of a block execution missed. */
void ifr_fetch_miss(const struct ifr_pass *pass, struct ifr_misses *misses, size_t lane, size_t execution,
                    uint64_t key, unsigned shift);
void ifr_misses_grow(struct ifr_misses *misses);
/* Makes room for the levels of this chunk's misses, in all lanes; nothing if no outcomes are noted. */
void ifr_outcomes_reserve_misses(struct ifr_pass *pass);
static inline struct ifr_branches ifr_pass_stream(const struct ifr_pass *pass, enum ifr_stream stream) {
	const struct ifr_stream_list *list = &pass->streams[stream];
	return (struct ifr_branches){list->executions, stream == IFR_STREAM_CONDITIONAL ? NULL : list->next,
	                             list->count};
}

static inline void ifr_misses_add(struct ifr_misses *misses, uint64_t key, uint32_t position) {
	if (misses->count == misses->capacity)
		ifr_misses_grow(misses);
	misses->items[misses->count++] = (struct ifr_miss){.key = key, .position = position};
}

#endif
