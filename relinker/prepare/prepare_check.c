/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An image is only as good as what it makes: the linker says what that should be. */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare.h"

static void swap_units(struct placement *placement, size_t a, size_t b) {
	placement->order[a].unit = b;
	placement->order[b].unit = a;
}

/* The movable units from behind to before. */
static void turn(struct placement *placement, const struct units *units) {
	for (size_t low = 0, high = units->count; low < high; low++) {
		if (!units->items[low].movable)
			continue;
		do
			high--;
		while (high > low && !units->items[high].movable);
		swap_units(placement, low, high);
	}
}

/* The other atom of a unit of one atom that may take its place, so that nothing else moves; unit_count for none.
 */
static size_t find_alike(const struct image *image, const struct units *units, const uint8_t *pinned,
                         const struct placement *placement, size_t unit) {
	const struct atom *mine = &image->atoms[image->units[unit].first];
	for (size_t i = unit + 1; i < image->unit_count; i++) {
		const struct atom *other = &image->atoms[image->units[i].first];
		if (units->items[i].movable && !pinned[image->units[i].first] && image->units[i].count == 1 &&
		    placement->order[i].unit == i && other->bytes == mine->bytes && other->align == mine->align)
			return i;
	}
	return image->unit_count;
}

/* Units of one size change places: those that are pinned stay where they are. */
static void swap_alike(struct placement *placement, const struct image *image, const struct units *units) {
	uint8_t *pinned = image_pinned(image);
	for (size_t i = 0; i < units->count; i++) {
		if (!units->items[i].movable || pinned[image->units[i].first] || image->units[i].count != 1 ||
		    placement->order[i].unit != i)
			continue;
		size_t other = find_alike(image, units, pinned, placement, i);
		if (other < units->count)
			swap_units(placement, i, other);
	}
	free(pinned);
}

struct placement prepare_placement(const struct image *image, const struct units *units) {
	struct placement placement = {.count = units->count,
	                              .text_bytes = image->numbers.text_bytes,
	                              .interp_bytes = image->numbers.interp_bytes};
	placement.order = ifr_alloc((units->count + 1) * sizeof *placement.order);
	for (size_t i = 0; i < units->count; i++)
		placement.order[i].unit = i;
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
	struct placement placement = prepare_placement(image, preparation->units);
	struct ifr_buffer mine = {0};
	uint8_t *theirs = NULL;
	size_t length = 0, at = 0;
	if (image->pin_count)
		swap_alike(&placement, image, preparation->units);
	else
		turn(&placement, preparation->units);
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
		             section_at(&preparation->output, at), at);
	}
	ifr_buffer_release(&mine);
	free(theirs);
	placement_release(&placement);
	return result;
}
