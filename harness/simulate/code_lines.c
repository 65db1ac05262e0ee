/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/code_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/random.h"
#include "common/table.h"
#include "harness/simulate/site_names.h"

/* The function and the line of an instruction. */
static struct ifr_code_line find_line(struct ifr_site_names *names, uint64_t normalised) {
	const struct ifr_mapping *mapping = ifr_site_mapping(names, normalised);
	struct ifr_source *source = ifr_site_source(names, normalised);
	const uint64_t address = normalised & IFR_OFFSET_MASK;
	struct ifr_code_line line = {NULL, NULL};
	if (source)
		ifr_source_find(source, address, &line.function, &line.line);
	if (!line.function)
		line.function = ifr_format("0x%" PRIx64, address);
	if (!line.line)
		line.line = ifr_strdup("");
	if (mapping && mapping->kind == IFR_MAPPING_LIBRARY) {
		char *function = ifr_format("%s in %s", line.function, ifr_path_base(mapping->path));
		free(line.function);
		line.function = function;
	}
	return line;
}

static bool are_equal(const struct ifr_code_line *a, const struct ifr_code_line *b) {
	return !strcmp(a->function, b->function) && !strcmp(a->line, b->line);
}

/* Takes a line. Returns its number, the same for an equal one. */
static uint32_t add_line(struct ifr_code_lines *lines, struct ifr_table *table, struct ifr_code_line line) {
	const uint64_t key =
		ifr_siphash(ifr_siphash(0, 0, line.function, strlen(line.function)), 1, line.line, strlen(line.line));
	size_t probe = 0;
	uint32_t at;
	while ((at = ifr_table_next(table, key, &probe)) != IFR_TABLE_NONE)
		if (are_equal(&lines->items[at], &line)) {
			free(line.function);
			free(line.line);
			return at;
		}
	at = (uint32_t)lines->count++;
	ifr_table_add(table, key, at);
	lines->items[at] = line;
	return at;
}

struct numbering {
	struct ifr_site_names *names;
	struct ifr_table addresses, lines;
};

/* The number of the line of an address. */
static uint32_t number_line(struct ifr_code_lines *lines, struct numbering *numbering, uint64_t address) {
	uint32_t line = ifr_table_find(&numbering->addresses, address);
	if (line == IFR_TABLE_NONE) {
		line = add_line(lines, &numbering->lines, find_line(numbering->names, address));
		ifr_table_add(&numbering->addresses, address, line);
	}
	return line;
}

int ifr_code_lines_find(const struct ifr_trace *trace, const struct ifr_machine *machine,
                        struct ifr_code_lines *lines, struct ifr_error *err) {
	struct numbering numbering = {0};
	*lines = (struct ifr_code_lines){0};
	const int result = ifr_core_sites_find(trace, machine, &lines->sites, &lines->instructions, err);
	numbering.names = ifr_site_names_new(trace);
	lines->of_branch = ifr_alloc((lines->instructions + 1) * sizeof *lines->of_branch);
	lines->of = ifr_alloc((lines->instructions + 1) * sizeof *lines->of);
	lines->items = ifr_alloc((2 * lines->instructions + 1) * sizeof *lines->items);
	for (size_t i = 0; i < lines->instructions; i++) {
		lines->of[i] = number_line(lines, &numbering, lines->sites[i].normalised);
		lines->of_branch[i] = number_line(lines, &numbering, lines->sites[i].branch);
	}
	ifr_site_names_free(numbering.names);
	ifr_table_release(&numbering.addresses);
	ifr_table_release(&numbering.lines);
	return result;
}

void ifr_code_lines_release(struct ifr_code_lines *lines) {
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->items[i].function);
		free(lines->items[i].line);
	}
	free(lines->items);
	free(lines->sites);
	free(lines->of);
	free(lines->of_branch);
	*lines = (struct ifr_code_lines){0};
}
