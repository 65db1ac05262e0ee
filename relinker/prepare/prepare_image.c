/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The image that is being prepared: the steps add atoms, patch sites and pins. */
#include "common/buffer.h"
#include "relinker/prepare/prepare_atoms.h"

uint32_t prepare_add_atom(struct image *image, size_t *capacity, const struct atom *atom) {
	if (image->atom_count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 256;
		image->atoms = ifr_realloc(image->atoms, *capacity, sizeof *image->atoms);
	}
	image->atoms[image->atom_count] = *atom;
	return (uint32_t)image->atom_count++;
}

void prepare_add_patch_site(struct preparation *preparation, enum patch_kind kind, uint64_t at, uint32_t atom,
                            uint32_t target) {
	struct image *image = preparation->image;
	bool relative = kind == PATCH_PC32 || kind == PATCH_PC64;
	if (relative ? atom == target : !target)
		return;
	if (image->site_count[kind] == preparation->site_capacity[kind]) {
		preparation->site_capacity[kind] = image->site_count[kind] ? 2 * image->site_count[kind] : 1024;
		image->sites[kind] =
			ifr_realloc(image->sites[kind], preparation->site_capacity[kind], sizeof *image->sites[kind]);
	}
	image->sites[kind][image->site_count[kind]++] = (struct patch_site){(uint32_t)at, atom, target};
}

void prepare_add_pin(struct preparation *preparation, uint32_t atom, uint32_t target, enum pin_reason reason) {
	struct image *image = preparation->image;
	image->pins = ifr_realloc(image->pins, image->pin_count + 1, sizeof *image->pins);
	image->pins[image->pin_count++] = (struct pin){atom, target, reason};
}
