/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The leading sections: .interp and the sections behind it in the file's first segment. A longer interpreter path
 * moves these sections alone, as long as they fit into the segment's pages. */
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

static uint64_t longer_by(const struct image *image, const struct placement *placement) {
	return placement->sizes.interp_bytes - image->numbers.sizes.interp_bytes;
}

int image_place_leading_sections(const struct image *image, const struct placement *placement,
                                 struct atom_layout *layout, struct ifr_error *err) {
	const struct image_numbers *numbers = &image->numbers;
	const struct atom *atoms = image->atoms;
	uint64_t longer = longer_by(image, placement), end = 0;
	for (uint32_t i = numbers->leading; i < numbers->leading_end; i++) {
		uint64_t at =
			i == numbers->leading ? atoms[i].offset : (end + atoms[i].align - 1) & -(uint64_t)atoms[i].align;
		layout->displacement[i] = at - atoms[i].offset;
		end = at + atoms[i].bytes + (i == numbers->leading ? longer : 0);
	}
	layout->displacement[numbers->leading_end] = layout->displacement[numbers->leading_end + 1] = 0;
	if (numbers->leading == numbers->leading_end)
		return 0;
	layout->displacement[numbers->leading_end] = longer;
	layout->displacement[numbers->leading_end + 1] = end - atoms[numbers->leading_end + 1].offset;
	if (longer && end > numbers->leading_limit)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "an interpreter path longer by %llu bytes needs another page before the code",
		                (unsigned long long)placement->sizes.interp_bytes);
	return 0;
}

/* Inserts slashes before the path's last slash, which leaves the file that it names. */
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

void image_move_leading_sections(const struct image *image, const struct atom_layout *layout, uint8_t *variant) {
	const struct image_numbers *numbers = &image->numbers;
	const struct atom *atoms = image->atoms;
	uint64_t longer = layout->displacement[numbers->leading_end];
	if (!longer)
		return;
	for (uint32_t i = numbers->leading_end; --i > numbers->leading;) {
		uint64_t at = atoms[i].offset + layout->displacement[i],
				 before = atoms[i - 1].offset + layout->displacement[i - 1] + atoms[i - 1].bytes;
		if (i - 1 == numbers->leading)
			before += longer;
		memmove(variant + at, variant + atoms[i].offset, atoms[i].bytes);
		/* Sections that lay in this gap have moved already, for the last one moves first. */
		memset(variant + before, 0, at - before);
	}
	grow_path(variant + atoms[numbers->leading].offset, atoms[numbers->leading].bytes, longer);
}

uint64_t image_find_longest_path(const struct image *image) {
	const struct image_numbers *numbers = &image->numbers;
	struct placement placement = {.sizes = numbers->sizes};
	struct atom_layout layout = {.displacement = ifr_alloc(image->atom_count * sizeof *layout.displacement)};
	uint64_t longest = numbers->sizes.interp_bytes;
	/* Longest first. No growth beyond the limit fits, and the few sections make each attempt cheap. */
	for (uint64_t longer = numbers->leading_limit; numbers->leading < numbers->leading_end && longer > 0;
	     longer--) {
		placement.sizes.interp_bytes = numbers->sizes.interp_bytes + longer;
		if (!image_place_leading_sections(image, &placement, &layout, NULL)) {
			longest = placement.sizes.interp_bytes;
			break;
		}
	}
	free(layout.displacement);
	return longest;
}
