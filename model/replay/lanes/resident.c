/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/resident.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define SMALLEST 64
/* The keys of a group are touched one after the other; the low part of a time says which. A block has at most
 * 65535 bytes, a line at least 16. */
#define ROWS_MOST 8192

void ifr_resident_init(struct ifr_resident *resident, struct ifr_cache_shape shape, size_t lanes_count) {
	const size_t count = (size_t)shape.sets * shape.ways;
	*resident = (struct ifr_resident){.shape = shape, .lanes_count = lanes_count};
	resident->times = ifr_alloc((shape.ways + 1) * sizeof *resident->times);
	resident->missed = ifr_alloc(ROWS_MOST * sizeof *resident->missed);
	for (size_t i = 0; i < lanes_count; i++) {
		resident->lanes[i].ways = ifr_alloc((count + 1) * sizeof *resident->lanes[i].ways);
		memset(resident->lanes[i].ways, 0xff, count * sizeof *resident->lanes[i].ways);
	}
}

void ifr_resident_release(struct ifr_resident *resident) {
	for (size_t i = 0; i < resident->lanes_count; i++) {
		struct ifr_resident_lane *lane = &resident->lanes[i];
		ifr_table_release(&lane->keys);
		free(lane->rows);
		free(lane->sets);
		free(lane->ways);
	}
	free(resident->groups);
	free(resident->firsts);
	free(resident->rows);
	free(resident->key_ids);
	free(resident->nexts);
	ifr_table_release(&resident->by_keys);
	free(resident->times);
	free(resident->missed);
}

/* --- key groups --- */

static uint32_t key_id(struct ifr_resident *resident, struct ifr_resident_lane *lane, uint64_t key) {
	const size_t known = lane->keys.count;
	const uint32_t id = ifr_table_number(&lane->keys, key);
	if (id < known)
		return id;
	if (id >= lane->room) {
		lane->room = 2 * lane->room + SMALLEST;
		lane->rows = ifr_realloc(lane->rows, lane->room, sizeof *lane->rows);
		lane->sets = ifr_realloc(lane->sets, lane->room, sizeof *lane->sets);
	}
	lane->rows[id] = IFR_NOTHING;
	lane->sets[id] = ifr_cache_set(&resident->shape, key);
	return id;
}

static uint32_t rows_of(const struct ifr_resident *resident, uint32_t group) {
	return resident->firsts[group + 1] - resident->firsts[group];
}

/* The group with these key ids, whose hash is given; IFR_TABLE_NONE if there is none. */
static uint32_t find_group(const struct ifr_resident *resident, const uint32_t *key_ids, uint32_t rows,
                           uint64_t hash) {
	const size_t lanes = resident->lanes_count;
	uint32_t group;
	for (size_t probe = 0; (group = ifr_table_next(&resident->by_keys, hash, &probe)) != IFR_TABLE_NONE;) {
		const uint32_t *own = resident->key_ids + resident->firsts[group] * lanes;
		if (rows_of(resident, group) == rows && (!rows || !memcmp(own, key_ids, rows * lanes * sizeof *key_ids)))
			break;
	}
	return group;
}

static void make_room_for_rows(struct ifr_resident *resident, size_t rows) {
	if (rows <= resident->rows_room)
		return;
	resident->rows_room = 2 * rows + SMALLEST;
	const size_t words = resident->rows_room * resident->lanes_count;
	resident->key_ids = ifr_realloc(resident->key_ids, words, sizeof *resident->key_ids);
	resident->nexts = ifr_realloc(resident->nexts, words, sizeof *resident->nexts);
	resident->rows = ifr_realloc(resident->rows, resident->rows_room, sizeof *resident->rows);
}

static void make_room_for_groups(struct ifr_resident *resident) {
	if (resident->groups_count < resident->groups_room)
		return;
	resident->groups_room = 2 * resident->groups_room + SMALLEST;
	resident->groups = ifr_realloc(resident->groups, resident->groups_room, sizeof *resident->groups);
	resident->firsts = ifr_realloc(resident->firsts, resident->groups_room + 1, sizeof *resident->firsts);
	resident->firsts[0] = 0;
}

static bool set_holds(const struct ifr_resident *resident, const struct ifr_resident_lane *lane, uint32_t id) {
	const uint32_t *ways = lane->ways + lane->sets[id] * resident->shape.ways;
	for (unsigned way = 0; way < resident->shape.ways; way++)
		if (ways[way] == id)
			return true;
	return false;
}

/* True if a lane holds all keys of a group. */
static bool lane_has_all(const struct ifr_resident *resident, uint32_t group, size_t lane) {
	for (uint32_t row = resident->firsts[group]; row < resident->firsts[group + 1]; row++) {
		const uint32_t id = resident->key_ids[row * resident->lanes_count + lane];
		if (id != IFR_NOTHING && !set_holds(resident, &resident->lanes[lane], id))
			return false;
	}
	return true;
}

/* Makes a group of the rows that stand after the last group's. Some of its keys may be in the cache already, as
 * keys of other groups. */
