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
static void index_moves(struct ifr_address_map *map, const struct ifr_region *program) {
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

struct ifr_address_map *ifr_address_map_new(const struct ifr_trace *trace,
                                            const struct ifr_layout_request *request) {
	struct ifr_address_map *map = ifr_alloc(sizeof *map);
	const struct ifr_region *regions;
	const struct ifr_trace_request *asked;
	map->region_count = ifr_trace_regions(trace, &regions);
	map->deltas = ifr_alloc(map->region_count * sizeof *map->deltas);
	uint64_t *mappings = ifr_alloc((ifr_trace_requests(trace, &asked) + 1) * sizeof *mappings);
	native_deltas(trace, request, map->deltas, mappings);
	map->objects = placed_objects_new(trace, request, map->deltas, mappings);
	free(mappings);
	map->count = request->count;
	map->moves = ifr_alloc((map->count + 1) * sizeof *map->moves);
	if (map->count)
		memcpy(map->moves, request->moves, map->count * sizeof *map->moves);
	map->point_count = request->point_count;
	map->points = ifr_alloc((map->point_count + 1) * sizeof *map->points);
	if (map->point_count)
		memcpy(map->points, request->points, map->point_count * sizeof *map->points);
	for (size_t i = IFR_REGION_FIRST; i < map->region_count && !map->program; i++)
		if (regions[i].kind == IFR_REGION_PROGRAM)
			map->program = i;
	if (map->program)
		index_moves(map, &regions[map->program]);
	return map;
}

void ifr_address_map_free(struct ifr_address_map *map) {
	if (!map)
		return;
	free(map->moves);
	free(map->points);
	free(map->deltas);
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

/* code: set if the place is in moved code. */
static inline uint64_t address_of(const struct ifr_address_map *map, uint64_t place, bool *code) {
	size_t region = place >> IFR_REGION_SHIFT;
	uint64_t delta = region < map->region_count ? map->deltas[region] : 0, address = place + delta;
	if (delta == NATIVE_OBJECTS && map->objects)
		return placed_objects_address(map->objects, place);
	if (region != map->program || !map->count)
		return address;
	const struct ifr_move *move = move_of(map, place & IFR_REGION_OFFSET);
	if (!move)
		return address;
	*code = move->code;
	return address + (move->to - move->from);
}

uint64_t ifr_address_of(const struct ifr_address_map *map, uint64_t place) {
	bool code;
	return address_of(map, place, &code);
}

size_t ifr_addresses_of(const struct ifr_address_map *map, const uint64_t *places, size_t count,
                        uint64_t *addresses) {
	size_t in_code = 0;
	for (size_t i = 0; i < count; i++) {
		bool code = false;
		addresses[i] = address_of(map, places[i], &code);
		in_code += code;
	}
	return in_code;
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
