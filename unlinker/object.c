/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/object.h"

#include <stdlib.h>
#include <string.h>

#include "unlinker/frames.h"
#include "unlinker/object_symbols.h"

struct writer {
	const struct program *program;
	const struct references *references;
	struct sections_made made;
	struct object_symbols symbols;
	struct ifr_buffer *bytes, headers, names;
	Elf64_Ehdr header;
};

static void add_part(struct sections_made *made, const struct part *part, const struct split_unit *unit) {
	made->items = ifr_realloc(made->items, made->count + 1, sizeof *made->items);
	made->items[made->count++] = (struct section_made){
		.part = part,
		.name = unit ? unit->name : part->name,
		.start = unit ? unit->start : part->header.sh_addr,
		.end = unit ? unit->end : part->header.sh_addr + part->header.sh_size,
		.align = unit                        ? unit->align
	             : part->header.sh_addralign ? part->header.sh_addralign
	                                         : 1,
	};
}

/* Lists the sections; each part knows its first. */
static void list_sections(const struct program *program, const struct split_units *units,
                          const struct frames *frames, struct sections_made *made) {
	made->first = ifr_alloc((program->part_count + 1) * sizeof *made->first);
	for (size_t i = 1; i < program->part_count; i++) {
		const struct part *part = &program->parts[i];
		made->first[i] = made->count;
		if (part->kind == PART_SPLIT)
			for (size_t k = 0; k < units->count; k++)
				add_part(made, part, &units->items[k]);
		else if (part->kind == PART_WHOLE)
			add_part(made, part, NULL);
		if (part == frames->part) {
			struct section_made *section = &made->items[made->count - 1];
			section->rewritten = true;
			frames_copy(frames, &section->copy, &section->moved);
		}
	}
	made->first[program->part_count] = made->count;
}

static void align_bytes(struct ifr_buffer *bytes, uint64_t align) {
	static const char zeros[64];
	while (bytes->length % align)
		ifr_buffer_append(bytes, zeros, 1);
}

static void add_header(struct writer *writer, const char *name, Elf64_Shdr *header) {
	header->sh_name = (uint32_t)writer->names.length;
	ifr_buffer_append(&writer->names, name, strlen(name) + 1);
	ifr_buffer_append(&writer->headers, header, sizeof *header);
	writer->header.e_shnum++;
}

static void write_contents(struct writer *writer) {
	for (size_t i = 0; i < writer->made.count; i++) {
		const struct section_made *section = &writer->made.items[i];
		const Elf64_Shdr *old = &section->part->header;
		const bool bits = old->sh_type != SHT_NOBITS;
		align_bytes(writer->bytes, 16);
		Elf64_Shdr header = {
			.sh_type = old->sh_type == SHT_X86_64_UNWIND ? SHT_PROGBITS : old->sh_type,
			.sh_flags = old->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_TLS | 0x10000000),
			.sh_offset = writer->bytes->length,
			.sh_size = section->rewritten ? section->copy.length : section->end - section->start,
			.sh_addralign = section->align,
		};
		if (old->sh_type == SHT_INIT_ARRAY || old->sh_type == SHT_FINI_ARRAY || old->sh_type == SHT_PREINIT_ARRAY)
			header.sh_entsize = 8;
		if (section->rewritten)
			ifr_buffer_append(writer->bytes, section->copy.data, section->copy.length);
		else if (bits && section->part->bytes)
			ifr_buffer_append(writer->bytes, section->part->bytes + (section->start - old->sh_addr),
			                  header.sh_size);
		add_header(writer, section->name, &header);
	}
}

