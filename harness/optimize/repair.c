/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives new hot functions places in a pinned layout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/session.h"

/* Functions that get places, distances before the first of them, and by how much more the layouts run than others. */
enum { PLACED_MOST = 64, GAPS = 4, GAP_STEP = 16, RUNS_FACTOR = 3 };
/* Of the rest of the budget. */
static const double repair_share = 0.5;

/* The position of a unit among the places of a plan; place_count for none. */
static size_t find_place(const struct ifr_plan *plan, const char *unit) {
	size_t i = 0;
	while (i < plan->place_count && strcmp(plan->places[i].unit, unit) != 0)
		i++;
	return i;
}

static bool is_placed(const struct ifr_plan *plan, const char *unit) {
	return find_place(plan, unit) < plan->place_count;
}

/* The position for a new function: behind its most frequent caller in the plan, else before its most frequent callee,
 * else behind the most executed function. place_count if the plan has none of them. */
static size_t choose_position(const struct hot_code *code, const struct ifr_plan *plan, size_t unit) {
	for (size_t i = 0; i < code->call_count; i++)
		if (code->calls[i].to == unit && is_placed(plan, code->units[code->calls[i].from].name))
			return find_place(plan, code->units[code->calls[i].from].name) + 1;
	for (size_t i = 0; i < code->call_count; i++)
		if (code->calls[i].from == unit && is_placed(plan, code->units[code->calls[i].to].name))
			return find_place(plan, code->units[code->calls[i].to].name);
	for (size_t i = 0; i < code->unit_count; i++)
		if (is_placed(plan, code->units[i].name))
			return find_place(plan, code->units[i].name) + 1;
	return plan->place_count;
}

static void insert_place(struct ifr_plan *plan, size_t position, const char *unit) {
	ifr_plan_place(plan, unit);
	const struct ifr_plan_place added = plan->places[plan->place_count - 1];
	memmove(plan->places + position + 1, plan->places + position,
	        (plan->place_count - 1 - position) * sizeof added);
	plan->places[position] = added;
}

/* Whether the plan gives an order, in which a new function has no position. */
static bool has_order(const struct ifr_plan *plan) {
	for (size_t i = 0; i < plan->place_count; i++)
		if (!plan->places[i].fixed)
			return true;
	return false;
}

/* Places the hot functions that the plan lacks, the most executed first; *first receives the first one's name. Returns
 * their number. */
static size_t place_new(const struct hot_code *code, struct ifr_plan *plan, const char **first) {
	size_t placed = 0;
	for (size_t i = 0; i < code->unit_count && placed < PLACED_MOST && has_order(plan); i++) {
		const char *name = code->units[i].name;
		if (!code->units[i].moves || is_placed(plan, name))
			continue;
		insert_place(plan, choose_position(code, plan, i), name);
		*first = placed++ ? *first : name;
	}
	return placed;
}

static uint64_t bytes_of(const struct ifr_relinker *relinker, const char *name) {
	struct ifr_relinker_unit unit = {0};
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		ifr_relinker_unit(relinker, i, &unit);
		if (!strcmp(unit.name, name))
			return unit.bytes;
	}
	return 0;
}

/* Leaves a distance before a unit, as room of the one before it. */
static void leave_gap(const struct ifr_relinker *relinker, struct ifr_plan *plan, const char *unit, unsigned gap) {
	const size_t position = find_place(plan, unit);
	if (!position || !gap)
		return;
	const char *before = plan->places[position - 1].unit;
	const uint64_t bytes = bytes_of(relinker, before);
	ifr_plan_give_room(plan, before, (bytes + GAP_STEP - 1) / GAP_STEP * GAP_STEP + gap);
}

/* Measures the layouts and takes the fastest; *chosen receives its index. */
static int choose_fastest(struct session *session, struct trial *trials, size_t count, size_t *chosen,
                          struct ifr_error *err) {
	struct stages *stages = &session->search.stages;
	const struct trial *best = NULL;
	int result = stage_measure(stages, "refresh", RUNS_FACTOR * stages->search->campaign.repetitions, repair_share,
	                           trials, count, err);
	for (size_t i = 0; i < count && !result; i++)
		if (isfinite(trials[i].time) && (!best || trials[i].time < best->time))
			best = &trials[i];
	if (!result && !best && !stages->interrupted)
		result = ifr_fail(err, IFR_E_USAGE, "no layout could be measured");
	if (best) {
		*chosen = (size_t)(best - trials);
		ifr_plan_release(&session->plan);
		ifr_plan_copy(&session->plan, &best->candidate.plan);
	}
	return result;
}

int session_repair(struct session *session, struct ifr_upkeep *upkeep, struct ifr_error *err) {
	struct trial trials[1 + GAPS] = {{.time = NAN}};
	const char *first = NULL;
	struct ifr_plan with;
	size_t best = GAPS;
	ifr_plan_copy(&with, &session->plan);
	upkeep->new_functions = place_new(&session->search.code, &with, &first);
	int result = 0;
	/* The last trial leaves the new functions where the plan puts units that it does not name. */
	for (size_t i = 0; i < 1 + GAPS && upkeep->new_functions; i++) {
		ifr_plan_copy(&trials[i].candidate.plan, i < GAPS ? &with : &session->plan);
		if (i < GAPS)
			leave_gap(session->search.stages.source.relinker, &trials[i].candidate.plan, first,
			          (unsigned)i * GAP_STEP);
	}
	if (upkeep->new_functions) {
		upkeep->tried = 1 + GAPS;
		result = choose_fastest(session, trials, upkeep->tried, &best, err);
	}
	upkeep->placed = !result && best < GAPS ? upkeep->new_functions : 0;
	for (size_t i = 0; i < upkeep->tried; i++)
		candidate_release(&trials[i].candidate);
	ifr_plan_release(&with);
	return result;
}
