/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: for each layout every access must be translated to an address and looked up in caches; that is most of
 * the cost of replaying many layouts.
 *
 * Idea: layouts that move only code have equal data addresses. They form a data group, translated once. Groups
 * whose data differ by whole pages have the same cache lines in the same L1D sets, and form a line group, whose
 * L1D is looked up once (struct ifr_lane).
 *
 * Invariant: layouts share a group only if no access of the trace distinguishes them. Comparing the maps proves
 * that for data; it assumes that no access goes to moved code, nor, for lines, to unmoved bytes behind the first
 * moved page. It holds because translation reports every such stray access before its chunk is replayed; then the
 * replay is abandoned and starts again with less sharing.
 *
 * Where a layout has an instruction map, every block is replayed as two, one for each entry (enum ifr_entry);
 * number_executions picks one by the execution before. */
#include "model/layout/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/core/parameters.h"
#include "model/core/program.h"
#include "model/replay/outcomes.h"
#include "model/trace/ahead.h"

const char *const ifr_core_use_names[] = {"none", "sampled", "full", NULL};

int ifr_core_use_find(const char *name, enum ifr_core_use *core, struct ifr_error *err) {
	for (unsigned i = 0; ifr_core_use_names[i]; i++)
		if (!strcmp(name, ifr_core_use_names[i])) {
			*core = (enum ifr_core_use)i;
			return 0;
		}
	return ifr_fail(err, IFR_E_USAGE, "--core is none, sampled or full, not \"%.40s\"", name);
}

/* The addresses of a chunk stay in the second-level cache from stage to stage. */
enum { CHUNK_EXECUTIONS = 16384 };

/* Levels of sharing between layouts, lowered when an access distinguishes them. */
enum sharing { SHARE_NOTHING, SHARE_ADDRESSES, SHARE_LINES };

struct counting {
	struct ifr_trace *trace;
	struct ifr_address_map *const *maps;
	size_t count;
	struct ifr_replay *replay;
	/* The trace's blocks and accesses in the form that the replay takes. With two entries, block b with entry e is
	 * number e * block_count + b; accesses likewise. */
	const struct ifr_trace_block *trace_blocks;
	struct ifr_block *blocks;
	struct ifr_access *accesses;
	size_t block_count, access_count; /* of the trace */
	unsigned entries;
	struct ifr_geometry **geometry; /* by layout */
	uint16_t **access_ends;
	struct ifr_lane *lanes;
	uint32_t *executions; /* block executions of a chunk, numbered with their entries */
	uint32_t before;      /* the block execution before, as in the trace */
	/* data groups */
	size_t *group_map;     /* number of one map, by group */
	unsigned *group_lines; /* first group with the same line group */
	size_t groups;
	enum sharing sharing; /* the most that layouts share now */
	bool shares_lines;    /* some groups share lines */
	uint64_t **addresses;
	size_t room;
	struct ifr_core_program program; /* of a core */
};

static void build_blocks(struct counting *counting) {
	const struct ifr_trace_access *accesses;
	counting->block_count = ifr_trace_blocks(counting->trace, &counting->trace_blocks);
	counting->access_count = ifr_trace_accesses(counting->trace, &accesses);
	const size_t entries = counting->entries, access_count = counting->access_count;
	counting->blocks = ifr_alloc((entries * counting->block_count + 1) * sizeof *counting->blocks);
	counting->accesses = ifr_alloc((entries * access_count + 1) * sizeof *counting->accesses);
	for (size_t i = 0; i < entries * counting->block_count; i++) {
		const struct ifr_trace_block *block = &counting->trace_blocks[i % counting->block_count];
		const size_t entry = i / counting->block_count;
		counting->blocks[i] =
			(struct ifr_block){.first_access = (uint32_t)(block->first_access + entry * access_count),
		                       .accesses = block->accesses,
		                       .branch = block->branch};
	}
	for (size_t i = 0; i < entries * access_count; i++)
		counting->accesses[i] =
			(struct ifr_access){.bytes = accesses[i % access_count].bytes,
		                        .store = accesses[i % access_count].kind == IFR_ACCESS_STORE,
		                        .prefetch = accesses[i % access_count].kind == IFR_ACCESS_PREFETCH};
}

