/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/layout/address_map.h"
#include "model/layout/native.h"
#include "model/layout/objects.h"

enum { GRAIN_SHIFT = 6 };

/* Indexes the moves by 64 bytes, up to the end of the last move: the program's size in a trace may be any number.
 */
static void index_moves(struct ifr_address_map *map, const struct ifr_mapping *program) {
	size_t move = 0;
	uint64_t end = map->count ? map->moves[map->count - 1].from + map->moves[map->count - 1].bytes : 0;
	map->program_start = program->start;
	map->grains = end > program->start ? ((end - program->start) >> GRAIN_SHIFT) + 1 : 0;
	map->first = ifr_alloc((map->grains + 1) * sizeof *map->first);
	for (size_t grain = 0; grain < map->grains; grain++) {
		while (move < map->count &&
		       map->moves[move].from + map->moves[move].bytes <= program->start + (grain << GRAIN_SHIFT))
			move++;
		map->first[grain] = (uint32_t)move;
	}
}

/* First mapping of a kind; 0 if there is none. */
static size_t find_mapping(const struct ifr_mapping *mappings, size_t count, unsigned kind) {
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		if (mappings[i].kind == kind)
			return i;
	return 0;
}

static void find_moved_data(struct ifr_address_map *map) {
	uint64_t left_end = 0; /* end of unmoved data in front of the moved ones */
	map->data_from = UINT64_MAX;
	for (size_t i = 0; i < map->count; i++) {
		const struct ifr_move *move = &map->moves[i];
		if (move->code)
			continue;
		if (map->data_from == UINT64_MAX && move->to == move->from) {
			left_end = move->from + move->bytes;
			continue;
		}
		if (map->data_from == UINT64_MAX) {
			map->data_from = move->from & -IFR_PAGE;
			map->data_shift = move->to - move->from;
			map->data_irregular = left_end > map->data_from || move->to < move->from;
		}
		map->data_irregular |= move->to - move->from != map->data_shift;
	}
}

struct ifr_address_map *ifr_address_map_new(const struct ifr_trace *trace,
                                            const struct ifr_layout_request *request) {
	struct ifr_address_map *map = ifr_alloc(sizeof *map);
	const struct ifr_mapping *mappings;
	const struct ifr_trace_request *asked;
	map->mapping_count = ifr_trace_mappings(trace, &mappings);
	map->deltas = ifr_alloc(map->mapping_count * sizeof *map->deltas);
	uint64_t *object_mappings = ifr_alloc((ifr_trace_requests(trace, &asked) + 1) * sizeof *object_mappings);
	native_deltas(trace, request, map->deltas, object_mappings);
	map->objects = placed_objects_new(trace, request, map->deltas, object_mappings);
	free(object_mappings);
	map->count = request->count;
	map->moves = ifr_alloc((map->count + 1) * sizeof *map->moves);
	if (map->count)
		memcpy(map->moves, request->moves, map->count * sizeof *map->moves);
	find_moved_data(map);
	map->instruction_count = request->instruction_count;
	map->instructions = ifr_alloc((map->instruction_count + 1) * sizeof *map->instructions);
	if (map->instruction_count)
		memcpy(map->instructions, request->instructions, map->instruction_count * sizeof *map->instructions);
	map->program = native_laid_out(trace);
	map->heap = find_mapping(mappings, map->mapping_count, IFR_MAPPING_HEAP);
	if (map->program)
		index_moves(map, &mappings[map->program]);
	map->fast_deltas = ifr_alloc(map->mapping_count * sizeof *map->fast_deltas);
	memcpy(map->fast_deltas, map->deltas, map->mapping_count * sizeof *map->fast_deltas);
	if (map->count && map->program)
		map->fast_deltas[map->program] = NATIVE_PER_OBJECT;
	return map;
}

void ifr_address_map_free(struct ifr_address_map *map) {
	if (!map)
		return;
	free(map->moves);
	free(map->instructions);
	free(map->deltas);
	free(map->fast_deltas);
	placed_objects_free(map->objects);
	free(map->first);
	free(map);
}

