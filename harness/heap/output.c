/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of allocators as text and as JSON. */
#include "harness/heap/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/output/output.h"

enum { SCHEMA_VERSION = 2 };

static void print_offsets(const struct ifr_aliasing *aliasing, struct ifr_buffer *text) {
	char cell[64] = "";
	size_t used = 0;
	for (int i = 0; i < 3 && aliasing->seen[i]; i++)
		used += (size_t)snprintf(cell + used, sizeof cell - used, "%s%03x", i ? " " : "", aliasing->common[i]);
	ifr_buffer_printf(text, " %-11s", cell);
}

void ifr_heap_text(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%-18s %8s %-11s %9s %9s %10s %9s\n", "allocator", "blocks", "low 12 bits", "pairs",
	                  "aliases", plan->marker ? "pass, ms" : "time, ms", "MiB");
	for (int a = 0; a < IFR_ALLOCATORS; a++) {
		const struct ifr_heap_row *row = &rows[a];
		if (!row->measured) {
			char *name = ifr_format("%-18s ", ifr_allocators[a].name);
			ifr_text_wrap(text, row->why, name, "                   ");
			free(name);
			continue;
		}
		ifr_buffer_printf(text, "%-18s %8" PRIu64, ifr_allocators[a].name, row->aliasing.blocks);
		print_offsets(&row->aliasing, text);
		ifr_buffer_printf(text, " %9" PRIu64 " %9" PRIu64 " %10.*f %9.1f\n", row->aliasing.pairs,
		                  row->aliasing.aliases, plan->marker ? 5 : 1, row->time_ms, row->memory_kib / 1024);
	}
	ifr_buffer_puts(text, "\nblocks: those over 4 KiB. low 12 bits: of their addresses, the most common\n"
	                      "ones. pairs: alive together. aliases: pairs whose low 12 bits differ by less\n"
	                      "than 64 bytes. A program that walks along both meets its own stores, which\n"
	                      "many processors take for the same address until they are done; whether this\n"
	                      "one does, the model counts (\"interfero replay --aliases\").\n");
	if (plan->marker)
		ifr_buffer_printf(text, "pass: (t(101) - t(1)) / 100 of the region %s.\n", plan->marker);
}

static json_t *json_row(const struct ifr_allocator *allocator, const struct ifr_heap_row *row) {
	json_t *object = json_object(), *common = json_array();
	ifr_json_set(object, "allocator", ifr_json_text(allocator->name));
	ifr_json_set(object, "measured", json_boolean(row->measured));
	if (!row->measured)
		ifr_json_set(object, "why", ifr_json_text(row->why));
	for (int i = 0; i < 3 && row->aliasing.seen[i]; i++)
		json_array_append_new(common, json_pack("{s:i,s:I}", "low_12_bits", (int)row->aliasing.common[i], "blocks",
		                                        (json_int_t)row->aliasing.seen[i]));
	ifr_json_set(object, "blocks", json_integer((json_int_t)row->aliasing.blocks));
	ifr_json_set(object, "common", common);
	ifr_json_set(object, "pairs", json_integer((json_int_t)row->aliasing.pairs));
	ifr_json_set(object, "aliases", json_integer((json_int_t)row->aliasing.aliases));
	ifr_json_set(object, "time_ms", ifr_json_number(row->time_ms));
	ifr_json_set(object, "memory_kib", ifr_json_number(row->memory_kib));
	return object;
}

void ifr_heap_json(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *list = json_array();
	for (int a = 0; a < IFR_ALLOCATORS; a++)
		json_array_append_new(list, json_row(&ifr_allocators[a], &rows[a]));
	ifr_json_set(root, "program", ifr_json_text(plan->program));
	ifr_json_set(root, "marker", ifr_json_text(plan->marker));
	ifr_json_set(root, "runs", json_integer(plan->runs));
	ifr_json_set(root, "allocators", list);
	ifr_json_print(root, text);
}
