/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses that the linker wrote by itself, not for a relocation of an object. */
#include <string.h>

#include "relinker/prepare/prepare.h"

/* An address word made by the linker: what it stands for is the symbol of its slot, or else the unit there. */
static uint32_t atom_of_word(const struct preparation *preparation, uint64_t slot, uint64_t value) {
	const uint32_t *atom = names_find(&preparation->slots, "", slot);
	return atom ? *atom : prepare_atom_at(preparation, value);
}

/* Relative relocations of words that no object asked for: slots of .got. */
static void finish_dynamics(struct preparation *preparation) {
	for (size_t i = 0; i < preparation->dynamic_count; i++) {
		const struct dynamic *dynamic = &preparation->dynamics[i];
		uint64_t at;
		if (dynamic->claimed || (dynamic->type != R_X86_64_RELATIVE && dynamic->type != R_X86_64_IRELATIVE))
			continue;
		uint32_t atom = atom_of_word(preparation, dynamic->address, dynamic->addend);
		prepare_add_site(preparation, PATCH_ABS64, dynamic->at, 0, atom);
		if (atom && elf_view_offset(&preparation->output, dynamic->address, 8, &at) &&
		    prepare_load64(preparation, at) == dynamic->addend)
			prepare_add_site(preparation, PATCH_ABS64, at, 0, atom);
	}
}

/* Words of .got that hold an address without a relocation of their own. */
static void finish_got_words(struct preparation *preparation, const Elf64_Shdr *got) {
	for (uint64_t i = 0; i + 8 <= got->sh_size; i += 8) {
		uint64_t value = prepare_load64(preparation, got->sh_offset + i);
		if (!prepare_moves(preparation, value) || prepare_dynamic_at(preparation, got->sh_addr + i))
			continue;
		prepare_add_site(preparation, PATCH_ABS64, got->sh_offset + i, 0,
		                 atom_of_word(preparation, got->sh_addr + i, value));
	}
}

/* In a program at a fixed address every such word is one; elsewhere only packed relative relocations tell. */
static void finish_got(struct preparation *preparation) {
	const struct elf_view *output = &preparation->output;
	bool fixed = output->header->e_type == ET_EXEC, packed = elf_view_find(output, ".relr.dyn");
	static const char *const names[] = {".got", ".got.plt"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const Elf64_Shdr *got = elf_view_find(output, names[i]);
		if (got && got->sh_type == SHT_PROGBITS && (fixed || packed))
			finish_got_words(preparation, got);
	}
}

static void add_dynamic_section(struct preparation *preparation) {
	const Elf64_Shdr *section = elf_view_find(&preparation->output, ".dynamic");
	size_t count = 0;
	const Elf64_Dyn *tags = section ? elf_view_table(&preparation->output, section, sizeof *tags, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (tags[i].d_tag == DT_INIT || tags[i].d_tag == DT_FINI)
			prepare_add_site(preparation, PATCH_ABS64, section->sh_offset + i * sizeof *tags + 8, 0,
			                 prepare_atom_at(preparation, tags[i].d_un.d_ptr));
}

static void add_dynamic_symbols(struct preparation *preparation) {
	const struct elf_view *output = &preparation->output;
	const Elf64_Shdr *section = elf_view_find(output, ".dynsym");
	size_t count = 0;
	const Elf64_Sym *symbols = section ? elf_view_table(output, section, sizeof *symbols, &count) : NULL;
	for (size_t i = 1; i < count && section->sh_link < output->section_count; i++) {
		const char *name = elf_view_string(output, &output->sections[section->sh_link], symbols[i].st_name);
		uint32_t atom = 0;
		if (symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) != STT_TLS)
			atom = prepare_atom_of_symbol(preparation, name, symbols[i].st_value);
		if (atom == PREPARE_TWICE)
			prepare_add_pin(preparation, prepare_atom_at(preparation, symbols[i].st_value), 0, PIN_SYMBOL);
		else
			prepare_add_site(preparation, PATCH_ABS64,
			                 section->sh_offset + i * sizeof *symbols + offsetof(Elf64_Sym, st_value), 0, atom);
	}
}

/* Sizes and places in the headers change when alignments make .text longer. */
static void add_section_header(struct preparation *preparation, size_t index) {
	const struct elf_view *output = &preparation->output;
	const struct image_numbers *numbers = &preparation->image->numbers;
	const Elf64_Shdr *section = &output->sections[index];
	uint64_t at = output->header->e_shoff + index * sizeof *section;
	if (section == preparation->ranges[OUTPUT_TEXT].section)
		prepare_add_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_size), 0, numbers->text_end);
	for (uint32_t a = numbers->outputs[OUTPUT_TEXT].end; a < numbers->text_end; a++) {
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_addr != prepare_address(preparation, a))
			continue;
		prepare_add_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_addr), 0, a);
		prepare_add_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Shdr, sh_offset), 0, a);
	}
}

static void add_headers(struct preparation *preparation) {
	const struct elf_view *output = &preparation->output;
	const struct range *text = &preparation->ranges[OUTPUT_TEXT];
	uint32_t end = preparation->image->numbers.segment_end;
	prepare_add_site(preparation, PATCH_ABS64, offsetof(Elf64_Ehdr, e_entry), 0,
	                 prepare_atom_at(preparation, output->header->e_entry));
	for (size_t i = 1; i < output->section_count; i++)
		add_section_header(preparation, i);
	for (size_t i = 0; i < output->segment_count; i++) {
		const Elf64_Phdr *segment = &output->segments[i];
		uint64_t at = output->header->e_phoff + i * sizeof *segment;
		if (segment->p_type != PT_LOAD || text->start < segment->p_vaddr ||
		    text->end != segment->p_vaddr + segment->p_filesz)
			continue;
		prepare_add_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Phdr, p_filesz), 0, end);
		prepare_add_site(preparation, PATCH_ABS64, at + offsetof(Elf64_Phdr, p_memsz), 0, end);
	}
}

static int find_build_id(struct preparation *preparation, struct ifr_error *err) {
	const Elf64_Shdr *section = elf_view_find(&preparation->output, ".note.gnu.build-id");
	struct image_numbers *numbers = &preparation->image->numbers;
	if (!section)
		return 0;
	Elf64_Nhdr note;
	if (section->sh_size < sizeof note + 4)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id's note is damaged");
	memcpy(&note, preparation->output.bytes + section->sh_offset, sizeof note);
	if (note.n_namesz != 4 || note.n_descsz > section->sh_size - sizeof note - 4)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the build-id's note is damaged");
	numbers->build_id = (uint32_t)(section->sh_offset + sizeof note + 4);
	numbers->build_id_bytes = note.n_descsz;
	return 0;
}

int prepare_linker_made(struct preparation *preparation, struct ifr_error *err) {
	finish_dynamics(preparation);
	finish_got(preparation);
	add_dynamic_section(preparation);
	add_dynamic_symbols(preparation);
	add_headers(preparation);
	prepare_front_words(preparation);
	return find_build_id(preparation, err);
}
