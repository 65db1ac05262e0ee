/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/objects.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "relinker/read/object_files.h"

const char *object_symbol_name(const struct object *object, const Elf64_Sym *symbol) {
	return elf_view_string(&object->view, object->strings, symbol->st_name);
}

const char *object_section_name(const struct object *object, size_t section) {
	return elf_view_name(&object->view, &object->view.sections[section]);
}

void objects_release(struct objects *objects) {
	for (size_t i = 0; i < objects->count; i++) {
		free(objects->items[i].bytes);
		free(objects->items[i].places);
	}
	free(objects->items);
	names_release(&objects->by_file);
	*objects = (struct objects){0};
}

/* Lists each file that the map names once. */
static void list_files(struct objects *objects, const struct link_map *map, uint32_t *item_objects) {
	size_t capacity = 0;
	for (size_t i = 0; i < map->count; i++) {
		const char *file = map->items[i].file;
		if (i && !strcmp(file, map->items[i - 1].file)) {
			item_objects[i] = item_objects[i - 1];
			continue;
		}
		bool added;
		item_objects[i] = *names_add(&objects->by_file, file, 0, (uint32_t)objects->count, &added);
		if (!added)
			continue;
		if (objects->count == capacity) {
			capacity = capacity ? 2 * capacity : 64;
			objects->items = ifr_realloc(objects->items, capacity, sizeof *objects->items);
		}
		objects->items[objects->count++] = (struct object){.file = file};
	}
}

static int read_tables(struct object *object, struct ifr_error *err) {
	const struct elf_view *view = &object->view;
	object->places = ifr_alloc((view->section_count + 1) * sizeof *object->places);
	for (size_t i = 1; i < view->section_count; i++) {
		const Elf64_Shdr *section = &view->sections[i];
		if (section->sh_type == SHT_SYMTAB_SHNDX)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has more than 65,000 sections", object->file);
		if (section->sh_type != SHT_SYMTAB)
			continue;
		object->symbols = elf_view_table(view, section, sizeof(Elf64_Sym), &object->symbol_count);
		if (section->sh_link >= view->section_count || section->sh_info > object->symbol_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has a damaged symbol table", object->file);
		object->strings = &view->sections[section->sh_link];
		object->local_count = section->sh_info;
	}
	return 0;
}

/* Chains the sections of one name in an object, in their order. heads has the key (name, object). */
static void chain_names(struct names *heads, struct object *object, size_t index) {
	for (size_t i = object->view.section_count; --i > 0;) {
		uint32_t *head = names_add(heads, object_section_name(object, i), index, 0, NULL);
		object->places[i].next_same = *head;
		*head = (uint32_t)i;
	}
}

static bool is_edited(const char *name, const Elf64_Shdr *section) {
	return section->sh_flags & SHF_MERGE || !strcmp(name, ".eh_frame") || !strcmp(name, ".note.gnu.property");
}

static const Elf64_Shdr *output_of(const struct elf_view *output, const struct map_item *item,
                                   const Elf64_Shdr *last) {
	if (last && !strcmp(elf_view_name(output, last), item->output))
		return last;
	return elf_view_find(output, item->output);
}

/* Finds the object's next section that has the item's name and size; 0 if the linker made the item itself. */
static uint32_t match_item(struct names *heads, struct object *object, size_t index, const struct map_item *item) {
	uint32_t *head = names_add(heads, item->name, index, 0, NULL);
	for (uint32_t at = *head; at; at = object->places[at].next_same) {
		const Elf64_Shdr *section = &object->view.sections[at];
		if (section->sh_size != item->bytes && !is_edited(item->name, section))
			continue;
		*head = object->places[at].next_same;
		object->places[at].state = is_edited(item->name, section) ? PLACE_EDITED : PLACE_EXACT;
		return at;
	}
	return 0;
}

/* Refuses objects in which a section that was left out has the name and size of one that was not: the map does not
 * tell which of them was linked. */
static int check_twins(const struct object *object, const struct elf_view *view, struct ifr_error *err) {
	for (size_t i = 1; i < view->section_count; i++)
		for (uint32_t at = view->sections[i].sh_flags & SHF_ALLOC ? object->places[i].next_same : 0; at;
		     at = object->places[at].next_same)
			if (view->sections[i].sh_size && view->sections[i].sh_size == view->sections[at].sh_size &&
			    (object->places[i].state == PLACE_DROPPED) != (object->places[at].state == PLACE_DROPPED))
				return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has several sections %s, of which not all were linked",
				                object->file, object_section_name(object, i));
	return 0;
}

int objects_read(struct objects *objects, const struct link_map *map, const struct elf_view *output,
                 const char *folder, uint32_t *item_sections, uint32_t *item_objects, struct ifr_error *err) {
	struct names heads = {0};
	*objects = (struct objects){0};
	list_files(objects, map, item_objects);
	int result = object_files_open(objects, folder, err);
	for (size_t i = 0; i < objects->count && !result; i++) {
		result = read_tables(&objects->items[i], err);
		if (!result)
			chain_names(&heads, &objects->items[i], i);
	}
	const Elf64_Shdr *last = NULL;
	for (size_t i = 0; i < map->count && !result; i++) {
		const struct map_item *item = &map->items[i];
		struct object *object = &objects->items[item_objects[i]];
		uint32_t section = item_sections[i] = match_item(&heads, object, item_objects[i], item);
		if (!section)
			continue;
		last = output_of(output, item, last);
		object->places[section].output = last;
		object->places[section].address = item->address;
	}
	for (size_t i = 0; i < objects->count && !result; i++)
		result = check_twins(&objects->items[i], &objects->items[i].view, err);
	names_release(&heads);
	return result;
}
