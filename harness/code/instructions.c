/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads an object file with libelf and decodes its functions with Zydis. */
#include "harness/code/instructions.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "kit/kit.h"

static int by_offset(const void *a, const void *b) {
	const GElf_Rela *x = a, *y = b;
	return (x->r_offset > y->r_offset) - (x->r_offset < y->r_offset);
}

static int by_section_and_start(const void *a, const void *b) {
	const struct ifr_function *x = a, *y = b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static void read_relocations(struct ifr_object_file *object, Elf_Scn *scn, const GElf_Shdr *header) {
	struct ifr_section *section = &object->sections[header->sh_info];
	Elf_Data *data = elf_getdata(scn, NULL);
	section->relocation_count = header->sh_size / header->sh_entsize;
	section->relocations = ifr_realloc(NULL, section->relocation_count + 1, sizeof *section->relocations);
	for (size_t i = 0; i < section->relocation_count; i++)
		gelf_getrela(data, (int)i, &section->relocations[i]);
	qsort(section->relocations, section->relocation_count, sizeof *section->relocations, by_offset);
}

static void read_symbols(struct ifr_object_file *object, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header) {
	Elf_Data *data = elf_getdata(scn, NULL);
	object->symbol_count = header->sh_size / header->sh_entsize;
	object->symbols = ifr_realloc(NULL, object->symbol_count + 1, sizeof *object->symbols);
	object->symbol_names = ifr_realloc(NULL, object->symbol_count + 1, sizeof *object->symbol_names);
	for (size_t i = 0; i < object->symbol_count; i++) {
		gelf_getsym(data, (int)i, &object->symbols[i]);
		object->symbol_names[i] = elf_strptr(elf, header->sh_link, object->symbols[i].st_name);
	}
}

static int read_sections(struct ifr_object_file *object, Elf *elf, struct ifr_error *err) {
	size_t names;
	if (elf_getshdrnum(elf, &object->section_count) || elf_getshdrstrndx(elf, &names))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s: no sections", object->path);
	object->sections = ifr_alloc(object->section_count * sizeof *object->sections);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		gelf_getshdr(scn, &header);
		struct ifr_section *section = &object->sections[elf_ndxscn(scn)];
		section->name = elf_strptr(elf, names, header.sh_name);
		section->flags = header.sh_flags;
		Elf_Data *data = header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
		section->bytes = data ? data->d_buf : NULL;
		section->length = section->bytes ? data->d_size : 0;
		if (header.sh_type == SHT_RELA)
			read_relocations(object, scn, &header);
		else if (header.sh_type == SHT_SYMTAB)
			read_symbols(object, elf, scn, &header);
	}
	return 0;
}

static struct ifr_instruction describe_instruction(const ZydisDecodedInstruction *decoded, uint64_t at) {
	struct ifr_instruction instruction = {.at = at, .length = decoded->length, .mnemonic = decoded->mnemonic};
	if (decoded->raw.imm[0].is_relative) {
		instruction.field = decoded->raw.imm[0].offset;
		instruction.field_bytes = decoded->raw.imm[0].size / 8;
		instruction.jump = decoded->meta.category != ZYDIS_CATEGORY_CALL;
	} else if (decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE) {
		instruction.field = decoded->raw.disp.offset;
		instruction.field_bytes = decoded->raw.disp.size / 8;
	}
	return instruction;
}

static int decode_function(const struct ifr_object_file *object, struct ifr_function *function,
                           struct ifr_error *err) {
	static ZydisDecoder decoder;
	const struct ifr_section *section = &object->sections[function->section];
	ZydisDecodedInstruction decoded;
	size_t room = 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint64_t at = function->start; at < function->end; at += decoded.length) {
		if (!ZYAN_SUCCESS(
				ZydisDecoderDecodeInstruction(&decoder, NULL, section->bytes + at, function->end - at, &decoded)))
			return ifr_fail(err, IFR_E_ENVIRONMENT, "%s: %s: no instruction at 0x%lx", object->path,
			                function->name, (unsigned long)at);
		if (decoded.mnemonic == ZYDIS_MNEMONIC_NOP)
			continue;
		if (function->count == room)
			function->items = ifr_realloc(function->items, room = room ? 2 * room : 64, sizeof *function->items);
		function->items[function->count++] = describe_instruction(&decoded, at);
	}
	return 0;
}

