/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void jump_tables_add(struct jump_tables *tables, uint64_t table, uint64_t user) {
	if (tables->count == tables->capacity) {
		tables->capacity = tables->capacity ? 2 * tables->capacity : 256;
		tables->items = ifr_realloc(tables->items, tables->capacity, sizeof *tables->items);
	}
	tables->items[tables->count++] = (struct table_use){table, user};
}

static int by_table(const void *a, const void *b) {
	const struct table_use *x = a, *y = b;
	return x->table != y->table ? (x->table > y->table) - (x->table < y->table)
	                            : (x->user > y->user) - (x->user < y->user);
}

void jump_tables_sort(struct jump_tables *tables) {
	if (tables->count)
		qsort(tables->items, tables->count, sizeof *tables->items, by_table);
}

void jump_tables_release(struct jump_tables *tables) {
	free(tables->items);
}

/* Whether two functions are parts of one: NAME and NAME.cold. */
static bool same_source(const struct program *program, const struct function *a, const struct function *b) {
	if (a == b)
		return true;
	if (!a->symbol || !b->symbol)
		return false;
	const char *x = program_symbol_name(program, a->symbol), *y = program_symbol_name(program, b->symbol);
	const char *x_cold = strstr(x, ".cold"), *y_cold = strstr(y, ".cold");
	const size_t x_length = x_cold ? (size_t)(x_cold - x) : strlen(x),
				 y_length = y_cold ? (size_t)(y_cold - y) : strlen(y);
	return x_length == y_length && !strncmp(x, y, x_length);
}

bool jump_tables_target(const struct jump_tables *tables, const struct program *program,
                        const struct split_units *units, const struct part *data, uint64_t entry,
                        uint64_t *anchor) {
	size_t low = 0, high = tables->count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (tables->items[middle].table <= entry)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || tables->items[low - 1].table < data->header.sh_addr)
		return false;
	const uint64_t table = tables->items[low - 1].table;
	const uint64_t target = table + (uint64_t)code_value(data, entry, 4);
	const struct function *to = split_function_at(units, target);
	*anchor = target;
	if (to && target == to->start)
		return true;
	for (size_t i = low; i-- > 0 && tables->items[i].table == table;) {
		const struct function *user = split_function_at(units, tables->items[i].user);
		if (user && to && same_source(program, user, to))
			return true;
		if (user && !to && target == user->end) {
			*anchor = user->start;
			return true;
		}
	}
	return false;
}
