/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/command.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "unlinker/command.h"

/* The link as the program's segments and its dynamic section tell it. */
struct dynamic {
	char *interpreter;
	struct ifr_strings needed;
	const char *run_path, *rpath;
	bool position_independent, now, relro, executable_stack, frame_header, gnu_hash, sysv_hash, packed;
};

static void read_segments(const struct program *program, struct dynamic *dynamic) {
	size_t count = 0, length;
	const char *file = elf_rawfile(program->file.elf, &length);
	elf_getphdrnum(program->file.elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(program->file.elf, (int)i, &segment))
			continue;
		if (segment.p_type == PT_INTERP && file && segment.p_offset < length &&
		    segment.p_filesz <= length - segment.p_offset && !dynamic->interpreter)
			dynamic->interpreter = ifr_format("%.*s", (int)segment.p_filesz, file + segment.p_offset);
		dynamic->relro |= segment.p_type == PT_GNU_RELRO;
		dynamic->frame_header |= segment.p_type == PT_GNU_EH_FRAME;
		dynamic->executable_stack |= segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X);
	}
}

static void read_entry(const struct program *program, const Elf64_Dyn *entry, size_t names,
                       struct dynamic *dynamic) {
	const char *text = elf_strptr(program->file.elf, names, entry->d_un.d_val);
	switch (entry->d_tag) {
	case DT_NEEDED:
		ifr_strings_add(&dynamic->needed, text ? text : "");
		break;
	case DT_RUNPATH:
		dynamic->run_path = text;
		break;
	case DT_RPATH:
		dynamic->rpath = text;
		break;
	case DT_BIND_NOW:
		dynamic->now = true;
		break;
	case DT_FLAGS:
		dynamic->now |= (entry->d_un.d_val & DF_BIND_NOW) != 0;
		break;
	case DT_FLAGS_1:
		dynamic->now |= (entry->d_un.d_val & DF_1_NOW) != 0;
		break;
	case DT_GNU_HASH:
		dynamic->gnu_hash = true;
		break;
	case DT_HASH:
		dynamic->sysv_hash = true;
		break;
	case 36: /* DT_RELR */
		dynamic->packed = true;
		break;
	default:
		break;
	}
}

static void read_dynamic(const struct program *program, struct dynamic *dynamic) {
	GElf_Shdr header;
	Elf_Scn *section = ifr_elf_find_section_type(program->file.elf, SHT_DYNAMIC, &header);
	const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const Elf64_Dyn *entries = data ? data->d_buf : NULL;
	for (size_t i = 0; entries && i < data->d_size / sizeof *entries && entries[i].d_tag != DT_NULL; i++)
		read_entry(program, &entries[i], header.sh_link, dynamic);
	dynamic->position_independent = program->header.e_type == ET_DYN;
	read_segments(program, dynamic);
}

/* --- libraries ----------------------------------------------------------------------------------------------- */

/* Finds a library in what the loader printed: "NAME => PATH (0x…)", or "PATH (0x…)" for the loader itself. */
static char *find_library(const char *listed, const char *name) {
	struct ifr_strings lines = {0};
	char *path = NULL;
	ifr_strings_split(&lines, listed, "\n");
	for (size_t i = 0; i < lines.count && !path; i++) {
		struct ifr_strings words = {0};
		ifr_strings_split(&words, lines.items[i], " \t");
		if (words.count >= 3 && !strcmp(words.items[0], name) && !strcmp(words.items[1], "=>") &&
		    words.items[2][0] == '/')
			path = ifr_strdup(words.items[2]);
		else if (words.count >= 1 && words.items[0][0] == '/' && !strcmp(ifr_path_base(words.items[0]), name))
			path = ifr_strdup(words.items[0]);
		ifr_strings_release(&words);
	}
	ifr_strings_release(&lines);
	return path;
}

static int add_libraries(const struct program *program, const struct dynamic *dynamic, struct ifr_kit *kit,
                         struct ifr_error *err) {
	char *absolute = ifr_file_exists(program->path) && !strchr(program->path, '/')
	                     ? ifr_format("./%s", program->path)
	                     : ifr_strdup(program->path);
	const char *const argv[] = {dynamic->interpreter ? dynamic->interpreter : "", "--list", absolute, NULL};
	struct ifr_buffer listed = {0}, errors = {0};
	int status = 0;
	const struct ifr_process process = {.argv = argv, .out = &listed, .errors = &errors};
	int result = ifr_process_run(&process, &status, err);
	for (size_t i = 0; i < dynamic->needed.count && !result; i++) {
		const char *name = dynamic->needed.items[i];
		char *found = find_library(ifr_buffer_text(&listed), name);
		char *path = found ? ifr_path_normalise("/", found) : NULL;
		if (!path) {
			result = ifr_fail(err, IFR_E_ENVIRONMENT,
			                  "the loader does not find %s, which %s needs: install it, or set LD_LIBRARY_PATH",
			                  name, program->path);
		} else {
			ifr_kit_add_input(kit, path);
			ifr_strings_take(&kit->arguments, ifr_format("%s%s", IFR_KIT_ROOT, path));
		}
		free(path);
		free(found);
	}
	ifr_buffer_release(&errors);
	ifr_buffer_release(&listed);
	free(absolute);
	return result;
}

