/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trailing sections: the executable sections behind .text in its segment. When alignments make .text a few
 * bytes longer, they follow it. */
#include "relinker/prepare/prepare_atoms.h"

enum { PAGE_BYTES = 4096 };

/* The segment that holds .text. */
static const Elf64_Phdr *segment_of_text(const struct preparation *preparation) {
	const struct elf_view *program = &preparation->program;
	for (size_t i = 0; i < program->segment_count; i++) {
		const Elf64_Phdr *segment = &program->segments[i];
		if (segment->p_type == PT_LOAD && preparation->ranges[OUTPUT_TEXT].section->sh_addr >= segment->p_vaddr &&
		    preparation->ranges[OUTPUT_TEXT].section->sh_addr - segment->p_vaddr < segment->p_filesz)
			return segment;
	}
	return NULL;
}

/* Finds where the free room behind the segment ends, in the file and in memory: at the end of a page at most. */
static uint64_t find_room_end(const struct preparation *preparation, uint64_t end) {
	const struct elf_view *program = &preparation->program;
	uint64_t page = (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	uint64_t offset =
		preparation->ranges[OUTPUT_TEXT].section->sh_offset - preparation->ranges[OUTPUT_TEXT].section->sh_addr;
	if (page + offset > program->length)
		page = program->length - offset;
	for (size_t i = 1; i < program->section_count; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		if (section->sh_flags & SHF_ALLOC && section->sh_addr >= end && section->sh_addr < page)
			page = section->sh_addr;
		if (section->sh_type != SHT_NOBITS && section->sh_offset - offset >= end && section->sh_offset >= offset &&
		    section->sh_offset - offset < page)
			page = section->sh_offset - offset;
	}
	return page < end ? end : page;
}

/* Gives the input sections of the trailing sections their atoms. */
static void assign_input_sections(struct preparation *preparation) {
	const struct image *image = preparation->image;
	for (size_t i = 0; i < preparation->map.count; i++) {
		struct object *object = &preparation->objects.items[preparation->item_objects[i]];
		struct place *place = &object->places[preparation->item_sections[i]];
		if (!preparation->item_sections[i] || !place->output ||
		    place->output == preparation->ranges[OUTPUT_TEXT].section)
			continue;
		for (uint32_t a = image->numbers.outputs[OUTPUT_TEXT].end; a < image->numbers.text_end; a++)
			if (place->output->sh_flags & SHF_ALLOC &&
			    place->output->sh_addr ==
			        preparation->ranges[OUTPUT_TEXT].section->sh_addr + image->atoms[a].offset)
				place->atom = a;
	}
}

/* Without room to move, or with another kind of section behind .text, there are no trailing sections, and .text
 * keeps its length. */
void prepare_trailing_sections(struct preparation *preparation, size_t *capacity) {
	struct image *image = preparation->image;
	const struct elf_view *program = &preparation->program;
	const Elf64_Shdr *text = preparation->ranges[OUTPUT_TEXT].section;
	struct image_output *text_output = &image->numbers.outputs[OUTPUT_TEXT];
	const Elf64_Phdr *segment = segment_of_text(preparation);
	uint64_t end = text->sh_addr + text->sh_size, segment_end = segment ? segment->p_vaddr + segment->p_filesz : 0;
	size_t first = image->atom_count;
	for (size_t i = 1; i < program->section_count && segment; i++) {
		const Elf64_Shdr *section = &program->sections[i];
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_addr < end || section->sh_addr >= segment_end)
			continue;
		if (!(section->sh_flags & SHF_EXECINSTR) || section->sh_type == SHT_NOBITS || !section->sh_addralign ||
		    section->sh_addralign & (section->sh_addralign - 1)) {
			segment = NULL;
			break;
		}
		struct atom atom = {.offset = (uint32_t)(section->sh_addr - text->sh_addr),
		                    .bytes = (uint32_t)section->sh_size,
		                    .align = (uint32_t)section->sh_addralign};
		prepare_add_atom(image, capacity, &atom);
		end = section->sh_addr + section->sh_size;
	}
	if (!segment || end != segment_end) {
		image->atom_count = first;
		end = text->sh_addr + text->sh_size;
		text_output->limit = text->sh_size;
	} else {
		text_output->limit = find_room_end(preparation, end) - text->sh_addr;
	}
	image->numbers.text_end =
		prepare_add_atom(image, capacity, &(struct atom){(uint32_t)text->sh_size, 0, 1, 0, 0});
	image->numbers.segment_end =
		prepare_add_atom(image, capacity, &(struct atom){(uint32_t)(end - text->sh_addr), 0, 1, 0, 0});
	preparation->ranges[OUTPUT_TEXT].end = end;
	assign_input_sections(preparation);
}