/* How the next block is entered, by the execution before it. */
static enum ifr_entry find_entry(const struct counting *counting, uint32_t before) {
	if (before == IFR_EXECUTION_BREAK)
		return IFR_ENTRY_JUMP;
	const uint8_t branch = counting->trace_blocks[before >> 1].branch;
	return branch == IFR_BRANCH_RETURN || !(before & 1) ? IFR_ENTRY_FALL : IFR_ENTRY_JUMP;
}

/* The block executions of a chunk, numbered as the replay takes them. */
static const uint32_t *number_executions(struct counting *counting, const struct ifr_trace_chunk *from) {
	if (counting->entries == 1)
		return from->executions;
	for (size_t i = 0; i < from->executions_count; i++) {
		const uint32_t step = from->executions[i], entry = find_entry(counting, counting->before);
		counting->executions[i] =
			step == IFR_EXECUTION_BREAK ? step : step + 2 * entry * (uint32_t)counting->block_count;
		counting->before = step;
	}
	return counting->executions;
}

static unsigned find_group(struct counting *counting, size_t lane) {
	const struct ifr_address_map *map = counting->maps[lane];
	const size_t others = counting->sharing >= SHARE_ADDRESSES ? counting->groups : 0;
	for (size_t i = 0; i < others; i++)
		if (ifr_address_maps_share_data(map, counting->maps[counting->group_map[i]]))
			return (unsigned)i;
	const unsigned group = (unsigned)counting->groups++;
	counting->group_map[group] = lane;
	counting->group_lines[group] = group;
	for (unsigned i = group; i-- > 0 && counting->sharing == SHARE_LINES;)
		if (counting->group_lines[i] == i &&
		    ifr_address_maps_share_lines(map, counting->maps[counting->group_map[i]]))
			counting->group_lines[group] = i;
	counting->shares_lines |= counting->group_lines[group] != group;
	return group;
}

static int build_lane(struct counting *counting, size_t lane, struct ifr_error *err) {
	const size_t blocks = counting->block_count, accesses = counting->access_count, entries = counting->entries;
	struct ifr_geometry *geometry = ifr_alloc((entries * blocks + 1) * sizeof *geometry);
	uint16_t *ends = ifr_alloc((entries * accesses + 1) * sizeof *ends);
	int result = 0;
	for (unsigned entry = 0; entry < entries && !result; entry++)
		result = ifr_address_map_blocks(counting->maps[lane], counting->trace, (enum ifr_entry)entry,
		                                geometry + entry * blocks, ends + entry * accesses, err);
	counting->geometry[lane] = geometry;
	counting->access_ends[lane] = ends;
	return result;
}

static int build_lanes(struct counting *counting, struct ifr_error *err) {
	int result = 0;
	counting->groups = 0;
	counting->shares_lines = false;
	for (size_t i = 0; i < counting->count && !result; i++) {
		if (!counting->geometry[i])
			result = build_lane(counting, i, err);
		const unsigned group = find_group(counting, i);
		counting->lanes[i] = (struct ifr_lane){.blocks = counting->geometry[i],
		                                       .access_ends = counting->access_ends[i],
		                                       .data_group = group,
		                                       .line_group = counting->group_lines[group]};
	}
	return result;
}

static void reserve_addresses(struct counting *counting, size_t places) {
	if (places <= counting->room)
		return;
	counting->room = places + places / 2;
	for (size_t i = 0; i < counting->count; i++) {
		free(counting->addresses[i]);
		counting->addresses[i] =
			i < counting->groups ? ifr_alloc(counting->room * sizeof **counting->addresses) : NULL;
	}
}

enum { SHARING_REFUTED = 1 };

/* Reduces sharing if these stray accesses distinguish layouts that share now. Returns whether it did. */
static bool refute_sharing(struct counting *counting, unsigned stray) {
	const enum sharing most = stray & IFR_STRAY_CODE      ? SHARE_NOTHING
	                          : stray & IFR_STRAY_UNMOVED ? SHARE_ADDRESSES
	                                                      : SHARE_LINES;
	const bool share_data = counting->groups < counting->count;
	if (most >= counting->sharing || !(counting->shares_lines || (share_data && most == SHARE_NOTHING)))
		return false;
	counting->sharing = most;
	return true;
}

