/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame table of a variant, .eh_frame_hdr, which ld.bfd sorts by address.
 *
 * Problem: one moved unit changes the order of the whole table.
 *
 * Idea: sorting from scratch is not needed. Frames of one atom stay together and in order, so the table is the
 * atoms' runs of frames in the layout's order. Entries are those of the image's own table, moved with their atoms.
 *
 * Invariant: in the image's own order the table equals the linker's; preparing refuses the program otherwise
 * (prepare_frames.c). */
#include <stdlib.h>
#include <string.h>

#include "relinker/image/image_parts.h"

struct entry {
	int32_t start, fde;
	uint32_t bytes;
};

static struct entry place_frame(const struct frame *frame, const struct atom_layout *layout) {
	return (struct entry){(int32_t)((uint32_t)frame->start + (uint32_t)layout->displacement[frame->atom]),
	                      frame->fde, frame->bytes};
}

/* Insertion sort by start, then by length: the entries are nearly in order, only empty atoms share an address. */
static void sort_entries(struct entry *entries, size_t count) {
	for (size_t i = 1; i < count; i++) {
		struct entry entry = entries[i];
		size_t at = i;
		for (; at > 0 && (entries[at - 1].start > entry.start ||
		                  (entries[at - 1].start == entry.start && entries[at - 1].bytes > entry.bytes));
		     at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

void image_write_eh_frame_hdr(const struct image *image, const struct atom_layout *layout, uint8_t *variant) {
	const struct image_numbers *numbers = &image->numbers;
	if (!image->frame_count)
		return;
	struct entry *entries = ifr_alloc(image->frame_count * sizeof *entries);
	size_t count = 0;
	for (size_t i = 0; i < numbers->first_frame; i++)
		entries[count++] = place_frame(&image->frames[i], layout);
	for (uint32_t i = layout->start[OUTPUT_TEXT]; i < layout->start[OUTPUT_TEXT + 1]; i++) {
		uint32_t atom = layout->order[i];
		for (uint32_t f = image->atoms[atom].frame; f < image->atoms[atom + 1].frame; f++)
			entries[count++] = place_frame(&image->frames[f], layout);
	}
	for (size_t i = numbers->last_frame; i < image->frame_count; i++)
		entries[count++] = place_frame(&image->frames[i], layout);
	sort_entries(entries, count);
	for (size_t i = 0; i < count; i++)
		memcpy(variant + numbers->frame_table + 8 * i, &entries[i], 8);
	free(entries);
}