/* Lists and decodes functions; aliases of a function are left out. */
static int read_functions(struct ifr_object_file *object, struct ifr_error *err) {
	object->functions = ifr_alloc((object->symbol_count + 1) * sizeof *object->functions);
	size_t count = 0, kept = 0;
	for (size_t i = 0; i < object->symbol_count; i++) {
		const GElf_Sym *symbol = &object->symbols[i];
		unsigned type = GELF_ST_TYPE(symbol->st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !symbol->st_shndx || !symbol->st_size ||
		    symbol->st_shndx >= object->section_count)
			continue;
		object->functions[count++] = (struct ifr_function){object->symbol_names[i],
		                                                   symbol->st_shndx,
		                                                   symbol->st_value,
		                                                   symbol->st_value + symbol->st_size,
		                                                   NULL,
		                                                   0};
	}
	qsort(object->functions, count, sizeof *object->functions, by_section_and_start);
	for (size_t i = 0; i < count; i++)
		if (!i || by_section_and_start(&object->functions[kept - 1], &object->functions[i]))
			object->functions[kept++] = object->functions[i];
	object->function_count = kept;
	int result = 0;
	for (size_t i = 0; i < kept && !result; i++)
		result = decode_function(object, &object->functions[i], err);
	return result;
}

int ifr_object_file_open(struct ifr_object_file *object, const struct ifr_buffer *bytes, const char *path,
                         struct ifr_error *err) {
	GElf_Ehdr header;
	*object = (struct ifr_object_file){.path = path};
	object->elf = ifr_elf_of_bytes(bytes->data, bytes->length);
	if (!gelf_getehdr(object->elf, &header) || header.e_type != ET_REL || header.e_machine != EM_X86_64)
		return ifr_fail(err, IFR_E_USAGE, "%s is not an object for x86-64", path);
	int result = read_sections(object, object->elf, err);
	return result ? result : read_functions(object, err);
}

void ifr_object_file_close(struct ifr_object_file *object) {
	for (size_t i = 0; i < object->function_count; i++)
		free(object->functions[i].items);
	for (size_t i = 0; object->sections && i < object->section_count; i++)
		free(object->sections[i].relocations);
	free(object->functions);
	free(object->sections);
	free(object->symbols);
	free(object->symbol_names);
	elf_end(object->elf);
	*object = (struct ifr_object_file){0};
}

const struct ifr_function *ifr_object_file_function_at(const struct ifr_object_file *object, size_t section,
                                                       uint64_t at) {
	const struct ifr_function *found = NULL;
	for (size_t low = 0, high = object->function_count; low < high;) {
		size_t middle = (low + high) / 2;
		const struct ifr_function *function = &object->functions[middle];
		if (function->section < section || (function->section == section && function->start <= at)) {
			found = function;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return found && found->section == section && at <= found->end ? found : NULL;
}

const struct ifr_function *ifr_object_file_next_function(const struct ifr_object_file *object, const char *name,
                                                         size_t *from) {
	for (size_t i = 0; i < object->function_count; i++) {
		size_t at = (*from + i) % object->function_count;
		if (!strcmp(object->functions[at].name, name)) {
			*from = at + 1;
			return &object->functions[at];
		}
	}
	return NULL;
}

size_t ifr_function_index(const struct ifr_function *function, uint64_t at) {
	size_t low = 0, high = function->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (function->items[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int ifr_section_count_nops(const struct ifr_section *section, uint64_t from, uint64_t to) {
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	int count = 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (; from < to && to <= section->length; from += decoded.length, count++)
		if (!ZYAN_SUCCESS(
				ZydisDecoderDecodeInstruction(&decoder, NULL, section->bytes + from, to - from, &decoded)) ||
		    decoded.mnemonic != ZYDIS_MNEMONIC_NOP)
			return -1;
	return from == to ? count : -1;
}

const GElf_Rela *ifr_section_find_relocation(const struct ifr_section *section, uint64_t at, uint64_t length) {
	size_t low = 0, high = section->relocation_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (section->relocations[middle].r_offset < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < section->relocation_count && section->relocations[low].r_offset < at + length
	           ? &section->relocations[low]
	           : NULL;
}
