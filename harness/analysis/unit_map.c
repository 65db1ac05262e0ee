/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/unit_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t ifr_unit_map_address(const struct ifr_analysis *analysis, const struct ifr_unit_row *row, size_t layout) {
	return row->unit->at[analysis->layouts[layout].variant - analysis->dataset->variants];
}

static bool moves(const struct ifr_analysis *analysis, const struct ifr_unit_row *row) {
	uint64_t first = 0;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		uint64_t at = ifr_unit_map_address(analysis, row, i);
		if (first && at && at != first)
			return true;
		first = first ? first : at;
	}
	return false;
}

static int by_name(const void *a, const void *b) {
	const struct ifr_unit_row *x = a, *y = b;
	return strcmp(x->unit->name, y->unit->name);
}

/* The hottest first, then the largest. */
static int by_heat(const void *a, const void *b) {
	const struct ifr_dataset_unit *x = ((const struct ifr_unit_row *)a)->unit,
								  *y = ((const struct ifr_unit_row *)b)->unit;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The candidates as the attribution takes them: sorted by name, with their addresses in each variant. */
static void list_addresses(const struct ifr_dataset *dataset, const struct ifr_unit_row *rows, size_t count,
                           struct ifr_unit_addresses *addresses) {
	*addresses = (struct ifr_unit_addresses){.unit_count = count, .variant_count = dataset->variant_count};
	addresses->first = ifr_alloc((count + 1) * sizeof *addresses->first);
	addresses->units = ifr_alloc((count + 1) * sizeof *addresses->units);
	addresses->bytes = ifr_alloc((count + 1) * sizeof *addresses->bytes);
	addresses->at = ifr_alloc((count * dataset->variant_count + 1) * sizeof *addresses->at);
	for (size_t i = 0; i < count; i++) {
		addresses->units[i] = ifr_strdup(rows[i].unit->name);
		addresses->bytes[i] = rows[i].unit->bytes;
		addresses->first[i] = true;
		for (size_t j = 0; j < dataset->variant_count; j++)
			addresses->at[j * count + i] = rows[i].unit->at[j];
	}
}

static struct ifr_unit_row *find_row(struct ifr_unit_row *rows, size_t count, const char *name) {
	for (size_t i = 0; name && i < count; i++)
		if (!strcmp(rows[i].unit->name, name))
			return &rows[i];
	return NULL;
}

static void note_finding(struct ifr_unit_map *map, struct ifr_unit_row *row, const struct ifr_finding *finding) {
	if (!row || row->found || map->row_count == IFR_UNIT_MAP_ROWS)
		return;
	row->found = true;
	row->feature = finding->feature;
	row->p = finding->p_adjusted;
	row->difference = finding->classes.difference / finding->low_mean;
	map->rows[map->row_count++] = *row;
	map->found++;
}

/* Puts the units that the attribution finds into the first rows. */
static void attribute(const struct ifr_analysis *analysis, struct ifr_unit_row *rows, size_t count,
                      struct ifr_unit_map *map) {
	struct ifr_unit_addresses addresses;
	struct ifr_attribution code;
	qsort(rows, count, sizeof *rows, by_name);
	list_addresses(analysis->dataset, rows, count, &addresses);
	if (count && !ifr_attribution_make(analysis, &addresses, &code, NULL)) {
		map->tested = code.units;
		for (size_t i = 0; i < code.found; i++) {
			note_finding(map, find_row(rows, count, code.findings[i].unit), &code.findings[i]);
			note_finding(map, find_row(rows, count, code.findings[i].other), &code.findings[i]);
		}
		ifr_attribution_release(&code);
	}
	ifr_unit_addresses_release(&addresses);
}

static uint64_t weight_of(const struct ifr_dataset_unit *unit, enum ifr_unit_basis basis) {
	return basis == IFR_UNITS_BY_SAMPLES ? unit->samples : unit->instructions;
}

/* Lists the units of the first program, those with a weight alone or all of them. */
static size_t list_units(const struct ifr_analysis *analysis, bool weighty, enum ifr_unit_basis basis,
                         uint64_t total, struct ifr_unit_row *rows) {
	const struct ifr_dataset *dataset = analysis->dataset;
	size_t count = 0;
	for (size_t i = 0; i < dataset->unit_count; i++) {
		const struct ifr_dataset_unit *unit = &dataset->units[i];
		if (unit->program || (weighty && !weight_of(unit, basis)))
			continue;
		struct ifr_unit_row *row = &rows[count++];
		*row = (struct ifr_unit_row){.unit = unit, .share = NAN};
		if (total)
			row->share = (double)weight_of(unit, basis) / (double)total;
		row->moves = moves(analysis, row);
	}
	return count;
}

static size_t keep_moving(struct ifr_unit_row *rows, size_t count) {
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].moves)
			rows[kept++] = rows[i];
	return kept;
}

