/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The leading sections, which move when the interpreter path grows: .interp and the sections behind it in the
 * file's first segment. If that segment holds a section that must not move, such as code, there are no leading
 * sections. */
#include "relinker/prepare/prepare_atoms.h"

enum { PAGE_BYTES = 4096 };

static bool may_follow(const Elf64_Shdr *section) {
	return !(section->sh_flags & (SHF_EXECINSTR | SHF_WRITE)) && section->sh_type != SHT_NOBITS &&
	       section->sh_addralign && !(section->sh_addralign & (section->sh_addralign - 1)) &&
	       section->sh_addralign <= PAGE_BYTES;
}

/* Adds atoms for .interp and the sections behind it, up to end; false if one of them must not move. */
static bool add_sections(struct preparation *preparation, const Elf64_Shdr *interp, uint64_t end,
                         size_t *capacity) {
	const struct elf_view *program = &preparation->program;
	for (size_t i = 1; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_addr < interp->sh_addr || section->sh_addr >= end)
			continue;
		if (!may_follow(section))
			return false;
		struct atom atom = {.offset = (uint32_t)section->sh_offset,
		                    .bytes = (uint32_t)section->sh_size,
		                    .align = (uint32_t)section->sh_addralign};
		prepare_add_atom(preparation->image, capacity, &atom);
	}
	return true;
}

static const Elf64_Phdr *first_segment(const struct elf_view *program) {
	for (size_t i = 0; i < program->segment_count; i++)
		if (program->segments[i].p_type == PT_LOAD)
			return &program->segments[i];
	return NULL;
}

/* Finds where the free room behind the segment ends, in the file and in memory: at the end of a page at most. */
static uint64_t find_room_end(const struct elf_view *program, const Elf64_Phdr *segment) {
	uint64_t end = segment->p_filesz, limit = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	for (size_t i = 1; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		uint64_t address = section->sh_addr - segment->p_vaddr;
		if (section->sh_flags & SHF_ALLOC && address >= end && address < limit)
			limit = address;
		if (section->sh_type != SHT_NOBITS && section->sh_offset >= end && section->sh_offset < limit)
			limit = section->sh_offset;
	}
	return limit;
}

static void assign_input_sections(struct preparation *preparation) {
	const struct image_numbers *numbers = &preparation->image->numbers;
	for (size_t i = 0; i < preparation->map.count; i++) {
		struct object *object = &preparation->objects.items[preparation->item_objects[i]];
		struct place *place = &object->places[preparation->item_sections[i]];
		if (!preparation->item_sections[i] || !place->output || place->state != PLACE_EXACT)
			continue;
		for (uint32_t a = numbers->leading; a < numbers->leading_end; a++)
			if (place->output->sh_flags & SHF_ALLOC &&
			    place->output->sh_offset == preparation->image->atoms[a].offset)
				place->atom = a;
	}
}

void prepare_leading_sections(struct preparation *preparation, size_t *capacity) {
	struct image *image = preparation->image;
	struct image_numbers *numbers = &image->numbers;
	const struct elf_view *program = &preparation->program;
	const Elf64_Shdr *interp = elf_view_find(program, ".interp");
	const Elf64_Phdr *segment = first_segment(program);
	uint64_t end = segment ? segment->p_vaddr + segment->p_filesz : 0;
	numbers->leading = numbers->leading_end = (uint32_t)image->atom_count;
	if (interp && segment && !segment->p_offset && segment->p_filesz == segment->p_memsz &&
	    interp->sh_addr - segment->p_vaddr == interp->sh_offset &&
	    add_sections(preparation, interp, end, capacity)) {
		numbers->leading_end = (uint32_t)image->atom_count;
		numbers->leading_limit = find_room_end(program, segment);
	}
	image->atom_count = numbers->leading_end;
	prepare_add_atom(image, capacity, &(struct atom){.align = 1});
	prepare_add_atom(image, capacity,
	                 &(struct atom){.offset = segment ? (uint32_t)segment->p_filesz : 0, .align = 1});
	if (numbers->leading < numbers->leading_end)
		assign_input_sections(preparation);
}

uint32_t prepare_leading_atom(const struct preparation *preparation, uint64_t address) {
	const struct image *image = preparation->image;
	const Elf64_Phdr *segment = first_segment(&preparation->program);
	uint64_t offset = segment ? address - segment->p_vaddr : 0;
	for (uint32_t a = image->numbers.leading; a < image->numbers.leading_end; a++)
		if (offset >= image->atoms[a].offset && offset - image->atoms[a].offset < image->atoms[a].bytes)
			return a;
	return 0;
}

static void add_word(struct preparation *preparation, uint64_t at, uint32_t atom) {
	prepare_add_patch_site(preparation, PATCH_ABS64, at, 0, atom);
}

static void add_section_words(struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	const struct image_numbers *numbers = &preparation->image->numbers;
	for (size_t i = 1; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		uint64_t at = program->header->e_shoff + i * sizeof *section;
		uint32_t atom = section->sh_flags & SHF_ALLOC ? prepare_leading_atom(preparation, section->sh_addr) : 0;
		add_word(preparation, at + offsetof(Elf64_Shdr, sh_addr), atom);
		add_word(preparation, at + offsetof(Elf64_Shdr, sh_offset), atom);
		if (atom == numbers->leading)
			add_word(preparation, at + offsetof(Elf64_Shdr, sh_size), atom ? numbers->leading_end : 0);
	}
}

static void add_segment_words(struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	const struct image_numbers *numbers = &preparation->image->numbers;
	for (size_t i = 0; i < program->segment_count; i++) {
		const Elf64_Phdr *segment = &program->segments[i];
		uint64_t at = program->header->e_phoff + i * sizeof *segment;
		uint32_t atom = prepare_leading_atom(preparation, segment->p_vaddr), longer = 0;
		if (segment == first_segment(program))
			longer = numbers->leading_end + 1;
		else if (segment->p_type == PT_INTERP)
			longer = numbers->leading_end;
		if (segment != first_segment(program)) {
			add_word(preparation, at + offsetof(Elf64_Phdr, p_offset), atom);
			add_word(preparation, at + offsetof(Elf64_Phdr, p_vaddr), atom);
			add_word(preparation, at + offsetof(Elf64_Phdr, p_paddr), atom);
		}
		add_word(preparation, at + offsetof(Elf64_Phdr, p_filesz), longer);
		add_word(preparation, at + offsetof(Elf64_Phdr, p_memsz), longer);
	}
}

static void add_tag_words(struct preparation *preparation) {
	static const int64_t pointers[] = {DT_HASH,   DT_GNU_HASH, DT_STRTAB,  DT_SYMTAB, DT_RELA,
	                                   DT_JMPREL, DT_VERSYM,   DT_VERNEED, DT_VERDEF, 36 /* DT_RELR */};
	const Elf64_Shdr *section = elf_view_find(&preparation->program, ".dynamic");
	size_t count = 0;
	const Elf64_Dyn *tags = section ? elf_view_table(&preparation->program, section, sizeof *tags, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof pointers / sizeof *pointers; k++)
			if (tags[i].d_tag == pointers[k])
				add_word(preparation, section->sh_offset + i * sizeof *tags + offsetof(Elf64_Dyn, d_un),
				         prepare_leading_atom(preparation, tags[i].d_un.d_ptr));
}

void prepare_leading_words(struct preparation *preparation) {
	if (preparation->image->numbers.leading == preparation->image->numbers.leading_end)
		return;
	add_section_words(preparation);
	add_segment_words(preparation);
	add_tag_words(preparation);
}
