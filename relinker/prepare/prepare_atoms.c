/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare.h"

enum { PAGE_BYTES = 4096 };

static uint32_t add_atom(struct image *image, size_t *capacity, const struct atom *atom) {
	if (image->atom_count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 256;
		image->atoms = ifr_realloc(image->atoms, *capacity, sizeof *image->atoms);
	}
	image->atoms[image->atom_count] = *atom;
	return (uint32_t)image->atom_count++;
}

/* Whether an item of the map belongs to a unit: "FILE" or "ARCHIVE(MEMBER)", and the section. */
static bool belongs(const struct placed_section *item, const struct unit *unit) {
	if (strcmp(item->name, unit->section))
		return false;
	size_t length = strlen(unit->file);
	if (!unit->member)
		return !strcmp(item->file, unit->file);
	if (strncmp(item->file, unit->file, length) || item->file[length] != '(')
		return false;
	const char *member = item->file + length + 1;
	length = strlen(unit->member);
	return !strncmp(member, unit->member, length) && !strcmp(member + length, ")");
}

/* The unit of the next item, given how many units were met; unit_count for what lies behind them all. */
static int find_unit(const struct preparation *preparation, const struct placed_section *item, size_t *met,
                     size_t *found, struct ifr_error *err) {
	const struct units *units = preparation->units;
	if (*met && belongs(item, &units->items[*met - 1])) {
		*found = *met - 1;
	} else if (*met < units->count && belongs(item, &units->items[*met])) {
		*found = (*met)++;
	} else if (!item->bytes) {
		*found = units->count;
	} else {
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the linker did not put %s of %s where it was told", item->name,
		                item->file);
	}
	return 0;
}

static int add_section(struct preparation *preparation, size_t index, size_t unit, size_t *capacity,
                       struct ifr_error *err) {
	struct image *image = preparation->image;
	const struct placed_section *item = &preparation->map.items[index];
	struct object *object = &preparation->objects.items[preparation->item_objects[index]];
	uint32_t section = preparation->item_sections[index];
	uint64_t offset = item->address - preparation->text->sh_addr;
	if (!section && !item->bytes)
		return 0;
	if (!section || offset > preparation->text->sh_size || item->bytes > preparation->text->sh_size - offset)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the linker itself made %s in .text", item->name);
	uint64_t align = object->view.sections[section].sh_addralign;
	struct atom atom = {
		.offset = (uint32_t)offset, .bytes = (uint32_t)item->bytes, .align = align ? (uint32_t)align : 1};
	if (align & (align - 1) || align > preparation->text->sh_addralign)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s of %s has an odd alignment", item->name, item->file);
	uint32_t number = add_atom(image, capacity, &atom);
	object->places[section].atom = number;
	preparation->atom_objects[number] = preparation->item_objects[index];
	if (unit == preparation->units->count)
		return 0;
	if (!image->units[unit].count)
		image->units[unit].first = number;
	image->units[unit].count++;
	return 0;
}

