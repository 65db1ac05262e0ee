/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A longer interpreter path: the sections that follow it in their segment move, and nothing else, as long as all
 * of them fit into the segment's pages. */
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

static uint64_t longer_by(const struct image *image, const struct placement *placement) {
	return placement->sizes.interp_bytes - image->numbers.sizes.interp_bytes;
}

int image_place_front(const struct image *image, const struct placement *placement, struct atom_ways *ways,
                      struct ifr_error *err) {
	const struct image_numbers *numbers = &image->numbers;
	const struct atom *atoms = image->atoms;
	uint64_t longer = longer_by(image, placement), end = 0;
	for (uint32_t i = numbers->leading; i < numbers->leading_end; i++) {
		uint64_t at =
			i == numbers->leading ? atoms[i].offset : (end + atoms[i].align - 1) & -(uint64_t)atoms[i].align;
		ways->way[i] = at - atoms[i].offset;
		end = at + atoms[i].bytes + (i == numbers->leading ? longer : 0);
	}
	ways->way[numbers->leading_end] = ways->way[numbers->leading_end + 1] = 0;
	if (numbers->leading == numbers->leading_end)
		return 0;
	ways->way[numbers->leading_end] = longer;
	ways->way[numbers->leading_end + 1] = end - atoms[numbers->leading_end + 1].offset;
	if (longer && end > numbers->leading_limit)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "an interpreter path longer by %llu bytes needs another page before the code",
		                (unsigned long long)placement->sizes.interp_bytes);
	return 0;
}

/* The path with slashes before its last one. */
static void grow_path(uint8_t *path, uint64_t bytes, uint64_t longer) {
	uint64_t slash = bytes;
	while (slash > 0 && path[slash - 1] != '/')
		slash--;
	if (!slash)
		return;
	slash--;
	memmove(path + slash + longer, path + slash, bytes - slash);
	memset(path + slash, '/', longer);
}

void image_move_front(const struct image *image, const struct atom_ways *ways, uint8_t *variant) {
	const struct image_numbers *numbers = &image->numbers;
	const struct atom *atoms = image->atoms;
	uint64_t longer = ways->way[numbers->leading_end];
	if (!longer)
		return;
	for (uint32_t i = numbers->leading_end; --i > numbers->leading;) {
		uint64_t at = atoms[i].offset + ways->way[i],
				 before = atoms[i - 1].offset + ways->way[i - 1] + atoms[i - 1].bytes;
		if (i - 1 == numbers->leading)
			before += longer;
		memmove(variant + at, variant + atoms[i].offset, atoms[i].bytes);
		/* The gap's bytes were other sections' before; these are gone already. */
		memset(variant + before, 0, at - before);
	}
	grow_path(variant + atoms[numbers->leading].offset, atoms[numbers->leading].bytes, longer);
}

uint64_t image_find_longest_path(const struct image *image) {
	const struct image_numbers *numbers = &image->numbers;
	struct placement placement = {.sizes = numbers->sizes};
	struct atom_ways ways = {.way = ifr_alloc(image->atom_count * sizeof *ways.way)};
	uint64_t longest = numbers->sizes.interp_bytes;
	/* The path is limited to a few thousand bytes (axis interp). */
	for (uint64_t longer = numbers->leading_limit; numbers->leading < numbers->leading_end && longer > 0;
	     longer--) {
		placement.sizes.interp_bytes = numbers->sizes.interp_bytes + longer;
		if (!image_place_front(image, &placement, &ways, NULL)) {
			longest = placement.sizes.interp_bytes;
			break;
		}
	}
	free(ways.way);
	return longest;
}