/* Replays one chunk. Returns SHARING_REFUTED if an access distinguishes layouts that share, as in a program that
 * reads its own code. */
static int replay_chunk(struct counting *counting, const struct ifr_trace_chunk *from, struct ifr_error *err) {
	struct ifr_chunk chunk = {.blocks = counting->blocks,
	                          .accesses = counting->accesses,
	                          .blocks_count = counting->entries * counting->block_count,
	                          .accesses_count = counting->entries * counting->access_count,
	                          .executions = number_executions(counting, from),
	                          .executions_count = from->executions_count,
	                          .data_count = from->accesses_count};
	reserve_addresses(counting, from->accesses_count + 1);
	for (size_t i = 0; i < counting->groups; i++) {
		const unsigned stray = ifr_addresses_of(counting->maps[counting->group_map[i]], from->normalised,
		                                        from->accesses_count, counting->addresses[i]);
		if (refute_sharing(counting, stray))
			return SHARING_REFUTED;
	}
	return ifr_replay_chunk(counting->replay, &chunk, (const uint64_t *const *)counting->addresses, err);
}

static void observe_chunk(const struct counting *counting, const struct ifr_count_settings *settings,
                          const struct ifr_trace_chunk *chunk) {
	const struct ifr_lane_outcomes outcomes = ifr_replay_outcomes(counting->replay, 0);
	assert(counting->count == 1);
	settings->observe(settings->observer, chunk, &outcomes);
}

/* Replays all chunks, from the thread that reads them ahead or from the trace. */
static int replay_chunks(struct counting *counting, const struct ifr_count_settings *settings,
                         struct ifr_trace_ahead *ahead, struct ifr_error *err) {
	struct ifr_trace_chunk from;
	if (!ahead)
		ifr_trace_rewind(counting->trace);
	counting->before = IFR_EXECUTION_BREAK;
	for (size_t replayed = 0;; replayed = from.executions_count) {
		if (ahead)
			ifr_trace_ahead_next(ahead, &from);
		else
			ifr_trace_read_chunk(counting->trace, CHUNK_EXECUTIONS, &from);
		if (!from.executions_count)
			return 0;
		if (settings->go_on && !settings->go_on(settings->data, replayed))
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a replay");
		const int result = replay_chunk(counting, &from, err);
		if (result)
			return result;
		if (settings->observe)
			observe_chunk(counting, settings, &from);
	}
}

static int replay_all(struct counting *counting, const struct ifr_count_settings *settings,
                      struct ifr_error *err) {
	struct ifr_trace_totals totals;
	int result = ifr_replay_new(&counting->replay, settings->machine, counting->count, settings->engine, err);
	if (result)
		return result;
	ifr_trace_totals(counting->trace, &totals);
	if (settings->core)
		ifr_replay_set_core(counting->replay, &counting->program,
		                    settings->core == IFR_CORE_FULL ? 0 : ifr_core_period(totals.instructions));
	if (settings->sets_count)
		ifr_replay_idealise(counting->replay, settings->sets, settings->sets_count, settings->instructions);
	if (settings->core && settings->load_stalls)
		ifr_replay_keep_stalls(counting->replay);
	if (settings->core && settings->steps)
		ifr_replay_observe_steps(counting->replay, settings->steps);
	if (settings->observe)
		ifr_replay_keep_outcomes(counting->replay);
	ifr_replay_set_lanes(counting->replay, counting->lanes);
	struct ifr_trace_ahead *ahead =
		settings->ahead ? ifr_trace_ahead_new(counting->trace, CHUNK_EXECUTIONS, ifr_trace_read_chunk) : NULL;
	result = replay_chunks(counting, settings, ahead, err);
	ifr_trace_ahead_free(ahead);
	return result;
}

