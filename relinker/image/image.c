/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "relinker/image/image_parts.h"

static const char *const pin_reasons[PIN_REASONS] = {
	[PIN_BYTES] = "its bytes are not what its relocation and the map say",
	[PIN_NARROW] = "a relocation of 8 or 16 bits leads out of it or into it",
	[PIN_KIND] = "it has a relocation of a kind that is not known here",
	[PIN_SYMBOL] = "a symbol in it was not defined by one object",
};

uint64_t image_digest_units(const struct units *units) {
	uint64_t digest = units->count;
	for (size_t i = 0; i < units->count; i++)
		digest = ifr_siphash(digest ^ units->items[i].address, units->items[i].bytes, units->items[i].name,
		                     strlen(units->items[i].name));
	return digest;
}

void image_close(struct image *image) {
	if (!image)
		return;
	for (int kind = 0; kind < PATCH_KINDS; kind++)
		free(image->sites[kind]);
	void *owned[] = {image->bytes,  image->atoms, image->units, image->frames, image->symbols,
	                 image->groups, image->roots, image->pins,  image->visits};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
	free(image);
}

const struct image_output *image_output_of(const struct image *image, uint32_t atom) {
	const struct image_output *outputs = image->numbers.outputs;
	for (int r = OUTPUTS; --r > OUTPUT_TEXT;)
		if (outputs[r].limit && atom >= outputs[r].first)
			return &outputs[r];
	return &outputs[OUTPUT_TEXT];
}

/* Marks every atom that a pin names, as its own or as its target. The caller frees. */
static uint8_t *mark_pinned_atoms(const struct image *image) {
	uint8_t *pinned_atoms = ifr_alloc(image->atom_count + 1);
	for (size_t i = 0; i < image->pin_count; i++)
		pinned_atoms[image->pins[i].atom] = pinned_atoms[image->pins[i].target] = 1;
	pinned_atoms[0] = 0;
	return pinned_atoms;
}

uint64_t image_longest_path(const struct image *image) {
	return image->numbers.longest_path;
}

uint8_t *image_pinned_units(const struct image *image) {
	if (!image->pin_count)
		return NULL;
	uint8_t *pinned_atoms = mark_pinned_atoms(image), *pinned = ifr_alloc(image->unit_count + 1);
	for (size_t i = 0; i < image->unit_count; i++)
		for (uint32_t k = 0; k < image->units[i].count; k++)
			pinned[i] |= pinned_atoms[image->units[i].first + k];
	free(pinned_atoms);
	return pinned;
}

void image_describe(const struct image *image, struct image_info *info) {
	uint8_t *pinned = image_pinned_units(image);
	*info = (struct image_info){.sizes = image->numbers.sizes, .image_bytes = image->length};
	for (size_t i = 0; i < image->unit_count; i++) {
		info->units += image->units[i].count > 0;
		info->movable += image->units[i].count && !(pinned && pinned[i]);
	}
	for (int kind = 0; kind < PATCH_KINDS; kind++)
		info->sites += image->site_count[kind];
	free(pinned);
}

static const char *unit_of(const struct image *image, const struct units *units, uint32_t atom) {
	for (size_t i = 0; i < image->unit_count; i++)
		if (atom >= image->units[i].first && atom - image->units[i].first < image->units[i].count)
			return units->items[i].name;
	return atom ? "what lies behind the units" : "data";
}

void image_print_pins(const struct image *image, const struct units *units, struct ifr_buffer *text) {
	for (size_t i = 0; i < image->pin_count; i++) {
		const struct pin *pin = &image->pins[i];
		ifr_buffer_printf(text, "%s: %s", unit_of(image, units, pin->atom), pin_reasons[pin->reason]);
		if (pin->target && pin->target != pin->atom)
			ifr_buffer_printf(text, " (it leads to %s)", unit_of(image, units, pin->target));
		ifr_buffer_puts(text, "\n");
	}
}
