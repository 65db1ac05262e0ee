/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables and functions that a cure moves: they go behind all others of their output section, which stay where they
 * ship, so that nothing else changes. */
#include "harness/campaign/cure_places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_MOST = 8, STACK_STEP = 16, PAGE = 4096, HALF_PAGE = 2048, PART = 20 };

bool cure_is_main_pair(const struct ifr_named_aliases *aliases, size_t index) {
	return ifr_named_alias_excess(&aliases->items[index]) * PART >= ifr_named_alias_excess(&aliases->items[0]);
}

bool cure_find_unit(const struct ifr_cure_program *program, const struct ifr_site *site,
                    struct ifr_relinker_unit *unit) {
	struct ifr_relinker *relinker = ifr_builder_relinker(program->builder);
	struct ifr_unit_index index;
	if (site->kind != IFR_SITE_PROGRAM)
		return false;
	ifr_unit_index_make(relinker, &index);
	const size_t found = ifr_unit_index_find(&index, site->address);
	const bool known = found != index.none;
	ifr_unit_index_release(&index);
	if (known)
		ifr_relinker_unit(relinker, found, unit);
	return known && !unit->pin && unit->align;
}

/* ".bss" of ".bss.count": the bytes of the name that units of one output section share. */
static size_t group_length(const char *section) {
	return *section == '.' ? 1 + strcspn(section + 1, ".") : strlen(section);
}

static bool same_group(const struct ifr_relinker_unit *a, const struct ifr_relinker_unit *b) {
	const size_t length = group_length(a->section);
	return length == group_length(b->section) && !strncmp(a->section, b->section, length);
}

/* Units with new addresses, which make a plan. */
struct moves {
	const struct ifr_cure_program *program;
	struct ifr_relinker_unit units[UNITS_MOST];
	uint64_t to[UNITS_MOST];
	size_t count;
};

/* The first free address behind the units of a unit's section, and behind what has moved there. */
static uint64_t find_end(const struct moves *moves, const struct ifr_relinker_unit *unit) {
	const struct ifr_relinker *relinker = ifr_builder_relinker(moves->program->builder);
	uint64_t end = 0;
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit other;
		ifr_relinker_unit(relinker, i, &other);
		if (same_group(unit, &other) && other.address + other.bytes > end)
			end = other.address + other.bytes;
	}
	for (size_t i = 0; i < moves->count; i++)
		if (same_group(unit, &moves->units[i]) && moves->to[i] + moves->units[i].bytes > end)
			end = moves->to[i] + moves->units[i].bytes;
	return end;
}

/* The first address at or behind `from` that is congruent to `address` modulo a multiple of the alignment. */
static uint64_t find_congruent(uint64_t from, uint64_t address, uint64_t modulus) {
	return from + (address - from) % modulus;
}

static bool has_unit(const struct moves *moves, const struct ifr_relinker_unit *unit) {
	bool has = false;
	for (size_t i = 0; i < moves->count; i++)
		has |= moves->units[i].address == unit->address;
	return has;
}

static void add_move(struct moves *moves, const struct ifr_relinker_unit *unit, uint64_t to) {
	moves->units[moves->count] = *unit;
	moves->to[moves->count++] = to;
}

/* "j by 8 bytes and k by 8 bytes" */
static void put_moves(const struct moves *moves, struct ifr_buffer *text) {
	for (size_t i = 0; i < moves->count; i++)
		ifr_buffer_printf(text, "%s%s by %" PRIu64 " bytes",
		                  !i                      ? ""
		                  : i + 1 == moves->count ? " and "
		                                          : ", ",
		                  moves->units[i].name, moves->to[i] - moves->units[i].address);
}

