/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of allocators as text and as JSON. */
#include "harness/heap/heap.h"

#include <inttypes.h>
#include <stdlib.h>

#include <jansson.h>

enum { SCHEMA_VERSION = 1 };

static void print_offsets(const struct ifr_aliasing *aliasing, struct ifr_buffer *text) {
	char cell[64] = "";
	size_t used = 0;
	for (int i = 0; i < 3 && aliasing->seen[i]; i++)
		used += (size_t)snprintf(cell + used, sizeof cell - used, "%s%03x", i ? " " : "", aliasing->common[i]);
	ifr_buffer_printf(text, " %-11s", cell);
}

void ifr_heap_text(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%-18s %8s %-11s %9s %9s %11s %9s\n", "allocator", "blocks", "low 12 bits", "pairs",
	                  "aliases", plan->marker ? "pass, ms" : "time, ms", "MiB");
	for (int a = 0; a < IFR_ALLOCATORS; a++) {
		const struct ifr_heap_row *row = &rows[a];
		if (!row->measured) {
			ifr_buffer_printf(text, "%-18s %s\n", ifr_allocators[a].name, row->why);
			continue;
		}
		ifr_buffer_printf(text, "%-18s %8" PRIu64, ifr_allocators[a].name, row->aliasing.blocks);
		print_offsets(&row->aliasing, text);
		ifr_buffer_printf(text, " %9" PRIu64 " %9" PRIu64 " %11.*f %9.1f\n", row->aliasing.pairs,
		                  row->aliasing.aliases, plan->marker ? 5 : 1, row->time_ms, row->memory_kib / 1024);
	}
	ifr_buffer_puts(
		text, "\nblocks: those over 32 KiB. low 12 bits: of their addresses, the most common ones. pairs: alive\n"
			  "together. aliases: pairs that share their low 12 bits, which many processors take for the\n"
			  "same address until the store is done.\n");
	if (plan->marker)
		ifr_buffer_printf(text, "pass: (t(101) - t(1)) / 100 of the region %s.\n", plan->marker);
}

static json_t *json_row(const struct ifr_allocator *allocator, const struct ifr_heap_row *row) {
	json_t *object = json_object(), *common = json_array();
	json_object_set_new(object, "allocator", json_string(allocator->name));
	json_object_set_new(object, "measured", json_boolean(row->measured));
	if (!row->measured)
		json_object_set_new(object, "why", json_string(row->why));
	for (int i = 0; i < 3 && row->aliasing.seen[i]; i++)
		json_array_append_new(common, json_pack("{s:i,s:I}", "low_12_bits", (int)row->aliasing.common[i], "blocks",
		                                        (json_int_t)row->aliasing.seen[i]));
	json_object_set_new(object, "blocks", json_integer((json_int_t)row->aliasing.blocks));
	json_object_set_new(object, "common", common);
	json_object_set_new(object, "pairs", json_integer((json_int_t)row->aliasing.pairs));
	json_object_set_new(object, "aliases", json_integer((json_int_t)row->aliasing.aliases));
	json_object_set_new(object, "time_ms", json_real(row->time_ms));
	json_object_set_new(object, "memory_kib", json_real(row->memory_kib));
	return object;
}

int ifr_heap_json(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                  struct ifr_buffer *text, struct ifr_error *err) {
	json_t *root = json_object(), *list = json_array();
	for (int a = 0; a < IFR_ALLOCATORS; a++)
		json_array_append_new(list, json_row(&ifr_allocators[a], &rows[a]));
	json_object_set_new(root, "schema_version", json_integer(SCHEMA_VERSION));
	json_object_set_new(root, "tool", json_string("interfero"));
	json_object_set_new(root, "version", json_string(INTERFERO_VERSION));
	json_object_set_new(root, "program", json_string(plan->program));
	json_object_set_new(root, "marker", plan->marker ? json_string(plan->marker) : json_null());
	json_object_set_new(root, "runs", json_integer(plan->runs));
	json_object_set_new(root, "allocators", list);
	char *dump = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (!dump)
		return ifr_fail(err, IFR_E_BUG, "heap: the table cannot be written as JSON");
	ifr_buffer_printf(text, "%s\n", dump);
	free(dump);
	return 0;
}
