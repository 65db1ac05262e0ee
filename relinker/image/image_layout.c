/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placing atoms exactly as ld.bfd places input sections by the script of ld_script.c: the location counter goes on
 * by a unit's padding, then up to the alignment of each of its atoms; empty input sections follow behind all
 * units; the output section is filled up to its size with nops (.text) or zeros. */
#include <stdbool.h>
#include <string.h>

#include "relinker/image/image_parts.h"

enum { LONGEST_NOP_BYTES = 10 };
#define FAR_OUT (UINT64_MAX / 2)

/* Ref: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, NOP, "Recommended Multi-Byte
 * Sequence of NOP Instruction"; the one of 10 bytes has one more prefix (66 2e). */
static const uint8_t nops[LONGEST_NOP_BYTES + 1][LONGEST_NOP_BYTES] = {
	{0},
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

/* Uses as few instructions as possible and puts the shorter one last. Long fills copy the part that is written
 * already, which doubles it each time. */
void image_fill(uint8_t *to, uint64_t count) {
	uint64_t whole = count / LONGEST_NOP_BYTES * LONGEST_NOP_BYTES, done = 0;
	if (whole) {
		memcpy(to, nops[LONGEST_NOP_BYTES], LONGEST_NOP_BYTES);
		for (done = LONGEST_NOP_BYTES; done < whole;) {
			uint64_t more = done < whole - done ? done : whole - done;
			memcpy(to + done, to, more);
			done += more;
		}
	}
	memcpy(to + whole, nops[count - whole], count - whole);
}

/* The location counter in one output section. */
struct cursor {
	const struct image *image;
	const struct image_output *output;
	uint8_t *bytes; /* of the output section in the variant; NULL computes displacements alone */
	bool code;
	uint64_t dot; /* from the output section's start */
	struct atom_layout *layout;
	uint32_t *count; /* of the atoms in the layout's order so far */
};

/* Bytes past the limit are counted but not written; lay_out_output refuses the layout at its end. */
static bool has_room(const struct cursor *cursor, uint64_t count) {
	uint64_t limit = cursor->output->limit;
	return cursor->bytes && cursor->dot <= limit && count <= limit - cursor->dot;
}

/* The counter saturates far out, lest a huge padding wraps it round to where there is room again. */
static void advance(struct cursor *cursor, uint64_t count) {
	cursor->dot = count < FAR_OUT - cursor->dot ? cursor->dot + count : FAR_OUT;
}

static void put_gap(struct cursor *cursor, uint64_t count, bool code) {
	if (count && has_room(cursor, count)) {
		if (code)
			image_fill(cursor->bytes + cursor->dot, count);
		else
			memset(cursor->bytes + cursor->dot, 0, count);
	}
	advance(cursor, count);
}

static uint64_t gap_to(uint64_t dot, uint64_t align) {
	return -dot & (align - 1);
}

static void put_atom(struct cursor *cursor, uint32_t index) {
	const struct image *image = cursor->image;
	const struct atom *atom = &image->atoms[index];
	if (has_room(cursor, atom->bytes))
		memcpy(cursor->bytes + cursor->dot, image->bytes + cursor->output->at + atom->offset, atom->bytes);
	cursor->layout->displacement[index] = cursor->dot - atom->offset;
	advance(cursor, atom->bytes);
}

static void put_atoms(struct cursor *cursor, uint32_t first, uint32_t end) {
	for (uint32_t i = first; i < end; i++) {
		put_gap(cursor, gap_to(cursor->dot, cursor->image->atoms[i].align), cursor->code);
		put_atom(cursor, i);
		cursor->layout->order[(*cursor->count)++] = i;
	}
}

/* Puts the end of .text, the trailing sections with zeros between them, and the segment's end. */
static void put_trailing_sections(struct cursor *cursor) {
	const struct image_numbers *numbers = &cursor->image->numbers;
	put_atom(cursor, numbers->text_end);
	for (uint32_t i = cursor->output->end; i < numbers->text_end; i++) {
		put_gap(cursor, gap_to(cursor->dot, cursor->image->atoms[i].align), false);
		put_atom(cursor, i);
	}
	put_atom(cursor, numbers->segment_end);
}

static int lay_out_output(struct cursor *cursor, enum output_section number, const struct placement *placement,
                          struct ifr_error *err) {
	const struct placed_output *placed = &placement->outputs[number];
	const struct image_output *output = cursor->output;
	uint64_t bytes = cursor->image->numbers.sizes.output_bytes[number];
	for (size_t i = 0; i < placed->count; i++) {
		const struct atom_run *unit = &cursor->image->units[placed->order[i].unit];
		put_gap(cursor, placed->order[i].padding_bytes, cursor->code);
		put_atoms(cursor, unit->first, unit->first + unit->count);
	}
	put_atoms(cursor, output->units_end, output->end);
	if (cursor->dot < bytes)
		put_gap(cursor, bytes - cursor->dot, cursor->code);
	if (number == OUTPUT_TEXT)
		put_trailing_sections(cursor);
	if (cursor->dot > output->limit)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "this layout makes %s %llu bytes too long for the prepared image",
		                output_names[number], (unsigned long long)(cursor->dot - output->limit));
	if (cursor->bytes)
		memset(cursor->bytes + cursor->dot, 0, output->limit - cursor->dot);
	return 0;
}

int image_lay_out(const struct image *image, const struct placement *placement, uint8_t *variant,
                  struct atom_layout *layout, struct ifr_error *err) {
	uint32_t count = 0;
	int result = 0;
	layout->displacement[0] = 0;
	for (int r = 0; r < OUTPUTS && !result; r++) {
		const struct image_output *output = &image->numbers.outputs[r];
		struct cursor cursor = {
			.image = image, .output = output, .code = r == OUTPUT_TEXT, .layout = layout, .count = &count};
		layout->start[r] = count;
		if (variant && output->in_file)
			cursor.bytes = variant + output->at;
		if (output->limit)
			result = lay_out_output(&cursor, (enum output_section)r, placement, err);
	}
	layout->start[OUTPUTS] = count;
	return result ? result : image_place_leading_sections(image, placement, layout, err);
}
