/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol table. ld.bfd writes local symbols object by object, in the order in which it meets the objects'
 * sections, so the order of the local symbols and of their names follows the layout (image_symtab.c). */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/prepare/prepare.h"

struct reader {
	struct preparation *preparation;
	const Elf64_Sym *symbols; /* of the program */
	size_t count, local_count;
	const Elf64_Shdr *strings;
	size_t next; /* the first symbol of the program that no object explains yet */
};

static const char *name_of(const struct reader *reader, size_t index) {
	return elf_view_string(&reader->preparation->program, reader->strings, reader->symbols[index].st_name);
}

/* Whether the program's next symbol is this one of an object; atom receives the atom that it moves with. */
static bool is_symbol(const struct reader *reader, const struct object *object, size_t index, uint32_t *atom) {
	const Elf64_Sym *mine = &object->symbols[index], *theirs = &reader->symbols[reader->next];
	*atom = 0;
	if (ELF64_ST_TYPE(mine->st_info) == STT_SECTION || theirs->st_info != mine->st_info ||
	    strcmp(object_symbol_name(object, mine), name_of(reader, reader->next)))
		return false;
	if (mine->st_shndx == SHN_UNDEF || mine->st_shndx >= object->view.section_count)
		return mine->st_shndx == theirs->st_shndx;
	const struct place *place = &object->places[mine->st_shndx];
	*atom = place->atom;
	if (place->state == PLACE_DROPPED)
		return false;
	return place->state == PLACE_EDITED || ELF64_ST_TYPE(mine->st_info) == STT_TLS ||
	       theirs->st_value == place->address + mine->st_value;
}

/* Whether the program's next symbol is a STT_FILE that the linker added for an object. It adds the object's name
 * if the object does not name its source, and an empty name if the source is "<artificial>" (-flto). */
static bool is_named_after(const struct reader *reader, const struct object *object) {
	if (reader->next >= reader->local_count || ELF64_ST_TYPE(reader->symbols[reader->next].st_info) != STT_FILE)
		return false;
	const char *member = strrchr(object->file, '('), *name = name_of(reader, reader->next);
	for (size_t i = 1; i < object->local_count; i++)
		if (ELF64_ST_TYPE(object->symbols[i].st_info) == STT_FILE)
			return !*name && !strcmp(object_symbol_name(object, &object->symbols[i]), "<artificial>");
	size_t length = strlen(name);
	if (member && ifr_ends_with(object->file, ")") && !strncmp(member + 1, name, length) &&
	    !strcmp(member + 1 + length, ")"))
		return true;
	return !strcmp(ifr_path_base(object->file), name);
}

/* Reads the group of an object's local symbols, as many as the program has of them. */
static void read_group(struct reader *reader, const struct object *object) {
	struct image *image = reader->preparation->image;
	size_t first = reader->next, named = first + is_named_after(reader, object);
	reader->next = named;
	for (size_t i = 1; i < object->local_count && reader->next < reader->local_count; i++)
		if (is_symbol(reader, object, i, &image->symbols[reader->next].atom))
			reader->next++;
	if (reader->next == named)
		reader->next = first;
	image->groups[image->group_count++] = (struct symbol_group){(uint32_t)first, (uint32_t)(reader->next - first)};
}

/* Lists the visits of the linker's walk: objects by their sections outside of the output sections that are laid
 * out, and these output sections. */
static void list_visits(struct preparation *preparation, const uint32_t *groups) {
	struct image *image = preparation->image;
	uint8_t *seen = ifr_alloc(image->group_count + OUTPUTS + 1);
	image->visits = ifr_alloc((image->group_count + OUTPUTS + 1) * sizeof *image->visits);
	for (size_t i = 0; i < preparation->map.count; i++) {
		size_t visit = groups[preparation->item_objects[i]];
		for (int r = 0; r < OUTPUTS; r++)
			if (preparation->ranges[r].section && !strcmp(preparation->map.items[i].output, output_names[r]))
				visit = image->group_count + (size_t)r;
		if (seen[visit])
			continue;
		seen[visit] = 1;
		image->visits[image->visit_count++] =
			visit < image->group_count ? (uint32_t)visit : VISIT_REGION | (uint32_t)(visit - image->group_count);
	}
	free(seen);
}

static void read_groups(struct reader *reader) {
	struct preparation *preparation = reader->preparation;
	struct image *image = preparation->image;
	uint32_t *groups = ifr_alloc((preparation->objects.count + 1) * sizeof *groups);
	for (size_t i = 0; i < preparation->objects.count; i++) {
		groups[i] = (uint32_t)image->group_count;
		read_group(reader, &preparation->objects.items[i]);
	}
	for (int r = 0; r < OUTPUTS; r++)
		for (uint32_t a = image->numbers.outputs[r].first; a < image->numbers.outputs[r].end; a++)
			image->atoms[a].group = groups[preparation->atom_objects[a]];
	list_visits(preparation, groups);
	free(groups);
}

