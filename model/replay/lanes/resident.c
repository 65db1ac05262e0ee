/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/resident.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define SMALLEST 64
/* Keys of a piece are touched one after the other: what of a time says which. A block has 65535 bytes at most, a
 * line at least 16. */
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
		ifr_ids_release(&lane->keys);
		free(lane->rows);
		free(lane->sets);
		free(lane->ways);
	}
	free(resident->pieces);
	free(resident->firsts);
	free(resident->rows);
	free(resident->numbers);
	free(resident->nexts);
	free(resident->slots);
	free(resident->times);
	free(resident->missed);
}

/* --- pieces --- */

static uint32_t number_of(struct ifr_resident *resident, struct ifr_resident_lane *lane, uint64_t key) {
	const size_t known = lane->keys.count;
	const uint32_t number = ifr_ids_of(&lane->keys, key);
	if (number < known)
		return number;
	if (number >= lane->room) {
		lane->room = 2 * lane->room + SMALLEST;
		lane->rows = ifr_realloc(lane->rows, lane->room, sizeof *lane->rows);
		lane->sets = ifr_realloc(lane->sets, lane->room, sizeof *lane->sets);
	}
	lane->rows[number] = IFR_NOTHING;
	lane->sets[number] = ifr_cache_set(&resident->shape, key);
	return number;
}

static uint32_t rows_of(const struct ifr_resident *resident, uint32_t piece) {
	return resident->firsts[piece + 1] - resident->firsts[piece];
}

/* Where a piece of so many rows of these numbers stands in the table, or would. */
static size_t slot_of(const struct ifr_resident *resident, const uint32_t *numbers, uint32_t rows) {
	const size_t lanes = resident->lanes_count, mask = resident->slots_count - 1;
	uint64_t hash = rows;
	for (size_t i = 0; i < rows * lanes; i++)
		hash = (hash ^ numbers[i]) * 0x9e3779b97f4a7c15;
	size_t slot = hash >> 32 & mask;
	for (uint32_t piece; resident->slots[slot]; slot = (slot + 1) & mask) {
		piece = resident->slots[slot] - 1;
		if (rows_of(resident, piece) != rows)
			continue;
		const uint32_t *own = resident->numbers + resident->firsts[piece] * lanes;
		if (!rows || !memcmp(own, numbers, rows * lanes * sizeof *numbers))
			break;
	}
	return slot;
}

static void make_room_for_rows(struct ifr_resident *resident, size_t rows) {
	if (rows <= resident->rows_room)
		return;
	resident->rows_room = 2 * rows + SMALLEST;
	const size_t words = resident->rows_room * resident->lanes_count;
	resident->numbers = ifr_realloc(resident->numbers, words, sizeof *resident->numbers);
	resident->nexts = ifr_realloc(resident->nexts, words, sizeof *resident->nexts);
	resident->rows = ifr_realloc(resident->rows, resident->rows_room, sizeof *resident->rows);
}

static void make_room_for_pieces(struct ifr_resident *resident) {
	if (resident->pieces_count < resident->pieces_room)
		return;
	resident->pieces_room = 2 * resident->pieces_room + SMALLEST;
	resident->pieces = ifr_realloc(resident->pieces, resident->pieces_room, sizeof *resident->pieces);
	resident->firsts = ifr_realloc(resident->firsts, resident->pieces_room + 1, sizeof *resident->firsts);
	resident->firsts[0] = 0;
	free(resident->slots);
	for (resident->slots_count = 1; resident->slots_count < 2 * resident->pieces_room;)
		resident->slots_count *= 2;
	resident->slots = ifr_alloc(resident->slots_count * sizeof *resident->slots);
	for (uint32_t i = 0; i < resident->pieces_count; i++) {
		const uint32_t *numbers = resident->numbers + resident->firsts[i] * resident->lanes_count;
		resident->slots[slot_of(resident, numbers, rows_of(resident, i))] = i + 1;
	}
}

static bool holds(const struct ifr_resident *resident, const struct ifr_resident_lane *lane, uint32_t number) {
	const uint32_t *ways = lane->ways + lane->sets[number] * resident->shape.ways;
	for (unsigned way = 0; way < resident->shape.ways; way++)
		if (ways[way] == number)
			return true;
	return false;
}

/* Whether a lane has all keys of a piece. */
static bool has_all(const struct ifr_resident *resident, uint32_t piece, size_t lane) {
	for (uint32_t row = resident->firsts[piece]; row < resident->firsts[piece + 1]; row++) {
		const uint32_t number = resident->numbers[row * resident->lanes_count + lane];
		if (number != IFR_NOTHING && !holds(resident, &resident->lanes[lane], number))
			return false;
	}
	return true;
}

