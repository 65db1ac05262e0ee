/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout is spelled out as an order of all units, with the axes for distances as they are: these draw a unit's padding
 * by its name, so that it stays beside the unit wherever that goes. A shift is room that the unit before it gets. */
#include "harness/optimize/local_moves.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "harness/optimize/pins.h"

/* Hot functions that move, and those that they may stand behind. */
enum { MOVED_MOST = 16, NEIGHBOURS_MOST = 8 };
/* Distances of functions that align to 16 bytes, and of others. */
enum { LINE = 64, PAGE = 4096, STEP = 16, FINE_STEP = 4 };

enum move_kind { MOVE_LATER, MOVE_ALONE, MOVE_BESIDE };

struct move {
	enum move_kind kind;
	const struct hot_unit *unit, *beside;
	unsigned bytes;
};

struct climb {
	const struct candidate_source *source;
	local_move_taker *take;
	void *taker;
	int64_t until_ns;
	size_t predicted;
	struct candidate best; /* of the moves from one layout */
	bool found;
};

/* The position of a unit in the order; place_count for none. */
static size_t find_position(const struct ifr_plan *plan, const char *unit) {
	size_t i = 0;
	while (i < plan->place_count && strcmp(plan->places[i].unit, unit) != 0)
		i++;
	return i;
}

static uint64_t bytes_of(const struct ifr_relinker *relinker, const char *name) {
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (!strcmp(unit.name, name))
			return unit.bytes;
	}
	return 0;
}

/* Keeps more bytes free behind a unit. */
static void add_room(const struct ifr_relinker *relinker, struct ifr_plan *plan, const char *unit,
                     unsigned bytes) {
	uint64_t room = bytes_of(relinker, unit);
	for (size_t i = 0; i < plan->room_count; i++)
		if (!strcmp(plan->rooms[i].unit, unit) && plan->rooms[i].bytes > room)
			room = plan->rooms[i].bytes;
	ifr_plan_give_room(plan, unit, room + bytes);
}

/* alone: not with the code behind it. */
static bool shift(const struct ifr_relinker *relinker, struct ifr_plan *plan, const char *unit, unsigned bytes,
                  bool alone) {
	const size_t at = find_position(plan, unit);
	if (!at || at == plan->place_count)
		return false;
	add_room(relinker, plan, plan->places[at - 1].unit, bytes);
	if (alone)
		add_room(relinker, plan, unit, LINE - bytes);
	return true;
}

bool local_move_shift(const struct ifr_relinker *relinker, struct ifr_plan *plan, const char *unit,
                      unsigned bytes) {
	return shift(relinker, plan, unit, bytes, true);
}

static bool put_beside(const struct move *move, struct ifr_plan *plan) {
	size_t from = find_position(plan, move->unit->name), to = find_position(plan, move->beside->name);
	if (from == plan->place_count || to == plan->place_count || from == to + 1)
		return false;
	const struct ifr_plan_place moved = plan->places[from];
	memmove(plan->places + from, plan->places + from + 1, (plan->place_count - 1 - from) * sizeof moved);
	to += from > to;
	memmove(plan->places + to + 1, plan->places + to, (plan->place_count - 1 - to) * sizeof moved);
	plan->places[to] = moved;
	return true;
}

/* Predicts the layout that a move makes of another. Impossible moves are none. */
static void try_move(struct climb *climb, const struct ifr_plan *plan, const struct move *move) {
	struct candidate candidate = {.origin = CANDIDATE_MOVED}, copy;
	struct ifr_error ignored = {0};
	ifr_plan_copy(&candidate.plan, plan);
	const bool made = move->kind == MOVE_BESIDE ? put_beside(move, &candidate.plan)
	                                            : shift(climb->source->relinker, &candidate.plan, move->unit->name,
	                                                    move->bytes, move->kind == MOVE_ALONE);
	if (!made || candidate_evaluate(climb->source, &candidate, &ignored)) {
		candidate_release(&candidate);
		return;
	}
	climb->predicted++;
	if (!climb->found || candidate.expected < climb->best.expected) {
		copy = candidate;
		ifr_plan_copy(&copy.plan, &candidate.plan);
		candidate_release(&climb->best);
		climb->best = copy;
		climb->found = true;
	}
	climb->take(climb->taker, &candidate);
}

static void try_moves_of(struct climb *climb, const struct ifr_plan *plan, const struct hot_unit *unit) {
	const struct hot_code *code = climb->source->code;
	const unsigned step = unit->align < STEP ? FINE_STEP : STEP;
	for (unsigned bytes = step; bytes < LINE; bytes += step)
		for (enum move_kind kind = MOVE_LATER; kind <= MOVE_ALONE; kind++)
			try_move(climb, plan, &(struct move){.kind = kind, .unit = unit, .bytes = bytes});
	/* Other sets. */
	for (unsigned bytes = LINE; bytes < PAGE; bytes *= 2)
		try_move(climb, plan, &(struct move){.kind = MOVE_LATER, .unit = unit, .bytes = bytes});
	for (size_t i = 0; i < code->unit_count && i < NEIGHBOURS_MOST; i++)
		if (code->units[i].moves && &code->units[i] != unit)
			try_move(climb, plan, &(struct move){.kind = MOVE_BESIDE, .unit = unit, .beside = &code->units[i]});
}

/* Tries all moves from a layout; the most executed functions come first. */
static void try_moves(struct climb *climb, const struct ifr_plan *plan) {
	const struct hot_code *code = climb->source->code;
	climb->found = false;
	for (size_t i = 0, moved = 0; i < code->unit_count && moved < MOVED_MOST; i++)
		if (code->units[i].moves && (!climb->found || ifr_clock_ns() < climb->until_ns)) {
			try_moves_of(climb, plan, &code->units[i]);
			moved++;
		}
}

int local_moves_climb(const struct candidate_source *source, const struct ifr_plan *from, unsigned moves,
                      int64_t until_ns, local_move_taker *take, void *taker, size_t *predicted,
                      struct ifr_error *err) {
	struct climb climb = {.source = source, .take = take, .taker = taker, .until_ns = until_ns};
	struct candidate at = {.origin = CANDIDATE_MOVED};
	int result = pin_spell_out(source->relinker, from, &at.plan, err);
	if (!result)
		result = candidate_evaluate(source, &at, err);
	for (unsigned i = 0; i < moves && !result && (!i || ifr_clock_ns() < until_ns); i++) {
		try_moves(&climb, &at.plan);
		if (!climb.found || climb.best.expected >= at.expected)
			break;
		candidate_release(&at);
		at = climb.best;
		climb.best = (struct candidate){.origin = CANDIDATE_MOVED};
		climb.found = false;
	}
	candidate_release(&climb.best);
	candidate_release(&at);
	*predicted += climb.predicted;
	return result;
}
