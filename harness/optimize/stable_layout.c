/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A layout that edits disturb least: each function begins a line of cache and has slack behind it, so that it may grow
 * without moving another, and code begins later than it would, so that what lies before it may grow, too. */
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/session.h"
#include "harness/optimize/stability.h"

/* The slack of a function: an eighth of its bytes, and as much at least, up to whole lines. */
enum { LINE_BYTES = 64, SLACK_BYTES = 32, SLACK_PART = 8, START_BYTES = 256, LOOP_BYTES = 32 };
/* The least share of a function among executed instructions whose loops are aligned. */
static const double hot_share = 0.01;

static uint64_t to_lines(uint64_t bytes) {
	return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static uint64_t room_of(uint64_t bytes) {
	return to_lines(bytes + (bytes / SLACK_PART > SLACK_BYTES ? bytes / SLACK_PART : SLACK_BYTES));
}

/* Start files have code, too, which lies between functions. */
static bool is_code(const struct ifr_relinker_unit *unit) {
	return unit->bytes && ifr_starts_with(unit->section, ".text");
}

/* --- the plan ---------------------------------------------------------------------------------------------------- */

static void give_rooms(struct session *session, struct ifr_upkeep *upkeep) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (!is_code(&unit))
			continue;
		ifr_plan_give_room(&session->plan, unit.name, room_of(unit.bytes));
		upkeep->slack_bytes += room_of(unit.bytes) - unit.bytes;
		upkeep->functions += !unit.pin;
	}
}

/* Lets the first function begin a line, with room for what lies before it. */
static int set_start(struct session *session, struct ifr_error *err) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	const size_t units = ifr_relinker_unit_count(relinker);
	const uint64_t code = ifr_relinker_code_start(relinker);
	uint64_t *addresses = ifr_alloc((units + 1) * sizeof *addresses), first = UINT64_MAX;
	session->plan.code_start = code + START_BYTES;
	int result = pin_find_addresses(relinker, &session->plan, addresses, err);
	for (size_t i = 0; i < units && !result; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (is_code(&unit) && addresses[i] < first)
			first = addresses[i];
	}
	if (!result && first != UINT64_MAX)
		session->plan.code_start += to_lines(first) - first;
	free(addresses);
	return result;
}

/* Aligns the loops of hot functions, where variants can have them aligned. */
static int align_loops(struct session *session, struct ifr_upkeep *upkeep, struct ifr_error *err) {
	struct ifr_buffer names = {0};
	int result = 0;
	if (!ifr_builder_count_templates(session->search.stages.builder))
		return 0;
	for (size_t i = 0; i < session->search.code.unit_count; i++) {
		const struct hot_unit *unit = &session->search.code.units[i];
		const char *symbol = hot_unit_symbol(unit->name);
		if (!symbol || !unit->moves || strpbrk(symbol, ",*?[\\ ") ||
		    (double)unit->instructions < hot_share * (double)session->search.code.instructions)
			continue;
		ifr_buffer_printf(&names, "%s%s", upkeep->loops_aligned++ ? "," : "", symbol);
	}
	if (upkeep->loops_aligned) {
		char *words = ifr_format("seed=1 loop-bytes=%d functions=0 only=%s", LOOP_BYTES, ifr_buffer_text(&names));
		result = ifr_plan_set(&session->plan, IFR_AXIS_ALIGN, words, err);
		free(words);
	}
	ifr_buffer_release(&names);
	return result;
}

/* --- the measure ------------------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b) {
	const struct stability_unit *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

/* The mean share of functions that move when another grows, in the layout of a plan. */
static int measure(const struct session *session, const struct ifr_plan *plan, bool rooms, double *moved,
                   struct ifr_error *err) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	const size_t all = ifr_relinker_unit_count(relinker);
	uint64_t *addresses = ifr_alloc((all + 1) * sizeof *addresses);
	struct stability_unit *units = ifr_alloc((all + 1) * sizeof *units);
	size_t count = 0;
	int result = pin_find_addresses(relinker, plan, addresses, err);
	for (size_t i = 0; i < all && !result; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (is_code(&unit))
			units[count++] = (struct stability_unit){addresses[i], unit.bytes, rooms ? room_of(unit.bytes) : 0,
			                                         unit.align, !unit.pin};
	}
	qsort(units, count, sizeof *units, by_address);
	*moved = stability_mean_moved(units, count, IFR_STABILITY_BYTES);
	free(units);
	free(addresses);
	return result;
}

int session_stabilise(struct session *session, struct ifr_upkeep *upkeep, struct ifr_error *err) {
	const struct ifr_relinker *relinker = session->search.stages.source.relinker;
	struct ifr_plan shipped, order;
	ifr_plan_init(&shipped);
	int result = pin_spell_out(relinker, &session->plan, &order, err);
	ifr_plan_release(&session->plan);
	session->plan = order;
	if (!result)
		result = measure(session, &shipped, false, &upkeep->moved_shipped, err);
	give_rooms(session, upkeep);
	if (!result)
		result = set_start(session, err);
	if (!result)
		result = measure(session, &session->plan, true, &upkeep->moved, err);
	return result ? result : align_loops(session, upkeep, err);
}
