/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare_atoms.h"

/* Whether an item of the map, "FILE" or "ARCHIVE(MEMBER)" and a section, belongs to a unit. */
static bool belongs_to(const struct map_item *item, const struct unit *unit) {
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

/* The state of reading the map's items of one output section. */
struct output_reader {
	struct preparation *preparation;
	enum output_section number;
	struct image_output *output;
	const struct output_units *units;
	size_t met; /* units met so far */
	size_t *capacity;
};

/* Finds the unit of the next item, an index into all units; for empty sections of no unit, the number of units. */
static int find_unit(struct output_reader *reader, const struct map_item *item, size_t *found,
                     struct ifr_error *err) {
	const struct units *units = reader->preparation->units;
	size_t next = reader->units->first + reader->met;
	if (reader->met && belongs_to(item, &units->items[next - 1])) {
		*found = next - 1;
	} else if (reader->met < reader->units->count && belongs_to(item, &units->items[next])) {
		*found = next;
		reader->met++;
	} else if (!item->bytes) {
		*found = units->count;
	} else {
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the linker did not put %s of %s where it was told", item->name,
		                item->file);
	}
	return 0;
}

/* Describes the atom of an item. Items that the linker made itself, such as copy-relocated variables of shared
 * libraries, stay where they are: their alignment is that of their address. */
static int describe_atom(const struct output_reader *reader, size_t index, struct atom *atom,
                         struct ifr_error *err) {
	const struct preparation *preparation = reader->preparation;
	const struct map_item *item = &preparation->map.items[index];
	const struct object *object = &preparation->objects.items[preparation->item_objects[index]];
	const Elf64_Shdr *output = preparation->ranges[reader->number].section;
	uint32_t section = preparation->item_sections[index];
	uint64_t offset = item->address - output->sh_addr, align = 1;
	if (offset > output->sh_size || item->bytes > output->sh_size - offset ||
	    (!section && reader->number == OUTPUT_TEXT))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the linker itself made %s in %s", item->name, item->output);
	/* A section that was merged into others whole has no place and needs no alignment. */
	bool merged = section && !item->bytes && object->places[section].state == PLACE_EDITED;
	if (section && !merged && object->view.sections[section].sh_addralign)
		align = object->view.sections[section].sh_addralign;
	else if (!section)
		align = offset & -offset && (offset & -offset) < output->sh_addralign ? offset & -offset
		                                                                      : output->sh_addralign;
	if (align & (align - 1) || align > output->sh_addralign)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s of %s has an odd alignment", item->name, item->file);
	/* Any other flag, such as that of attribute((retain)), can change the output section in a way that depends on
	 * the order of its input sections. Merged constants have flags of their own, but stay. */
	const uint64_t plain = SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_GROUP | SHF_MERGE | SHF_STRINGS;
	if (section && (object->view.sections[section].sh_flags ^ output->sh_flags) & ~plain)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s of %s has flags that %s does not have", item->name, item->file,
		                item->output);
	*atom = (struct atom){.offset = (uint32_t)offset, .bytes = (uint32_t)item->bytes, .align = (uint32_t)align};
	return 0;
}

/* Data units must lie where they ship, because some of them are pinned. */
static int check_offset(const struct output_reader *reader, size_t unit, const struct atom *atom,
                        struct ifr_error *err) {
	const struct unit *known = &reader->preparation->units->items[unit];
	if (reader->number == OUTPUT_TEXT || known->address - reader->units->address == atom->offset)
		return 0;
	return ifr_fail(err, IFR_E_ENVIRONMENT, "the linker lays %s out in a way of its own (%s)",
	                output_names[reader->number], known->name);
}

