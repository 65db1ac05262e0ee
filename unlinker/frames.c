/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: Linux Standard Base 5.0, Core, sections 10.5.1 (encodings) and 10.6.1 (.eh_frame). */
#include "unlinker/frames.h"

#include <stdlib.h>
#include <string.h>

enum {
	ENCODING_ABSOLUTE = 0x00,
	ENCODING_UDATA4 = 0x03,
	ENCODING_SDATA4 = 0x0b,
	ENCODING_FORM = 0x0f,
	ENCODING_RELATIVE = 0x10,
	ENCODING_BASE = 0x70,
	ENCODING_NONE = 0xff
};

struct reader {
	const struct part *part;
	uint32_t at, end;
	bool failed;
};

static uint32_t word_at(const struct part *part, uint64_t offset) {
	uint32_t word;
	memcpy(&word, part->bytes + offset, sizeof word);
	return word;
}

static uint8_t read_byte(struct reader *reader) {
	if (reader->at >= reader->end) {
		reader->failed = true;
		return 0;
	}
	return reader->part->bytes[reader->at++];
}

static void skip_leb128(struct reader *reader) {
	while (read_byte(reader) & 0x80)
		;
}

/* The bytes of a pointer; 0 for a form that compilers for this processor do not use. */
static uint32_t pointer_bytes(uint8_t encoding) {
	const uint8_t base = encoding & ENCODING_BASE;
	if (base != 0 && base != ENCODING_RELATIVE)
		return 0;
	switch (encoding & ENCODING_FORM) {
	case ENCODING_UDATA4:
	case ENCODING_SDATA4:
		return 4;
	case ENCODING_ABSOLUTE:
		return 8;
	default:
		return 0;
	}
}

/* Adds the pointer at the reader's place; a pointer of value 0 is none. */
static void read_pointer(struct reader *reader, struct frame *frame, uint8_t encoding) {
	const uint32_t bytes = pointer_bytes(encoding);
	if (!bytes || reader->end - reader->at < bytes) {
		reader->failed = true;
		return;
	}
	frame->pointers[frame->pointer_count++] = (struct frame_pointer){reader->at, encoding};
	reader->at += bytes;
}

/* The forms of pointers in the descriptions of a CIE. */
struct encodings {
	uint8_t start, data;
	bool augmented;
};

static struct encodings read_cie(struct reader *reader, struct frame *frame) {
	struct encodings encodings = {ENCODING_ABSOLUTE, ENCODING_NONE, false};
	const uint8_t version = read_byte(reader);
	const char *letters = (const char *)reader->part->bytes + reader->at;
	while (read_byte(reader))
		;
	skip_leb128(reader);
	skip_leb128(reader);
	if (version == 1)
		read_byte(reader);
	else
		skip_leb128(reader);
	if (reader->failed || (version != 1 && version != 3) || (*letters && *letters != 'z')) {
		reader->failed = true;
		return encodings;
	}
	encodings.augmented = *letters == 'z';
	if (encodings.augmented)
		skip_leb128(reader);
	for (letters += encodings.augmented; *letters && !reader->failed; letters++) {
		if (*letters == 'R')
			encodings.start = read_byte(reader);
		else if (*letters == 'L')
			encodings.data = read_byte(reader);
		else if (*letters == 'P')
			read_pointer(reader, frame, read_byte(reader));
		else if (*letters != 'S' && *letters != 'B')
			reader->failed = true;
	}
	return encodings;
}

/* The address that a pointer holds; 0 for none. */
static uint64_t pointer_value(const struct part *part, const struct frame_pointer *pointer) {
	const uint64_t at = part->header.sh_addr + pointer->at;
	const int64_t value = code_value(part, at, pointer_bytes(pointer->encoding));
	return !value ? 0 : pointer->encoding & ENCODING_RELATIVE ? at + (uint64_t)value : (uint64_t)value;
}

static void read_description(const struct program *program, struct reader *reader, struct frame *frame) {
	struct reader cie = {reader->part, frame->cie + 8, reader->part->header.sh_size, false};
	struct frame shared = {0};
	const struct encodings encodings = read_cie(&cie, &shared);
	if (cie.failed || encodings.start != (ENCODING_RELATIVE | ENCODING_SDATA4)) {
		reader->failed = true;
		return;
	}
	read_pointer(reader, frame, encodings.start);
	if (reader->failed || reader->end - reader->at < 4) {
		reader->failed = true;
		return;
	}
	frame->start = pointer_value(reader->part, &frame->pointers[0]);
	frame->range = word_at(reader->part, reader->at);
	reader->at += 4;
	const struct part *to = program_part_at(program, frame->start);
	frame->kept = to && to->kind != PART_DROPPED;
	if (encodings.augmented)
		skip_leb128(reader);
	if (encodings.data != ENCODING_NONE)
		read_pointer(reader, frame, encodings.data);
}

