/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/references.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "unlinker/distances.h"
#include "unlinker/frames.h"
#include "unlinker/relocation.h"

void references_add(struct references *references, const struct reference *reference) {
	if (references->count == references->capacity) {
		references->capacity = references->capacity ? 2 * references->capacity : 1024;
		references->items = ifr_realloc(references->items, references->capacity, sizeof *references->items);
	}
	references->items[references->count++] = *reference;
}

void references_release(const struct program *program, struct references *references) {
	for (size_t i = 0; references->codes && i < program->part_count; i++)
		if (references->codes[i].part)
			code_release(&references->codes[i]);
	free(references->codes);
	free(references->items);
}

/* --- targets ------------------------------------------------------------------------------------------------- */

static bool is_section_symbol(const struct relocation *relocation) {
	return ELF64_ST_TYPE(relocation->program->symbols[relocation->symbol].st_info) == STT_SECTION;
}

static const struct part *part_of_symbol(const struct relocation *relocation) {
	const uint16_t section = relocation->program->symbols[relocation->symbol].st_shndx;
	return section && section < relocation->program->part_count ? &relocation->program->parts[section] : NULL;
}

void relocation_add(const struct relocation *relocation, uint64_t at, uint32_t type, int64_t addend) {
	struct reference reference = {.at = at, .type = type, .symbol = relocation->symbol, .addend = addend};
	if (!relocation->imported && is_section_symbol(relocation)) {
		reference.symbol = 0;
		reference.part = part_of_symbol(relocation);
		reference.anchor = reference.part->header.sh_addr;
	}
	references_add(relocation->references, &reference);
}

static unsigned width_of(uint32_t type) {
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_PC64:
		return 8;
	case R_X86_64_16:
	case R_X86_64_PC16:
		return 2;
	case R_X86_64_8:
	case R_X86_64_PC8:
		return 1;
	default:
		return 4;
	}
}

static bool is_relative(uint32_t type) {
	return type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_PC64 || type == R_X86_64_PC16 ||
	       type == R_X86_64_PC8;
}

/* From the field's value to the target: the field is relative to the end of its instruction. */
static uint64_t bytes_behind(const struct relocation *relocation, uint64_t at) {
	return relocation->code && (code_marks(relocation->code, at) & (MARK_MEMORY | MARK_BRANCH32 | MARK_BRANCH8))
	           ? code_rest(relocation->code, at)
	           : 0;
}

/* The value of the field at an address; in a program at any address, the loader's relocation has it. */
static bool field_value(const struct relocation *relocation, uint64_t at, uint32_t type, uint64_t *value) {
	const unsigned width = width_of(type);
	const Elf64_Rela *dynamic = width == 8 ? program_dynamic_at(relocation->program, at) : NULL;
	*value = (uint64_t)code_value(relocation->part, at, width);
	if (dynamic && ELF64_R_TYPE(dynamic->r_info) == R_X86_64_RELATIVE)
		*value = (uint64_t)dynamic->r_addend;
	else if (dynamic)
		return false;
	return true;
}

/* Whether a field that names an imported symbol leads where such a field may lead: to .plt, or to what the loader or
 * a copy provides. */
static bool leads_outside(const struct relocation *relocation, uint64_t at, uint32_t type, int64_t addend) {
	uint64_t value;
	if (!field_value(relocation, at, type, &value))
		return true;
	const uint64_t to = value - (uint64_t)addend + (is_relative(type) ? at : 0);
	const uint64_t wide = width_of(type) == 8 ? to : is_relative(type) ? to : (uint64_t)(uint32_t)to;
	const struct part *part = program_part_at(relocation->program, wide);
	return wide == relocation->value || (part && part_is_plt(part)) || !wide;
}

/* A symbol of the section .text: the addend tells the function, and for tables not even that. */
static relocation_problem add_into_text(struct relocation *relocation, uint64_t at, uint32_t type,
                                        int64_t addend) {
	const bool exceptions = ifr_starts_with(relocation->part->name, ".gcc_except_table");
	const uint64_t sum = relocation->value + (uint64_t)addend;
	uint64_t anchor = sum + bytes_behind(relocation, at);
	if (is_relative(type) && !relocation->code && !exceptions) {
		if (type != R_X86_64_PC32 || !jump_tables_target(relocation->tables, relocation->program,
		                                                 relocation->units, relocation->part, at, &anchor))
			return "is the entry of a table that no function is known to use";
		relocation->references->tables++;
	}
	const struct code *text =
		&relocation->references->codes[relocation->program->text - relocation->program->parts];
	if (!split_unit_at(relocation->units, anchor) || !(code_marks(text, anchor) & MARK_START))
		return "leads to no instruction";
	references_add(relocation->references, &(struct reference){.at = at,
	                                                           .type = type,
	                                                           .part = relocation->program->text,
	                                                           .anchor = anchor,
	                                                           .addend = (int64_t)(sum - anchor)});
	return NULL;
}