static int by_place(const void *a, const void *b) {
	const struct reference *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

/* Makes the relocation of a reference; false if the symbol lies nowhere. */
static bool make_relocation(const struct writer *writer, const struct section_made *section,
                            const struct reference *reference, Elf64_Rela *made) {
	uint64_t offset = reference->at - section->start, symbol;
	int64_t addend = reference->addend;
	if (section->rewritten) {
		offset = section->moved[offset];
		if (offset == UINT32_MAX)
			return false;
	}
	if (reference->symbol) {
		symbol = writer->symbols.map[reference->symbol];
		if (!symbol)
			return false;
	} else {
		const size_t target = sections_made_at(writer->program, &writer->made, reference->part, reference->anchor);
		if (target == SIZE_MAX)
			return false;
		symbol = 1 + target; /* the symbols of sections come first */
		addend += (int64_t)(reference->anchor - writer->made.items[target].start);
	}
	*made = (Elf64_Rela){offset, ELF64_R_INFO(symbol, reference->type), addend};
	return true;
}

static int write_relocations(struct writer *writer, size_t symtab, struct ifr_error *err) {
	const struct references *references = writer->references;
	size_t next = 0;
	/* Addresses of sections grow with their index, except for thread-local ones without contents, which have no
	 * relocations; but parts of a program need not be sorted. */
	for (size_t i = 0; i < writer->made.count; i++) {
		const struct section_made *section = &writer->made.items[i];
		if (section->part->header.sh_type == SHT_NOBITS)
			continue;
		const struct reference key = {.at = section->start};
		size_t low = 0, high = references->count;
		while (low < high) {
			const size_t middle = (low + high) / 2;
			if (by_place(&references->items[middle], &key) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		next = low;
		align_bytes(writer->bytes, 8);
		Elf64_Shdr header = {.sh_type = SHT_RELA,
		                     .sh_flags = SHF_INFO_LINK,
		                     .sh_offset = writer->bytes->length,
		                     .sh_link = (uint32_t)symtab,
		                     .sh_info = (uint32_t)i + 1,
		                     .sh_addralign = 8,
		                     .sh_entsize = sizeof(Elf64_Rela)};
		for (; next < references->count && references->items[next].at < section->end; next++) {
			Elf64_Rela made;
			const struct reference *reference = &references->items[next];
			if (!make_relocation(writer, section, reference, &made))
				return ifr_fail(
					err, IFR_E_USAGE,
					"%s cannot be taken apart: the reference in %s at %#llx leads to a symbol that lies "
					"nowhere",
					writer->program->path, section->name, (unsigned long long)reference->at);
			ifr_buffer_append(writer->bytes, &made, sizeof made);
		}
		header.sh_size = writer->bytes->length - header.sh_offset;
		if (header.sh_size) {
			char *name = ifr_format(".rela%s", section->name);
			add_header(writer, name, &header);
			free(name);
		}
	}
	return 0;
}

static void write_symbols(struct writer *writer) {
	align_bytes(writer->bytes, 8);
	Elf64_Shdr header = {.sh_type = SHT_SYMTAB,
	                     .sh_offset = writer->bytes->length,
	                     .sh_size = writer->symbols.table.length,
	                     .sh_link = (uint32_t)writer->header.e_shnum + 1,
	                     .sh_info = (uint32_t)writer->symbols.locals,
	                     .sh_addralign = 8,
	                     .sh_entsize = sizeof(Elf64_Sym)};
	ifr_buffer_append(writer->bytes, writer->symbols.table.data, writer->symbols.table.length);
	add_header(writer, ".symtab", &header);
	header = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	                      .sh_offset = writer->bytes->length,
	                      .sh_size = writer->symbols.names.length,
	                      .sh_addralign = 1};
	ifr_buffer_append(writer->bytes, writer->symbols.names.data, writer->symbols.names.length);
	add_header(writer, ".strtab", &header);
}

static void write_tables(struct writer *writer) {
	Elf64_Shdr header = {.sh_type = SHT_STRTAB, .sh_offset = writer->bytes->length, .sh_addralign = 1};
	static const char own[] = ".shstrtab";
	header.sh_size = writer->names.length + sizeof own;
	writer->header.e_shstrndx = writer->header.e_shnum;
	add_header(writer, own, &header);
	ifr_buffer_append(writer->bytes, writer->names.data, writer->names.length);
	align_bytes(writer->bytes, 8);
	writer->header.e_shoff = writer->bytes->length;
	ifr_buffer_append(writer->bytes, writer->headers.data, writer->headers.length);
	memcpy(writer->bytes->data, &writer->header, sizeof writer->header);
}

int object_make(const struct program *program, const struct split_units *units, const struct frames *frames,
                struct references *references, struct ifr_buffer *bytes, struct ifr_error *err) {
	struct writer writer = {
		.program = program,
		.references = references,
		.bytes = bytes,
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	               .e_type = ET_REL,
	               .e_machine = EM_X86_64,
	               .e_version = EV_CURRENT,
	               .e_ehsize = sizeof(Elf64_Ehdr),
	               .e_shentsize = sizeof(Elf64_Shdr)}};
	Elf64_Shdr none = {0};
	if (references->count)
		qsort(references->items, references->count, sizeof *references->items, by_place);
	ifr_buffer_append(bytes, &writer.header, sizeof writer.header);
	add_header(&writer, "", &none);
	list_sections(program, units, frames, &writer.made);
	int result = 0;
	if (writer.made.count > SHN_LORESERVE / 2 - 8)
		result = ifr_fail(err, IFR_E_USAGE, "%s has too many functions for a kit from relocations: %zu",
		                  program->path, writer.made.count);
	if (!result) {
		bool *needed = ifr_alloc(program->symbol_count + 1);
		for (size_t i = 0; i < references->count; i++)
			needed[references->items[i].symbol] = true;
		object_symbols_make(program, &writer.made, needed, &writer.symbols);
		free(needed);
		write_contents(&writer);
		write_symbols(&writer);
		result = write_relocations(&writer, writer.made.count + 1, err);
	}
	if (!result)
		write_tables(&writer);
	ifr_buffer_release(&writer.headers);
	ifr_buffer_release(&writer.names);
	object_symbols_release(&writer.symbols);
	sections_made_release(&writer.made);
	return result;
}
