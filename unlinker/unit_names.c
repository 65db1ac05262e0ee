/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/unit_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

/* The file of a local symbol: the last STT_FILE before it; "" if none is named. */
static const char *file_of(const struct program *program, size_t symbol) {
	for (size_t i = symbol; i > 0; i--)
		if (ELF64_ST_TYPE(program->symbols[i].st_info) == STT_FILE)
			return ifr_path_base(program_symbol_name(program, i));
	return "";
}

/* Names that ld's script sorts to the front of .text get another dot: the order of the program is to stay. */
static bool is_sorted(const char *name) {
	static const char *const sorted[] = {"unlikely", "exit", "startup", "hot", "sorted"};
	for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++) {
		const size_t length = strlen(sorted[i]);
		if (!strncmp(name, sorted[i], length) && (!name[length] || name[length] == '.'))
			return true;
	}
	const char *end = strrchr(name, '_');
	return end && !strcmp(end, "_unlikely");
}

struct named {
	struct split_unit *unit;
	size_t symbol;
};

static int by_name(const void *a, const void *b) {
	const struct named *x = a, *y = b;
	const int order = strcmp(x->unit->name, y->unit->name);
	return order ? order : (x->unit > y->unit) - (x->unit < y->unit);
}

/* Calls rename for each unit whose name another one has, too; number counts from 1 within the name. */
static void part_names(const struct program *program, struct named *all, size_t count, bool by_file) {
	qsort(all, count, sizeof *all, by_name);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(all[end].unit->name, all[i].unit->name);)
			end++;
		char *name = end - i > 1 ? ifr_strdup(all[i].unit->name) : NULL;
		for (size_t k = i; name && k < end; k++) {
			if (!by_file && k == i)
				continue;
			free(all[k].unit->name);
			all[k].unit->name = by_file ? ifr_format("%s.%s", name, file_of(program, all[k].symbol))
			                            : ifr_format("%s.%zu", name, k - i + 1);
		}
		free(name);
	}
}

void split_units_name(const struct program *program, struct split_units *units) {
	struct named *all = ifr_alloc((units->count + 1) * sizeof *all);
	for (size_t i = 0; i < units->count; i++) {
		struct split_unit *unit = &units->items[i];
		const size_t symbol = unit->symbol;
		const char *name = symbol ? program_symbol_name(program, symbol) : "";
		unit->name = ifr_format(".text.%s%s", is_sorted(name) ? "." : "", name);
		all[i] = (struct named){unit, symbol};
	}
	part_names(program, all, units->count, true);
	part_names(program, all, units->count, false);
	free(all);
}