static void append_group(struct ifr_resident *resident, uint32_t rows) {
	const uint32_t group = (uint32_t)resident->groups_count++;
	const size_t lanes = resident->lanes_count;
	resident->groups[group] = (struct ifr_key_group){.present = UINT64_MAX};
	resident->firsts[group + 1] = resident->firsts[group] + rows;
	for (uint32_t row = resident->firsts[group]; row < resident->firsts[group + 1]; row++) {
		resident->rows[row] = (struct ifr_row){group, row - resident->firsts[group]};
		for (size_t i = 0; i < lanes; i++) {
			const uint32_t id = resident->key_ids[row * lanes + i];
			if (id == IFR_NOTHING)
				continue;
			resident->nexts[row * lanes + i] = resident->lanes[i].rows[id];
			resident->lanes[i].rows[id] = row;
		}
	}
	for (size_t i = 0; i < lanes; i++)
		if (!lane_has_all(resident, group, i))
			resident->groups[group].present &= ~(1ull << i);
}

uint32_t ifr_resident_add(struct ifr_resident *resident, const struct ifr_key_run *keys) {
	const size_t lanes = resident->lanes_count;
	uint32_t rows = 0;
	for (size_t i = 0; i < lanes; i++)
		rows = keys[i].count > rows ? keys[i].count : rows;
	make_room_for_groups(resident);
	const size_t end = resident->firsts[resident->groups_count];
	make_room_for_rows(resident, end + rows);
	uint32_t *key_ids = resident->key_ids + end * lanes;
	for (uint32_t k = 0; k < rows; k++)
		for (size_t i = 0; i < lanes; i++)
			key_ids[k * lanes + i] =
				k < keys[i].count ? key_id(resident, &resident->lanes[i], keys[i].first + k) : IFR_NOTHING;
	const uint64_t hash = ifr_table_hash(key_ids, rows * lanes);
	const uint32_t known = find_group(resident, key_ids, rows, hash);
	if (known != IFR_TABLE_NONE)
		return known;
	const uint32_t group = (uint32_t)resident->groups_count;
	append_group(resident, rows);
	ifr_table_add(&resident->by_keys, hash, group);
	return group;
}

/* --- misses --- */

/* The time of a row's last touch. Of the group that is being filled, rows before the current one were touched just
 * now, the others not yet. */
static inline uint64_t row_time(const struct ifr_resident *resident, struct ifr_row row) {
	if (row.group == resident->filling.group && row.order < resident->filling.order)
		return UINT64_MAX - ROWS_MOST + row.order;
	return resident->groups[row.group].last_touch * ROWS_MOST + row.order;
}

/* The time of a lane's last touch of a key: the latest of the rows that have it. */
static uint64_t last_touch(const struct ifr_resident *resident, size_t lane, uint32_t id) {
	uint64_t last = 0;
	for (uint32_t row = resident->lanes[lane].rows[id]; row != IFR_NOTHING;
	     row = resident->nexts[row * resident->lanes_count + lane]) {
		const uint64_t time = row_time(resident, resident->rows[row]);
		last = time > last ? time : last;
	}
	return last;
}

static unsigned choose_victim(const struct ifr_resident *resident, size_t lane, const uint32_t *ways) {
	const unsigned count = resident->shape.ways;
	for (unsigned way = 0; way < count; way++)
		if (ways[way] == IFR_NOTHING)
			return way;
	for (unsigned way = 0; way < count; way++)
		resident->times[way] = last_touch(resident, lane, ways[way]);
	return ifr_cache_victim(resident->shape.policy, resident->times, count);
}

/* Updates the groups that have a key, after the lane got it (present) or lost it. */
static void update_presence(struct ifr_resident *resident, size_t lane, uint32_t id, bool present) {
	for (uint32_t row = resident->lanes[lane].rows[id]; row != IFR_NOTHING;
	     row = resident->nexts[row * resident->lanes_count + lane]) {
		const uint32_t group = resident->rows[row].group;
		const bool all = present && lane_has_all(resident, group, lane);
		resident->groups[group].present = (resident->groups[group].present & ~(1ull << lane)) | (uint64_t)all
		                                                                                            << lane;
	}
}

/* Returns true if the lane missed the key. */
static bool insert_key(struct ifr_resident *resident, size_t lane, uint32_t id) {
	if (id == IFR_NOTHING || set_holds(resident, &resident->lanes[lane], id))
		return false;
	uint32_t *ways = resident->lanes[lane].ways + resident->lanes[lane].sets[id] * resident->shape.ways;
	uint32_t *way = &ways[choose_victim(resident, lane, ways)];
	const uint32_t evicted = *way;
	*way = id;
	if (evicted != IFR_NOTHING)
		update_presence(resident, lane, evicted, false);
	update_presence(resident, lane, id, true);
	return true;
}

size_t ifr_resident_fill(struct ifr_resident *resident, uint32_t group, uint64_t time) {
	const uint32_t first = resident->firsts[group], rows = rows_of(resident, group);
	const uint64_t lacking = ~resident->groups[group].present;
	for (uint32_t k = 0; k < rows; k++) {
		resident->missed[k] = 0;
		resident->filling = (struct ifr_row){group, k};
		for (uint64_t rest = lacking; rest; rest &= rest - 1) {
			const size_t lane = (size_t)__builtin_ctzll(rest);
			const uint32_t id = resident->key_ids[(first + k) * resident->lanes_count + lane];
			resident->missed[k] |= (uint64_t)insert_key(resident, lane, id) << lane;
		}
	}
	resident->groups[group].last_touch = time;
	return rows;
}
