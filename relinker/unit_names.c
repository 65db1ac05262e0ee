/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/unit_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"
#include "kit/kit.h"
#include "relinker/read/names.h"

/* Splits "archive(member)", unless a file of the whole name exists. */
static void split_member(struct unit *unit, const char *folder) {
	char *open = strrchr(unit->file, '(');
	if (!open || !ifr_ends_with(unit->file, ")"))
		return;
	char *path = *unit->file == '/' ? ifr_strdup(unit->file) : ifr_format("%s/%s", folder, unit->file);
	if (!ifr_file_exists(path)) {
		unit->member = ifr_format("%.*s", (int)(strlen(open) - 2), open + 1);
		*open = '\0';
	}
	free(path);
}

/* The compiler's own temporary objects: /tmp/ccXXXXXX.o. */
static bool is_temporary(const char *base) {
	return strlen(base) == 10 && ifr_starts_with(base, "cc") && ifr_ends_with(base, ".o");
}

/* An object that -flto compiled in the link: PROGRAM.ltransN.ltrans.o. */
static bool is_ltrans(const char *base) {
	return strstr(base, ".ltrans") && ifr_ends_with(base, ".ltrans.o");
}

/* The part of an object's name that is the same in every link. GCC's collect2 names objects of -flto
 * /tmp/ccXXXXXX.ltransN.ltrans.o, with other X each time. */
static const char *lasting_part(const char *base) {
	bool temporary = is_ltrans(base) && ifr_starts_with(base, "cc") && strcspn(base, ".") == 8;
	return temporary ? base + 9 : base;
}

/* Reads the source file's name from the object's symbol table (STT_FILE); NULL if it has none. */
static char *read_source_name(const char *path) {
	char *name = NULL;
	struct ifr_elf_file file;
	GElf_Shdr header;
	GElf_Sym symbol;
	ifr_elf_open(&file, path);
	Elf_Data *data = elf_getdata(ifr_elf_find_section_type(file.elf, SHT_SYMTAB, &header), NULL);
	for (int i = 0; !name && data && gelf_getsym(data, i, &symbol); i++) {
		const char *text = elf_strptr(file.elf, header.sh_link, symbol.st_name);
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE && text && *text)
			name = ifr_strdup(ifr_path_base(text));
	}
	ifr_elf_close(&file);
	return name;
}

static char *plain_label(const struct unit *unit, const char *folder) {
	const char *base = ifr_path_base(unit->file);
	if (unit->member)
		return ifr_format("%s(%s)", base, unit->member);
	if (!is_temporary(base))
		return ifr_strdup(lasting_part(base));
	char *path = *unit->file == '/' ? ifr_strdup(unit->file) : ifr_format("%s/%s", folder, unit->file);
	char *source = read_source_name(path);
	free(path);
	return source ? source : ifr_strdup(base);
}

/* A name with a '#' of its own gets a number, too, so that no numbered name equals it. */
static char *object_label(const struct unit *unit, const char *folder) {
	char *label = plain_label(unit, folder);
	if (!strchr(label, '#'))
		return label;
	char *numbered = ifr_format("%s#1", label);
	free(label);
	return numbered;
}

static int compare_texts(const char *a, const char *b) {
	return strcmp(a ? a : "", b ? b : "");
}

int unit_compare_objects(const struct unit *a, const struct unit *b) {
	int order = compare_texts(a->file, b->file);
	return order ? order : compare_texts(a->member, b->member);
}

/* Orders units by object, and the units of one object by position. */
static int by_object(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = unit_compare_objects(x, y);
	return order ? order : (x > y) - (x < y);
}

static int by_label(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = strcmp(x->object, y->object);
	return order ? order : (x > y) - (x < y);
}

struct unit **unit_pointers(struct units *units) {
	struct unit **all = ifr_alloc((units->count + 1) * sizeof(struct unit *));
	for (size_t i = 0; i < units->count; i++)
		all[i] = &units->items[i];
	return all;
}

/* Gives each object a unique name: objects of one name in different folders are numbered in the order of their
 * units. */
static void label_objects(struct units *units, const char *folder) {
	struct unit **all = unit_pointers(units), **firsts = ifr_alloc((units->count + 1) * sizeof(struct unit *));
	size_t objects = 0;
	qsort(all, units->count, sizeof *all, by_object);
	for (size_t i = 0; i < units->count; i++)
		if (!i || unit_compare_objects(all[i], all[i - 1]))
			(firsts[objects++] = all[i])->object = object_label(all[i], folder);
	qsort(firsts, objects, sizeof *firsts, by_label);
	for (size_t i = 0; i < objects; i++) {
		size_t run = i;
		while (run + 1 < objects && !strcmp(firsts[run + 1]->object, firsts[i]->object))
			run++;
		for (size_t k = i + 1; k <= run; k++) {
			char *numbered = ifr_format("%s#%zu", firsts[i]->object, k - i + 1);
			free(firsts[k]->object);
			firsts[k]->object = numbered;
		}
		i = run;
	}
	for (size_t i = 1; i < units->count; i++)
		if (!all[i]->object)
			all[i]->object = ifr_strdup(all[i - 1]->object);
	free(firsts);
	free(all);
}

/* Marks members of thin archives. For every other file the linker opens, the map has a line "LOAD FILE". */
static void mark_thin_members(struct units *units, const struct link_map *map) {
	struct names loaded = {0};
	for (size_t i = 0; i < map->loaded_count; i++)
		names_add(&loaded, map->loaded[i], 0, 0, NULL);
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->items[i];
		unit->thin =
			!unit->member && (is_ltrans(ifr_path_base(unit->file)) || !names_find(&loaded, unit->file, 0));
	}
	names_release(&loaded);
}

void units_name(struct units *units, const struct link_map *map, const char *folder) {
	for (size_t i = 0; i < units->count; i++)
		split_member(&units->items[i], folder);
	mark_thin_members(units, map);
	label_objects(units, folder);
	for (size_t i = 0; i < units->count; i++)
		units->items[i].name = ifr_format("%s:%s", units->items[i].object, units->items[i].section);
}
