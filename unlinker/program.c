/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/program.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/strings.h"

static bool in_list(const char *name, const char *const *list) {
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

bool part_is_plt(const struct part *part) {
	return !strcmp(part->name, ".plt") || ifr_starts_with(part->name, ".plt.");
}

bool part_is_got(const struct part *part) {
	return !strcmp(part->name, ".got") || !strcmp(part->name, ".got.plt");
}

/* Parts that every link makes anew, and parts that do not lie in memory. */
static bool is_dropped(const struct part *part) {
	static const char *const names[] = {".interp",   ".dynstr",        ".eh_frame_hdr", ".note.gnu.build-id",
	                                    ".relr.dyn", ".relro_padding", ".iplt",         NULL};
	switch (part->header.sh_type) {
	case SHT_PROGBITS:
	case SHT_NOBITS:
	case SHT_NOTE:
	case SHT_INIT_ARRAY:
	case SHT_FINI_ARRAY:
	case SHT_PREINIT_ARRAY:
	case SHT_X86_64_UNWIND:
		return !(part->header.sh_flags & SHF_ALLOC) || part_is_plt(part) || part_is_got(part) ||
		       in_list(part->name, names);
	default:
		return true;
	}
}

static const void *read_data(Elf_Scn *section, size_t entry, size_t *count) {
	const Elf_Data *data = elf_getdata(section, NULL);
	*count = data && data->d_buf ? data->d_size / entry : 0;
	return *count ? data->d_buf : NULL;
}

static void add_dynamic(struct program *program, const Elf64_Rela *relocations, size_t count) {
	program->dynamic =
		ifr_realloc(program->dynamic, program->dynamic_relocations + count + 1, sizeof *program->dynamic);
	if (count)
		memcpy(program->dynamic + program->dynamic_relocations, relocations, count * sizeof *relocations);
	program->dynamic_relocations += count;
}

static int by_offset(const void *a, const void *b) {
	const Elf64_Rela *x = a, *y = b;
	return (x->r_offset > y->r_offset) - (x->r_offset < y->r_offset);
}

static void read_section(struct program *program, size_t index, Elf_Scn *section) {
	struct part *part = &program->parts[index];
	const Elf64_Shdr *header = &part->header;
	size_t count;
	if (header->sh_type == SHT_SYMTAB) {
		program->symbols = read_data(section, sizeof(Elf64_Sym), &program->symbol_count);
		program->symbol_names = header->sh_link;
	} else if (header->sh_type == SHT_DYNSYM) {
		program->dynamic_symbols = read_data(section, sizeof(Elf64_Sym), &program->dynamic_count);
		program->dynamic_names = header->sh_link;
	} else if (header->sh_type == SHT_RELA) {
		const Elf64_Rela *relocations = read_data(section, sizeof(Elf64_Rela), &count);
		if (header->sh_flags & SHF_ALLOC)
			add_dynamic(program, relocations, count);
		else if (header->sh_info < program->part_count)
			program->parts[header->sh_info].relocations = relocations,
			program->parts[header->sh_info].relocation_count = count;
	} else if (header->sh_type != SHT_NOBITS) {
		part->bytes = read_data(section, 1, &count);
		if (count < header->sh_size)
			part->bytes = NULL;
	}
}

static int read_sections(struct program *program, struct ifr_error *err) {
	Elf *elf = program->file.elf;
	size_t names;
	if (elf_getshdrstrndx(elf, &names) || elf_getshdrnum(elf, &program->part_count) || !program->part_count)
		return ifr_fail(err, IFR_E_USAGE, "%s has no section table", program->path);
	program->parts = ifr_alloc(program->part_count * sizeof *program->parts);
	for (size_t i = 0; i < program->part_count; i++) {
		struct part *part = &program->parts[i];
		GElf_Shdr header;
		Elf_Scn *section = elf_getscn(elf, i);
		part->name = "";
		if (!i || !section || !gelf_getshdr(section, &header))
			continue;
		const char *name = elf_strptr(elf, names, header.sh_name);
		part->header = header;
		part->name = name ? name : "";
		part->kind = is_dropped(part) ? PART_DROPPED : PART_WHOLE;
		read_section(program, i, section);
		if (!strcmp(part->name, ".text") && part_is_code(part)) {
			part->kind = PART_SPLIT;
			program->text = part;
		}
	}
	if (program->dynamic_relocations)
		qsort(program->dynamic, program->dynamic_relocations, sizeof *program->dynamic, by_offset);
	return 0;
}

const char *program_symbol_name(const struct program *program, size_t symbol) {
	const char *name = elf_strptr(program->file.elf, program->symbol_names, program->symbols[symbol].st_name);
	return name ? name : "";
}

const struct part *program_part_at(const struct program *program, uint64_t address) {
	for (size_t i = 1; i < program->part_count; i++) {
		const Elf64_Shdr *header = &program->parts[i].header;
		if ((header->sh_flags & SHF_ALLOC) && !(header->sh_flags & SHF_TLS && header->sh_type == SHT_NOBITS) &&
		    address >= header->sh_addr && address - header->sh_addr < header->sh_size)
			return &program->parts[i];
	}
	return NULL;
}

const Elf64_Rela *program_dynamic_at(const struct program *program, uint64_t address) {
	const Elf64_Rela key = {.r_offset = address};
	return program->dynamic_relocations
	           ? bsearch(&key, program->dynamic, program->dynamic_relocations, sizeof key, by_offset)
	           : NULL;
}

/* --- symbols ------------------------------------------------------------------------------------------------- */

/* Names that the linker defines in each link. */
static bool is_linkers(const struct program *program, size_t symbol) {
	static const char *const names[] = {"_DYNAMIC",
	                                    "_GLOBAL_OFFSET_TABLE_",
	                                    "_PROCEDURE_LINKAGE_TABLE_",
	                                    "_TLS_MODULE_BASE_",
	                                    "__GNU_EH_FRAME_HDR",
	                                    "__bss_start",
	                                    "__ehdr_start",
	                                    "__executable_start",
	                                    "__etext",
	                                    "__fini_array_end",
	                                    "__fini_array_start",
	                                    "__init_array_end",
	                                    "__init_array_start",
	                                    "__preinit_array_end",
	                                    "__preinit_array_start",
	                                    "__rela_iplt_end",
	                                    "__rela_iplt_start",
	                                    "_edata",
	                                    "_end",
	                                    "_etext",
	                                    NULL};
	/* The user's own may have these names. */
	static const char *const short_names[] = {"edata", "end", "etext", NULL};
	const char *name = program_symbol_name(program, symbol);
	if (in_list(name, names))
		return true;
	if (ELF64_ST_TYPE(program->symbols[symbol].st_info) != STT_NOTYPE)
		return false;
	const char *section = ifr_starts_with(name, "__start_")  ? name + strlen("__start_")
	                      : ifr_starts_with(name, "__stop_") ? name + strlen("__stop_")
	                                                         : NULL;
	for (size_t i = 1; section && i < program->part_count; i++)
		if (!strcmp(program->parts[i].name, section))
			return true;
	return in_list(name, short_names);
}

/* Whether the linker copied a variable of a shared library to where the symbol lies. */
static bool is_copied(const struct program *program, const Elf64_Sym *symbol) {
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);
	if (symbol->st_shndx >= program->part_count || type == STT_SECTION || type == STT_TLS)
		return false;
	/* The end of a section has the address of the next one. */
	const Elf64_Shdr *part = &program->parts[symbol->st_shndx].header;
	const Elf64_Rela *copy =
		symbol->st_value - part->sh_addr < part->sh_size ? program_dynamic_at(program, symbol->st_value) : NULL;
	return copy && ELF64_R_TYPE(copy->r_info) == R_X86_64_COPY;
}

