/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matched layouts of two programs.
 *
 * Problem: decisions are keyed by name, so that the functions of both programs come in the same order; but a function
 * that became longer shifts all that follow by its difference, and most of what layouts differ by is where code lies in
 * windows and lines. Pairs then share little: by measurement, times of gawk with one changed function correlated at 0.37.
 * Idea: every function gets the room of the longer of both (the plan's `room` lines), so that all common functions lie
 * at equal addresses in both programs. Functions that one program lacks come behind all others (`last`): one branch that
 * is said to be unlikely makes a part of its own. Both begin where the later one does (`start`), because one more
 * function of a library makes the table of calls before the code longer. The difference between the layouts of a pair
 * is the change alone.
 * Limit: functions that an image pins stay where they ship. */
#include "harness/build/matched_plan.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* The units of one program by name. */
struct side {
	const struct ifr_relinker *relinker;
	size_t count;
	size_t *order; /* indices of units, by name */
};

static int by_name(const void *a, const void *b, void *relinker) {
	struct ifr_relinker_unit x, y;
	ifr_relinker_unit(relinker, *(const size_t *)a, &x);
	ifr_relinker_unit(relinker, *(const size_t *)b, &y);
	return strcmp(x.name, y.name);
}

static void open_side(const struct ifr_relinker *relinker, struct side *side) {
	side->relinker = relinker;
	side->count = ifr_relinker_unit_count(side->relinker);
	side->order = ifr_alloc((side->count + 1) * sizeof *side->order);
	for (size_t i = 0; i < side->count; i++)
		side->order[i] = i;
	qsort_r(side->order, side->count, sizeof *side->order, by_name, (void *)side->relinker);
}

static bool is_code(const struct ifr_relinker_unit *unit) {
	return !strncmp(unit->section, ".text", 5) && !unit->pin;
}

/* Gives the units that both have, of different sizes, the larger room, and puts functions that one of them lacks behind
 * all others. */
static void match_units(const struct side sides[2], bool rooms_only, struct ifr_plan *match) {
	size_t next[2] = {0};
	while (next[0] < sides[0].count || next[1] < sides[1].count) {
		struct ifr_relinker_unit unit[2];
		for (int s = 0; s < 2; s++)
			if (next[s] < sides[s].count)
				ifr_relinker_unit(sides[s].relinker, sides[s].order[next[s]], &unit[s]);
		const int order = next[0] == sides[0].count   ? 1
		                  : next[1] == sides[1].count ? -1
		                                              : strcmp(unit[0].name, unit[1].name);
		const uint64_t most = !order && unit[0].bytes > unit[1].bytes ? unit[0].bytes : unit[1].bytes;
		if (!order && unit[0].bytes != unit[1].bytes && most <= IFR_PLAN_ROOM_MOST)
			ifr_plan_give_room(match, unit[0].name, most);
		else if (order && !rooms_only && is_code(&unit[order > 0]))
			ifr_plan_put_last(match, unit[order > 0].name);
		next[0] += order <= 0;
		next[1] += order >= 0;
	}
}

/* Lets the code of both begin where the later one does. Programs of fixed and of free addresses have none in common. */
static void match_starts(const struct side sides[2], struct ifr_plan *match) {
	const uint64_t at[2] = {ifr_relinker_code_start(sides[0].relinker),
	                        ifr_relinker_code_start(sides[1].relinker)};
	const uint64_t earlier = at[0] < at[1] ? at[0] : at[1], later = at[0] > at[1] ? at[0] : at[1];
	if (earlier && later > earlier && later - earlier <= IFR_PLAN_ROOM_MOST)
		match->code_start = later;
}

void ifr_plan_match_programs(const struct ifr_relinker *old, const struct ifr_relinker *new, bool rooms_only,
                             struct ifr_plan *match) {
	struct side sides[2];
	open_side(old, &sides[0]);
	open_side(new, &sides[1]);
	match_units(sides, rooms_only, match);
	if (!rooms_only)
		match_starts(sides, match);
	free(sides[0].order);
	free(sides[1].order);
}