/* Finds the move that covers an offset in the program; NULL if none does. */
static inline const struct ifr_move *find_move(const struct ifr_address_map *map, uint64_t offset) {
	uint64_t grain = (offset - map->program_start) >> GRAIN_SHIFT;
	if (grain >= map->grains)
		return NULL;
	for (size_t i = map->first[grain]; i < map->count && map->moves[i].from <= offset; i++)
		if (offset - map->moves[i].from < map->moves[i].bytes)
			return &map->moves[i];
	return NULL;
}

/* Translates one normalised address. stray: gets IFR_STRAY_… or-ed. */
static uint64_t translate(const struct ifr_address_map *map, uint64_t normalised, unsigned *stray) {
	size_t mapping = normalised >> IFR_MAPPING_SHIFT;
	uint64_t delta = mapping < map->mapping_count ? map->deltas[mapping] : 0, address = normalised + delta;
	if (delta == NATIVE_PER_OBJECT && map->objects)
		return placed_objects_address(map->objects, normalised);
	if (mapping != map->program || !map->count)
		return address;
	const struct ifr_move *move = find_move(map, normalised & IFR_OFFSET_MASK);
	if (!move) {
		*stray |= (normalised & IFR_OFFSET_MASK) >= map->data_from ? IFR_STRAY_UNMOVED : 0;
		return address;
	}
	*stray |= move->code ? IFR_STRAY_CODE : 0;
	return address + (move->to - move->from);
}

uint64_t ifr_address_of(const struct ifr_address_map *map, uint64_t normalised) {
	unsigned stray = 0;
	return translate(map, normalised, &stray);
}

unsigned ifr_addresses_of(const struct ifr_address_map *map, const uint64_t *normalised, size_t count,
                          uint64_t *addresses) {
	const uint64_t *fast_deltas = map->fast_deltas;
	const size_t mapping_count = map->mapping_count;
	unsigned stray = 0;
#pragma GCC unroll 4
	for (size_t i = 0; i < count; i++) {
		const size_t mapping = normalised[i] >> IFR_MAPPING_SHIFT;
		const uint64_t delta = mapping < mapping_count ? fast_deltas[mapping] : 0;
		addresses[i] = __builtin_expect(delta == NATIVE_PER_OBJECT, 0) ? translate(map, normalised[i], &stray)
		                                                               : normalised[i] + delta;
	}
	return stray;
}

static size_t next_data_move(const struct ifr_address_map *map, size_t at) {
	while (at < map->count && (map->moves[at].code || map->moves[at].from == map->moves[at].to))
		at++;
	return at;
}

bool ifr_address_maps_share_data(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	if (a->mapping_count != b->mapping_count ||
	    memcmp(a->deltas, b->deltas, a->mapping_count * sizeof *a->deltas) != 0 ||
	    !placed_objects_equal(a->objects, b->objects))
		return false;
	size_t i = next_data_move(a, 0), j = next_data_move(b, 0);
	for (; i < a->count && j < b->count; i = next_data_move(a, i + 1), j = next_data_move(b, j + 1)) {
		const struct ifr_move *x = &a->moves[i], *y = &b->moves[j];
		if (x->from != y->from || x->bytes != y->bytes || x->to != y->to)
			return false;
	}
	return i >= a->count && j >= b->count;
}

/* All mappings are equal, except that the heap, behind the program, may differ by whole pages. */
static bool mappings_share_lines(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	for (size_t i = 0; i < a->mapping_count; i++)
		if (i == a->heap ? (a->deltas[i] - b->deltas[i]) % IFR_PAGE : a->deltas[i] != b->deltas[i])
			return false;
	return true;
}

/* The program's data in front of the first moved page are unmoved in both maps. */
bool ifr_address_maps_share_lines(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	const bool both_moved = a->data_from != UINT64_MAX && b->data_from != UINT64_MAX;
	return a->mapping_count == b->mapping_count && !a->objects && !b->objects && !a->data_irregular &&
	       !b->data_irregular && (a->data_shift - b->data_shift) % IFR_PAGE == 0 &&
	       (!both_moved || a->data_from == b->data_from) && mappings_share_lines(a, b);
}
