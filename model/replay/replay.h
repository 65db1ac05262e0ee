/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replay: one recorded execution under many layouts at once, on a described machine.
 *
 * A chunk (struct ifr_chunk) says what the program did, without addresses: which blocks ran, in which order, and
 * which branches were taken. A lane (struct ifr_lane) says where everything lies in one layout. A lane's counters
 * depend on the chunks, on that lane and on the machine alone: not on where chunks are cut, not on other lanes,
 * not on the processor that replays.
 *
 * The order of events is exact. A block goes instruction by instruction:
 *   1. fetch: each line and page that the instruction enters, upwards
 *   2. accesses, in their order; an access across a line or page touches both, upwards
 *   3. after the last instruction: its branch is predicted and trained
 * Misses of the first level go to the outer levels in that same order. A block execution enters each of its lines
 * and pages once, even if the execution before left the same line.
 * Stores allocate as loads do, and so do software prefetches but those of page zero. Not modelled: prefetchers, wrong
 * paths, coherence, write-backs, inclusion between caches, page-table entries in caches. */
#ifndef INTERFERO_MODEL_REPLAY_H
#define INTERFERO_MODEL_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/replay/branch.h"
#include "model/replay/events.h"

struct ifr_machine;
struct ifr_core_program;

/* An access of a block, the same in every layout. */
struct ifr_access {
	uint8_t bytes; /* 1 to 64 */
	bool store;    /* an access that reads and writes is two */
	bool prefetch; /* by software: no load, and no page zero */
};

/* A straight run of instructions, from the target of a jump to the first branch; the same in every layout. A
 * further repetition of a string instruction is a block of no bytes and no instructions, which fetches nothing. */
struct ifr_block {
	uint32_t first_access; /* into chunk->accesses, and into lane->access_ends */
	uint16_t accesses;
	uint8_t branch; /* enum ifr_branch of the last instruction */
};

/* A block execution is block id << 1 | taken (1 for all branches but conditional ones that fall through). A taken
 * branch goes to the next execution's block. IFR_EXECUTION_BREAK cuts the sequence (a signal, another thread): the
 * branch before it is counted, and neither predicted nor trained. */
#define IFR_EXECUTION_BREAK UINT32_MAX

struct ifr_chunk {
	const struct ifr_block *blocks; /* all blocks of the trace, by id */
	const struct ifr_access *accesses;
	size_t blocks_count, accesses_count;
	const uint32_t *executions;
	size_t executions_count;
	size_t data_count; /* accesses of all executions together */
};

/* The place of a block in one layout. */
struct ifr_geometry {
	uint64_t address;
	uint16_t bytes; /* 0 for a further repetition: no instructions, no branch, no fetch */
	uint16_t instructions;
	uint8_t branch_bytes; /* length of the last instruction, which starts at address + bytes - branch_bytes */
	bool backward;        /* conditional branch whose target, taken or not, is at or below its own start */
};

#define IFR_PAGE UINT64_C(4096)

/* One layout. Lanes of one data_group have the same data addresses. Lanes of one line_group have data whole
 * IFR_PAGEs apart, all data of a page by the same distance; line_group is the first data_group of them, or the
 * lane's own. */
struct ifr_lane {
	const struct ifr_geometry *blocks; /* by block id */
	const uint16_t *access_ends; /* by access: offset in its block where the instruction that makes it ends */
	unsigned data_group, line_group;
};

struct ifr_counts {
	uint64_t value[IFR_EVENT_COUNT];
};
struct ifr_count_errors {
	double value[IFR_EVENT_COUNT]; /* standard errors that a core's samples leave; 0: exact */
};

/* AUTO takes the fastest engine that this processor runs for so many lanes. All engines count the same. */
enum ifr_engine { IFR_ENGINE_AUTO, IFR_ENGINE_SCALAR, IFR_ENGINE_AVX2, IFR_ENGINE_AVX512 };

/* By enum ifr_engine; NULL ends. */
extern const char *const ifr_engine_names[];

/* Returns true if this processor has the instructions of an engine. */
bool ifr_engine_runs(enum ifr_engine engine);

struct ifr_replay;

/* Makes a replay; copies the machine. Errors: IFR_E_ENVIRONMENT if this processor does not run the engine. */
int ifr_replay_new(struct ifr_replay **out, const struct ifr_machine *machine, size_t lanes_count,
                   enum ifr_engine engine, struct ifr_error *err);
const char *ifr_replay_engine(const struct ifr_replay *replay);
/* Before the lanes: replays the machine's core, too. The program has the blocks of the chunks, and is borrowed.
 * period: of the samples (ifr_core_period); 0: none, but the whole run. */
void ifr_replay_set_core(struct ifr_replay *replay, const struct ifr_core_program *program, uint64_t period);
/* Sets the lanes, before the first chunk and before each chunk that brings new blocks. Order and number of lanes,
 * their groups, and the geometry of old blocks must not change. Lanes and what they point to are borrowed until
 * the next call. */
void ifr_replay_set_lanes(struct ifr_replay *replay, const struct ifr_lane *lanes);
/* Replays a chunk. addresses[group][i]: address of access i for lanes of that data group. A chunk that does not
 * fit (an execution of no block, other than data_count accesses) is refused before anything is counted. */
int ifr_replay_chunk(struct ifr_replay *replay, const struct ifr_chunk *chunk, const uint64_t *const *addresses,
                     struct ifr_error *err);
/* Writes the counters of every lane so far. The last block's branch waits for its successor, in the next chunk or
 * for ever. cycles-additive = instructions / width + sum over events of misses * penalty. Without a core, cycles
 * are the same, and events that need a core are 0. */
void ifr_replay_counters(const struct ifr_replay *replay, struct ifr_counts *counters);
void ifr_replay_errors(const struct ifr_replay *replay, struct ifr_count_errors *errors); /* afterwards */
void ifr_replay_free(struct ifr_replay *replay);

#endif
