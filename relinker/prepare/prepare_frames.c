/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unwind tables .eh_frame and .eh_frame_hdr.
 *
 * Problem: the linker merges and rewrites .eh_frame, so the objects' relocations of it say nothing about the
 * program's.
 *
 * Idea: parse the program's .eh_frame. Each pointer to code becomes a patch site. The objects' frames, which come
 * in the same order and have relocations, say to which atom each pointer belongs (prepare_object_frames.c).
 * .eh_frame_hdr's table is read as entries with atoms, and each atom's entries must follow one another, so that
 * image_eh_frame_hdr.c can write the table in another order of the atoms.
 *
 * Invariant: the two walks agree at every frame of a moving address, else the program is refused.
 *
 * Ref: Linux Standard Base Core 5.0, sections 10.6.1 (.eh_frame) and 10.6.2 (.eh_frame_hdr). */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare_object_frames.h"

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

/* A common information entry. */
struct cie {
	uint64_t at;      /* in the section */
	uint8_t encoding; /* of its frames' pointers */
};

struct fde {
	uint64_t at; /* of the description in .eh_frame's section */
	uint64_t address, bytes;
	uint32_t atom;
};

struct frame_reader {
	struct preparation *preparation;
	const Elf64_Shdr *section;
	const uint8_t *bytes;
	struct cie *cies;
	size_t cie_count;
	struct fde *frames;
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

/* Decodes a pointer; false for encodings that the linker does not write here. value receives the address. */
static bool read_pointer(struct frame_reader *reader, uint64_t at, uint64_t end, uint8_t encoding,
                         uint64_t *value) {
	unsigned width = width_of(encoding);
	bool relative = (encoding & 0x70) == ENCODING_RELATIVE;
	if (!width || at + width > end || (encoding & 0x70 && !relative))
		return false;
	*value = read_uint(reader->bytes + at, width);
	if (width == 4 && (relative || encoding & 0x08))
		*value = (uint64_t)(int64_t)(int32_t)(uint32_t)*value;
	if (relative)
		*value += reader->section->sh_addr + at;
	return true;
}

static void add_pointer_patch_site(struct frame_reader *reader, uint64_t at, uint8_t encoding, uint32_t atom) {
	bool wide = width_of(encoding) == 8;
	/* The section stays, so a pointer relative to it changes by as much as an absolute one. */
	prepare_add_patch_site(reader->preparation, wide ? PATCH_ABS64 : PATCH_ABS32, reader->section->sh_offset + at,
	                       0, atom);
}

/* Reads the augmentation of a CIE: "z", then "PLRSB" in any order. at is the offset behind the version. */
static bool read_cie(struct frame_reader *reader, uint64_t start, uint64_t at, uint64_t end) {
	struct cie *cie = &reader->cies[reader->cie_count++];
	*cie = (struct cie){.at = start, .encoding = ENCODING_ABSOLUTE};
	const char *augmentation = (const char *)reader->bytes + at;
	uint64_t length = strnlen(augmentation, end - at);
	at += length + 1;
	if (at >= end || !skip_leb(reader->bytes, end, &at) || !skip_leb(reader->bytes, end, &at) ||
	    !skip_leb(reader->bytes, end, &at))
		return false;
	if (!length)
		return true;
	if (*augmentation != 'z' || !skip_leb(reader->bytes, end, &at))
		return false;
	for (uint64_t i = 1; i < length && at < end; i++) {
		uint8_t encoding = reader->bytes[at];
		uint64_t value;
		if (augmentation[i] == 'R') {
			cie->encoding = encoding;
			at++;
		} else if (augmentation[i] == 'L') {
			at++;
		} else if (augmentation[i] == 'P') {
			if (!read_pointer(reader, at + 1, end, encoding & 0x7f, &value))
				return false;
			add_pointer_patch_site(reader, at + 1, encoding, prepare_atom_at(reader->preparation, value));
			at += 1 + width_of(encoding);
		} else if (augmentation[i] != 'S' && augmentation[i] != 'B') {
			return false;
		}
	}
	return true;
}

static bool read_fde(struct frame_reader *reader, uint64_t start, uint64_t cie_at, uint64_t at, uint64_t end) {
	const struct cie *cie = NULL;
	for (size_t i = reader->cie_count; i-- > 0 && !cie;)
		if (reader->cies[i].at == cie_at)
			cie = &reader->cies[i];
	struct fde *frame = &reader->frames[reader->frame_count++];
	*frame = (struct fde){.at = start};
	if (!cie || !read_pointer(reader, at, end, cie->encoding, &frame->address))
		return false;
	unsigned width = width_of(cie->encoding);
	if (at + 2 * width > end)
		return false;
	frame->bytes = read_uint(reader->bytes + at + width, width);
	frame->atom = at < UINT32_MAX ? (uint32_t)cie->encoding : 0; /* until the atom is known */
	return true;
}

/* Reads the program's .eh_frame. */
static bool read_section(struct frame_reader *reader) {
	uint64_t size = reader->section->sh_size;
	for (uint64_t at = 0; at + 8 <= size;) {
		uint64_t length = read_uint(reader->bytes + at, 4), body = at + 4, end = body + length;
		if (!length) {
			at += 4; /* crtend.o's end mark */
			continue;
		}
		if (length < 5 || length >= 0xfffffff0 || end > size)
			return false;
		uint64_t id = read_uint(reader->bytes + body, 4);
		if (id ? !read_fde(reader, at, body - id, body + 4, end) : !read_cie(reader, at, body + 5, end))
			return false;
		at = end;
	}
	return true;
}

/* Gives each frame its atom. Frames of code that never moves are not among the objects' frames. */
static int assign_atoms(struct frame_reader *reader, const struct object_frames *object_frames,
                        struct ifr_error *err) {
	const struct preparation *preparation = reader->preparation;
	size_t next = 0;
	for (size_t i = 0; i < reader->frame_count; i++) {
		struct fde *frame = &reader->frames[i];
		uint8_t encoding = (uint8_t)frame->atom;
		uint64_t at = frame->at + 8;
		frame->atom = 0;
		if (next < object_frames->count && object_frames->items[next].address == frame->address)
			frame->atom = object_frames->items[next++].atom;
		else if (prepare_moves(preparation, frame->address))
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame does not follow the objects' frames");
		add_pointer_patch_site(reader, at, encoding, frame->atom);
	}
	return next == object_frames->count
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame lacks %zu of the objects' frames",
	                      object_frames->count - next);
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
	const struct fde *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* Finds where each atom's entries begin. The table is sorted by address, so entries of one atom follow one
 * another. */
static int index_frames(struct image *image, struct ifr_error *err) {
	struct image_numbers *numbers = &image->numbers;
	uint32_t next = 0, end = numbers->outputs[OUTPUT_TEXT].end;
	while (next < image->frame_count && (!image->frames[next].atom || image->frames[next].atom >= end))
		next++;
	numbers->first_frame = next;
	/* Entries of empty atoms at one address can be in any order; by_start has sorted them by atom. */
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

static int by_start(const void *a, const void *b) {
	const struct frame *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->atom > y->atom) - (x->atom < y->atom);
}

static int read_table(struct frame_reader *reader, struct ifr_error *err) {
	struct preparation *preparation = reader->preparation;
	struct image *image = preparation->image;
	const Elf64_Shdr *header = elf_view_find(&preparation->program, ".eh_frame_hdr");
	if (!header)
		return 0;
	const uint8_t *bytes = preparation->program.bytes + header->sh_offset;
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
		struct fde key = {.at = header->sh_addr + (uint64_t)(int64_t)frame->fde - reader->section->sh_addr};
		const struct fde *found = bsearch(&key, reader->frames, reader->frame_count, sizeof key, by_offset);
		if (!found || found->address != header->sh_addr + (uint64_t)(int64_t)frame->start)
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame_hdr does not agree with .eh_frame");
		frame->atom = found->atom;
		frame->bytes = (uint32_t)found->bytes;
	}
	qsort(image->frames, count, sizeof *image->frames, by_start);
	return index_frames(image, err);
}

int prepare_frames(struct preparation *preparation, struct ifr_error *err) {
	const Elf64_Shdr *section = elf_view_find(&preparation->program, ".eh_frame");
	if (!section || section->sh_type == SHT_NOBITS)
		return 0;
	struct frame_reader reader = {
		.preparation = preparation, .section = section, .bytes = preparation->program.bytes + section->sh_offset};
	reader.cies = ifr_alloc((section->sh_size / 9 + 1) * sizeof *reader.cies);
	reader.frames = ifr_alloc((section->sh_size / 9 + 1) * sizeof *reader.frames);
	struct object_frames object_frames = {0};
	int result = 0;
	if (!read_section(&reader))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, ".eh_frame is of an unusual form");
	if (!result)
		object_frames_collect(preparation, &object_frames);
	if (!result)
		result = assign_atoms(&reader, &object_frames, err);
	if (!result)
		result = read_table(&reader, err);
	free(object_frames.items);
	free(reader.frames);
	free(reader.cies);
	return result;
}