/* Adds the moves as a candidate, unless the relinker cannot place them. */
static void propose(const struct moves *moves, const struct ifr_audit_row *row, enum ifr_event event,
                    const char *why, struct ifr_cure_candidates *list) {
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_buffer reason = {0};
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	for (size_t i = 0; i < moves->count; i++)
		ifr_plan_place_at(&plan, moves->units[i].name, moves->to[i]);
	put_moves(moves, &reason);
	ifr_buffer_printf(&reason, ": %s", why);
	if (moves->count && !ifr_relinker_place(ifr_builder_relinker(moves->program->builder), &plan, &layout, NULL))
		cure_candidate_add(list, row, &plan, ifr_event_name(event), ifr_buffer_detach(&reason));
	ifr_relinker_layout_close(layout);
	ifr_buffer_release(&reason);
	ifr_plan_release(&plan);
}

/* --- variables that meet the stack ------------------------------------------------------------------------------ */

/* Marks the bytes modulo 16 that a variable in the stack has in every context. */
static void mark(const struct ifr_alias_name *name, bool taken[STACK_STEP]) {
	for (unsigned i = 0; i < name->bytes && i < STACK_STEP; i++)
		taken[(name->address + i) % STACK_STEP] = true;
}

/* An address for a unit at bytes that are not taken; 0: there is none. */
static uint64_t find_bytes(const struct moves *moves, const struct ifr_relinker_unit *unit,
                           const bool taken[STACK_STEP]) {
	const uint64_t from = (find_end(moves, unit) + unit->align - 1) / unit->align * unit->align;
	for (uint64_t at = from; at < from + STACK_STEP && unit->bytes < STACK_STEP; at += unit->align) {
		bool free = true;
		for (uint64_t i = 0; i < unit->bytes; i++)
			free &= !taken[(at + i) % STACK_STEP];
		if (free)
			return at;
	}
	return 0;
}

/* The program's side of a pair with the stack; NULL for other pairs. *stack: the other side. */
static const struct ifr_alias_name *find_sides(const struct ifr_named_alias *pair,
                                               const struct ifr_alias_name **stack) {
	const bool loads = pair->load.site.kind == IFR_SITE_STACK;
	const struct ifr_alias_name *other = loads ? &pair->store : &pair->load;
	*stack = loads ? &pair->load : &pair->store;
	return (*stack)->site.kind == IFR_SITE_STACK && other->site.kind == IFR_SITE_PROGRAM ? other : NULL;
}

static void propose_bytes(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                          const struct ifr_named_aliases *aliases, struct ifr_cure_candidates *list) {
	struct moves moves = {.program = program};
	bool taken[STACK_STEP] = {false}, all = true;
	const struct ifr_alias_name *stack;
	for (size_t i = 0; i < aliases->count; i++)
		if (cure_is_main_pair(aliases, i) && find_sides(&aliases->items[i], &stack))
			mark(stack, taken);
	for (size_t i = 0; i < aliases->count && moves.count < UNITS_MOST && all; i++) {
		struct ifr_relinker_unit unit;
		const struct ifr_alias_name *name = find_sides(&aliases->items[i], &stack);
		if (!name || !cure_is_main_pair(aliases, i))
			continue;
		all = cure_find_unit(program, &name->site, &unit);
		if (!all || has_unit(&moves, &unit))
			continue;
		const uint64_t to = find_bytes(&moves, &unit, taken);
		all = to != 0;
		if (all)
			add_move(&moves, &unit, to);
	}
	if (all)
		propose(&moves, row, IFR_EVENT_ADDRESS_ALIAS,
		        "stacks move by multiples of 16 bytes, and at these addresses no variable has the bytes modulo 16 "
		        "of the variables in the stack that it met",
		        list);
}

/* --- two variables ---------------------------------------------------------------------------------------------- */

/* Whether the model was told what moving the variable alone does, and most aliases beyond those of the best layout
 * remain. */
static bool is_refuted(const struct ifr_named_aliases *aliases, const struct ifr_relinker_unit *unit) {
	for (size_t i = 0; i < aliases->trial_count; i++)
		if (aliases->trials[i].from - unit->address < unit->bytes)
			return 2 * aliases->trials[i].events > aliases->events + aliases->best_events;
	return false;
}

