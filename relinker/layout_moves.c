/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moves of a layout: a map from each byte of the shipped program to its address in the layout. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/relinker_parts.h"

struct moves {
	const struct ifr_relinker *shipped; /* the moves start in its program */
	const struct unit **by_name;        /* its units by name; NULL if the layout is of the same relinker */
	struct ifr_relinker_move *items;
	size_t count, room;
};

static void add_move(struct moves *moves, uint64_t from, uint64_t bytes, uint64_t to, bool code) {
	if (!bytes)
		return;
	if (moves->count == moves->room) {
		moves->room = 2 * moves->room + 64;
		moves->items = ifr_realloc(moves->items, moves->room, sizeof *moves->items);
	}
	moves->items[moves->count++] =
		(struct ifr_relinker_move){.from = from, .bytes = bytes, .to = to, .code = code};
}

static int by_from(const void *a, const void *b) {
	const struct ifr_relinker_move *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int find_output(const char *name) {
	for (int r = 0; r < OUTPUTS; r++)
		if (!strcmp(output_names[r], name))
			return r;
	return -1;
}

static int by_name(const void *a, const void *b) {
	return strcmp((*(const struct unit *const *)a)->name, (*(const struct unit *const *)b)->name);
}

static void index_units(struct moves *moves) {
	const struct units *units = &moves->shipped->units;
	moves->by_name = ifr_alloc((units->count + 1) * sizeof *moves->by_name);
	for (size_t i = 0; i < units->count; i++)
		moves->by_name[i] = &units->items[i];
	qsort(moves->by_name, units->count, sizeof *moves->by_name, by_name);
}

/* Adds the move of the shipped program's unit of this name. */
static void add_unit(struct moves *moves, const struct unit *unit, uint64_t to) {
	const struct unit *const *found =
		moves->by_name ? bsearch(&unit, moves->by_name, moves->shipped->units.count, sizeof *found, by_name)
					   : &unit;
	if (found)
		add_move(moves, (*found)->address, (*found)->span_bytes, to, unit->align && unit->output == OUTPUT_TEXT);
}

/* Adds the moves of an output section's units, which follow one another from the section's new address. */
static int add_units(const struct ifr_relinker_layout *layout, enum output_section output, uint64_t start,
                     struct moves *moves, struct ifr_error *err) {
	const struct units *units = &layout->relinker->units;
	const struct output_units *own = &units->outputs[output];
	const struct placed_output *placed = &layout->placement.outputs[output];
	uint64_t at = start;
	for (size_t i = own->first; i < own->first + own->count && !placed->order; i++)
		add_unit(moves, &units->items[i], start + (units->items[i].address - own->address));
	for (size_t i = 0; i < placed->count && placed->order; i++) {
		const struct unit *unit = &units->items[placed->order[i].unit];
		if (!unit->align && !unit->pin)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the alignment of %s is not known: no addresses can be told",
			                unit->name);
		if (!unit->align) { /* the linker made it, and it stays */
			at = start + (unit->address - own->address);
			add_unit(moves, unit, at);
			at += unit->span_bytes;
			continue;
		}
		at = (at + placed->order[i].padding_bytes + unit->align - 1) & ~(uint64_t)(unit->align - 1);
		add_unit(moves, unit, at);
		at += unit->span_bytes;
	}
	return 0;
}

/* Adds moves for the bytes of a section that belong to no unit; they keep their offset in it. */
static void add_gaps(const struct section_place *base, uint64_t to, size_t first, bool code, struct moves *moves) {
	size_t end = moves->count;
	uint64_t at = base->address;
	if (end > first)
		qsort(moves->items + first, end - first, sizeof *moves->items, by_from);
	for (size_t i = first; i < end; i++) {
		struct ifr_relinker_move unit = moves->items[i];
		if (unit.from > at)
			add_move(moves, at, unit.from - at, at - base->address + to, code);
		at = unit.from + unit.bytes > at ? unit.from + unit.bytes : at;
	}
	if (base->address + base->bytes > at)
		add_move(moves, at, base->address + base->bytes - at, at - base->address + to, code);
}

static int add_section(const struct ifr_relinker_layout *layout, const struct section_place *base,
                       const struct section_place *now, struct moves *moves, struct ifr_error *err) {
	int output = find_output(base->name), result = 0;
	size_t first = moves->count;
	if (output >= 0 && (layout->placement.outputs[output].order || moves->by_name))
		result = add_units(layout, (enum output_section)output, now->address, moves, err);
	add_gaps(base, now->address, first, output == OUTPUT_TEXT, moves);
	return result;
}

/* Makes the variant's file by the first engine that can. */
static int make_bytes(const struct ifr_relinker_layout *layout, struct ifr_buffer *bytes, struct ifr_error *err) {
	char *folder = NULL;
	if (!ifr_relinker_apply(layout, bytes, NULL))
		return 0;
	int result = ifr_temporary_dir(&folder, err);
	if (result)
		return result;
	char *path = ifr_format("%s/variant", folder);
	result = layout_link(layout, path, bytes, err);
	ifr_tree_remove(folder, NULL);
	free(path);
	free(folder);
	return result;
}

static uint64_t end_of(const struct sections *sections) {
	uint64_t end = 0;
	for (size_t i = 0; i < sections->count; i++)
		if (sections->items[i].address + sections->items[i].bytes > end)
			end = sections->items[i].address + sections->items[i].bytes;
	return end;
}

int ifr_relinker_layout_moves(const struct ifr_relinker *shipped, const struct ifr_relinker_layout *layout,
                              struct ifr_relinker_move **out, size_t *count, uint64_t *end_bytes,
                              struct ifr_error *err) {
	const struct sections *base = &shipped->sections;
	struct sections now = {0};
	struct ifr_buffer bytes = {0};
	struct moves moves = {.shipped = shipped};
	if (shipped != layout->relinker)
		index_units(&moves);
	int result = make_bytes(layout, &bytes, err);
	if (!result)
		result = sections_read(&now, bytes.data, bytes.length, "the variant", err);
	for (size_t i = 0; i < base->count && !result; i++) {
		const struct section_place *section = sections_find(&now, base->items[i].name);
		/* .tbss takes no room in the program's address space. */
		if (section && base->items[i].address && strcmp(section->name, ".tbss") != 0)
			result = add_section(layout, &base->items[i], section, &moves, err);
	}
	if (moves.count)
		qsort(moves.items, moves.count, sizeof *moves.items, by_from);
	*end_bytes = end_of(&now) - end_of(base);
	sections_release(&now);
	ifr_buffer_release(&bytes);
	free(moves.by_name);
	if (result) {
		free(moves.items);
		return result;
	}
	*out = moves.items;
	*count = moves.count;
	return 0;
}
