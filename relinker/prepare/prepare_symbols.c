/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The targets of symbols, as the link resolved them. */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare.h"

/* Finds the output section that holds an address; with_end includes the address behind its last byte. OUTPUTS for
 * none. */
static enum output_section output_at(const struct preparation *preparation, uint64_t address, bool with_end) {
	for (int r = 0; r < OUTPUTS; r++) {
		const struct range *range = &preparation->ranges[r];
		if (range->section && address >= range->start &&
		    address - range->start < range->end - range->start + with_end)
			return (enum output_section)r;
	}
	return OUTPUTS;
}

/* Whether an atom belongs to a unit of data that stays. Units of .text may move until a relocation pins them. */
static bool is_pinned(const struct preparation *preparation, uint32_t atom) {
	size_t unit = preparation->atom_units[atom];
	return atom && unit < preparation->units->count && preparation->units->items[unit].output != OUTPUT_TEXT &&
	       !preparation->units->items[unit].movable;
}

bool prepare_moves(const struct preparation *preparation, uint64_t address) {
	return output_at(preparation, address, false) < OUTPUTS &&
	       !is_pinned(preparation, prepare_atom_at(preparation, address));
}

uint64_t prepare_address(const struct preparation *preparation, uint32_t atom) {
	const struct image *image = preparation->image;
	size_t output = (size_t)(image_output_of(image, atom) - image->numbers.outputs);
	return preparation->ranges[output].start + image->atoms[atom].offset;
}

uint32_t prepare_atom_at(const struct preparation *preparation, uint64_t address) {
	const struct image *image = preparation->image;
	enum output_section output = output_at(preparation, address, false);
	if (output == OUTPUTS)
		return 0;
	uint64_t offset = address - preparation->ranges[output].start;
	size_t low = image->numbers.outputs[output].first,
		   end = output == OUTPUT_TEXT ? image->numbers.text_end : image->numbers.outputs[output].end, high = end;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (image->atoms[middle].offset + (uint64_t)image->atoms[middle].bytes <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && image->atoms[low].offset <= offset ? (uint32_t)low : 0;
}

uint32_t prepare_atom_of_symbol(const struct preparation *preparation, const char *name, uint64_t address) {
	enum output_section output = output_at(preparation, address, true);
	if (output == OUTPUTS)
		return prepare_leading_atom(preparation, address);
	const uint32_t *atom = names_find(&preparation->at, name, address);
	const char *version = strchr(name, '@');
	if (!atom && version) {
		char *plain = ifr_format("%.*s", (int)(version - name), name);
		atom = names_find(&preparation->at, plain, address);
		free(plain);
	}
	if (atom)
		return *atom;
	/* The linker's own symbols for the end of all code. */
	if (!strcmp(name, "etext") || !strcmp(name, "_etext") || !strcmp(name, "__etext"))
		return preparation->image->numbers.segment_end;
	/* The linker's own symbols among data are ends of sections, which stay (_edata, __bss_start). Its own symbols
	 * in code are aliases (--defsym) and move with the code there; prepare_check finds exceptions. */
	return output == OUTPUT_TEXT ? prepare_atom_at(preparation, address) : 0;
}

/* The target of a symbol that an object defines. */
static struct target section_target(const struct preparation *preparation, const struct object *object,
                                    const Elf64_Sym *symbol) {
	struct target target = {.strong = ELF64_ST_BIND(symbol->st_info) != STB_WEAK};
	if (symbol->st_shndx == SHN_ABS) {
		target.known = true;
		target.address = symbol->st_value;
		return target;
	}
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= object->view.section_count)
		return target;
	const struct place *place = &object->places[symbol->st_shndx];
	if (place->state == PLACE_DROPPED) {
		const uint32_t *copy = names_find(&preparation->copies, object_section_name(object, symbol->st_shndx), 0);
		target.dropped = true;
		if (!copy)
			return target;
		target.known = true;
		target.atom = *copy;
		target.address = prepare_address(preparation, *copy) + symbol->st_value;
		return target;
	}
	target.atom = place->atom;
	target.edited = place->state == PLACE_EDITED;
	target.known = !target.edited;
	target.address = place->address + symbol->st_value;
	return target;
}

static struct target global_target(const struct preparation *preparation, const char *name) {
	const uint32_t *found = names_find(&preparation->globals, name, 0);
	if (found) {
		struct target target = {.known = true, .address = preparation->addresses[*found]};
		target.atom = prepare_atom_of_symbol(preparation, name, target.address);
		target.unsure = target.atom == PREPARE_AMBIGUOUS;
		if (target.unsure)
			target.atom = 0;
		return target;
	}
	found = names_find(&preparation->definitions, name, 0);
	return found ? preparation->targets[*found] : (struct target){0};
}

