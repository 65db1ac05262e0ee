/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/prepare/prepare_object_frames.h"

#include <stdlib.h>
#include <string.h>

static uint64_t read_uint(const uint8_t *bytes, unsigned width) {
	uint64_t value = 0;
	memcpy(&value, bytes, width);
	return value;
}

static void add_frame(struct object_frames *frames, const struct target *target, uint64_t addend) {
	if (frames->count == frames->capacity) {
		frames->capacity = frames->capacity ? 2 * frames->capacity : 256;
		frames->items = ifr_realloc(frames->items, frames->capacity, sizeof *frames->items);
	}
	frames->items[frames->count++] = (struct object_frame){target->atom, target->address + addend};
}

static int by_offset(const void *a, const void *b) {
	const Elf64_Rela *x = a, *y = b;
	return (x->r_offset > y->r_offset) - (x->r_offset < y->r_offset);
}

static const Elf64_Shdr *relocations_of(const struct object *object, size_t section) {
	for (size_t i = 1; i < object->view.section_count; i++)
		if (object->view.sections[i].sh_type == SHT_RELA && object->view.sections[i].sh_info == section)
			return &object->view.sections[i];
	return NULL;
}

/* Adds the frames of an object that describe moving code, in their order. */
static void read_frames(const struct preparation *preparation, const struct object *object, size_t section,
                        struct object_frames *frames) {
	const Elf64_Shdr *header = &object->view.sections[section], *table = relocations_of(object, section);
	const uint8_t *bytes = object->view.bytes + header->sh_offset;
	size_t count = 0;
	const Elf64_Rela *relas = table ? elf_view_table(&object->view, table, sizeof *relas, &count) : NULL;
	for (uint64_t at = 0; at + 12 <= header->sh_size;) {
		uint64_t length = read_uint(bytes + at, 4);
		if (length && read_uint(bytes + at + 4, 4) && count) {
			Elf64_Rela key = {.r_offset = at + 8};
			const Elf64_Rela *rela = bsearch(&key, relas, count, sizeof key, by_offset);
			struct target target = rela ? prepare_resolve(preparation, object, (uint32_t)ELF64_R_SYM(rela->r_info))
			                            : (struct target){0};
			if (target.atom && !target.dropped)
				add_frame(frames, &target, (uint64_t)rela->r_addend);
		}
		at += 4 + length;
	}
}

void object_frames_collect(const struct preparation *preparation, struct object_frames *frames) {
	for (size_t i = 0; i < preparation->map.count; i++) {
		uint32_t section = preparation->item_sections[i];
		if (section && !strcmp(preparation->map.items[i].output, ".eh_frame"))
			read_frames(preparation, &preparation->objects.items[preparation->item_objects[i]], section, frames);
	}
}
