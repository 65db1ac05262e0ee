/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/resident.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define SMALLEST 64

void ifr_resident_init(struct ifr_resident *resident, struct ifr_cache_shape shape, size_t lanes_count) {
	const size_t count = (size_t)shape.sets * shape.ways;
	*resident = (struct ifr_resident){.shape = shape, .lanes_count = lanes_count};
	resident->times = ifr_alloc((shape.ways + 1) * sizeof *resident->times);
	for (size_t i = 0; i < lanes_count; i++) {
		resident->lanes[i].ways = ifr_alloc((count + 1) * sizeof *resident->lanes[i].ways);
		memset(resident->lanes[i].ways, 0xff, count * sizeof *resident->lanes[i].ways);
	}
}

void ifr_resident_release(struct ifr_resident *resident) {
	for (size_t i = 0; i < resident->lanes_count; i++) {
		struct ifr_resident_lane *lane = &resident->lanes[i];
		ifr_ids_release(&lane->keys);
		free(lane->pieces);
		free(lane->sets);
		free(lane->ways);
	}
	free(resident->pieces);
	free(resident->numbers);
	free(resident->nexts);
	free(resident->slots);
	free(resident->times);
}

/* --- pieces --- */

static uint32_t number_of(struct ifr_resident *resident, struct ifr_resident_lane *lane, uint64_t key) {
	const size_t known = lane->keys.count;
	const uint32_t number = ifr_ids_of(&lane->keys, key);
	if (number < known)
		return number;
	if (number >= lane->pieces_room) {
		lane->pieces_room = 2 * lane->pieces_room + SMALLEST;
		lane->pieces = ifr_realloc(lane->pieces, lane->pieces_room, sizeof *lane->pieces);
		lane->sets = ifr_realloc(lane->sets, lane->pieces_room, sizeof *lane->sets);
	}
	lane->pieces[number] = IFR_NO_PIECE;
	lane->sets[number] = (key >> resident->shape.index_shift) & (resident->shape.sets - 1);
	return number;
}

/* Where a piece of these numbers stands in the table, or would. */
static size_t slot_of(const struct ifr_resident *resident, const uint32_t *numbers) {
	const size_t lanes = resident->lanes_count, mask = resident->slots_count - 1;
	uint64_t hash = 0;
	for (size_t i = 0; i < lanes; i++)
		hash = (hash ^ numbers[i]) * 0x9e3779b97f4a7c15;
	size_t slot = hash >> 32 & mask;
	while (resident->slots[slot] &&
	       memcmp(resident->numbers + (resident->slots[slot] - 1) * lanes, numbers, lanes * sizeof *numbers) != 0)
		slot = (slot + 1) & mask;
	return slot;
}

static void make_room(struct ifr_resident *resident) {
	if (resident->pieces_count < resident->pieces_room)
		return;
	resident->pieces_room = 2 * resident->pieces_room + SMALLEST;
	const size_t words = resident->pieces_room * resident->lanes_count;
	resident->pieces = ifr_realloc(resident->pieces, resident->pieces_room, sizeof *resident->pieces);
	resident->numbers = ifr_realloc(resident->numbers, words, sizeof *resident->numbers);
	resident->nexts = ifr_realloc(resident->nexts, words, sizeof *resident->nexts);
	free(resident->slots);
	for (resident->slots_count = 1; resident->slots_count < 2 * resident->pieces_room;)
		resident->slots_count *= 2;
	resident->slots = ifr_alloc(resident->slots_count * sizeof *resident->slots);
	for (size_t i = 0; i < resident->pieces_count; i++)
		resident->slots[slot_of(resident, resident->numbers + i * resident->lanes_count)] = (uint32_t)i + 1;
}

static bool holds(const struct ifr_resident *resident, const struct ifr_resident_lane *lane, uint32_t number) {
	const uint32_t *ways = lane->ways + lane->sets[number] * resident->shape.ways;
	for (unsigned way = 0; way < resident->shape.ways; way++)
		if (ways[way] == number)
			return true;
	return false;
}

/* A piece that comes late may have keys that are there already. */
static void link_piece(struct ifr_resident *resident, uint32_t piece, const uint32_t *numbers) {
	resident->pieces[piece] = (struct ifr_piece){.here = UINT64_MAX};
	for (size_t i = 0; i < resident->lanes_count; i++) {
		struct ifr_resident_lane *lane = &resident->lanes[i];
		const size_t at = piece * resident->lanes_count + i;
		resident->numbers[at] = numbers[i];
		if (numbers[i] == IFR_NO_PIECE)
			continue;
		resident->nexts[at] = lane->pieces[numbers[i]];
		lane->pieces[numbers[i]] = piece;
		if (!holds(resident, lane, numbers[i]))
			resident->pieces[piece].here &= ~(1ull << i);
	}
}

uint32_t ifr_resident_piece(struct ifr_resident *resident, const uint64_t *keys) {
	uint32_t numbers[IFR_RESIDENT_LANES] = {0};
	for (size_t i = 0; i < resident->lanes_count; i++)
		numbers[i] = keys[i] == IFR_NO_KEY ? IFR_NO_PIECE : number_of(resident, &resident->lanes[i], keys[i]);
	make_room(resident);
	uint32_t *slot = &resident->slots[slot_of(resident, numbers)];
	if (!*slot) {
		*slot = (uint32_t)++resident->pieces_count;
		link_piece(resident, *slot - 1, numbers);
	}
	return *slot - 1;
}

/* --- misses --- */

/* When a lane touched a key last. */
static uint64_t touched(const struct ifr_resident *resident, size_t lane, uint32_t number) {
	uint64_t last = 0;
	for (uint32_t piece = resident->lanes[lane].pieces[number]; piece != IFR_NO_PIECE;
	     piece = resident->nexts[piece * resident->lanes_count + lane])
		if (resident->pieces[piece].touched > last)
			last = resident->pieces[piece].touched;
	return last;
}

static unsigned victim_of(const struct ifr_resident *resident, size_t lane, const uint32_t *ways,
                          uint64_t *times) {
	const unsigned count = resident->shape.ways;
	for (unsigned way = 0; way < count; way++)
		if (ways[way] == IFR_NO_PIECE)
			return way;
	for (unsigned way = 0; way < count; way++)
		times[way] = touched(resident, lane, ways[way]);
	return ifr_cache_victim(resident->shape.policy, times, count);
}

/* Says of all pieces with a key whether the lane has it. */
static void mark(struct ifr_resident *resident, size_t lane, uint32_t number, bool here) {
	for (uint32_t piece = resident->lanes[lane].pieces[number]; piece != IFR_NO_PIECE;
	     piece = resident->nexts[piece * resident->lanes_count + lane])
		resident->pieces[piece].here = (resident->pieces[piece].here & ~(1ull << lane)) | (uint64_t)here << lane;
}

uint64_t ifr_resident_fill(struct ifr_resident *resident, uint32_t piece) {
	const uint64_t missed = ~resident->pieces[piece].here;
	uint64_t *times = resident->times;
	for (uint64_t rest = missed; rest; rest &= rest - 1) {
		const size_t lane = (size_t)__builtin_ctzll(rest);
		const uint32_t number = resident->numbers[piece * resident->lanes_count + lane];
		uint32_t *ways = resident->lanes[lane].ways + resident->lanes[lane].sets[number] * resident->shape.ways;
		uint32_t *way = &ways[victim_of(resident, lane, ways, times)];
		if (*way != IFR_NO_PIECE)
			mark(resident, lane, *way, false);
		*way = number;
		mark(resident, lane, number, true);
	}
	return missed;
}
