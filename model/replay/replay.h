/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recorded execution under many layouts at once, on a described machine.
 *
 * What the program did comes in chunks that hold no addresses (struct ifr_chunk): which blocks ran, in which
 * order, and which branches were taken. Where things lie comes as lanes (struct ifr_lane), one a layout. The
 * counters of a lane depend on the chunks, on that lane and on the machine alone: not on how the chunks are cut,
 * not on the other lanes, not on the processor that replays.
 *
 * The order of events is exact. Of a block, instruction by instruction: its bytes are fetched (each line and page
 * that the fetch enters, once, upwards), then its accesses are made in their order (an access that crosses a line
 * or a page touches both, upwards), then, of the last instruction, the branch is predicted and trained. Fetches
 * and accesses that miss the first level go to the levels behind it in that same order. A block enters each of its
 * lines and pages once a step, also one that the step before left. An instruction enters the lines and pages of
 * its own bytes before it makes its accesses. Stores allocate as loads do. No prefetching, no wrong path, no
 * coherence, no write-backs, caches that do not include one another, address translations that take no place in
 * caches.
 */
#ifndef INTERFERO_MODEL_REPLAY_H
#define INTERFERO_MODEL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ifr_machine;

enum ifr_branch {
	IFR_BRANCH_NONE, /* the block ends without one: cut by a system call, a fault, a repeated string instruction */
	IFR_BRANCH_CONDITIONAL,
	IFR_BRANCH_JUMP,
	IFR_BRANCH_INDIRECT_JUMP,
	IFR_BRANCH_CALL,
	IFR_BRANCH_INDIRECT_CALL,
	IFR_BRANCH_RETURN,
};

/* An access of a block, the same in every layout. */
struct ifr_access {
	uint8_t bytes; /* 1 to 64 */
	bool store;    /* an access that reads and writes is two */
};

/* A straight run of instructions: from where a jump arrived to the first branch. The same in every layout. A
 * further round of a repeated string instruction is one of no bytes and no instructions, which fetches nothing. */
struct ifr_block {
	uint32_t first_access; /* into chunk->accesses, and into lane->access_ends */
	uint16_t accesses;
	uint8_t branch; /* enum ifr_branch, of the last instruction */
};

/* Steps are a block's id shifted left by one, plus 1 if its branch was taken (always, but for conditional ones).
 * The target of a taken branch is the next step's block. After IFR_EXECUTION_BREAK what went before has no successor (a
 * signal, another thread): that branch is counted, and neither predicted nor trained. */
#define IFR_EXECUTION_BREAK UINT32_MAX

struct ifr_chunk {
	const struct ifr_block *blocks; /* all blocks of the trace, by id */
	const struct ifr_access *accesses;
	size_t blocks_count, accesses_count;
	const uint32_t *executions;
	size_t executions_count;
	size_t data_count; /* accesses of all executions together */
};

/* Where a block lies in one layout. */
struct ifr_geometry {
	uint64_t address;
	uint16_t bytes; /* 0, without instructions or a branch: a string instruction goes on, nothing is fetched */
	uint16_t instructions;
	uint8_t branch_bytes; /* length of the last instruction, which starts at address + bytes - branch_bytes */
	bool backward;        /* a conditional branch whose target, taken or not, lies at its own start or below */
};

#define IFR_PAGE UINT64_C(4096)

/* One layout. Lanes with equal data_group see the same data addresses. Those with equal line_group see data whole
 * IFR_PAGEs apart, all of a page equally far; it is the first data_group of those that do, or the lane's
 * own. */
struct ifr_lane {
	const struct ifr_geometry *blocks; /* by block id */
	const uint16_t *access_ends; /* by access: offset in its block of the end of the instruction that makes it */
	unsigned data_group, line_group;
};

/* What is counted, under perf's names where it has one. */
enum ifr_event {
	IFR_EVENT_INSTRUCTIONS,
	IFR_EVENT_CYCLES, /* an estimate: see ifr_replay_counters */
	IFR_EVENT_BRANCHES,
	IFR_EVENT_BRANCH_MISSES, /* the three kinds below together */
	IFR_EVENT_CONDITIONAL_BRANCHES,
	IFR_EVENT_CONDITIONAL_MISSES,
	IFR_EVENT_INDIRECT_BRANCHES,
	IFR_EVENT_INDIRECT_MISSES,
	IFR_EVENT_RETURNS,
	IFR_EVENT_RETURN_MISSES,
	IFR_EVENT_BTB_MISSES, /* taken branches whose target the front end had not: a resteer, not a misprediction */
	IFR_EVENT_L1I_LOADS,  /* of caches and TLBs: lines and pages touched */
	IFR_EVENT_L1I_MISSES,
	IFR_EVENT_L1D_LOADS,
	IFR_EVENT_L1D_LOAD_MISSES,
	IFR_EVENT_L1D_STORES,
	IFR_EVENT_L1D_STORE_MISSES,
	IFR_EVENT_L2_REFERENCES,
	IFR_EVENT_L2_MISSES,
	IFR_EVENT_LLC_REFERENCES, /* of the last level that there is; behind a machine without an L3 that is L2 */
	IFR_EVENT_LLC_MISSES,
	IFR_EVENT_ITLB_LOADS,
	IFR_EVENT_ITLB_MISSES,
	IFR_EVENT_DTLB_LOADS,
	IFR_EVENT_DTLB_LOAD_MISSES,
	IFR_EVENT_DTLB_STORES,
	IFR_EVENT_DTLB_STORE_MISSES,
	IFR_EVENT_STLB_MISSES, /* page walks */
	IFR_EVENT_COUNT
};

const char *ifr_event_name(enum ifr_event event);
/* IFR_EVENT_COUNT when there is none of that name. */
enum ifr_event ifr_event_find(const char *name);

struct ifr_counts {
	uint64_t value[IFR_EVENT_COUNT];
};

/* AUTO takes the fastest that this processor runs for so many lanes. All count the same. */
enum ifr_engine { IFR_ENGINE_AUTO, IFR_ENGINE_SCALAR, IFR_ENGINE_AVX2, IFR_ENGINE_AVX512 };

/* By enum ifr_engine; NULL ends. */
extern const char *const ifr_engine_names[];

/* Whether this processor has what an engine needs. */
bool ifr_engine_runs(enum ifr_engine engine);

struct ifr_replay;

/* What the machine says is copied. Errors: IFR_E_ENVIRONMENT if this processor does not run the engine. */
int ifr_replay_new(struct ifr_replay **out, const struct ifr_machine *machine, size_t lanes_count,
                   enum ifr_engine engine, struct ifr_error *err);
const char *ifr_replay_engine(const struct ifr_replay *replay);
/* Before a chunk that brings blocks not seen before. The order and the number of the lanes, their data groups and
 * the geometry of blocks seen before stay. lanes and what they point to are borrowed until the next call. */
void ifr_replay_set_lanes(struct ifr_replay *replay, const struct ifr_lane *lanes);
/* addresses[group][i] is the address of access i of the chunk for lanes of that data group. What does not fit
 * together (a step of no block, accesses that are not data_count) is refused before anything is counted. */
int ifr_replay_chunk(struct ifr_replay *replay, const struct ifr_chunk *chunk, const uint64_t *const *addresses,
                     struct ifr_error *err);
/* Counters of every lane so far. The last block's branch waits for its successor until the next chunk, or for
 * ever. cycles: instructions / width + the sum over events of misses x penalty, all from the machine's
 * description. */
void ifr_replay_counters(const struct ifr_replay *replay, struct ifr_counts *counters);
void ifr_replay_free(struct ifr_replay *replay);

#endif
