/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/count.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* Small enough that a piece's addresses stay in the second-level cache from stage to stage. */
enum { PIECE_STEPS = 16384 };

struct counting {
	struct ifr_trace *trace;
	struct ifr_address_map *const *maps;
	size_t count;
	struct ifr_replay *replay;
	/* static: as the trace has them, in the form that replay takes */
	struct ifr_block *blocks;
	struct ifr_access *accesses;
	uint16_t *access_ends;
	size_t block_count, access_count;
	struct ifr_geometry **geometry;
	struct ifr_lane *lanes;
	/* layouts whose data lie alike */
	size_t *group_map; /* one map of each */
	size_t groups;
	uint64_t **addresses;
	size_t room;
};

static void describe_blocks(struct counting *counting) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	counting->block_count = ifr_trace_blocks(counting->trace, &blocks);
	counting->access_count = ifr_trace_accesses(counting->trace, &accesses);
	counting->blocks = ifr_alloc((counting->block_count + 1) * sizeof *counting->blocks);
	counting->accesses = ifr_alloc((counting->access_count + 1) * sizeof *counting->accesses);
	counting->access_ends = ifr_alloc((counting->access_count + 1) * sizeof *counting->access_ends);
	for (size_t i = 0; i < counting->block_count; i++)
		counting->blocks[i] = (struct ifr_block){
			.first_access = blocks[i].first_access, .accesses = blocks[i].accesses, .branch = blocks[i].branch};
	for (size_t i = 0; i < counting->access_count; i++) {
		counting->accesses[i] = (struct ifr_access){.bytes = accesses[i].bytes, .store = accesses[i].store};
		counting->access_ends[i] = accesses[i].end;
	}
}

static unsigned group_of(struct counting *counting, size_t lane, bool apart) {
	for (size_t i = 0; i < counting->groups && !apart; i++)
		if (ifr_address_maps_share_data(counting->maps[lane], counting->maps[counting->group_map[i]]))
			return (unsigned)i;
	counting->group_map[counting->groups] = lane;
	return (unsigned)counting->groups++;
}

static void place_lanes(struct counting *counting, bool apart) {
	counting->groups = 0;
	for (size_t i = 0; i < counting->count; i++) {
		if (!counting->geometry[i]) {
			counting->geometry[i] = ifr_alloc((counting->block_count + 1) * sizeof **counting->geometry);
			ifr_address_map_blocks(counting->maps[i], counting->trace, counting->geometry[i]);
		}
		counting->lanes[i] = (struct ifr_lane){.blocks = counting->geometry[i],
		                                       .access_ends = counting->access_ends,
		                                       .data_group = group_of(counting, i, apart)};
	}
}

static void make_room(struct counting *counting, size_t places) {
	if (places <= counting->room)
		return;
	counting->room = places + places / 2;
	for (size_t i = 0; i < counting->count; i++) {
		free(counting->addresses[i]);
		counting->addresses[i] =
			i < counting->groups ? ifr_alloc(counting->room * sizeof **counting->addresses) : NULL;
	}
}

enum { READS_CODE = 1 };

/* Returns READS_CODE where layouts that were taken to share their data do not: the program reads its own code. */
static int replay_piece(struct counting *counting, const struct ifr_trace_piece *piece, struct ifr_error *err) {
	struct ifr_chunk chunk = {.blocks = counting->blocks,
	                          .accesses = counting->accesses,
	                          .blocks_count = counting->block_count,
	                          .accesses_count = counting->access_count,
	                          .steps = piece->steps,
	                          .steps_count = piece->steps_count,
	                          .data_count = piece->places_count};
	make_room(counting, piece->places_count + 1);
	for (size_t i = 0; i < counting->groups; i++) {
		size_t in_code = ifr_addresses_of(counting->maps[counting->group_map[i]], piece->places,
		                                  piece->places_count, counting->addresses[i]);
		if (in_code && counting->groups < counting->count)
			return READS_CODE;
	}
	return ifr_replay_chunk(counting->replay, &chunk, (const uint64_t *const *)counting->addresses, err);
}

static int replay_all(struct counting *counting, const struct ifr_count_settings *settings,
                      struct ifr_error *err) {
	struct ifr_trace_piece piece;
	int result = ifr_replay_new(&counting->replay, settings->machine, counting->count, settings->engine, err);
	if (result)
		return result;
	ifr_replay_lanes(counting->replay, counting->lanes);
	ifr_trace_rewind(counting->trace);
	for (;;) {
		ifr_trace_next(counting->trace, PIECE_STEPS, &piece);
		if (!piece.steps_count)
			return 0;
		if (settings->stopped && settings->stopped())
			return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted in the middle of a replay");
		result = replay_piece(counting, &piece, err);
		if (result)
			return result;
	}
}

static void release(struct counting *counting) {
	for (size_t i = 0; i < counting->count; i++) {
		free(counting->geometry[i]);
		free(counting->addresses[i]);
	}
	ifr_replay_free(counting->replay);
	free(counting->blocks);
	free(counting->accesses);
	free(counting->access_ends);
	free(counting->geometry);
	free(counting->lanes);
	free(counting->group_map);
	free(counting->addresses);
}

int ifr_count(struct ifr_trace *trace, struct ifr_address_map *const *maps, size_t count,
              const struct ifr_count_settings *settings, struct ifr_counts *counters, const char **engine,
              struct ifr_error *err) {
	struct counting counting = {.trace = trace, .maps = maps, .count = count};
	counting.geometry = ifr_alloc(count * sizeof *counting.geometry);
	counting.lanes = ifr_alloc(count * sizeof *counting.lanes);
	counting.group_map = ifr_alloc(count * sizeof *counting.group_map);
	counting.addresses = ifr_alloc(count * sizeof *counting.addresses);
	describe_blocks(&counting);
	place_lanes(&counting, false);
	int result = replay_all(&counting, settings, err);
	if (result == READS_CODE) { /* each for itself, then */
		ifr_replay_free(counting.replay);
		counting.replay = NULL;
		counting.room = 0;
		place_lanes(&counting, true);
		result = replay_all(&counting, settings, err);
	}
	if (!result)
		ifr_replay_counters(counting.replay, counters);
	if (!result && engine)
		*engine = ifr_replay_engine(counting.replay);
	release(&counting);
	return result;
}
