/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/relinker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/image/image_store.h"
#include "relinker/ld/ld_engine.h"
#include "relinker/placement.h"
#include "relinker/sections.h"
#include "relinker/units.h"

struct ifr_relinker {
	const struct ifr_kit *kit;
	struct ld_engine engine;
	struct ifr_buffer script; /* of the base link */
	struct units units;
	struct sections sections; /* of the base layout */
	struct ifr_buffer base;   /* the program in it */
	struct image_store *images;
	bool reproduces;
	char *reason;
};

struct ifr_layout {
	const struct ifr_relinker *relinker;
	struct ifr_plan plan;
	bool shipped; /* no axis is on */
	struct placement placement;
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1];
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
		result = ifr_file_read(output, 0, &relinker->base, err);
	if (!result)
		result = sections_read(&relinker->sections, relinker->base.data, relinker->base.length, output, err);
	if (!result) {
		ifr_sha256(relinker->base.data, relinker->base.length, digest);
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

static void print_facts(const struct ifr_layout *layout, const struct ifr_buffer *bytes,
                        struct ifr_buffer *facts) {
	const struct ifr_relinker *relinker = layout->relinker;
	const struct placement *placement = &layout->placement;
	const struct ifr_axis_setting *axis = layout->plan.axis;
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
	if (!sections_read(&sections, ifr_buffer_text(bytes), bytes->length, "the variant", NULL)) {
		ifr_buffer_puts(facts, "sections: ");
		sections_compare(&relinker->sections, &sections, facts);
		ifr_buffer_puts(facts, "\n");
	}
	sections_release(&sections);
}

int ifr_relinker_place(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                       struct ifr_layout **placed, struct ifr_error *err) {
	(void)err;
	struct ifr_layout *layout = ifr_alloc(sizeof *layout);
	layout->relinker = relinker;
	ifr_plan_copy(&layout->plan, plan);
	layout->shipped = !(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_RELINKER));
	if (layout->shipped) {
		strcpy(layout->build_id, relinker->kit->build_id);
	} else {
		placement_make(&layout->placement, &relinker->units, plan);
		derive_build_id(relinker->kit, plan, layout->build_id);
	}
	*placed = layout;
	return 0;
}

void ifr_layout_close(struct ifr_layout *layout) {
	if (!layout)
		return;
	placement_release(&layout->placement);
	ifr_plan_release(&layout->plan);
	free(layout);
}

int ifr_relinker_apply(const struct ifr_layout *layout, struct ifr_buffer *bytes, struct ifr_error *err) {
	const struct ifr_relinker *relinker = layout->relinker;
	const struct image *image = NULL;
	if (layout->shipped) {
		ifr_buffer_clear(bytes);
		ifr_buffer_append(bytes, relinker->base.data, relinker->base.length);
		return 0;
	}
	/* Every length of the path is an image of its own, which costs more than the link that it saves. */
	if (layout->placement.interp_bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "a longer interpreter path moves what no prepared image moves");
	int result = image_store_get(relinker->images, layout->placement.text_bytes, 0, &image, err);
	return result ? result : image_apply(image, &layout->placement, layout->build_id, bytes, err);
}

static int link_layout(const struct ifr_layout *layout, const char *path, struct ifr_buffer *bytes,
                       struct ifr_error *err) {
	const struct ifr_relinker *relinker = layout->relinker;
	int result = ld_engine_link(&relinker->engine, &relinker->units, &layout->placement,
	                            ifr_buffer_text(&relinker->script), layout->build_id, path, NULL, err);
	ifr_buffer_clear(bytes);
	return result ? result : ifr_file_read(path, 0, bytes, err);
}

int ifr_relinker_write(const struct ifr_layout *layout, const char *path, struct ifr_variant *variant,
                       struct ifr_error *err) {
	struct ifr_buffer bytes = {0};
	struct ifr_error refused = {0};
	int result = ifr_relinker_apply(layout, &bytes, &refused);
	if (!result)
		result = ifr_file_write(path, bytes.data, bytes.length, 0755, err);
	else
		result = link_layout(layout, path, &bytes, err);
	strcpy(variant->build_id, layout->build_id);
	if (!result && !layout->shipped) {
		print_facts(layout, &bytes, &variant->facts);
		if (refused.code)
			ifr_buffer_printf(&variant->facts, "engine: ld.bfd, as %s\n", refused.message);
		else
			ifr_buffer_puts(&variant->facts, "engine: in memory\n");
	}
	ifr_buffer_release(&bytes);
	return result;
}

int ifr_relinker_verify(const struct ifr_layout *layout, struct ifr_error *err) {
	struct ifr_buffer mine = {0}, theirs = {0};
	char *folder = NULL;
	int result = ifr_relinker_apply(layout, &mine, err);
	if (!result && !layout->shipped)
		result = ifr_temporary_dir(&folder, err);
	if (folder) {
		char *path = ifr_format("%s/variant", folder);
		result = link_layout(layout, path, &theirs, err);
		if (!result && (mine.length != theirs.length ||
		                memcmp(ifr_buffer_text(&mine), ifr_buffer_text(&theirs), mine.length)))
			result = ifr_fail(err, IFR_E_BUG, "a layout of %s made in memory is not what ld.bfd makes of it",
			                  layout->relinker->kit->program);
		ifr_tree_remove(folder, NULL);
		free(path);
	}
	free(folder);
	ifr_buffer_release(&mine);
	ifr_buffer_release(&theirs);
	return result;
}

int ifr_relinker_make(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err) {
	struct ifr_layout *layout = NULL;
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_write(layout, path, variant, err);
	ifr_layout_close(layout);
	return result;
}