relocation_problem relocation_add_direct(struct relocation *relocation, uint64_t at, uint32_t type,
                                         int64_t addend) {
	const struct program *program = relocation->program;
	uint64_t value, sum = relocation->value + (uint64_t)addend - (is_relative(type) ? at : 0);
	if (relocation->code && !(code_marks(relocation->code, at) & ~(unsigned)MARK_START))
		return "is no field of an instruction";
	if (relocation->imported) {
		if (!leads_outside(relocation, at, type, addend))
			return "does not lead where its symbol is";
		relocation_add(relocation, at, type, addend);
		return NULL;
	}
	const uint16_t section = program->symbols[relocation->symbol].st_shndx;
	const struct part *to = part_of_symbol(relocation);
	if (section != SHN_ABS && (!to || to->kind == PART_DROPPED))
		return "leads to a table of the linker's";
	if (!field_value(relocation, at, type, &value)) {
		/* The loader looks the symbol up, and may find another. */
		if (is_section_symbol(relocation))
			return "is left to the loader";
	} else if (width_of(type) == 8 ? value != sum : (uint32_t)value != (uint32_t)sum) {
		return "has another value in the program";
	}
	if (to == program->text && is_section_symbol(relocation))
		return add_into_text(relocation, at, type, addend);
	relocation_add(relocation, at, type, addend);
	return NULL;
}

static relocation_problem read_relocation(struct relocation *relocation) {
	switch (relocation->type) {
	case R_X86_64_NONE:
		return NULL;
	case R_X86_64_64:
	case R_X86_64_32:
	case R_X86_64_32S:
	case R_X86_64_16:
	case R_X86_64_8:
	case R_X86_64_PC8:
	case R_X86_64_PC16:
	case R_X86_64_PC32:
	case R_X86_64_PC64:
	case R_X86_64_PLT32:
		return relocation_add_direct(relocation, relocation->at, relocation->type, relocation->addend);
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		return relocation_read_got(relocation);
	case R_X86_64_TPOFF32:
	case R_X86_64_TPOFF64:
	case R_X86_64_DTPOFF32:
	case R_X86_64_DTPOFF64:
	case R_X86_64_GOTTPOFF:
	case R_X86_64_TLSGD:
	case R_X86_64_TLSLD:
		return relocation_read_thread(relocation);
	default:
		return "has a kind that is not supported";
	}
}

/* --- parts --------------------------------------------------------------------------------------------------- */

static int fail_at(const struct relocation *relocation, relocation_problem problem, struct ifr_error *err) {
	const struct program *program = relocation->program;
	const struct function *function =
		relocation->part == program->text ? split_function_at(relocation->units, relocation->at) : NULL;
	const char *name =
		function && function->symbol ? program_symbol_name(program, function->symbol) : relocation->part->name;
	return ifr_fail(err, IFR_E_USAGE,
	                "%s cannot be taken apart: the reference in %s at %#llx, of kind %u, to %s%+lld %s",
	                program->path, name, (unsigned long long)relocation->at, relocation->type,
	                is_section_symbol(relocation) && part_of_symbol(relocation)
	                    ? part_of_symbol(relocation)->name
	                    : program_symbol_name(program, relocation->symbol),
	                (long long)relocation->addend, problem);
}

static int read_part(const struct program *program, const struct split_units *units,
                     const struct jump_tables *tables, struct references *references, const struct part *part,
                     struct ifr_error *err) {
	const struct code *code = part_is_code(part) ? &references->codes[part - program->parts] : NULL;
	for (size_t i = 0; i < part->relocation_count;) {
		const Elf64_Rela *rela = &part->relocations[i];
		const size_t symbol = ELF64_R_SYM(rela->r_info);
		struct relocation relocation = {
			.program = program,
			.units = units,
			.references = references,
			.tables = tables,
			.part = part,
			.code = code,
			.at = rela->r_offset,
			.addend = rela->r_addend,
			.type = ELF64_R_TYPE(rela->r_info),
			.symbol = (uint32_t)symbol,
			.used = 1,
		};
		const uint64_t offset = rela->r_offset - part->header.sh_addr, size = part->header.sh_size;
		if (symbol >= program->symbol_count || !part->bytes || offset >= size ||
		    width_of(relocation.type) > size - offset)
			return ifr_fail(err, IFR_E_USAGE, "%s has a damaged table of relocations for %s", program->path,
			                part->name);
		relocation.value = program->symbols[symbol].st_value;
		relocation.imported = program->imported[symbol];
		if (!symbol && relocation.type != R_X86_64_NONE)
			return fail_at(&relocation, "names no symbol", err);
		if (is_section_symbol(&relocation) && !part_of_symbol(&relocation))
			return fail_at(&relocation, "names no section", err);
		if (is_section_symbol(&relocation) && part_of_symbol(&relocation)->header.sh_flags & SHF_TLS)
			relocation.value -= program->thread_start;
		relocation_problem problem = read_relocation(&relocation);
		if (problem)
			return fail_at(&relocation, problem, err);
		i += relocation.used;
	}
	return 0;
}

int references_find(const struct program *program, const struct split_units *units, const struct frames *frames,
                    struct references *references, struct ifr_error *err) {
	struct jump_tables tables = {0};
	int result = 0;
	distances_list(program, references, &tables);
	for (size_t i = 1; i < program->part_count && !result; i++)
		if (program->parts[i].kind != PART_DROPPED && &program->parts[i] != frames->part)
			result = read_part(program, units, &tables, references, &program->parts[i], err);
	if (!result)
		result = frames_add_references(program, units, frames, references, err);
	if (!result)
		result = distances_resolve(program, units, references, err);
	jump_tables_release(&tables);
	return result;
}