static int read_symbols(struct program *program, struct ifr_error *err) {
	program->imported = ifr_alloc(program->symbol_count + 1);
	for (size_t i = 1; i < program->symbol_count; i++) {
		const Elf64_Sym *symbol = &program->symbols[i];
		program->imported[i] =
			symbol->st_shndx == SHN_UNDEF || is_linkers(program, i) || is_copied(program, symbol);
		if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC && symbol->st_shndx != SHN_UNDEF)
			return ifr_fail(
				err, IFR_E_USAGE,
				"%s chooses %s when it starts (IFUNC), which is not supported in kits from relocations",
				program->path, program_symbol_name(program, i));
	}
	return 0;
}

/* --- checks -------------------------------------------------------------------------------------------------- */

static int read_segments(struct program *program, struct ifr_error *err) {
	size_t count = 0;
	bool interpreter = false;
	elf_getphdrnum(program->file.elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(program->file.elf, (int)i, &segment))
			continue;
		interpreter |= segment.p_type == PT_INTERP;
		if (segment.p_type == PT_TLS) {
			const uint64_t align = segment.p_align ? segment.p_align : 1;
			program->thread_start = segment.p_vaddr;
			program->thread_bytes = (segment.p_memsz + align - 1) / align * align;
		}
	}
	return interpreter
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE,
	                      "%s is a library or a static program; kits from relocations are of dynamic programs",
	                      program->path);
}

static int check_parts(const struct program *program, struct ifr_error *err) {
	const char *path = program->path;
	if (!program->symbol_count)
		return ifr_fail(err, IFR_E_USAGE, "%s has no symbols: take the program as it was before strip", path);
	if (!program->text)
		return ifr_fail(err, IFR_E_USAGE, "%s has no section .text", path);
	if (!program->text->relocation_count)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s has no relocations of its object files: link it with -Wl,--emit-relocs", path);
	for (size_t i = 1; i < program->part_count; i++)
		if (program->parts[i].header.sh_type == SHT_GNU_verdef)
			return ifr_fail(err, IFR_E_USAGE,
			                "%s defines versions of symbols, which is not supported in kits from relocations",
			                path);
	return 0;
}

int program_open(struct program *program, const char *path, struct ifr_error *err) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1];
	*program = (struct program){.path = path, .file = {.fd = -1}};
	int result = ifr_build_id_read(path, id, err);
	if (result)
		return result;
	if (!ifr_elf_open(&program->file, path))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path);
	const Elf64_Ehdr *header = elf64_getehdr(program->file.elf);
	if (!header)
		return ifr_fail(err, IFR_E_USAGE, "%s is a damaged ELF file", path);
	program->header = *header;
	result = read_segments(program, err);
	if (!result)
		result = read_sections(program, err);
	if (!result)
		result = check_parts(program, err);
	return result ? result : read_symbols(program, err);
}

void program_close(struct program *program) {
	free(program->parts);
	free(program->imported);
	free(program->dynamic);
	ifr_elf_close(&program->file);
}