/* The segment that holds .text. */
static const Elf64_Phdr *segment_of_text(const struct preparation *preparation) {
	const struct elf_view *output = &preparation->output;
	for (size_t i = 0; i < output->segment_count; i++) {
		const Elf64_Phdr *segment = &output->segments[i];
		if (segment->p_type == PT_LOAD && preparation->text->sh_addr >= segment->p_vaddr &&
		    preparation->text->sh_addr - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

/* An upper bound of where the file and the memory are free behind the segment. */
static uint64_t room_end(const struct preparation *preparation, uint64_t end) {
	const struct elf_view *output = &preparation->output;
	uint64_t page = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint64_t offset = preparation->text->sh_offset - preparation->text->sh_addr;
	if (page + offset > output->length)
		page = output->length - offset;
	for (size_t i = 1; i < output->section_count; i++) {
		const Elf64_Shdr *section = &output->sections[i];
		if (section->sh_flags & SHF_ALLOC && section->sh_addr >= end && section->sh_addr < page)
			page = section->sh_addr;
		if (section->sh_type != SHT_NOBITS && section->sh_offset - offset >= end && section->sh_offset >= offset &&
		    section->sh_offset - offset < page)
			page = section->sh_offset - offset;
	}
	return page < end ? end : page;
}

/* The executable sections behind .text follow it when alignments make it longer; anything else there may not. */
static void add_tail(struct preparation *preparation, size_t *capacity) {
	struct image *image = preparation->image;
	const struct elf_view *output = &preparation->output;
	const Elf64_Shdr *text = preparation->text;
	const Elf64_Phdr *segment = segment_of_text(preparation);
	uint64_t end = text->sh_addr + text->sh_size, segment_end = segment ? segment->p_vaddr + segment->p_filesz : 0;
	size_t first = image->atom_count;
	for (size_t i = 1; i < output->section_count && segment; i++) {
		const Elf64_Shdr *section = &output->sections[i];
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_addr < end || section->sh_addr >= segment_end)
			continue;
		if (!(section->sh_flags & SHF_EXECINSTR) || section->sh_type == SHT_NOBITS || !section->sh_addralign ||
		    section->sh_addralign & (section->sh_addralign - 1)) {
			segment = NULL;
			break;
		}
		struct atom atom = {.offset = (uint32_t)(section->sh_addr - text->sh_addr),
		                    .bytes = (uint32_t)section->sh_size,
		                    .align = (uint32_t)section->sh_addralign};
		add_atom(image, capacity, &atom);
		end = section->sh_addr + section->sh_size;
	}
	if (!segment || end != segment_end) {
		image->atom_count = first;
		end = text->sh_addr + text->sh_size;
		image->numbers.limit = text->sh_size;
	} else {
		image->numbers.limit = room_end(preparation, end) - text->sh_addr;
	}
	image->numbers.tail = (uint32_t)first;
	image->numbers.text_end = add_atom(image, capacity, &(struct atom){(uint32_t)text->sh_size, 0, 1, 0, 0});
	image->numbers.end = add_atom(image, capacity, &(struct atom){(uint32_t)(end - text->sh_addr), 0, 1, 0, 0});
	preparation->start = text->sh_addr;
	preparation->end = end;
}

/* Input sections of the output sections behind .text move with them. */
static void place_tail(struct preparation *preparation) {
	const struct image *image = preparation->image;
	for (size_t i = 0; i < preparation->map.count; i++) {
		struct object *object = &preparation->objects.items[preparation->item_objects[i]];
		struct place *place = &object->places[preparation->item_sections[i]];
		if (!preparation->item_sections[i] || !place->output || place->output == preparation->text)
			continue;
		for (uint32_t a = image->numbers.tail; a < image->numbers.text_end; a++)
			if (place->output->sh_flags & SHF_ALLOC &&
			    place->output->sh_addr == preparation->text->sh_addr + image->atoms[a].offset)
				place->atom = a;
	}
}

/* Laid out in their old order, the atoms must come to lie where the linker put them. */
static int check_identity(const struct image *image, struct ifr_error *err) {
	struct placement placement = {.order = ifr_alloc((image->unit_count + 1) * sizeof *placement.order),
	                              .count = image->unit_count};
	struct atom_ways ways = {.way = ifr_alloc(image->atom_count * sizeof *ways.way),
	                         .order = ifr_alloc(image->atom_count * sizeof *ways.order)};
	for (size_t i = 0; i < image->unit_count; i++)
		placement.order[i].unit = i;
	int result = image_lay_out(image, &placement, NULL, &ways, err);
	for (size_t i = 0; i < image->atom_count && !result; i++)
		if (ways.way[i])
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "the linker aligns .text in a way of its own");
	free(placement.order);
	free(ways.way);
	free(ways.order);
	return result;
}

int prepare_atoms(struct preparation *preparation, struct ifr_error *err) {
	struct image *image = preparation->image;
	const struct link_map *map = &preparation->map;
	size_t met = 0, capacity = 0;
	int result = 0;
	image->unit_count = preparation->units->count;
	image->units = ifr_alloc((image->unit_count + 1) * sizeof *image->units);
	preparation->atom_objects = ifr_alloc((map->count + 1) * sizeof *preparation->atom_objects);
	add_atom(image, &capacity, &(struct atom){.align = 1});
	for (size_t i = 0; i < map->count && !result; i++) {
		size_t unit = 0;
		if (strcmp(map->items[i].output, ".text"))
			continue;
		result = find_unit(preparation, &map->items[i], &met, &unit, err);
		if (!result && unit == image->unit_count && !image->numbers.movable_end)
			image->numbers.movable_end = (uint32_t)image->atom_count;
		else if (!result && unit < image->unit_count && image->numbers.movable_end)
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT, "the linker put %s among the empty sections", map->items[i].name);
		if (!result)
			result = add_section(preparation, i, unit, &capacity, err);
	}
	if (!result && met != image->unit_count)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "the linker left out units");
	if (result)
		return result;
	if (!image->numbers.movable_end)
		image->numbers.movable_end = (uint32_t)image->atom_count;
	add_tail(preparation, &capacity);
	place_tail(preparation);
	return check_identity(image, err);
}
