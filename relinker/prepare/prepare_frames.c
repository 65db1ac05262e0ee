/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame table. The linker merges and rewrites .eh_frame, so its own result is read; which unit a frame belongs
 * to is told by the objects' frames, which come in the same order. Ref: Linux Standard Base Core 5.0,
 * sections 10.6.1 (.eh_frame) and 10.6.2 (.eh_frame_hdr). */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare_origins.h"

enum {
	ENCODING_ABSOLUTE = 0x00,
	ENCODING_UDATA4 = 0x03,
	ENCODING_UDATA8 = 0x04,
	ENCODING_SDATA4 = 0x0b,
	ENCODING_SDATA8 = 0x0c,
	ENCODING_RELATIVE = 0x10,
	ENCODING_TABLE = 0x3b, /* 4 signed bytes from the section's start */
	ENCODING_INDIRECT = 0x80,
	ENCODING_NONE = 0xff,
	HEADER_BYTES = 12,
};

/* What a common information entry says about its frames. */
struct cie {
	uint64_t at; /* in the section */
	uint8_t encoding;
};

struct described {
	uint64_t at; /* of the description in .eh_frame's section */
	uint64_t address, bytes;
	uint32_t atom;
};

struct walk {
	struct preparation *preparation;
	const Elf64_Shdr *section;
	const uint8_t *bytes;
	struct cie *cies;
	size_t cie_count;
	struct described *frames;
	size_t frame_count;
};

static uint64_t read_uint(const uint8_t *bytes, unsigned width) {
	uint64_t value = 0;
	memcpy(&value, bytes, width);
	return value;
}

static bool skip_leb(const uint8_t *bytes, uint64_t end, uint64_t *at) {
	while (*at < end && bytes[*at] & 0x80)
		++*at;
	return ++*at <= end;
}

static unsigned width_of(uint8_t encoding) {
	switch (encoding & 0x0f) {
	case ENCODING_UDATA4:
	case ENCODING_SDATA4:
		return 4;
	case ENCODING_ABSOLUTE:
	case ENCODING_UDATA8:
	case ENCODING_SDATA8:
		return 8;
	default:
		return 0;
	}
}

/* An encoded pointer at a place becomes a site; value receives the address. */
static bool take_pointer(struct walk *walk, uint64_t at, uint64_t end, uint8_t encoding, uint64_t *value) {
	unsigned width = width_of(encoding);
	bool relative = (encoding & 0x70) == ENCODING_RELATIVE;
	if (!width || at + width > end || (encoding & 0x70 && !relative))
		return false;
	*value = read_uint(walk->bytes + at, width);
	if (width == 4 && (relative || encoding & 0x08))
		*value = (uint64_t)(int64_t)(int32_t)(uint32_t)*value;
	if (relative)
		*value += walk->section->sh_addr + at;
	return true;
}

static void add_pointer_site(struct walk *walk, uint64_t at, uint8_t encoding, uint32_t atom) {
	bool wide = width_of(encoding) == 8;
	/* The section itself stays: a distance from it grows as the address does. */
	prepare_add_site(walk->preparation, wide ? PATCH_ABS64 : PATCH_ABS32, walk->section->sh_offset + at, 0, atom);
}

/* Reads the augmentation of a CIE: "zPLRSB" in any order behind the z. at: behind the version. */
static bool read_cie(struct walk *walk, uint64_t start, uint64_t at, uint64_t end) {
	struct cie *cie = &walk->cies[walk->cie_count++];
	*cie = (struct cie){.at = start, .encoding = ENCODING_ABSOLUTE};
	const char *augmentation = (const char *)walk->bytes + at;
	uint64_t length = strnlen(augmentation, end - at);
	at += length + 1;
	if (at >= end || !skip_leb(walk->bytes, end, &at) || !skip_leb(walk->bytes, end, &at) ||
	    !skip_leb(walk->bytes, end, &at))
		return false;
	if (!length)
		return true;
	if (*augmentation != 'z' || !skip_leb(walk->bytes, end, &at))
		return false;
	for (uint64_t i = 1; i < length && at < end; i++) {
		uint8_t encoding = walk->bytes[at];
		uint64_t value;
		if (augmentation[i] == 'R') {
			cie->encoding = encoding;
			at++;
		} else if (augmentation[i] == 'L') {
			at++;
		} else if (augmentation[i] == 'P') {
			if (!take_pointer(walk, at + 1, end, encoding & 0x7f, &value))
				return false;
			add_pointer_site(walk, at + 1, encoding, prepare_atom_at(walk->preparation, value));
			at += 1 + width_of(encoding);
		} else if (augmentation[i] != 'S' && augmentation[i] != 'B') {
			return false;
		}
	}
	return true;
}

static bool read_fde(struct walk *walk, uint64_t start, uint64_t cie_at, uint64_t at, uint64_t end) {
	const struct cie *cie = NULL;
	for (size_t i = walk->cie_count; i-- > 0 && !cie;)
		if (walk->cies[i].at == cie_at)
			cie = &walk->cies[i];
	struct described *frame = &walk->frames[walk->frame_count++];
	*frame = (struct described){.at = start};
	if (!cie || !take_pointer(walk, at, end, cie->encoding, &frame->address))
		return false;
	unsigned width = width_of(cie->encoding);
	if (at + 2 * width > end)
		return false;
	frame->bytes = read_uint(walk->bytes + at + width, width);
	frame->atom = at < UINT32_MAX ? (uint32_t)cie->encoding : 0; /* until the atom is known */
	return true;
}

