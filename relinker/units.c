/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/units.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"
#include "relinker/unit_names.h"

const char *const output_names[OUTPUTS] = {".text", ".rodata", ".data", ".bss"};

static void release_unit(struct unit *unit) {
	char *owned[] = {unit->name, unit->object, unit->file, unit->member, unit->section};
	for (size_t j = 0; j < sizeof owned / sizeof *owned; j++)
		free(owned[j]);
}

void units_release(struct units *units) {
	for (size_t i = 0; i < units->count; i++)
		release_unit(&units->items[i]);
	free(units->items);
	*units = (struct units){0};
}

/* --- the map ------------------------------------------------------------------------------------------------- */

/* The input section of item number index of the map, or NULL. */
static const Elf64_Shdr *input_section(const struct unit_sections *sections, size_t index) {
	if (!sections || !sections->item_sections[index])
		return NULL;
	const struct object *object = &sections->objects->items[sections->item_objects[index]];
	return &object->view.sections[sections->item_sections[index]];
}

static bool has_relocations(const struct unit_sections *sections, size_t index) {
	const struct elf_view *view = &sections->objects->items[sections->item_objects[index]].view;
	for (size_t i = 1; i < view->section_count; i++)
		if (view->sections[i].sh_type == SHT_RELA && view->sections[i].sh_info == sections->item_sections[index])
			return true;
	return false;
}

/* Whether an input section has its output section's name, or one like ".data.x" for .data. */
static bool has_plain_name(const char *section, const char *output) {
	size_t length = strlen(output);
	return !strncmp(section, output, length) && (!section[length] || section[length] == '.');
}

/* Returns why axes must leave an input section of data alone, or NULL. */
static const char *find_data_pin(const struct unit_sections *sections, size_t index, const char *name,
                                 enum output_section output) {
	const Elf64_Shdr *header = input_section(sections, index);
	if (!header)
		return "the linker made it";
	if (header->sh_flags & SHF_MERGE)
		return "its constants are merged with those of other objects";
	if (!has_plain_name(name, output_names[output]))
		return "it is in a section of a name of its own";
	if (strstr(name, ".DW.ref."))
		return "frames refer to it";
	if (sections->packed && has_relocations(sections, index))
		return "its relative relocations are packed by their addresses (RELR)";
	return NULL;
}

static void add_unit(struct units *units, size_t *capacity, const struct unit *unit) {
	if (units->count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 256;
		units->items = ifr_realloc(units->items, *capacity, sizeof *units->items);
	}
	units->items[units->count++] = *unit;
}

static void read_output(struct units *units, size_t *capacity, const struct link_map *map,
                        const struct unit_sections *sections, enum output_section output) {
	for (size_t i = 0; i < map->count; i++) {
		const struct map_item *item = &map->items[i];
		if (!item->bytes || strcmp(item->output, output_names[output]))
			continue;
		const Elf64_Shdr *header = input_section(sections, i);
		uint64_t align = header ? header->sh_addralign ? header->sh_addralign : 1 : 0;
		struct unit unit = {
			.section = ifr_strdup(item->name),
			.file = ifr_strdup(item->file),
			.address = item->address,
			.bytes = item->bytes,
			.span_bytes = item->bytes,
			.align = align & (align - 1) || align > UINT32_MAX / 2 ? 0 : (uint32_t)align,
			.bucket = item->statement,
			.output = output,
			.pin = output == OUTPUT_TEXT ? NULL : find_data_pin(sections, i, item->name, output),
		};
		add_unit(units, capacity, &unit);
	}
}

/* --- movable units ------------------------------------------------------------------------------------------- */

static int by_section(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = unit_compare_objects(x, y);
	if (!order)
		order = strcmp(x->section, y->section);
	return order ? order : (x > y) - (x < y);
}

/* Joins a second section of a name to the first; it follows the first wherever that goes. */
static void join_units(struct unit *first, struct unit *twin) {
	uint64_t align = twin->align ? twin->align : 1;
	first->span_bytes = ((first->span_bytes + align - 1) & ~(align - 1)) + twin->bytes;
	first->bytes += twin->bytes;
	first->align = !first->align || !twin->align ? 0 : first->align > twin->align ? first->align : twin->align;
	first->pin = first->pin ? first->pin : twin->pin;
	twin->bytes = 0;
}

