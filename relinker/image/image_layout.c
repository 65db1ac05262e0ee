/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placing atoms, as ld.bfd places input sections by the script of ld_script.c. */
#include <string.h>

#include "relinker/image/image_parts.h"

enum { LONGEST_NOP_BYTES = 10 };

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

/* As few instructions as possible, the shorter one last. Long runs double what is there. */
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

struct cursor {
	const struct image *image;
	uint8_t *text; /* NULL: only places */
	uint64_t dot;  /* from .text's start */
	struct atom_ways *ways;
};

static void fill(struct cursor *cursor, uint64_t count) {
	/* What would not fit is counted, not written: the end tells. */
	if (cursor->text && count && cursor->dot + count <= cursor->image->numbers.limit)
		image_fill(cursor->text + cursor->dot, count);
	cursor->dot += count;
}

static uint64_t to_align(uint64_t dot, uint64_t align) {
	return -dot & (align - 1);
}

static void put(struct cursor *cursor, uint32_t index) {
	const struct image *image = cursor->image;
	const struct atom *atom = &image->atoms[index];
	if (cursor->text && cursor->dot + atom->bytes <= image->numbers.limit)
		memcpy(cursor->text + cursor->dot, image->bytes + image->numbers.text_offset + atom->offset, atom->bytes);
	cursor->ways->way[index] = cursor->dot - atom->offset;
	cursor->dot += atom->bytes;
}

static void put_atoms(struct cursor *cursor, uint32_t first, uint32_t end) {
	for (uint32_t i = first; i < end; i++) {
		fill(cursor, to_align(cursor->dot, cursor->image->atoms[i].align));
		put(cursor, i);
		cursor->ways->order[cursor->ways->count++] = i;
	}
}

/* .text's end, then the sections behind it with zeros between them. */
static void put_tail(struct cursor *cursor) {
	const struct image_numbers *numbers = &cursor->image->numbers;
	if (cursor->dot < numbers->text_bytes)
		fill(cursor, numbers->text_bytes - cursor->dot);
	put(cursor, numbers->text_end);
	for (uint32_t i = numbers->tail; i < numbers->text_end; i++) {
		uint64_t gap = to_align(cursor->dot, cursor->image->atoms[i].align);
		if (cursor->text && cursor->dot + gap <= numbers->limit)
			memset(cursor->text + cursor->dot, 0, gap);
		cursor->dot += gap;
		put(cursor, i);
	}
	put(cursor, numbers->end);
}

int image_lay_out(const struct image *image, const struct placement *placement, uint8_t *text,
                  struct atom_ways *ways, struct ifr_error *err) {
	const struct image_numbers *numbers = &image->numbers;
	struct cursor cursor = {.image = image, .text = text, .ways = ways};
	ways->count = 0;
	ways->way[0] = 0;
	fill(&cursor, placement->base_bytes);
	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_unit *placed = &placement->order[i];
		const struct atom_run *unit = &image->units[placed->unit];
		fill(&cursor, placed->padding_bytes);
		put_atoms(&cursor, unit->first, unit->first + unit->count);
	}
	put_atoms(&cursor, numbers->movable_end, numbers->tail);
	put_tail(&cursor);
	if (cursor.dot > numbers->limit)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "this layout makes .text %llu bytes too long for the prepared image",
		                (unsigned long long)(cursor.dot - numbers->limit));
	if (text)
		memset(text + cursor.dot, 0, numbers->limit - cursor.dot);
	return 0;
}
