/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check of a prepared image: the linker links another order, and the image must make the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare.h"

/* The check also grows the interpreter path, by so much that the leading sections move by more than an alignment. */
enum { LONGER_PATH_BYTES = 37 };

static void swap_units(struct placed_output *placed, size_t a, size_t b) {
	struct placed_unit first = placed->order[a];
	placed->order[a] = placed->order[b];
	placed->order[b] = first;
}

/* Reverses the order of the movable units. */
static void reverse_movable(struct placed_output *placed, const struct units *units) {
	for (size_t low = 0, high = placed->count; low < high; low++) {
		if (!units->items[placed->order[low].unit].movable)
			continue;
		do
			high--;
		while (high > low && !units->items[placed->order[high].unit].movable);
		swap_units(placed, low, high);
	}
}

/* Whether two units can swap their places without moving others. */
static bool are_interchangeable(const struct image *image, const struct units *units, size_t a, size_t b) {
	const struct atom *x = &image->atoms[image->units[a].first], *y = &image->atoms[image->units[b].first];
	return units->items[a].movable && units->items[b].movable && image->units[a].count == 1 &&
	       image->units[b].count == 1 && x->bytes == y->bytes && x->align == y->align;
}

/* Swaps pairs of interchangeable units that are not pinned. */
static void swap_interchangeable(struct placed_output *placed, const struct image *image,
                                 const struct units *units, const uint8_t *pinned) {
	for (size_t i = 0; i < placed->count; i++) {
		size_t mine = placed->order[i].unit;
		bool done = pinned && pinned[mine];
		for (size_t k = i + 1; k < placed->count && !done; k++) {
			size_t other = placed->order[k].unit;
			done = !(pinned && pinned[other]) && mine < other && are_interchangeable(image, units, mine, other);
			if (done)
				swap_units(placed, i, k);
		}
	}
}

struct placement prepare_placement(const struct layout_sizes *sizes, const struct units *units) {
	struct placement placement = {.sizes = *sizes};
	for (int r = 0; r < OUTPUTS; r++) {
		const struct output_units *output = &units->outputs[r];
		struct placed_output *placed = &placement.outputs[r];
		if (!sizes->output_bytes[r])
			continue;
		placed->count = output->count;
		placed->order = ifr_alloc((output->count + 1) * sizeof *placed->order);
		for (size_t i = 0; i < output->count; i++)
			placed->order[i].unit = output->first + i;
	}
	return placement;
}

/* Makes a shuffle around the pinned units, as plans do. */
static struct placement make_shuffle(const struct preparation *preparation, const uint8_t *pinned) {
	struct ifr_plan plan;
	struct placement placement;
	ifr_plan_init(&plan);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, 1);
	ifr_plan_set(&plan, IFR_AXIS_DATA, "seed=1 max=0", NULL);
	placement_make(&placement, preparation->units, &plan, pinned, NULL);
	return placement;
}

/* Makes an order that moves as many units as possible: .text is reversed if the image pins no unit; else the order
 * is a shuffle; where a shuffle needs more room than the image has, interchangeable units are swapped. */
static struct placement make_other_order(const struct preparation *preparation) {
	const struct image *image = preparation->image;
	uint8_t *pinned = image_pinned_units(image);
	struct placement placement = prepare_placement(&image->numbers.sizes, preparation->units),
					 shuffled = make_shuffle(preparation, pinned);
	for (int r = 0; r < OUTPUTS; r++) {
		struct placed_output *placed = &placement.outputs[r], *other = &shuffled.outputs[r], mine = *placed;
		if (r == OUTPUT_TEXT && !pinned) {
			reverse_movable(placed, preparation->units);
		} else if (other->order && shuffled.sizes.output_bytes[r] <= placement.sizes.output_bytes[r]) {
			*placed = *other;
			*other = mine;
		} else {
			swap_interchangeable(placed, image, preparation->units, pinned);
		}
	}
	uint64_t longest = image_longest_path(image), longer = placement.sizes.interp_bytes + LONGER_PATH_BYTES;
	placement.sizes.interp_bytes = longest < longer ? longest : longer;
	placement_release(&shuffled);
	free(pinned);
	return placement;
}

static const char *section_at(const struct elf_view *view, uint64_t at) {
	for (size_t i = 1; i < view->section_count; i++)
		if (view->sections[i].sh_type != SHT_NOBITS &&
		    at - view->sections[i].sh_offset < view->sections[i].sh_size)
			return elf_view_name(view, &view->sections[i]);
	return "the headers";
}

int prepare_check(const struct preparation *preparation, const struct ld_engine *engine, const char *script,
                  const char *path, struct ifr_error *err) {
	const struct image *image = preparation->image;
	const char *build_id = engine->kit->build_id;
	struct placement placement = make_other_order(preparation);
	struct ifr_buffer mine = {0};
	uint8_t *theirs = NULL;
	size_t length = 0, at = 0;
	int result = ld_engine_link(engine, preparation->units, &placement, script, build_id, path, NULL, err);
	if (!result)
		result = prepare_read_program(path, &theirs, &length, err);
	if (!result)
		result = image_apply(image, &placement, build_id, &mine, err);
	if (!result && (length != mine.length || memcmp(theirs, mine.data, length))) {
		while (at < length && at < mine.length && theirs[at] == (uint8_t)mine.data[at])
			at++;
		result =
			ifr_fail(err, IFR_E_ENVIRONMENT, "in another order the linker makes another program (%s, byte %zu)",
		             section_at(&preparation->program, at), at);
	}
	ifr_buffer_release(&mine);
	free(theirs);
	placement_release(&placement);
	return result;
}
