/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dynamic relocations of the program. */
#include <stdlib.h>
#include <string.h>

#include "relinker/prepare/prepare.h"

static int by_address(const void *a, const void *b) {
	const struct dynamic *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

struct dynamic *prepare_dynamic_at(const struct preparation *preparation, uint64_t address) {
	struct dynamic key = {.address = address};
	return preparation->dynamic_count
	           ? bsearch(&key, preparation->dynamics, preparation->dynamic_count, sizeof key, by_address)
	           : NULL;
}

/* Marks that an entry's r_offset moves with an atom, and that the table must therefore be sorted again. */
static void move_entry(struct preparation *preparation, const Elf64_Shdr *section, size_t index, uint32_t atom) {
	struct image_numbers *numbers = &preparation->image->numbers;
	uint64_t at = section->sh_offset + index * sizeof(Elf64_Rela);
	prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Rela, r_offset), 0, atom);
	numbers->relocations = (uint32_t)section->sh_offset;
	numbers->relocation_count = (uint32_t)(section->sh_size / sizeof(Elf64_Rela));
}

static int add_table(struct preparation *preparation, const Elf64_Shdr *section, struct ifr_error *err) {
	size_t count;
	const Elf64_Rela *relas = elf_view_table(&preparation->program, section, sizeof *relas, &count);
	preparation->dynamics =
		ifr_realloc(preparation->dynamics, preparation->dynamic_count + count + 1, sizeof *preparation->dynamics);
	for (size_t i = 0; i < count; i++) {
		uint32_t atom = prepare_atom_at(preparation, relas[i].r_offset);
		if (atom && image_output_of(preparation->image, atom) == &preparation->image->numbers.outputs[OUTPUT_TEXT])
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the program has relocations in its text (DT_TEXTREL)");
		if (atom)
			move_entry(preparation, section, i, atom);
		preparation->dynamics[preparation->dynamic_count++] = (struct dynamic){
			.address = relas[i].r_offset,
			.addend = (uint64_t)relas[i].r_addend,
			.at = (uint32_t)(section->sh_offset + i * sizeof *relas + offsetof(Elf64_Rela, r_addend)),
			.type = (uint32_t)ELF64_R_TYPE(relas[i].r_info),
		};
	}
	return 0;
}

int prepare_dynamics(struct preparation *preparation, struct ifr_error *err) {
	const struct elf_view *program = &preparation->program;
	int result = 0;
	for (size_t i = 1; i < program->section_count && !result; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		if (section->sh_type == SHT_RELA && section->sh_flags & SHF_ALLOC)
			result = add_table(preparation, section, err);
		else if (section->sh_type == SHT_RELA || section->sh_type == SHT_REL)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "the link keeps its relocations (--emit-relocs)");
		else if (section->sh_flags & SHF_COMPRESSED)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is compressed", elf_view_name(program, section));
	}
	if (preparation->dynamic_count)
		qsort(preparation->dynamics, preparation->dynamic_count, sizeof *preparation->dynamics, by_address);
	return result;
}