/* The name that an undefined symbol resolves to under --wrap=NAME. */
static const char *apply_wrap(const struct preparation *preparation, const char *name) {
	static const char real[] = "__real_";
	for (size_t i = 0; i + 1 < preparation->wraps.count; i += 2) {
		const char *plain = preparation->wraps.items[i];
		if (!strcmp(name, plain))
			return preparation->wraps.items[i + 1];
		if (ifr_starts_with(name, real) && !strcmp(name + strlen(real), plain))
			return plain;
	}
	return name;
}

struct target prepare_resolve(const struct preparation *preparation, const struct object *object, uint32_t index) {
	if (!index || index >= object->symbol_count)
		return (struct target){.known = !index};
	const Elf64_Sym *symbol = &object->symbols[index];
	if (index < object->local_count)
		return section_target(preparation, object, symbol);
	const char *name = object_symbol_name(object, symbol);
	if (symbol->st_shndx == SHN_UNDEF && preparation->wraps.count)
		name = apply_wrap(preparation, name);
	return global_target(preparation, name);
}

static void add_definition(struct preparation *preparation, const char *name, const struct target *target) {
	bool added;
	uint32_t *place = names_add(&preparation->definitions, name, 0, (uint32_t)preparation->target_count, &added);
	if (added)
		preparation->targets[preparation->target_count++] = *target;
	else if (target->strong && !preparation->targets[*place].strong)
		preparation->targets[*place] = *target;
}

static void add_symbols(struct preparation *preparation, const struct object *object) {
	for (size_t i = 1; i < object->symbol_count; i++) {
		const Elf64_Sym *symbol = &object->symbols[i];
		struct target target = section_target(preparation, object, symbol);
		if (symbol->st_shndx == SHN_UNDEF || target.dropped)
			continue;
		const char *name = object_symbol_name(object, symbol), *version = strchr(name, '@');
		bool added;
		if (target.atom) {
			uint32_t *atom = names_add(&preparation->at, name, target.address, target.atom, &added);
			if (!added && *atom != target.atom)
				*atom = PREPARE_AMBIGUOUS;
		}
		if (i < object->local_count)
			continue;
		add_definition(preparation, name, &target);
		if (version && version[1] == '@') {
			char *plain = ifr_format("%.*s", (int)(version - name), name);
			ifr_strings_take(&preparation->spare, plain);
			add_definition(preparation, plain, &target);
		}
	}
}

/* Adds the kept copies of COMDAT sections; debugging information of dropped copies refers to them. */
static void add_copies(struct preparation *preparation, const struct object *object) {
	for (size_t i = 1; i < object->view.section_count; i++)
		if (object->places[i].atom && object->view.sections[i].sh_flags & SHF_GROUP)
			names_add(&preparation->copies, object_section_name(object, i), 0, object->places[i].atom, NULL);
}

/* Adds the global symbols of the program, unless it is stripped. */
static void add_globals(struct preparation *preparation, const Elf64_Shdr *section) {
	const struct elf_view *program = &preparation->program;
	size_t count;
	const Elf64_Sym *symbols = elf_view_table(program, section, sizeof *symbols, &count);
	if (section->sh_link >= program->section_count)
		return;
	preparation->addresses = ifr_alloc((count + 1) * sizeof *preparation->addresses);
	for (size_t i = section->sh_info; i < count; i++) {
		if (symbols[i].st_shndx == SHN_UNDEF)
			continue;
		preparation->addresses[preparation->address_count] = symbols[i].st_value;
		names_add(&preparation->globals,
		          elf_view_string(program, &program->sections[section->sh_link], symbols[i].st_name), 0,
		          (uint32_t)preparation->address_count++, NULL);
	}
}

int prepare_symbols(struct preparation *preparation, struct ifr_error *err) {
	(void)err;
	size_t most = 0;
	for (size_t i = 0; i < preparation->objects.count; i++)
		most += 2 * preparation->objects.items[i].symbol_count;
	preparation->targets = ifr_alloc((most + 1) * sizeof *preparation->targets);
	for (size_t i = 0; i < preparation->objects.count; i++)
		add_copies(preparation, &preparation->objects.items[i]);
	for (size_t i = 0; i < preparation->objects.count; i++)
		add_symbols(preparation, &preparation->objects.items[i]);
	const Elf64_Shdr *symtab = elf_view_find(&preparation->program, ".symtab");
	if (symtab)
		add_globals(preparation, symtab);
	return 0;
}
