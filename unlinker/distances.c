/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/distances.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b) {
	const struct reference *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

int distances_resolve(const struct program *program, const struct split_units *units,
                      struct references *references, struct ifr_error *err) {
	const struct code *code = &references->codes[program->text - program->parts];
	const uint64_t base = program->text->header.sh_addr, end = base + program->text->header.sh_size;
	const size_t known = references->count;
	if (known)
		qsort(references->items, known, sizeof *references->items, by_place);
	for (uint64_t at = base; at < end; at++) {
		if (!(code_marks(code, at) & (MARK_BRANCH32 | MARK_MEMORY)))
			continue;
		const struct reference key = {.at = at};
		if (known && bsearch(&key, references->items, known, sizeof key, by_place))
			continue;
		const uint64_t target = code_target(code, at);
		const struct split_unit *from = split_unit_at(units, at), *to = split_unit_at(units, target);
		if (from == to)
			continue;
		const struct function *function = split_function_at(units, at);
		if (!to || !from || !(code_marks(code, target) & MARK_START))
			return ifr_fail(err, IFR_E_USAGE,
			                "%s cannot be taken apart: the instruction of %s at %#llx leads to %#llx, and no "
			                "relocation says to what",
			                program->path,
			                function && function->symbol ? program_symbol_name(program, function->symbol)
			                                             : ".text",
			                (unsigned long long)at, (unsigned long long)target);
		references_add(references, &(struct reference){.at = at,
		                                               .type = R_X86_64_PC32,
		                                               .part = program->text,
		                                               .anchor = target,
		                                               .addend = -(int64_t)code_rest(code, at)});
		references->resolved++;
	}
	return 0;
}

void distances_list(const struct program *program, const struct references *references,
                    struct jump_tables *tables) {
	const struct code *code = &references->codes[program->text - program->parts];
	const uint64_t base = program->text->header.sh_addr, end = base + program->text->header.sh_size;
	for (uint64_t at = base; at < end; at++)
		if (code_marks(code, at) & MARK_MEMORY) {
			const uint64_t target = code_target(code, at);
			if (target < base || target >= end)
				jump_tables_add(tables, target, at);
		}
	jump_tables_sort(tables);
}