/* Reads the entry at an offset; false if it cannot be read. */
static bool read_frame(const struct program *program, const struct part *part, uint32_t at, struct frame *frame) {
	const uint64_t size = part->header.sh_size;
	const uint32_t length = word_at(part, at);
	if (length >= 0xfffffff0 || length < 8 || at + 4 + (uint64_t)length > size)
		return false;
	const uint32_t id = word_at(part, at + 4);
	struct reader reader = {part, at + 8, at + 4 + length, false};
	*frame = (struct frame){.at = at, .bytes = length + 4, .is_cie = id == 0, .kept = true};
	if (!id) {
		read_cie(&reader, frame);
	} else if (id > at + 4) {
		return false;
	} else {
		frame->cie = at + 4 - id;
		read_description(program, &reader, frame);
	}
	return !reader.failed;
}

int frames_read(const struct program *program, struct frames *frames, struct ifr_error *err) {
	*frames = (struct frames){0};
	for (size_t i = 1; i < program->part_count; i++)
		if (!strcmp(program->parts[i].name, ".eh_frame") && program->parts[i].bytes)
			frames->part = &program->parts[i];
	const uint64_t size = frames->part ? frames->part->header.sh_size : 0;
	uint32_t at = 0;
	while (size < UINT32_MAX && at + 4ULL <= size && word_at(frames->part, at)) {
		frames->items = ifr_realloc(frames->items, frames->count + 1, sizeof *frames->items);
		struct frame *frame = &frames->items[frames->count++];
		if (!read_frame(program, frames->part, at, frame))
			break;
		at += frame->bytes;
	}
	while (at < size && !frames->part->bytes[at])
		at++;
	return at == size
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE, "%s has frame tables (.eh_frame) that cannot be read, at offset %#x",
	                      program->path, at);
}

void frames_release(struct frames *frames) {
	free(frames->items);
}

/* --- references ---------------------------------------------------------------------------------------------- */

/* The name behind a pointer to an imported function, which lies in .plt: that of the relocation there or, where
 * relocations are not at their places, the only imported name among them. 0 if it cannot be told. */
static uint32_t imported_symbol(const struct program *program, const struct part *part, uint64_t at) {
	uint32_t only = 0;
	bool several = false;
	for (size_t i = 0; i < part->relocation_count; i++) {
		const uint64_t symbol = ELF64_R_SYM(part->relocations[i].r_info);
		if (symbol >= program->symbol_count || !program->imported[symbol])
			continue;
		if (part->relocations[i].r_offset == at)
			return (uint32_t)symbol;
		several |= only && only != symbol;
		only = (uint32_t)symbol;
	}
	return several ? 0 : only;
}

static bool add_pointer(const struct program *program, const struct split_units *units, const struct part *part,
                        const struct frame_pointer *pointer, struct references *references) {
	const uint64_t target = pointer_value(part, pointer), at = part->header.sh_addr + pointer->at;
	const struct part *to = program_part_at(program, target);
	struct reference reference = {.at = at,
	                              .type = pointer->encoding & ENCODING_RELATIVE   ? R_X86_64_PC32
	                                      : pointer_bytes(pointer->encoding) == 8 ? R_X86_64_64
	                                                                              : R_X86_64_32,
	                              .part = to,
	                              .anchor = target};
	if (!target)
		return true;
	if ((pointer->encoding & ENCODING_RELATIVE) && pointer_bytes(pointer->encoding) == 8)
		reference.type = R_X86_64_PC64;
	if (!to || to->kind == PART_DROPPED)
		reference.symbol = imported_symbol(program, part, at);
	else if (to->kind == PART_SPLIT && !split_unit_at(units, target))
		return false;
	if ((!to || to->kind == PART_DROPPED) && !reference.symbol)
		return false;
	references_add(references, &reference);
	return true;
}

int frames_add_references(const struct program *program, const struct split_units *units,
                          const struct frames *frames, struct references *references, struct ifr_error *err) {
	for (size_t i = 0; i < frames->count; i++)
		for (unsigned k = 0; frames->items[i].kept && k < frames->items[i].pointer_count; k++)
			if (!add_pointer(program, units, frames->part, &frames->items[i].pointers[k], references))
				return ifr_fail(
					err, IFR_E_USAGE,
					"%s cannot be taken apart: a pointer of its frame tables (.eh_frame), at offset %#x, "
					"leads to no function",
					program->path, frames->items[i].pointers[k].at);
	return 0;
}

/* --- copy ---------------------------------------------------------------------------------------------------- */

void frames_copy(const struct frames *frames, struct ifr_buffer *copy, uint32_t **moved) {
	const size_t size = frames->part->header.sh_size;
	uint32_t *map = *moved = ifr_alloc((size + 1) * sizeof *map);
	memset(map, 0xff, (size + 1) * sizeof *map);
	for (size_t i = 0; i < frames->count; i++) {
		const struct frame *frame = &frames->items[i];
		if (!frame->kept)
			continue;
		const uint32_t to = (uint32_t)copy->length;
		for (uint32_t byte = 0; byte < frame->bytes; byte++)
			map[frame->at + byte] = to + byte;
		ifr_buffer_append(copy, frames->part->bytes + frame->at, frame->bytes);
		/* A description holds the distance to its CIE, which lies before it. */
		const uint32_t distance = frame->is_cie ? 0 : to + 4 - map[frame->cie];
		memcpy(copy->data + to + 4, &distance, sizeof distance);
	}
	const uint32_t terminator = 0;
	ifr_buffer_append(copy, &terminator, sizeof terminator);
}