/* Decodes the trace for the machine's core. */
static int make_program(struct counting *counting, const struct ifr_count_settings *settings,
                        struct ifr_error *err) {
	char table[32];
	if (!settings->core)
		return 0;
	if (!ifr_machine_has_core(settings->machine))
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s has no core in its description, only penalties: take one with a group \"pipeline\", as "
			"skylake",
			settings->machine->name);
	if (counting->entries > 1)
		return ifr_fail(
			err, IFR_E_USAGE,
			"a layout has other nops between its instructions, which the core cannot replay: leave --core "
			"out, or the axes unit-order, nops and align");
	const int result =
		ifr_core_program_make(&counting->program, ifr_core_table(settings->machine, table), counting->trace, err);
	if (!result && settings->marks)
		ifr_core_program_mark(&counting->program, settings->marks);
	return result;
}

static void release_counting(struct counting *counting) {
	for (size_t i = 0; i < counting->count; i++) {
		free(counting->geometry[i]);
		free(counting->access_ends[i]);
		free(counting->addresses[i]);
	}
	ifr_replay_free(counting->replay);
	ifr_core_program_release(&counting->program);
	free(counting->blocks);
	free(counting->accesses);
	free(counting->executions);
	free(counting->access_ends);
	free(counting->geometry);
	free(counting->lanes);
	free(counting->group_map);
	free(counting->group_lines);
	free(counting->addresses);
}

static int count_events(struct ifr_trace *trace, struct ifr_address_map *const *maps, size_t count,
                        const struct ifr_count_settings *settings, struct ifr_counts *counters,
                        const char **engine, struct ifr_error *err) {
	struct counting counting = {
		.trace = trace, .maps = maps, .count = count, .entries = 1, .sharing = SHARE_LINES};
	counting.geometry = ifr_alloc(count * sizeof *counting.geometry);
	counting.access_ends = ifr_alloc(count * sizeof *counting.access_ends);
	counting.lanes = ifr_alloc(count * sizeof *counting.lanes);
	counting.group_map = ifr_alloc(count * sizeof *counting.group_map);
	counting.group_lines = ifr_alloc(count * sizeof *counting.group_lines);
	counting.addresses = ifr_alloc(count * sizeof *counting.addresses);
	counting.executions = ifr_alloc(CHUNK_EXECUTIONS * sizeof *counting.executions);
	for (size_t i = 0; i < count; i++)
		if (ifr_address_map_has_instructions(maps[i]))
			counting.entries = IFR_ENTRIES;
	build_blocks(&counting);
	int result = make_program(&counting, settings, err);
	while (!result) {
		ifr_replay_free(counting.replay);
		counting.replay = NULL;
		counting.room = 0;
		result = build_lanes(&counting, err);
		if (!result)
			result = replay_all(&counting, settings, err);
		if (result != SHARING_REFUTED)
			break;
		result = 0;
	}
	if (!result)
		ifr_replay_counters(counting.replay, counters);
	for (size_t i = 0; i < counting.access_count && !result && settings->core && settings->load_stalls; i++)
		settings->load_stalls[i] = ifr_replay_stalls(counting.replay, 0, i);
	if (!result && settings->errors)
		ifr_replay_errors(counting.replay, settings->errors);
	for (size_t i = 0; i < count && settings->sets_count && !result; i++)
		ifr_replay_take_ideal_times(counting.replay, i, &settings->times[i]);
	if (!result && engine)
		*engine = ifr_replay_engine(counting.replay);
	release_counting(&counting);
	return result;
}

int ifr_count_events(struct ifr_trace *trace, struct ifr_address_map *const *maps, size_t count,
                     const struct ifr_count_settings *settings, struct ifr_counts *counters, const char **engine,
                     struct ifr_error *err) {
	const bool by_access = settings->observe || settings->load_stalls || settings->steps;
	struct ifr_trace *again = NULL;
	if (by_access || !settings->machine->values[IFR_PREFETCH_SOFTWARE] || !ifr_trace_hides_prefetches(trace))
		return count_events(trace, maps, count, settings, counters, engine, err);
	int result = ifr_trace_reopen(trace, &again, err);
	if (result)
		return result;
	ifr_trace_keep_prefetches(again);
	result = count_events(again, maps, count, settings, counters, engine, err);
	ifr_trace_free(again);
	return result;
}