/* Adds the weights up, and chooses between them: a profile tells time, executed instructions only stand in for it. */
static void add_weights(const struct ifr_dataset *dataset, struct ifr_unit_map *map) {
	for (size_t i = 0; i < dataset->unit_count; i++) {
		map->samples += dataset->units[i].program ? 0 : dataset->units[i].samples;
		map->instructions += dataset->units[i].program ? 0 : dataset->units[i].instructions;
	}
	map->basis = map->instructions && !map->samples ? IFR_UNITS_BY_INSTRUCTIONS : IFR_UNITS_BY_SAMPLES;
}

/* Lists the units that may be causes: those that move, among the ones with a weight, else among all. Returns their
 * number; rows has room for all units. */
static size_t list_candidates(const struct ifr_analysis *analysis, struct ifr_unit_map *map,
                              struct ifr_unit_row *rows) {
	const enum ifr_unit_basis basis = map->basis;
	const uint64_t total = basis == IFR_UNITS_BY_SAMPLES ? map->samples : map->instructions;
	const size_t count = keep_moving(rows, list_units(analysis, true, basis, total, rows));
	if (count)
		return count;
	map->basis = IFR_UNITS_BY_SIZE;
	return keep_moving(rows, list_units(analysis, false, basis, total, rows));
}

void ifr_unit_map_make(const struct ifr_analysis *analysis, struct ifr_unit_map *map) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct ifr_unit_row *rows = ifr_alloc((dataset->unit_count + 1) * sizeof *rows);
	*map = (struct ifr_unit_map){.hot = ifr_alloc((dataset->unit_count + 1) * sizeof *map->hot)};
	add_weights(dataset, map);
	map->hot_count = list_units(analysis, true, map->basis,
	                            map->basis == IFR_UNITS_BY_SAMPLES ? map->samples : map->instructions, map->hot);
	qsort(map->hot, map->hot_count, sizeof *map->hot, by_heat);
	const size_t count = list_candidates(analysis, map, rows);
	attribute(analysis, rows, count, map);
	qsort(rows, count, sizeof *rows, by_heat);
	for (size_t i = 0; i < count && map->row_count < IFR_UNIT_MAP_ROWS; i++)
		if (!rows[i].found)
			map->rows[map->row_count++] = rows[i];
	free(rows);
}

void ifr_unit_map_mark(const struct ifr_analysis *analysis, struct ifr_unit_addresses *addresses) {
	struct ifr_unit_row *rows = ifr_alloc((analysis->dataset->unit_count + 1) * sizeof *rows);
	struct ifr_unit_map map = {0};
	add_weights(analysis->dataset, &map);
	const size_t count = list_candidates(analysis, &map, rows);
	bool *first = ifr_alloc((addresses->unit_count + 1) * sizeof *first);
	for (size_t i = 0; i < count; i++)
		first[ifr_unit_addresses_index(addresses, rows[i].unit->name)] = true;
	free(addresses->first);
	addresses->first = count ? first : NULL;
	if (!count)
		free(first);
	free(rows);
}

double ifr_loader_share(const struct ifr_dataset *dataset, unsigned program) {
	static const char *const loaders[] = {"[ld-linux", "[ld-musl", "[ld.so"};
	uint64_t all = 0, loader = 0;
	for (size_t i = 0; i < dataset->unit_count; i++) {
		const struct ifr_dataset_unit *unit = &dataset->units[i];
		bool is_loader = false;
		for (size_t j = 0; j < sizeof loaders / sizeof *loaders; j++)
			is_loader |= ifr_starts_with(unit->name, loaders[j]);
		if (unit->program != program)
			continue;
		all += unit->instructions;
		loader += is_loader ? unit->instructions : 0;
	}
	return all ? (double)loader / (double)all : NAN;
}

void ifr_unit_map_release(struct ifr_unit_map *map) {
	free(map->hot);
	*map = (struct ifr_unit_map){0};
}