/* Joins input sections of one name in one object, which a linker script cannot tell apart. */
static void join_twins(struct units *units) {
	struct unit **all = unit_pointers(units), *first = NULL;
	qsort(all, units->count, sizeof *all, by_section);
	for (size_t i = 0; i < units->count; i++) {
		bool twin = first && !unit_compare_objects(first, all[i]) && !strcmp(first->section, all[i]->section) &&
		            first->output == all[i]->output;
		if (twin)
			join_units(first, all[i]);
		else
			first = all[i];
	}
	free(all);
	size_t kept = 0;
	for (size_t i = 0; i < units->count; i++) {
		if (units->items[i].bytes)
			units->items[kept++] = units->items[i];
		else
			release_unit(&units->items[i]);
	}
	units->count = kept;
}

/* Start files frame the program; the linker's order of them is a convention of the platform. */
static bool is_start_file(const char *file) {
	static const char *const names[] = {"crt1.o", "Scrt1.o", "rcrt1.o", "gcrt1.o", "grcrt1.o", "crti.o", "crtn.o"};
	const char *base = ifr_path_base(file);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(base, names[i]))
			return true;
	return (ifr_starts_with(base, "crtbegin") || ifr_starts_with(base, "crtend")) && ifr_ends_with(base, ".o");
}

/* Whether a linker script can name a unit: in patterns, ':' parts an archive from its member, and the other
 * characters are wildcards or end the pattern. */
static bool can_be_named(const struct unit *unit) {
	static const char special[] = "*?[]\\:\"\n";
	return !strpbrk(unit->file, special) && !(unit->member && strpbrk(unit->member, special)) &&
	       !strpbrk(unit->section, special);
}

static void classify_units(struct units *units) {
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->items[i];
		struct output_units *output = &units->outputs[unit->output];
		unit->nameable = can_be_named(unit);
		if (is_start_file(unit->file))
			unit->pin = "it is of a start file";
		else if (!unit->nameable)
			unit->pin = "a linker script cannot say its name";
		else if (unit->output != OUTPUT_TEXT && !unit->align && !unit->pin)
			unit->pin = "its alignment is not known";
		unit->movable = !unit->pin;
		if (!output->count)
			output->first = i;
		output->count++;
		output->movable += unit->movable;
	}
}

int units_read(struct units *units, const struct link_map *map, const struct unit_sections *sections,
               const char *folder, struct ifr_error *err) {
	size_t capacity = 0;
	*units = (struct units){0};
	for (int r = 0; r < OUTPUTS; r++) {
		const struct map_output *output = link_map_output(map, output_names[r]);
		if (!output && r == OUTPUT_TEXT)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the map of the link shows no .text: nothing can be moved");
		if (!output || (r != OUTPUT_TEXT && !sections))
			continue;
		units->outputs[r] = (struct output_units){.address = output->address, .bytes = output->bytes};
		read_output(units, &capacity, map, sections, (enum output_section)r);
	}
	units_name(units, map, folder);
	join_twins(units);
	classify_units(units);
	return 0;
}

int units_of_link(struct units *units, const struct link_map *map, const struct ifr_buffer *program,
                  const char *folder, struct ifr_error *unread, struct ifr_error *err) {
	uint32_t *item_sections = ifr_alloc((map->count + 1) * sizeof *item_sections),
			 *item_objects = ifr_alloc((map->count + 1) * sizeof *item_objects);
	struct objects objects = {0};
	struct elf_view view;
	struct unit_sections sections = {&objects, item_sections, item_objects, false};
	bool known = !elf_view_open(&view, program->data, program->length, "the linked program", unread) &&
	             !objects_read(&objects, map, &view, folder, item_sections, item_objects, unread);
	sections.packed = known && elf_view_find(&view, ".relr.dyn");
	int result = units_read(units, map, known ? &sections : NULL, folder, err);
	objects_release(&objects);
	free(item_sections);
	free(item_objects);
	return result;
}
