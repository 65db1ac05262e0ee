/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/code/positions.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/code/source.h"

enum { SOURCE_BYTES_MAX = 1 << 26 };

static const char *linkage_name(Dwarf_Die *function) {
	Dwarf_Attribute attribute;
	const char *name = NULL;
	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(function);
}

/* Fills in the innermost function, inlined or not, of the scopes of an address. */
static bool find_function(Dwarf_Die *scopes, int count, struct ifr_source_position *position) {
	for (int i = 0; i < count; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		Dwarf_Attribute attribute;
		Dwarf_Word declared;
		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
			continue;
		const char *name = linkage_name(&scopes[i]);
		if (!name || !dwarf_attr_integrate(&scopes[i], DW_AT_decl_line, &attribute) ||
		    dwarf_formudata(&attribute, &declared))
			return false;
		position->function = ifr_strdup(name);
		position->declared = (unsigned)declared;
		return true;
	}
	return false;
}

/* The text of a line of a file; NULL: it has no such line. */
static char *read_line(const char *path, unsigned line) {
	struct ifr_buffer contents = {0};
	char *text = NULL;
	if (!ifr_file_read(path, SOURCE_BYTES_MAX, &contents, NULL)) {
		const char *at = ifr_buffer_text(&contents);
		while (at && --line)
			at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
		text = at ? ifr_format("%.*s", (int)strcspn(at, "\n"), at) : NULL;
	}
	ifr_buffer_release(&contents);
	return text;
}

static char *find_text(Dwfl_Line *at, const char *file, unsigned line) {
	const char *folder = *file == '/' ? NULL : dwfl_line_comp_dir(at);
	char *path = folder ? ifr_format("%s/%s", folder, file) : ifr_strdup(file);
	char *text = read_line(path, line);
	free(path);
	return text;
}

bool ifr_source_line_find(struct ifr_source *source, uint64_t address, unsigned *line, unsigned *column) {
	int number = 0, in_line = 0;
	Dwfl_Line *at = dwfl_module_getsrc(source->module, address);
	if (!at || !dwfl_lineinfo(at, NULL, &number, &in_line, NULL, NULL) || number <= 0)
		return false;
	*line = (unsigned)number;
	*column = in_line > 0 ? (unsigned)in_line : 0;
	return true;
}

bool ifr_source_position_find(struct ifr_source *source, uint64_t address, struct ifr_source_position *position) {
	Dwarf_Addr bias = 0;
	Dwarf_Die *scopes = NULL;
	*position = (struct ifr_source_position){0};
	Dwfl_Line *at = dwfl_module_getsrc(source->module, address);
	const char *file = at ? dwfl_lineinfo(at, NULL, NULL, NULL, NULL, NULL) : NULL;
	Dwarf_Die *unit = dwfl_module_addrdie(source->module, address, &bias);
	const int count = file && unit ? dwarf_getscopes(unit, address - bias, &scopes) : 0;
	const bool found = count > 0 && find_function(scopes, count, position) &&
	                   ifr_source_line_find(source, address, &position->line, &position->column);
	free(scopes);
	if (!found) {
		ifr_source_position_release(position);
		return false;
	}
	position->file = ifr_strdup(ifr_path_base(file));
	position->text = find_text(at, file, position->line);
	return true;
}

void ifr_source_position_release(struct ifr_source_position *position) {
	free(position->function);
	free(position->file);
	free(position->text);
	*position = (struct ifr_source_position){0};
}
