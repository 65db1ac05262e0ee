/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/conflict_names.h"

#include <stdlib.h>
#include <string.h>

#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/site_names.h"

/* The sets that are looked at, those with a hundredth of the first one's misses, and the lines of each: a walk along
 * arrays meets in many sets by the same names. */
enum { SETS_MOST = 256, LINES_MOST = 16, PART = 100 };

int ifr_conflicts_structure(enum ifr_event event) {
	switch (event) {
	case IFR_EVENT_L1D_LOAD_MISSES:
	case IFR_EVENT_L1D_STORE_MISSES:
		return IFR_CONFLICT_L1D;
	case IFR_EVENT_L1I_MISSES:
		return IFR_CONFLICT_L1I;
	case IFR_EVENT_L2_MISSES:
		return IFR_CONFLICT_L2;
	case IFR_EVENT_BTB_MISSES:
		return IFR_CONFLICT_BTB;
	case IFR_EVENT_CONDITIONAL_MISSES:
		return IFR_CONFLICT_PREDICTOR;
	default:
		return -1;
	}
}

/* "table in look_up (map.c:5)"; offsets in an object are left out. */
static char *name_line(struct ifr_site_names *names, const struct ifr_conflict_line *line) {
	char *data = NULL, *code = NULL, *name;
	if (line->access == IFR_CONFLICT_NO_ACCESS)
		return ifr_site_code(names, line->normalised);
	ifr_site_access(names, line->block, line->access, line->normalised, &data, &code);
	name = ifr_format("%.*s in %s", (int)strcspn(data, "+"), data, code);
	free(data);
	free(code);
	return name;
}

static bool has_name(const struct ifr_strings *list, const char *name) {
	bool has = false;
	for (size_t i = 0; i < list->count && !has; i++)
		has = !strcmp(list->items[i], name);
	return has;
}

static void name_set(struct ifr_site_names *names, const struct ifr_conflicts *conflicts,
                     const struct ifr_conflict_set *set, struct ifr_strings *list, struct ifr_site *sites) {
	for (size_t i = 0; i < set->count && i < LINES_MOST; i++) {
		char *name = name_line(names, &conflicts->lines[set->first + i]);
		if (has_name(list, name)) {
			free(name);
			continue;
		}
		sites[list->count] = ifr_site_of(names, conflicts->lines[set->first + i].normalised);
		ifr_strings_take(list, name);
	}
}

/* Of a set that misses more in the second layout. */
static uint64_t rise(const struct ifr_conflict_set *set) {
	return set->misses[1] - set->misses[0];
}

/* In any order: no list has a name twice. */
static bool same_names(const struct ifr_strings *a, const struct ifr_strings *b) {
	bool same = a->count == b->count;
	for (size_t i = 0; same && i < a->count; i++)
		same = has_name(b, a->items[i]);
	return same;
}

/* sites: [LINES_MOST] of the names. */
static void add_set(struct ifr_named_conflicts *named, struct ifr_strings *names, const struct ifr_site *sites,
                    const struct ifr_conflict_set *set, size_t most) {
	size_t at = 0;
	while (at < named->count && !same_names(&named->items[at].names, names))
		at++;
	if (at == most) {
		named->rest_sets++;
		named->rest += rise(set);
		ifr_strings_release(names);
		return;
	}
	struct ifr_named_conflict *item = &named->items[at];
	if (at == named->count) {
		*item = (struct ifr_named_conflict){.names = *names, .set = set->set, .lines = set->count};
		item->sites = ifr_alloc(LINES_MOST * sizeof *sites);
		memcpy(item->sites, sites, LINES_MOST * sizeof *sites);
		named->count++;
	} else {
		ifr_strings_release(names);
	}
	item->sets++;
	for (unsigned i = 0; i < 2; i++)
		item->misses[i] += set->misses[i];
}

static void name_sets(const struct ifr_trace *trace, const struct ifr_conflicts *conflicts, size_t most,
                      struct ifr_named_conflicts *named) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	named->items = ifr_alloc((most + 1) * sizeof *named->items);
	named->ways = conflicts->shape.ways;
	for (size_t i = 0; i < conflicts->set_count; i++) {
		struct ifr_strings list = {0};
		struct ifr_site sites[LINES_MOST] = {0};
		const bool main = i < SETS_MOST && PART * rise(&conflicts->sets[i]) >= rise(&conflicts->sets[0]);
		if (main)
			name_set(names, conflicts, &conflicts->sets[i], &list, sites);
		add_set(named, &list, sites, &conflicts->sets[i], main ? most : named->count);
	}
	ifr_site_names_free(names);
}

int ifr_conflicts_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                       const struct ifr_machine *machine, enum ifr_conflict_structure structure, size_t most,
                       struct ifr_named_conflicts *named, struct ifr_error *err) {
	static const char *const structures[] = {"L1D", "L1I", "L2", "BTB", "predictor"};
	struct ifr_address_map *maps[2] = {NULL};
	struct ifr_conflicts conflicts = {0};
	int result = 0;
	*named = (struct ifr_named_conflicts){.structure = structures[structure]};
	for (unsigned i = 0; i < 2 && !result; i++)
		result = ifr_layout_of_plan(trace, builder, plans[i], &maps[i], err);
	if (!result)
		result = ifr_conflicts_count(trace, (const struct ifr_address_map *const *)maps, machine, structure,
		                             &conflicts, err);
	if (!result)
		name_sets(trace, &conflicts, most, named);
	if (!result && !ifr_conflict_is_of_branches(structure))
		named->set_bytes = (uint64_t)conflicts.shape.sets * ifr_machine_line_bytes(machine);
	ifr_conflicts_release(&conflicts);
	for (unsigned i = 0; i < 2; i++)
		if (maps[i])
			ifr_address_map_free(maps[i]);
	return result;
}

void ifr_named_conflicts_release(struct ifr_named_conflicts *named) {
	for (size_t i = 0; i < named->count; i++) {
		ifr_strings_release(&named->items[i].names);
		free(named->items[i].sites);
	}
	free(named->items);
	*named = (struct ifr_named_conflicts){0};
}