/* Reads the other symbols: hidden symbols, which became local, and the global ones. */
static int read_rest(struct reader *reader, struct ifr_error *err) {
	struct preparation *preparation = reader->preparation;
	for (; reader->next < reader->count; reader->next++) {
		const Elf64_Sym *symbol = &reader->symbols[reader->next];
		if (ELF64_ST_TYPE(symbol->st_info) == STT_FILE && *name_of(reader, reader->next))
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the symbols of %s in .symtab are in an order of their own",
			                name_of(reader, reader->next));
		bool plain = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
		             ELF64_ST_TYPE(symbol->st_info) != STT_TLS && ELF64_ST_TYPE(symbol->st_info) != STT_SECTION;
		uint32_t atom =
			plain ? prepare_atom_of_symbol(preparation, name_of(reader, reader->next), symbol->st_value) : 0;
		if (atom == PREPARE_AMBIGUOUS)
			prepare_add_pin(preparation, prepare_atom_at(preparation, symbol->st_value), 0, PIN_SYMBOL);
		else
			preparation->image->symbols[reader->next].atom = atom;
	}
	return 0;
}

/* --- names --------------------------------------------------------------------------------------------------- */

/* Reads the strings that are stored whole, in the order of the table. */
static int read_roots(struct reader *reader, struct ifr_error *err) {
	struct image *image = reader->preparation->image;
	const char *strings = (const char *)reader->preparation->program.bytes + reader->strings->sh_offset;
	uint64_t size = reader->strings->sh_size;
	size_t capacity = reader->count + 2;
	image->roots = ifr_alloc(capacity * sizeof *image->roots);
	for (uint64_t at = 1; at < size;) {
		uint64_t bytes = strnlen(strings + at, size - at) + 1;
		if (image->root_count == reader->count || at + bytes > size)
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".strtab holds more than the symbols' names");
		image->roots[image->root_count++] = (struct root){(uint32_t)at, (uint32_t)bytes};
		at += bytes;
	}
	return 0;
}

static int name_symbols(struct reader *reader, struct ifr_error *err) {
	struct image *image = reader->preparation->image;
	for (size_t i = 0; i < reader->count; i++) {
		struct image_symbol *symbol = &image->symbols[i];
		uint32_t offset = reader->symbols[i].st_name;
		symbol->root = IMAGE_NONE;
		if (!offset)
			continue;
		size_t low = 0, high = image->root_count;
		while (high - low > 1) {
			size_t middle = (low + high) / 2;
			if (image->roots[middle].offset <= offset)
				low = middle;
			else
				high = middle;
		}
		if (low == high || offset - image->roots[low].offset >= image->roots[low].bytes)
			return ifr_fail(err, IFR_E_ENVIRONMENT, ".symtab names symbols outside of .strtab");
		symbol->root = (uint32_t)low;
		symbol->tail = offset - image->roots[low].offset;
	}
	return 0;
}

/* In the image's own order, image_write_symtab must write the names as the linker did. */
static int check_names(const struct reader *reader, struct ifr_error *err) {
	const struct image *image = reader->preparation->image;
	size_t next = 0;
	for (size_t i = 0; i < reader->count; i++)
		if (image->symbols[i].root != IMAGE_NONE && !image->symbols[i].tail && image->symbols[i].root >= next) {
			if (image->symbols[i].root != next)
				return ifr_fail(err, IFR_E_ENVIRONMENT, ".strtab is in an order of its own");
			next++;
		}
	return next == image->root_count ? 0 : ifr_fail(err, IFR_E_ENVIRONMENT, ".strtab is in an order of its own");
}

int prepare_symtab(struct preparation *preparation, struct ifr_error *err) {
	const struct elf_view *program = &preparation->program;
	struct image *image = preparation->image;
	const Elf64_Shdr *section = elf_view_find(program, ".symtab");
	if (!section)
		return 0;
	struct reader reader = {.preparation = preparation, .local_count = section->sh_info, .next = 1};
	reader.symbols = elf_view_table(program, section, sizeof *reader.symbols, &reader.count);
	if (section->sh_link >= program->section_count || section->sh_info > reader.count)
		return ifr_fail(err, IFR_E_ENVIRONMENT, ".symtab is damaged");
	reader.strings = &program->sections[section->sh_link];
	if (reader.strings->sh_type != SHT_STRTAB || program->length > UINT32_MAX / 2)
		return ifr_fail(err, IFR_E_ENVIRONMENT, ".strtab is damaged");
	image->symbol_count = reader.count;
	image->symbols = ifr_alloc((reader.count + 1) * sizeof *image->symbols);
	image->groups = ifr_alloc((preparation->objects.count + 1) * sizeof *image->groups);
	image->numbers.symtab = (uint32_t)section->sh_offset;
	image->numbers.strtab = (uint32_t)reader.strings->sh_offset;
	image->numbers.strtab_bytes = (uint32_t)reader.strings->sh_size;
	read_groups(&reader);
	int result = read_rest(&reader, err);
	if (!result)
		result = read_roots(&reader, err);
	if (result)
		return result;
	result = name_symbols(&reader, err);
	return result ? result : check_names(&reader, err);
}
