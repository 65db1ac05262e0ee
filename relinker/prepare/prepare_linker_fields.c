/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields that the linker wrote by itself, not for a relocation of an object: .got, .dynamic, .dynsym, the ELF
 * headers, the build-id. */
#include <string.h>

#include "relinker/prepare/prepare.h"

/* The atom that a word of the linker points into: that of its slot's symbol if an object's relocation told it,
 * else the atom at the address. */
static uint32_t atom_of_word(const struct preparation *preparation, uint64_t slot, uint64_t value) {
	const uint32_t *atom = names_find(&preparation->slots, "", slot);
	return atom ? *atom : prepare_atom_at(preparation, value);
}

/* Adds patch sites for relative relocations that no object's relocation claims: those of .got's slots. */
static void add_got_relocations(struct preparation *preparation) {
	for (size_t i = 0; i < preparation->dynamic_count; i++) {
		const struct dynamic *dynamic = &preparation->dynamics[i];
		uint64_t at;
		if (dynamic->claimed || (dynamic->type != R_X86_64_RELATIVE && dynamic->type != R_X86_64_IRELATIVE))
			continue;
		uint32_t atom = atom_of_word(preparation, dynamic->address, dynamic->addend);
		prepare_add_patch_site(preparation, PATCH_ABS64, dynamic->at, 0, atom);
		if (atom && elf_view_offset(&preparation->program, dynamic->address, 8, &at) &&
		    prepare_load64(preparation, at) == dynamic->addend)
			prepare_add_patch_site(preparation, PATCH_ABS64, at, 0, atom);
	}
}

/* Adds patch sites for words of .got that hold an address and have no relocation. */
static void add_got_words(struct preparation *preparation, const Elf64_Shdr *got) {
	for (uint64_t i = 0; i + 8 <= got->sh_size; i += 8) {
		uint64_t value = prepare_load64(preparation, got->sh_offset + i);
		if (!prepare_moves(preparation, value) || prepare_dynamic_at(preparation, got->sh_addr + i))
			continue;
		prepare_add_patch_site(preparation, PATCH_ABS64, got->sh_offset + i, 0,
		                       atom_of_word(preparation, got->sh_addr + i, value));
	}
}

/* Words of .got without a relocation hold addresses in programs at a fixed address, and in programs whose relative
 * relocations are packed (RELR). */
static void add_got(struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	bool fixed = program->header->e_type == ET_EXEC, packed = elf_view_find(program, ".relr.dyn");
	static const char *const names[] = {".got", ".got.plt"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const Elf64_Shdr *got = elf_view_find(program, names[i]);
		if (got && got->sh_type == SHT_PROGBITS && (fixed || packed))
			add_got_words(preparation, got);
	}
}

static void add_dynamic_section(struct preparation *preparation) {
	const Elf64_Shdr *section = elf_view_find(&preparation->program, ".dynamic");
	size_t count = 0;
	const Elf64_Dyn *tags = section ? elf_view_table(&preparation->program, section, sizeof *tags, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (tags[i].d_tag == DT_INIT || tags[i].d_tag == DT_FINI)
			prepare_add_patch_site(preparation, PATCH_ABS64, section->sh_offset + i * sizeof *tags + 8, 0,
			                       prepare_atom_at(preparation, tags[i].d_un.d_ptr));
}

static void add_dynamic_symbols(struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	const Elf64_Shdr *section = elf_view_find(program, ".dynsym");
	size_t count = 0;
	const Elf64_Sym *symbols = section ? elf_view_table(program, section, sizeof *symbols, &count) : NULL;
	for (size_t i = 1; i < count && section->sh_link < program->section_count; i++) {
		const char *name = elf_view_string(program, &program->sections[section->sh_link], symbols[i].st_name);
		uint32_t atom = 0;
		if (symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) != STT_TLS)
			atom = prepare_atom_of_symbol(preparation, name, symbols[i].st_value);
		if (atom == PREPARE_AMBIGUOUS)
			prepare_add_pin(preparation, prepare_atom_at(preparation, symbols[i].st_value), 0, PIN_SYMBOL);
		else
			prepare_add_patch_site(preparation, PATCH_ABS64,
			                       section->sh_offset + i * sizeof *symbols + offsetof(Elf64_Sym, st_value), 0,
			                       atom);
	}
}

/* Adds patch sites for the header of .text and of the trailing sections, which change when alignments make .text
 * longer. */
static void add_section_header(struct preparation *preparation, size_t index) {
	const struct elf_view *program = &preparation->program;
	const struct image_numbers *numbers = &preparation->image->numbers;
	const Elf64_Shdr *section = &program->sections[index];
	uint64_t at = program->header->e_shoff + index * sizeof *section;
	if (section == preparation->ranges[OUTPUT_TEXT].section)
		prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_size), 0, numbers->text_end);
	for (uint32_t a = numbers->outputs[OUTPUT_TEXT].end; a < numbers->text_end; a++) {
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_addr != prepare_address(preparation, a))
			continue;
		prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_addr), 0, a);
		prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_offset), 0, a);
	}
}

static void add_headers(struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	const struct range *text = &preparation->ranges[OUTPUT_TEXT];
	uint32_t end = preparation->image->numbers.segment_end;
	prepare_add_patch_site(preparation, PATCH_ABS64, offsetof(Elf64_Ehdr, e_entry), 0,
	                       prepare_atom_at(preparation, program->header->e_entry));
	for (size_t i = 1; i < program->section_count; i++)
		add_section_header(preparation, i);
	for (size_t i = 0; i < program->segment_count; i++) {
		const Elf64_Phdr *segment = &program->segments[i];
		uint64_t at = program->header->e_phoff + i * sizeof *segment;
		if (segment->p_type != PT_LOAD || text->start < segment->p_vaddr ||
		    text->end != segment->p_vaddr + segment->p_filesz)
			continue;
		prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Phdr, p_filesz), 0, end);
		prepare_add_patch_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Phdr, p_memsz), 0, end);
	}
}

static int find_build_id(struct preparation *preparation, struct ifr_error *err) {
	const Elf64_Shdr *section = elf_view_find(&preparation->program, ".note.gnu.build-id");
	struct image_numbers *numbers = &preparation->image->numbers;
	if (!section)
		return 0;
	Elf64_Nhdr note;
	if (section->sh_size < sizeof note + 4)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id's note is damaged");
	memcpy(&note, preparation->program.bytes + section->sh_offset, sizeof note);
	if (note.n_namesz != 4 || note.n_descsz > section->sh_size - sizeof note - 4)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id's note is damaged");
	numbers->build_id = (uint32_t)(section->sh_offset + sizeof note + 4);
	numbers->build_id_bytes = note.n_descsz;
	return 0;
}

int prepare_linker_fields(struct preparation *preparation, struct ifr_error *err) {
	add_got_relocations(preparation);
	add_got(preparation);
	add_dynamic_section(preparation);
	add_dynamic_symbols(preparation);
	add_headers(preparation);
	prepare_leading_words(preparation);
	return find_build_id(preparation, err);
}
