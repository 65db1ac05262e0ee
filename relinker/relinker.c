/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/relinker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/ld_engine.h"
#include "relinker/placement.h"
#include "relinker/sections.h"
#include "relinker/units.h"

struct ifr_relinker {
	const struct ifr_kit *kit;
	struct ld_engine engine;
	struct ifr_buffer script; /* of the base link */
	struct units units;
	struct sections sections; /* of the base layout */
	bool reproduces;
	char *reason;
};

/* Links the kit unchanged and reads what came out. */
static int read_base(struct ifr_relinker *relinker, const char *folder, struct ifr_error *err) {
	const struct ifr_kit *kit = relinker->kit;
	char *output = ifr_format("%s/%s", folder, "base"), *map = ifr_format("%s/map", folder);
	char digest[IFR_SHA256_HEX];
	struct ifr_buffer text = {0};
	int result = ld_engine_link_base(&relinker->engine, kit->build_id, output, map, &relinker->script, err);
	if (!result)
		result = ifr_file_read(map, 0, &text, err);
	if (!result)
		result = units_read(&relinker->units, ifr_buffer_text(&text), relinker->engine.folder, err);
	if (!result)
		result = sections_read(&relinker->sections, output, err);
	if (!result)
		result = ifr_sha256_file(output, digest, NULL, err);
	if (!result) {
		relinker->reproduces = !strcmp(digest, kit->sha256);
		relinker->reason =
			relinker->reproduces ? ifr_strdup("")
			: strcmp(kit->linker, "ld.bfd")
				? ifr_format("the program was linked by %s, its variants are by ld.bfd", kit->linker)
				: ifr_format("linking it again gave other bytes than \"%s\" did", kit->linker_version);
	}
	ifr_buffer_release(&text);
	free(map);
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
	return result;
}

void ifr_relinker_close(struct ifr_relinker *relinker) {
	if (!relinker)
		return;
	ld_engine_close(&relinker->engine);
	ifr_buffer_release(&relinker->script);
	units_release(&relinker->units);
	sections_release(&relinker->sections);
	free(relinker->reason);
	free(relinker);
}

void ifr_relinker_describe(const struct ifr_relinker *relinker, struct ifr_relinker_info *info) {
	*info = (struct ifr_relinker_info){
		.units = relinker->units.count,
		.reproduces = relinker->reproduces,
		.reason = relinker->reason,
	};
	for (size_t i = 0; i < relinker->units.count; i++)
		info->movable += relinker->units.items[i].movable;
}

/* The part of a plan that changes the file, as text. */
static void print_own_axes(const struct ifr_plan *plan, struct ifr_buffer *text) {
	struct ifr_plan own = *plan;
	own.name[0] = own.kit[0] = '\0';
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (ifr_axes[i].owner != IFR_OWNER_RELINKER)
			own.axis[i].on = false;
	ifr_plan_print(&own, text);
}

/* A variant's build-id comes from the kit and the plan, in the length that the original's has, so that it is the
 * same wherever the variant is made and takes no more room. */
static void derive_build_id(const struct ifr_kit *kit, const struct ifr_plan *plan, char *build_id) {
	struct ifr_buffer text = {0};
	size_t length = strlen(kit->build_id), filled = 0;
	for (unsigned part = 0; filled < length; part++) {
		char digest[IFR_SHA256_HEX];
		ifr_buffer_clear(&text);
		ifr_buffer_printf(&text, "%s %u\n", kit->key, part);
		print_own_axes(plan, &text);
		ifr_sha256(ifr_buffer_text(&text), text.length, digest);
		size_t take = length - filled < strlen(digest) ? length - filled : strlen(digest);
		memcpy(build_id + filled, digest, take);
		filled += take;
	}
	build_id[length] = '\0';
	ifr_buffer_release(&text);
}

static void print_facts(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                        const struct placement *placement, const char *path, struct ifr_buffer *facts) {
	const struct ifr_axis_setting *axis = plan->axis;
	struct sections sections;
	if (axis[IFR_AXIS_FUNCTIONS].on || axis[IFR_AXIS_OBJECTS].on)
		ifr_buffer_printf(facts, "%s: %zu of %zu units at another position\n",
		                  axis[IFR_AXIS_OBJECTS].on
		                      ? axis[IFR_AXIS_FUNCTIONS].on ? "functions in objects" : "objects"
		                      : "functions",
		                  placement->moved, placement->count);
	if (axis[IFR_AXIS_PADDING].on)
		ifr_buffer_printf(facts, "padding: %" PRIu64 " bytes in all\n", placement->padding_bytes);
	if (axis[IFR_AXIS_BASE].on)
		ifr_buffer_printf(facts, "base: +%" PRIu64 " bytes\n", placement->base_bytes);
	if (axis[IFR_AXIS_INTERP].on && ld_interpreter_of(relinker->kit))
		ifr_buffer_printf(facts, "interp: path +%" PRIu64 " bytes\n", placement->interp_bytes);
	else if (axis[IFR_AXIS_INTERP].on)
		ifr_buffer_puts(facts, "interp: the program has no interpreter\n");
	if (!sections_read(&sections, path, NULL)) {
		ifr_buffer_puts(facts, "sections: ");
		sections_compare(&relinker->sections, &sections, facts);
		ifr_buffer_puts(facts, "\n");
	}
	sections_release(&sections);
}

int ifr_relinker_make(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err) {
	const struct ifr_kit *kit = relinker->kit;
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_RELINKER))) {
		strcpy(variant->build_id, kit->build_id);
		return ld_engine_link_base(&relinker->engine, kit->build_id, path, NULL, NULL, err);
	}
	struct placement placement;
	placement_make(&placement, &relinker->units, plan);
	derive_build_id(kit, plan, variant->build_id);
	int result = ld_engine_link(&relinker->engine, &relinker->units, &placement,
	                            ifr_buffer_text(&relinker->script), variant->build_id, path, err);
	if (!result)
		print_facts(relinker, plan, &placement, path, &variant->facts);
	placement_release(&placement);
	return result;
}
