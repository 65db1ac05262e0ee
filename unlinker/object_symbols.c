/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/object_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "unlinker/versions.h"

/* Sections of a part lie in the order of their addresses. */
size_t sections_made_at(const struct program *program, const struct sections_made *made, const struct part *part,
                        uint64_t address) {
	const bool end_too = part->kind == PART_WHOLE;
	const size_t index = (size_t)(part - program->parts);
	size_t low = made->first[index], high = made->first[index + 1];
	if (low == high || part->kind == PART_DROPPED)
		return SIZE_MAX;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (made->items[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	const struct section_made *section = &made->items[low];
	return address >= section->start && (address < section->end || (end_too && address == section->end))
	           ? low
	           : SIZE_MAX;
}

void sections_made_release(struct sections_made *made) {
	for (size_t i = 0; i < made->count; i++) {
		ifr_buffer_release(&made->items[i].copy);
		free(made->items[i].moved);
	}
	free(made->items);
	free(made->first);
}

static uint32_t add_symbol(struct object_symbols *symbols, const char *name, Elf64_Sym *symbol) {
	symbol->st_name = *name ? (uint32_t)symbols->names.length : 0;
	if (*name)
		ifr_buffer_append(&symbols->names, name, strlen(name) + 1);
	ifr_buffer_append(&symbols->table, symbol, sizeof *symbol);
	return (uint32_t)(symbols->table.length / sizeof *symbol - 1);
}

/* Names that the link looks up among the global symbols; ld makes hidden ones local. */
static bool is_looked_up(const struct program *program, const Elf64_Sym *symbol, const char *name) {
	return !strcmp(name, "_init") || !strcmp(name, "_fini") ||
	       (symbol->st_value == program->header.e_entry && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC);
}

/* Makes the symbol of one of the program's; false if it lies nowhere. */
static bool place_symbol(const struct program *program, const struct sections_made *made, size_t index,
                         Elf64_Sym *symbol) {
	*symbol = program->symbols[index];
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);
	if (program->imported[index]) {
		/* mold makes a weak name local that no library has. */
		const unsigned given = ELF64_ST_BIND(symbol->st_info), bind = symbol->st_shndx != SHN_UNDEF ? STB_GLOBAL
		                                                              : given == STB_LOCAL          ? STB_WEAK
		                                                                                            : given;
		*symbol = (Elf64_Sym){.st_info = ELF64_ST_INFO(bind, type)};
		return true;
	}
	/* ld names the symbols by the object file where no source file stands before them. */
	if (type == STT_SECTION || type == STT_FILE)
		return false;
	if (symbol->st_shndx == SHN_ABS)
		return true;
	if (symbol->st_shndx >= program->part_count)
		return false;
	const struct part *part = &program->parts[symbol->st_shndx];
	const uint64_t address = symbol->st_value + (type == STT_TLS ? program->thread_start : 0);
	const size_t section = sections_made_at(program, made, part, address);
	if (section == SIZE_MAX || made->items[section].rewritten)
		return false;
	symbol->st_shndx = (uint16_t)(section + 1);
	symbol->st_value = address - made->items[section].start;
	return true;
}

static void add_symbols(const struct program *program, const struct sections_made *made, const bool *needed,
                        struct object_symbols *symbols, bool local) {
	for (size_t i = 1; i < program->symbol_count; i++) {
		Elf64_Sym symbol;
		const char *name = program_symbol_name(program, i);
		if ((program->imported[i] && !needed[i]) || !place_symbol(program, made, i, &symbol))
			continue;
		unsigned bind = ELF64_ST_BIND(symbol.st_info);
		if (bind == STB_LOCAL && is_looked_up(program, &program->symbols[i], name)) {
			bind = STB_GLOBAL;
			symbol.st_info = ELF64_ST_INFO(bind, ELF64_ST_TYPE(symbol.st_info));
			symbol.st_other = STV_HIDDEN;
		}
		if ((bind == STB_LOCAL) != local)
			continue;
		char *imported = program->imported[i] ? versions_name(program, i) : NULL;
		symbols->map[i] = add_symbol(symbols, imported ? imported : name, &symbol);
		free(imported);
	}
}

void object_symbols_make(const struct program *program, const struct sections_made *made, const bool *needed,
                         struct object_symbols *symbols) {
	Elf64_Sym none = {0};
	ifr_buffer_append(&symbols->names, "", 1);
	symbols->map = ifr_alloc((program->symbol_count + 1) * sizeof *symbols->map);
	add_symbol(symbols, "", &none);
	for (size_t i = 0; i < made->count; i++) {
		Elf64_Sym section = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = (uint16_t)(i + 1)};
		add_symbol(symbols, "", &section);
	}
	add_symbols(program, made, needed, symbols, true);
	symbols->locals = symbols->table.length / sizeof none;
	add_symbols(program, made, needed, symbols, false);
}

void object_symbols_release(struct object_symbols *symbols) {
	ifr_buffer_release(&symbols->table);
	ifr_buffer_release(&symbols->names);
	free(symbols->map);
}