/* --- arguments ----------------------------------------------------------------------------------------------- */

static void add_keyword(struct ifr_kit *kit, const char *keyword) {
	ifr_strings_add(&kit->arguments, "-z");
	ifr_strings_add(&kit->arguments, keyword);
}

/* Names that shared libraries look for in the program. */
static void add_exports(const struct program *program, struct ifr_kit *kit) {
	for (size_t i = 1; i < program->dynamic_count; i++) {
		const Elf64_Sym *symbol = &program->dynamic_symbols[i];
		const Elf64_Rela *copy = program_dynamic_at(program, symbol->st_value);
		const char *name = elf_strptr(program->file.elf, program->dynamic_names, symbol->st_name);
		if (name && symbol->st_shndx != SHN_UNDEF && !(copy && ELF64_R_TYPE(copy->r_info) == R_X86_64_COPY))
			ifr_strings_take(&kit->arguments, ifr_format("--export-dynamic-symbol=%s", name));
	}
}

/* The linker is to change no instruction again: they are as it left them. */
static void add_options(const struct program *program, const struct dynamic *dynamic, struct ifr_kit *kit) {
	static const char *const always[] = {"-m", "elf_x86_64", "--no-relax", "--no-as-needed",
	                                     "--allow-shlib-undefined"};
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		ifr_strings_add(&kit->arguments, always[i]);
	ifr_strings_add(&kit->arguments, dynamic->position_independent ? "-pie" : "-no-pie");
	if (dynamic->frame_header)
		ifr_strings_add(&kit->arguments, "--eh-frame-hdr");
	ifr_strings_take(&kit->arguments, ifr_format("--hash-style=%s", !dynamic->sysv_hash ? "gnu"
	                                                                : dynamic->gnu_hash ? "both"
	                                                                                    : "sysv"));
	ifr_strings_add(&kit->arguments, "-dynamic-linker");
	ifr_strings_add(&kit->arguments, dynamic->interpreter);
	add_keyword(kit, dynamic->now ? "now" : "lazy");
	add_keyword(kit, dynamic->relro ? "relro" : "norelro");
	add_keyword(kit, dynamic->executable_stack ? "execstack" : "noexecstack");
	if (dynamic->packed)
		add_keyword(kit, "pack-relative-relocs");
	const char *path = dynamic->run_path ? dynamic->run_path : dynamic->rpath;
	if (path) {
		ifr_strings_add(&kit->arguments, dynamic->run_path ? "--enable-new-dtags" : "--disable-new-dtags");
		ifr_strings_take(&kit->arguments, ifr_format("-rpath=%s", path));
	}
	add_exports(program, kit);
}

/* ld starts the program at _start; another name is given. */
static void add_entry(const struct program *program, struct ifr_kit *kit) {
	const char *entry = NULL;
	for (size_t i = 1; i < program->symbol_count; i++)
		if (program->symbols[i].st_value == program->header.e_entry &&
		    ELF64_ST_TYPE(program->symbols[i].st_info) == STT_FUNC && (!entry || strcmp(entry, "_start")))
			entry = program_symbol_name(program, i);
	if (entry && strcmp(entry, "_start")) {
		ifr_strings_add(&kit->arguments, "-e");
		ifr_strings_add(&kit->arguments, entry);
	}
}

int command_make(const struct program *program, const char *object, struct ifr_kit *kit, struct ifr_error *err) {
	struct dynamic dynamic = {0};
	read_dynamic(program, &dynamic);
	int result = dynamic.interpreter ? 0 : ifr_fail(err, IFR_E_USAGE, "%s names no loader", program->path);
	if (!result) {
		add_options(program, &dynamic, kit);
		add_entry(program, kit);
		ifr_kit_add_input(kit, object);
		ifr_strings_take(&kit->arguments, ifr_format("%s%s", IFR_KIT_ROOT, object));
		result = add_libraries(program, &dynamic, kit, err);
	}
	free(dynamic.interpreter);
	ifr_strings_release(&dynamic.needed);
	return result;
}