/* The smaller one of two units that move; returns false where neither does. */
static bool find_smaller(const struct ifr_cure_program *program, const struct ifr_site sites[2],
                         struct ifr_relinker_unit *unit) {
	struct ifr_relinker_unit other;
	const bool first = cure_find_unit(program, &sites[0], unit),
			   second = cure_find_unit(program, &sites[1], &other);
	if (second && (!first || other.bytes < unit->bytes))
		*unit = other;
	return first || second;
}

static void propose_half_page(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                              const struct ifr_named_aliases *aliases, struct ifr_cure_candidates *list) {
	for (size_t i = 0; i < aliases->count; i++) {
		const struct ifr_named_alias *pair = &aliases->items[i];
		const struct ifr_site sites[2] = {pair->store.site, pair->load.site};
		struct moves moves = {.program = program};
		struct ifr_relinker_unit unit;
		if (!cure_is_main_pair(aliases, i) || sites[0].kind != IFR_SITE_PROGRAM ||
		    sites[1].kind != IFR_SITE_PROGRAM || !find_smaller(program, sites, &unit) ||
		    is_refuted(aliases, &unit))
			continue;
		add_move(&moves, &unit, find_congruent(find_end(&moves, &unit), unit.address + HALF_PAGE, PAGE));
		propose(&moves, row, IFR_EVENT_ADDRESS_ALIAS, "half a page from the variable that it met modulo 4096",
		        list);
		return;
	}
}

/* --- lines ------------------------------------------------------------------------------------------------------ */

/* A variable that lies across a line in the worst layout begins one. */
static void propose_line(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                         const struct ifr_mechanism_changes *changes, struct ifr_cure_candidates *list) {
	enum { LINE = 64 };
	for (size_t i = 0; i < changes->named.count; i++) {
		const struct ifr_named_change *change = &changes->named.items[i];
		struct moves moves = {.program = program};
		struct ifr_relinker_unit unit;
		if (!change->data || change->events[1] <= change->events[0] ||
		    !cure_find_unit(program, &change->site, &unit) || unit.bytes > LINE)
			continue;
		add_move(&moves, &unit, find_congruent(find_end(&moves, &unit), 0, LINE));
		propose(&moves, row, changes->event, "at the begin of a line of 64 bytes, it lies across none", list);
		return;
	}
}

/* --- sets ------------------------------------------------------------------------------------------------------- */

/* The smallest unit among those that meet in a set goes half of the sets away. */
static void propose_set(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                        const struct ifr_mechanism_conflicts *conflicts, struct ifr_cure_candidates *list) {
	for (size_t i = 0; i < conflicts->named.count && conflicts->named.set_bytes; i++) {
		const struct ifr_named_conflict *conflict = &conflicts->named.items[i];
		const uint64_t bytes = conflicts->named.set_bytes;
		struct moves moves = {.program = program};
		struct ifr_relinker_unit unit, other;
		bool found = false;
		for (size_t j = 0; j < conflict->names.count; j++)
			if (cure_find_unit(program, &conflict->sites[j], &other) && (!found || other.bytes < unit.bytes)) {
				unit = other;
				found = true;
			}
		/* An alignment that keeps the unit in its sets keeps it from this cure. */
		if (!found || bytes / 2 % unit.align)
			continue;
		add_move(&moves, &unit, find_congruent(find_end(&moves, &unit), unit.address + bytes / 2, bytes));
		propose(&moves, row, conflicts->event, "half of the sets from the lines that it met in one", list);
		return;
	}
}

void cure_propose_places(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                         const struct ifr_mechanism *mechanism, struct ifr_cure_candidates *list) {
	propose_bytes(program, row, &mechanism->aliases, list);
	propose_half_page(program, row, &mechanism->aliases, list);
	for (size_t i = 0; i < mechanism->change_count; i++)
		propose_line(program, row, &mechanism->changes[i], list);
	for (size_t i = 0; i < mechanism->conflict_count; i++)
		propose_set(program, row, &mechanism->conflicts[i], list);
}