static int add_section(struct output_reader *reader, size_t index, size_t unit, struct ifr_error *err) {
	struct preparation *preparation = reader->preparation;
	struct image *image = preparation->image;
	struct object *object = &preparation->objects.items[preparation->item_objects[index]];
	uint32_t section = preparation->item_sections[index];
	struct atom atom = {0};
	if (!section && !preparation->map.items[index].bytes)
		return 0;
	int result = describe_atom(reader, index, &atom, err);
	if (result)
		return result;
	uint32_t number = prepare_add_atom(image, reader->capacity, &atom);
	/* Merged sections have no atom: their symbols can lie anywhere in the merged contents, which stay. */
	if (section && object->places[section].state == PLACE_EXACT)
		object->places[section].atom = number;
	preparation->atom_objects[number] = preparation->item_objects[index];
	preparation->atom_units[number] = (uint32_t)unit;
	if (unit == preparation->units->count)
		return 0;
	if (!image->units[unit].count) {
		image->units[unit].first = number;
		result = check_offset(reader, unit, &atom, err);
	}
	image->units[unit].count++;
	return result;
}

static int read_output(struct output_reader *reader, struct ifr_error *err) {
	const struct link_map *map = &reader->preparation->map;
	struct image *image = reader->preparation->image;
	struct image_output *output = reader->output;
	size_t count = reader->preparation->units->count;
	int result = 0;
	output->first = (uint32_t)image->atom_count;
	for (size_t i = 0; i < map->count && !result; i++) {
		size_t unit = 0;
		if (strcmp(map->items[i].output, output_names[reader->number]))
			continue;
		result = find_unit(reader, &map->items[i], &unit, err);
		if (!result && unit == count && !output->units_end)
			output->units_end = (uint32_t)image->atom_count;
		else if (!result && unit < count && output->units_end)
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT, "the linker put %s among the empty sections", map->items[i].name);
		if (!result)
			result = add_section(reader, i, unit, err);
	}
	if (!result && reader->met != reader->units->count)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "the linker left out units");
	output->end = (uint32_t)image->atom_count;
	if (!output->units_end)
		output->units_end = output->end;
	return result;
}

/* In the shipped order, image_lay_out must put every atom where the linker put it. */
static int check_shipped_order(const struct preparation *preparation, struct ifr_error *err) {
	const struct image *image = preparation->image;
	struct placement placement = prepare_placement(&image->numbers.sizes, preparation->units);
	struct atom_layout layout = {.displacement = ifr_alloc(image->atom_count * sizeof *layout.displacement),
	                             .order = ifr_alloc(image->atom_count * sizeof *layout.order)};
	int result = image_lay_out(image, &placement, NULL, &layout, err);
	for (uint32_t i = 0; i < image->atom_count && !result; i++)
		if (layout.displacement[i])
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "the linker aligns %s in a way of its own",
			                  output_names[image_output_of(image, i) - image->numbers.outputs]);
	placement_release(&placement);
	free(layout.displacement);
	free(layout.order);
	return result;
}

int prepare_atoms(struct preparation *preparation, struct ifr_error *err) {
	struct image *image = preparation->image;
	size_t capacity = 0;
	int result = 0;
	image->unit_count = preparation->units->count;
	image->units = ifr_alloc((image->unit_count + 1) * sizeof *image->units);
	/* Trailing and leading sections have atoms, too, and so have their ends (struct atom). */
	size_t most = preparation->map.count + preparation->program.section_count + 4;
	preparation->atom_objects = ifr_alloc(most * sizeof *preparation->atom_objects);
	preparation->atom_units = ifr_alloc(most * sizeof *preparation->atom_units);
	memset(preparation->atom_units, 0xff, most * sizeof *preparation->atom_units);
	prepare_add_atom(image, &capacity, &(struct atom){.align = 1});
	for (int r = 0; r < OUTPUTS && !result; r++) {
		const Elf64_Shdr *section = preparation->ranges[r].section;
		if (!section)
			continue;
		struct image_output *output = &image->numbers.outputs[r];
		struct output_reader reader = {.preparation = preparation,
		                               .number = (enum output_section)r,
		                               .output = output,
		                               .units = &preparation->units->outputs[r],
		                               .capacity = &capacity};
		output->at = section->sh_offset;
		output->limit = section->sh_size;
		output->in_file = section->sh_type != SHT_NOBITS;
		result = read_output(&reader, err);
		if (!result && r == OUTPUT_TEXT)
			prepare_trailing_sections(preparation, &capacity);
	}
	if (result)
		return result;
	prepare_leading_sections(preparation, &capacity);
	image->numbers.longest_path = image_find_longest_path(image);
	return check_shipped_order(preparation, err);
}
