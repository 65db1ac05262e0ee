/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/relinker.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/read/link_map.h"
#include "relinker/relinker_parts.h"

static void compare_with_kit(struct ifr_relinker *relinker) {
	const struct ifr_kit *kit = relinker->kit;
	char digest[IFR_SHA256_HEX];
	ifr_sha256(relinker->base.data, relinker->base.length, digest);
	relinker->reproduces = !strcmp(digest, kit->sha256);
	relinker->reason =
		relinker->reproduces ? ifr_strdup("")
		: ifr_kit_is_unlinked(kit)
			? ifr_strdup("the kit is of the program's relocations, and its own link made other tables")
		: strcmp(kit->linker, "ld.bfd")
			? ifr_format("the program was linked by %s, its variants are by ld.bfd", kit->linker)
			: ifr_format("linking it again gave other bytes than \"%s\" did", kit->linker_version);
}

/* Links the kit unchanged and reads the program, its map and its units. */
static int read_base(struct ifr_relinker *relinker, const char *folder, struct ifr_error *err) {
	const struct ifr_kit *kit = relinker->kit;
	char *output = ifr_format("%s/%s", folder, "base"), *map_file = ifr_format("%s/map", folder);
	struct link_map map = {0};
	int result = ld_engine_link_base(&relinker->engine, kit->build_id, output, map_file, &relinker->script, err);
	if (!result)
		result = link_map_read(&map, map_file, err);
	if (!result)
		result = ifr_file_read(output, 0, &relinker->base, err);
	if (!result)
		result = units_of_link(&relinker->units, &map, &relinker->base, relinker->engine.folder, &relinker->unread,
		                       err);
	if (!result)
		result = sections_read(&relinker->sections, relinker->base.data, relinker->base.length, output, err);
	if (!result)
		compare_with_kit(relinker);
	link_map_release(&map);
	free(map_file);
	free(output);
	return result;
}

int ifr_relinker_open(const struct ifr_kit *kit, struct ifr_relinker **opened, struct ifr_error *err) {
	struct ifr_relinker *relinker = ifr_alloc(sizeof *relinker);
	char *folder = NULL;
	relinker->kit = kit;
	int result = ld_engine_open(&relinker->engine, kit, err);
	if (!result)
		result = ifr_temporary_dir(&folder, err);
	if (!result)
		result = read_base(relinker, folder, err);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	if (result)
		ifr_relinker_close(relinker);
	else
		*opened = relinker;
	if (!result)
		relinker->images =
			image_store_new(&relinker->engine, &relinker->units, ifr_buffer_text(&relinker->script));
	return result;
}

void ifr_relinker_close(struct ifr_relinker *relinker) {
	if (!relinker)
		return;
	image_store_free(relinker->images);
	ld_engine_close(&relinker->engine);
	ifr_buffer_release(&relinker->script);
	ifr_buffer_release(&relinker->base);
	units_release(&relinker->units);
	sections_release(&relinker->sections);
	free(relinker->reason);
	free(relinker);
}

void ifr_relinker_describe(const struct ifr_relinker *relinker, struct ifr_relinker_info *info) {
	*info = (struct ifr_relinker_info){
		.reproduces = relinker->reproduces,
		.reason = relinker->reason,
	};
	for (int r = 0; r < OUTPUTS; r++) {
		const struct output_units *output = &relinker->units.outputs[r];
		*(r == OUTPUT_TEXT ? &info->units : &info->data_units) += output->count;
		*(r == OUTPUT_TEXT ? &info->movable : &info->data_movable) += output->movable;
	}
}

size_t ifr_relinker_unit_count(const struct ifr_relinker *relinker) {
	return relinker->units.count;
}

uint64_t ifr_relinker_code_start(const struct ifr_relinker *relinker) {
	return relinker->units.outputs[OUTPUT_TEXT].address;
}

void ifr_relinker_unit(const struct ifr_relinker *relinker, size_t index, struct ifr_relinker_unit *described) {
	const struct unit *unit = &relinker->units.items[index];
	*described = (struct ifr_relinker_unit){unit->name,    unit->file,  unit->member, unit->section,
	                                        unit->address, unit->bytes, unit->align,  unit->pin};
}

/* --- pins ---------------------------------------------------------------------------------------------------- */

enum { NAMED_PINS = 3 };

/* "12 units: it is of a start file (crt1.o:.text, crti.o:.text, …)". */
static void print_reason(const struct units *units, size_t count, const char *reason, struct ifr_buffer *text) {
	size_t found = 0;
	struct ifr_buffer names = {0};
	for (size_t i = 0; i < count; i++) {
		if (units->items[i].pin != reason)
			continue;
		if (found++ < NAMED_PINS)
			ifr_buffer_printf(&names, "%s%s", found > 1 ? ", " : "", units->items[i].name);
	}
	ifr_buffer_printf(text, "%zu unit%s: %s (%s%s)\n", found, found > 1 ? "s" : "", reason,
	                  ifr_buffer_text(&names), found > NAMED_PINS ? ", …" : "");
	ifr_buffer_release(&names);
}

void ifr_relinker_print_pins(const struct ifr_relinker *relinker, bool data, struct ifr_buffer *text) {
	const struct units *units = &relinker->units;
	size_t count = data ? units->count : units->outputs[OUTPUT_TEXT].count;
	for (size_t i = 0; i < count; i++) {
		const char *reason = units->items[i].pin;
		bool first = reason != NULL;
		/* Reasons are constants: equal pointers are equal reasons. */
		for (size_t k = 0; k < i && first; k++)
			first = units->items[k].pin != reason;
		if (first)
			print_reason(units, count, reason, text);
	}
	image_store_print_pins(relinker->images, text);
}
