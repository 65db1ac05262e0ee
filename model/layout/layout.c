/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/layout/address_map.h"
#include "model/layout/native.h"
#include "model/layout/objects.h"

enum { GRAIN_SHIFT = 6 };

/* As far as the last move goes: what a trace says of the program's size may be anything. */
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

/* The first of the kind, 0 if there is none. */
static size_t region_of_kind(const struct ifr_mapping *regions, size_t count, unsigned kind) {
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		if (regions[i].kind == kind)
			return i;
	return 0;
}

static void survey_data(struct ifr_address_map *map) {
	uint64_t left_end = 0; /* of data in front that did not move */
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
			map->data_apart = left_end > map->data_from || move->to < move->from;
		}
		map->data_apart |= move->to - move->from != map->data_shift;
	}
}

struct ifr_address_map *ifr_address_map_new(const struct ifr_trace *trace,
                                            const struct ifr_layout_request *request) {
	struct ifr_address_map *map = ifr_alloc(sizeof *map);
	const struct ifr_mapping *regions;
	const struct ifr_trace_request *asked;
	map->region_count = ifr_trace_mappings(trace, &regions);
	map->deltas = ifr_alloc(map->region_count * sizeof *map->deltas);
	uint64_t *mappings = ifr_alloc((ifr_trace_requests(trace, &asked) + 1) * sizeof *mappings);
	native_deltas(trace, request, map->deltas, mappings);
	map->objects = placed_objects_new(trace, request, map->deltas, mappings);
	free(mappings);
	map->count = request->count;
	map->moves = ifr_alloc((map->count + 1) * sizeof *map->moves);
	if (map->count)
		memcpy(map->moves, request->moves, map->count * sizeof *map->moves);
	survey_data(map);
	map->point_count = request->point_count;
	map->points = ifr_alloc((map->point_count + 1) * sizeof *map->points);
	if (map->point_count)
		memcpy(map->points, request->points, map->point_count * sizeof *map->points);
	map->program = region_of_kind(regions, map->region_count, IFR_MAPPING_PROGRAM);
	map->heap = region_of_kind(regions, map->region_count, IFR_MAPPING_HEAP);
	if (map->program)
		index_moves(map, &regions[map->program]);
	map->quick = ifr_alloc(map->region_count * sizeof *map->quick);
	memcpy(map->quick, map->deltas, map->region_count * sizeof *map->quick);
	if (map->count && map->program)
		map->quick[map->program] = NATIVE_PER_OBJECT;
	return map;
}

void ifr_address_map_free(struct ifr_address_map *map) {
	if (!map)
		return;
	free(map->moves);
	free(map->points);
	free(map->deltas);
	free(map->quick);
	placed_objects_free(map->objects);
	free(map->first);
	free(map);
}

/* The move that covers an offset in the program, NULL if none does. */
static inline const struct ifr_move *move_of(const struct ifr_address_map *map, uint64_t offset) {
	uint64_t grain = (offset - map->program_start) >> GRAIN_SHIFT;
	if (grain >= map->grains)
		return NULL;
	for (size_t i = map->first[grain]; i < map->count && map->moves[i].from <= offset; i++)
		if (offset - map->moves[i].from < map->moves[i].bytes)
			return &map->moves[i];
	return NULL;
}

/* stray: gets what the place is of IFR_STRAY_…. */
static uint64_t address_of(const struct ifr_address_map *map, uint64_t place, unsigned *stray) {
	size_t region = place >> IFR_MAPPING_SHIFT;
	uint64_t delta = region < map->region_count ? map->deltas[region] : 0, address = place + delta;
	if (delta == NATIVE_PER_OBJECT && map->objects)
		return placed_objects_address(map->objects, place);
	if (region != map->program || !map->count)
		return address;
	const struct ifr_move *move = move_of(map, place & IFR_OFFSET_MASK);
	if (!move) {
		*stray |= (place & IFR_OFFSET_MASK) >= map->data_from ? IFR_STRAY_UNMOVED : 0;
		return address;
	}
	*stray |= move->code ? IFR_STRAY_CODE : 0;
	return address + (move->to - move->from);
}

uint64_t ifr_address_of(const struct ifr_address_map *map, uint64_t place) {
	unsigned stray = 0;
	return address_of(map, place, &stray);
}

unsigned ifr_addresses_of(const struct ifr_address_map *map, const uint64_t *places, size_t count,
                          uint64_t *addresses) {
	const uint64_t *quick = map->quick;
	const size_t region_count = map->region_count;
	unsigned stray = 0;
#pragma GCC unroll 4
	for (size_t i = 0; i < count; i++) {
		const size_t region = places[i] >> IFR_MAPPING_SHIFT;
		const uint64_t delta = region < region_count ? quick[region] : 0;
		addresses[i] = __builtin_expect(delta == NATIVE_PER_OBJECT, 0) ? address_of(map, places[i], &stray)
		                                                               : places[i] + delta;
	}
	return stray;
}

static size_t next_of_data(const struct ifr_address_map *map, size_t at) {
	while (at < map->count && (map->moves[at].code || map->moves[at].from == map->moves[at].to))
		at++;
	return at;
}

bool ifr_address_maps_share_data(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	if (a->region_count != b->region_count ||
	    memcmp(a->deltas, b->deltas, a->region_count * sizeof *a->deltas) != 0 ||
	    !placed_objects_equal(a->objects, b->objects))
		return false;
	size_t i = next_of_data(a, 0), j = next_of_data(b, 0);
	for (; i < a->count && j < b->count; i = next_of_data(a, i + 1), j = next_of_data(b, j + 1)) {
		const struct ifr_move *x = &a->moves[i], *y = &b->moves[j];
		if (x->from != y->from || x->bytes != y->bytes || x->to != y->to)
			return false;
	}
	return i >= a->count && j >= b->count;
}

/* Only the heap, behind the program, may lie elsewhere. */
static bool regions_are_pages_apart(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	for (size_t i = 0; i < a->region_count; i++)
		if (i == a->heap ? (a->deltas[i] - b->deltas[i]) % IFR_PAGE : a->deltas[i] != b->deltas[i])
			return false;
	return true;
}

/* Of the program, data in front of the first page that moved are where they are in both. */
bool ifr_address_maps_share_lines(const struct ifr_address_map *a, const struct ifr_address_map *b) {
	const bool both_moved = a->data_from != UINT64_MAX && b->data_from != UINT64_MAX;
	return a->region_count == b->region_count && !a->objects && !b->objects && !a->data_apart && !b->data_apart &&
	       (a->data_shift - b->data_shift) % IFR_PAGE == 0 && (!both_moved || a->data_from == b->data_from) &&
	       regions_are_pages_apart(a, b);
}
