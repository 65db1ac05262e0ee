/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matched layouts of two programs.
 *
 * Problem: decisions are keyed by name, so that the functions of both programs come in the same order; but a function
 * that became longer shifts all that follow by its difference, and most of what layouts differ by is where code lies in
 * windows and lines. Pairs then share little: by measurement, times of gawk with one changed function correlated at 0.37.
 * Idea: every function gets the room of the longer of both (the plan's `room` lines), so that all common functions lie
 * at equal addresses in both programs. The difference between the layouts of a pair is the change alone.
 * Limit: functions that one program lacks shift what follows them; those that an image pins stay where they ship. */
#include <stdlib.h>
#include <string.h>

#include "harness/campaign/state.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

/* The units of one program by name. */
struct side {
	struct ifr_relinker *relinker;
	size_t count;
	size_t *order; /* indices of units, by name */
};

static int by_name(const void *a, const void *b, void *relinker) {
	struct ifr_relinker_unit x, y;
	ifr_relinker_unit(relinker, *(const size_t *)a, &x);
	ifr_relinker_unit(relinker, *(const size_t *)b, &y);
	return strcmp(x.name, y.name);
}

static int open_side(const struct ifr_kit *kit, struct side *side, struct ifr_error *err) {
	int result = ifr_relinker_open(kit, &side->relinker, err);
	if (result)
		return result;
	side->count = ifr_relinker_unit_count(side->relinker);
	side->order = ifr_alloc((side->count + 1) * sizeof *side->order);
	for (size_t i = 0; i < side->count; i++)
		side->order[i] = i;
	qsort_r(side->order, side->count, sizeof *side->order, by_name, side->relinker);
	return 0;
}

static void close_side(struct side *side) {
	free(side->order);
	ifr_relinker_close(side->relinker);
}

/* Gives the units that both have, of different sizes, the larger room. */
static void match_units(const struct side sides[2], struct ifr_plan *rooms) {
	for (size_t i = 0, k = 0; i < sides[0].count && k < sides[1].count;) {
		struct ifr_relinker_unit old, new;
		ifr_relinker_unit(sides[0].relinker, sides[0].order[i], &old);
		ifr_relinker_unit(sides[1].relinker, sides[1].order[k], &new);
		const int order = strcmp(old.name, new.name);
		const uint64_t most = old.bytes > new.bytes ? old.bytes : new.bytes;
		if (!order && old.bytes != new.bytes &&most <= IFR_PLAN_ROOM_MOST)
			ifr_plan_give_room(rooms, old.name, most);
		i += order <= 0;
		k += order >= 0;
	}
}

static bool moves_code(const struct campaign_state *state) {
	return state->plan.generator.axes & ifr_axes_of(IFR_OWNER_RELINKER);
}

/* An experiment from before has layouts that were not matched, and goes on with them. */
static int is_wanted(struct campaign_state *state, bool *wanted, struct ifr_error *err) {
	char *known = ifr_experiment_get(state->experiment, IFR_FACT_MATCHED),
		 *made = ifr_experiment_variant_digest(state->experiment, campaign_variant_id(state, 0, 1));
	*wanted = known ? !strcmp(known, "yes") : !made;
	int result = known ? 0 : ifr_experiment_set(state->experiment, IFR_FACT_MATCHED, *wanted ? "yes" : "no", err);
	free(known);
	free(made);
	return result;
}

int campaign_match_programs(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign_program *programs = state->plan.programs;
	struct side sides[2] = {{0}};
	struct ifr_error ignored = {0};
	bool wanted = false;
	if (state->plan.program_count != 2 || !programs[0].kit || !programs[1].kit || !moves_code(state))
		return 0;
	int result = is_wanted(state, &wanted, err);
	if (result || !wanted)
		return result;
	/* Kits that cannot be opened are told of where variants are made. */
	if (!open_side(programs[0].kit, &sides[0], &ignored) && !open_side(programs[1].kit, &sides[1], &ignored))
		match_units(sides, &state->rooms);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return 0;
}
