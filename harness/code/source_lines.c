/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/code/source_lines.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/file.h"
#include "harness/code/source.h"

struct ifr_source *ifr_source_open(const char *file) {
	static char *no_paths;
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
	                                         .section_address = dwfl_offline_section_address,
	                                         .debuginfo_path = &no_paths};
	struct ifr_source *source = ifr_alloc(sizeof *source);
	source->dwfl = dwfl_begin(&callbacks);
	if (source->dwfl) {
		dwfl_report_begin(source->dwfl);
		source->module = dwfl_report_elf(source->dwfl, file, file, -1, 0, false);
		dwfl_report_end(source->dwfl, NULL, NULL);
	}
	if (source->module)
		return source;
	ifr_source_close(source);
	return NULL;
}

void ifr_source_close(struct ifr_source *source) {
	if (source && source->dwfl)
		dwfl_end(source->dwfl);
	free(source);
}

static char *name_line(const char *file, int line) {
	return ifr_format("%s:%d", ifr_path_base(file), line);
}

/* A search for the function at an address in a compilation unit. */
struct function_search {
	uint64_t address;
	char *found;
};

static int match_function(Dwarf_Die *function, void *context) {
	struct function_search *search = context;
	Dwarf_Addr from;
	int line;
	const char *file = dwarf_decl_file(function);
	if (dwarf_lowpc(function, &from) || from != search->address || !file || dwarf_decl_line(function, &line))
		return DWARF_CB_OK;
	search->found = name_line(file, line);
	return DWARF_CB_ABORT;
}

char *ifr_source_function(struct ifr_source *source, uint64_t address) {
	struct function_search search = {.address = address};
	Dwarf_Addr bias;
	for (Dwarf_Die *unit = NULL; !search.found && (unit = dwfl_module_nextcu(source->module, unit, &bias));)
		if (dwarf_haspc(unit, address) > 0)
			dwarf_getfuncs(unit, match_function, &search, 0);
	return search.found;
}

/* "lvm.c:1120", the source line of the code at an address; NULL: unknown. */
static char *name_line_at(struct ifr_source *source, uint64_t address) {
	int line = 0;
	Dwfl_Line *at = dwfl_module_getsrc(source->module, address);
	const char *file = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
	return file ? name_line(file, line) : NULL;
}

void ifr_source_find(struct ifr_source *source, uint64_t address, char **function, char **line) {
	const char *name = dwfl_module_addrname(source->module, address);
	*function = name ? ifr_strdup(name) : NULL;
	*line = name_line_at(source, address);
}

void ifr_source_put(struct ifr_source *source, uint64_t address, struct ifr_buffer *text) {
	GElf_Sym symbol;
	GElf_Off offset = 0;
	const char *name = dwfl_module_addrinfo(source->module, address, &offset, &symbol, NULL, NULL, NULL);
	char *line = name_line_at(source, address);
	if (name)
		ifr_buffer_puts(text, name);
	else
		ifr_buffer_printf(text, "0x%" PRIx64, address);
	if (name && !line && offset)
		ifr_buffer_printf(text, "+0x%" PRIx64, (uint64_t)offset);
	if (line)
		ifr_buffer_printf(text, " (%s)", line);
	free(line);
}

void ifr_source_describe(const char *file, uint64_t address, struct ifr_buffer *text) {
	struct ifr_source *source = *file ? ifr_source_open(file) : NULL;
	if (source)
		ifr_source_put(source, address, text);
	else
		ifr_buffer_printf(text, "0x%" PRIx64, address);
	if (*file)
		ifr_buffer_printf(text, " in %s", ifr_path_base(file));
	ifr_source_close(source);
}