/* Reads the output's .eh_frame. */
static bool read_section(struct walk *walk) {
	uint64_t size = walk->section->sh_size;
	for (uint64_t at = 0; at + 8 <= size;) {
		uint64_t length = read_uint(walk->bytes + at, 4), body = at + 4, end = body + length;
		if (!length) {
			at += 4; /* the end that crtend.o marks */
			continue;
		}
		if (length < 5 || length >= 0xfffffff0 || end > size)
			return false;
		uint64_t id = read_uint(walk->bytes + body, 4);
		if (id ? !read_fde(walk, at, body - id, body + 4, end) : !read_cie(walk, at, body + 5, end))
			return false;
		at = end;
	}
	return true;
}

/* Gives each frame its atom. Those of what stays have none among the origins. */
static int attribute(struct walk *walk, const struct origins *origins, struct ifr_error *err) {
	const struct preparation *preparation = walk->preparation;
	size_t next = 0;
	for (size_t i = 0; i < walk->frame_count; i++) {
		struct described *frame = &walk->frames[i];
		uint8_t encoding = (uint8_t)frame->atom;
		uint64_t at = frame->at + 8;
		frame->atom = 0;
		if (next < origins->count && origins->items[next].address == frame->address)
			frame->atom = origins->items[next++].atom;
		else if (prepare_moves(preparation, frame->address))
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame does not follow the objects' frames");
		add_pointer_site(walk, at, encoding, frame->atom);
	}
	return next == origins->count ? 0
	                              : ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame lacks %zu of the objects' frames",
	                                         origins->count - next);
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
	const struct described *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* Where each atom's entries begin; entries of one atom follow one another, for the table is in order of addresses.
 */
static int index_frames(struct image *image, struct ifr_error *err) {
	struct image_numbers *numbers = &image->numbers;
	uint32_t next = 0, end = numbers->outputs[OUTPUT_TEXT].end;
	while (next < image->frame_count && (!image->frames[next].atom || image->frames[next].atom >= end))
		next++;
	numbers->first_frame = next;
	/* Of atoms at one address, the empty ones, entries may come in any order: sorting settles that. */
	for (uint32_t atom = 1; atom <= end && atom < image->atom_count; atom++) {
		image->atoms[atom].frame = next;
		while (next < image->frame_count && image->frames[next].atom == atom && atom < end)
			next++;
	}
	numbers->last_frame = next;
	for (size_t i = next; i < image->frame_count; i++)
		if (image->frames[i].atom && image->frames[i].atom < end)
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame_hdr is not in the order of .text");
	return 0;
}

static int by_atom(const void *a, const void *b) {
	const struct frame *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->atom > y->atom) - (x->atom < y->atom);
}

static int read_table(struct walk *walk, struct ifr_error *err) {
	struct preparation *preparation = walk->preparation;
	struct image *image = preparation->image;
	const Elf64_Shdr *header = elf_view_find(&preparation->output, ".eh_frame_hdr");
	if (!header)
		return 0;
	const uint8_t *bytes = preparation->output.bytes + header->sh_offset;
	if (header->sh_size < HEADER_BYTES || bytes[2] == ENCODING_NONE || bytes[3] == ENCODING_NONE)
		return 0;
	uint64_t count = read_uint(bytes + 8, 4);
	if (bytes[0] != 1 || bytes[2] != ENCODING_UDATA4 || bytes[3] != ENCODING_TABLE ||
	    count > (header->sh_size - HEADER_BYTES) / 8)
		return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame_hdr is of an unusual form");
	image->frames = ifr_alloc((count + 1) * sizeof *image->frames);
	image->frame_count = count;
	image->numbers.frame_table = (uint32_t)(header->sh_offset + HEADER_BYTES);
	for (size_t i = 0; i < count; i++) {
		struct frame *frame = &image->frames[i];
		memcpy(&frame->start, bytes + HEADER_BYTES + 8 * i, 4);
		memcpy(&frame->fde, bytes + HEADER_BYTES + 8 * i + 4, 4);
		struct described key = {.at = header->sh_addr + (uint64_t)(int64_t)frame->fde - walk->section->sh_addr};
		const struct described *found = bsearch(&key, walk->frames, walk->frame_count, sizeof key, by_place);
		if (!found || found->address != header->sh_addr + (uint64_t)(int64_t)frame->start)
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame_hdr does not agree with .eh_frame");
		frame->atom = found->atom;
		frame->bytes = (uint32_t)found->bytes;
	}
	qsort(image->frames, count, sizeof *image->frames, by_atom);
	return index_frames(image, err);
}

int prepare_frames(struct preparation *preparation, struct ifr_error *err) {
	const Elf64_Shdr *section = elf_view_find(&preparation->output, ".eh_frame");
	if (!section || section->sh_type == SHT_NOBITS)
		return 0;
	struct walk walk = {
		.preparation = preparation, .section = section, .bytes = preparation->output.bytes + section->sh_offset};
	walk.cies = ifr_alloc((section->sh_size / 9 + 1) * sizeof *walk.cies);
	walk.frames = ifr_alloc((section->sh_size / 9 + 1) * sizeof *walk.frames);
	struct origins origins = {0};
	int result = 0;
	if (!read_section(&walk))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame is of an unusual form");
	if (!result)
		origins_collect(preparation, &origins);
	if (!result)
		result = attribute(&walk, &origins, err);
	if (!result)
		result = read_table(&walk, err);
	free(origins.items);
	free(walk.frames);
	free(walk.cies);
	return result;
}
