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

#include "harness/build/unit_pairs.h"

static bool is_code(const struct ifr_relinker_unit *unit) {
	return !strncmp(unit->section, ".text", 5) && !unit->pin;
}

/* Gives the units that both have, of different sizes, the larger room, and puts functions that one of them lacks behind
 * all others. */
static void match_units(const struct ifr_relinker *old, const struct ifr_relinker *new, bool rooms_only,
                        struct ifr_plan *match) {
	size_t count;
	struct ifr_unit_pair *pairs = ifr_unit_pairs_make(old, new, &count);
	for (size_t i = 0; i < count; i++) {
		const struct ifr_relinker_unit *unit = pairs[i].unit;
		const bool both = pairs[i].in[0] && pairs[i].in[1];
		const uint64_t most = unit[0].bytes > unit[1].bytes ? unit[0].bytes : unit[1].bytes;
		if (both && unit[0].bytes != unit[1].bytes && most <= IFR_PLAN_ROOM_MOST)
			ifr_plan_give_room(match, unit[0].name, most);
		else if (!both && !rooms_only && is_code(&unit[pairs[i].in[1]]))
			ifr_plan_put_last(match, unit[pairs[i].in[1]].name);
	}
	free(pairs);
}

/* Lets the code of both begin where the later one does. Programs of fixed and of free addresses have none in common. */
static void match_starts(const struct ifr_relinker *old, const struct ifr_relinker *new, struct ifr_plan *match) {
	const uint64_t at[2] = {ifr_relinker_code_start(old), ifr_relinker_code_start(new)};
	const uint64_t earlier = at[0] < at[1] ? at[0] : at[1], later = at[0] > at[1] ? at[0] : at[1];
	if (earlier && later > earlier && later - earlier <= IFR_PLAN_ROOM_MOST)
		match->code_start = later;
}

void ifr_plan_match_programs(const struct ifr_relinker *old, const struct ifr_relinker *new, bool rooms_only,
                             struct ifr_plan *match) {
	match_units(old, new, rooms_only, match);
	if (!rooms_only)
		match_starts(old, new, match);
}
