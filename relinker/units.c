/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/units.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"

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

/* Splits "archive(member)", unless a file of the whole name is there. */
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

/* The name of the source file as the object's symbol table has it; NULL if it has none. */
static char *source_of(const char *path) {
	char *name = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	for (Elf_Scn *section = NULL; elf && !name && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Sym symbol;
		for (int i = 0; !name && data && gelf_getsym(data, i, &symbol); i++) {
			const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (GELF_ST_TYPE(symbol.st_info) == STT_FILE && text && *text)
				name = ifr_strdup(ifr_path_base(text));
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return name;
}

static char *plain_label(const struct unit *unit, const char *folder) {
	const char *base = ifr_path_base(unit->file);
	if (unit->member)
		return ifr_format("%s(%s)", base, unit->member);
	if (!is_temporary(base))
		return ifr_strdup(base);
	char *path = *unit->file == '/' ? ifr_strdup(unit->file) : ifr_format("%s/%s", folder, unit->file);
	char *source = source_of(path);
	free(path);
	return source ? source : ifr_strdup(base);
}

/* A name that holds a '#' of its own gets a number too, so that it is never taken for a numbered one. */
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

/* Orders units by the object they come from, and those of one object as they lie. */
static int by_object(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = compare_texts(x->file, y->file);
	if (!order)
		order = compare_texts(x->member, y->member);
	return order ? order : (x > y) - (x < y);
}

static int by_label(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = strcmp(x->object, y->object);
	return order ? order : (x > y) - (x < y);
}

static bool same_object(const struct unit *a, const struct unit *b) {
	return !compare_texts(a->file, b->file) && !compare_texts(a->member, b->member);
}

/* Pointers to all units, in their order. */
static struct unit **pointers(struct units *units) {
	struct unit **all = ifr_alloc((units->count + 1) * sizeof(struct unit *));
	for (size_t i = 0; i < units->count; i++)
		all[i] = &units->items[i];
	return all;
}

/* Gives each object a name of its own: objects of one name in different folders are numbered as they come. */
static void label_objects(struct units *units, const char *folder) {
	struct unit **all = pointers(units), **firsts = ifr_alloc((units->count + 1) * sizeof(struct unit *));
	size_t objects = 0;
	qsort(all, units->count, sizeof *all, by_object);
	for (size_t i = 0; i < units->count; i++)
		if (!i || !same_object(all[i], all[i - 1]))
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

static int by_section(const void *a, const void *b) {
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	int order = compare_texts(x->file, y->file);
	if (!order)
		order = compare_texts(x->member, y->member);
	if (!order)
		order = strcmp(x->section, y->section);
	return order ? order : (x > y) - (x < y);
}

/* An input section that comes twice in one object takes the first one's place: the script cannot part them. */
static void join_twins(struct units *units) {
	struct unit **all = pointers(units), *first = NULL;
	qsort(all, units->count, sizeof *all, by_section);
	for (size_t i = 0; i < units->count; i++) {
		if (first && same_object(first, all[i]) && !strcmp(first->section, all[i]->section)) {
			first->bytes += all[i]->bytes;
			all[i]->bytes = 0;
		} else {
			first = all[i];
		}
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

/* The start files frame the program; the linker's own order of them is part of the platform's conventions. */
static bool is_start_file(const char *file) {
	static const char *const names[] = {"crt1.o", "Scrt1.o", "rcrt1.o", "gcrt1.o", "grcrt1.o", "crti.o", "crtn.o"};
	const char *base = ifr_path_base(file);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(base, names[i]))
			return true;
	return (ifr_starts_with(base, "crtbegin") || ifr_starts_with(base, "crtend")) && ifr_ends_with(base, ".o");
}

/* A script's patterns cannot say every name: ':' parts an archive from its member, the others are wildcards. */
static bool can_be_named(const struct unit *unit) {
	static const char special[] = "*?[]\\:\"\n";
	return !strpbrk(unit->file, special) && !(unit->member && strpbrk(unit->member, special)) &&
	       !strpbrk(unit->section, special);
}

/* The map has a line "LOAD FILE" for every file that the linker opened by itself, members of thin archives have
 * none. */
static bool is_thin_member(const struct unit *unit, const char *map) {
	char *line = ifr_format("\nLOAD %s\n", unit->file);
	bool loaded = strstr(map, line);
	free(line);
	return !loaded && !unit->member;
}

int units_read(struct units *units, const char *map, const char *folder, struct ifr_error *err) {
	*units = (struct units){0};
	int result = units_parse_map(units, map, err);
	if (result)
		return result;
	for (size_t i = 0; i < units->count; i++)
		split_member(&units->items[i], folder);
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->items[i];
		bool repeated = i && same_object(unit, unit - 1);
		unit->thin = repeated ? unit[-1].thin : is_thin_member(unit, map);
	}
	label_objects(units, folder);
	join_twins(units);
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->items[i];
		unit->name = ifr_format("%s:%s", unit->object, unit->section);
		unit->movable = !is_start_file(unit->file) && can_be_named(unit);
	}
	return 0;
}
