/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/prepare/prepare_origins.h"

#include <stdlib.h>
#include <string.h>

static uint64_t read_uint(const uint8_t *bytes, unsigned width) {
	uint64_t value = 0;
	memcpy(&value, bytes, width);
	return value;
}

static void add_origin(struct origins *origins, const struct target *target, uint64_t addend) {
	if (origins->count == origins->capacity) {
		origins->capacity = origins->capacity ? 2 * origins->capacity : 256;
		origins->items = ifr_realloc(origins->items, origins->capacity, sizeof *origins->items);
	}
	origins->items[origins->count++] = (struct origin){target->atom, target->address + addend};
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

/* Adds the frames of what moves, in their order. */
static void read_origins(const struct preparation *preparation, const struct object *object, size_t section,
                         struct origins *origins) {
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
				add_origin(origins, &target, (uint64_t)rela->r_addend);
		}
		at += 4 + length;
	}
}

void origins_collect(const struct preparation *preparation, struct origins *origins) {
	for (size_t i = 0; i < preparation->map.count; i++) {
		uint32_t section = preparation->item_sections[i];
		if (section && !strcmp(preparation->map.items[i].output, ".eh_frame"))
			read_origins(preparation, &preparation->objects.items[preparation->item_objects[i]], section, origins);
	}
}