/* Makes a piece of the rows behind the last one's. One that comes late may have keys that are there already. */
static void add_piece(struct ifr_resident *resident, uint32_t rows) {
	const uint32_t piece = (uint32_t)resident->pieces_count++;
	const size_t lanes = resident->lanes_count;
	resident->pieces[piece] = (struct ifr_piece){.here = UINT64_MAX};
	resident->firsts[piece + 1] = resident->firsts[piece] + rows;
	for (uint32_t row = resident->firsts[piece]; row < resident->firsts[piece + 1]; row++) {
		resident->rows[row] = (struct ifr_row){piece, row - resident->firsts[piece]};
		for (size_t i = 0; i < lanes; i++) {
			const uint32_t number = resident->numbers[row * lanes + i];
			if (number == IFR_NOTHING)
				continue;
			resident->nexts[row * lanes + i] = resident->lanes[i].rows[number];
			resident->lanes[i].rows[number] = row;
		}
	}
	for (size_t i = 0; i < lanes; i++)
		if (!has_all(resident, piece, i))
			resident->pieces[piece].here &= ~(1ull << i);
}

uint32_t ifr_resident_piece(struct ifr_resident *resident, const struct ifr_keys *keys) {
	const size_t lanes = resident->lanes_count;
	uint32_t rows = 0;
	for (size_t i = 0; i < lanes; i++)
		rows = keys[i].count > rows ? keys[i].count : rows;
	make_room_for_pieces(resident);
	const size_t behind = resident->firsts[resident->pieces_count];
	make_room_for_rows(resident, behind + rows);
	uint32_t *numbers = resident->numbers + behind * lanes;
	for (uint32_t k = 0; k < rows; k++)
		for (size_t i = 0; i < lanes; i++)
			numbers[k * lanes + i] =
				k < keys[i].count ? number_of(resident, &resident->lanes[i], keys[i].first + k) : IFR_NOTHING;
	uint32_t *slot = &resident->slots[slot_of(resident, numbers, rows)];
	if (!*slot) {
		add_piece(resident, rows);
		*slot = (uint32_t)resident->pieces_count;
	}
	return *slot - 1;
}

/* --- misses --- */

/* When a row was touched. Of the piece that is being filled, what comes before the row it is at was just now, the
 * rest not yet. */
static inline uint64_t row_time(const struct ifr_resident *resident, struct ifr_row row) {
	if (row.piece == resident->filling.piece && row.order < resident->filling.order)
		return UINT64_MAX - ROWS_MOST + row.order;
	return resident->pieces[row.piece].touched * ROWS_MOST + row.order;
}

/* When a lane touched a key last. */
static uint64_t touched(const struct ifr_resident *resident, size_t lane, uint32_t number) {
	uint64_t last = 0;
	for (uint32_t row = resident->lanes[lane].rows[number]; row != IFR_NOTHING;
	     row = resident->nexts[row * resident->lanes_count + lane]) {
		const uint64_t time = row_time(resident, resident->rows[row]);
		last = time > last ? time : last;
	}
	return last;
}

static unsigned victim_of(const struct ifr_resident *resident, size_t lane, const uint32_t *ways) {
	const unsigned count = resident->shape.ways;
	for (unsigned way = 0; way < count; way++)
		if (ways[way] == IFR_NOTHING)
			return way;
	for (unsigned way = 0; way < count; way++)
		resident->times[way] = touched(resident, lane, ways[way]);
	return ifr_cache_victim(resident->shape.policy, resident->times, count);
}

/* A key has come, or gone: what it says of the pieces that have it. */
static void mark(struct ifr_resident *resident, size_t lane, uint32_t number, bool here) {
	for (uint32_t row = resident->lanes[lane].rows[number]; row != IFR_NOTHING;
	     row = resident->nexts[row * resident->lanes_count + lane]) {
		const uint32_t piece = resident->rows[row].piece;
		const bool all = here && (rows_of(resident, piece) == 1 || has_all(resident, piece, lane));
		resident->pieces[piece].here = (resident->pieces[piece].here & ~(1ull << lane)) | (uint64_t)all << lane;
	}
}

/* True if the lane had it not. */
static bool fetch(struct ifr_resident *resident, size_t lane, uint32_t number) {
	if (number == IFR_NOTHING || holds(resident, &resident->lanes[lane], number))
		return false;
	uint32_t *ways = resident->lanes[lane].ways + resident->lanes[lane].sets[number] * resident->shape.ways;
	uint32_t *way = &ways[victim_of(resident, lane, ways)];
	const uint32_t gone = *way;
	*way = number;
	if (gone != IFR_NOTHING)
		mark(resident, lane, gone, false);
	mark(resident, lane, number, true);
	return true;
}

size_t ifr_resident_fill(struct ifr_resident *resident, uint32_t piece, uint64_t time) {
	const uint32_t first = resident->firsts[piece], rows = rows_of(resident, piece);
	const uint64_t lacking = ~resident->pieces[piece].here;
	for (uint32_t k = 0; k < rows; k++) {
		resident->missed[k] = 0;
		resident->filling = (struct ifr_row){piece, k};
		for (uint64_t rest = lacking; rest; rest &= rest - 1) {
			const size_t lane = (size_t)__builtin_ctzll(rest);
			const uint32_t number = resident->numbers[(first + k) * resident->lanes_count + lane];
			resident->missed[k] |= (uint64_t)fetch(resident, lane, number) << lane;
		}
	}
	resident->pieces[piece].touched = time;
	return rows;
}
