/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts: placing units by a plan, and making variants by one of the engines. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "relinker/relinker_parts.h"

/* Prints, for the hash, the part of a plan that changes the file: the relinker's axes and the places. */
static void print_own_axes(const struct ifr_plan *plan, struct ifr_buffer *text) {
	struct ifr_plan own = *plan;
	own.name[0] = own.kit[0] = '\0';
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (ifr_axes[i].owner != IFR_OWNER_RELINKER)
			own.axis[i].on = false;
	ifr_plan_print_keyed(&own, text);
}

/* Derives a variant's build-id from the kit and the plan, so that every machine gives the same. It is as long as
 * the original's and takes no more room. */
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

/* Finds the image for a placement. One image serves all lengths of the interpreter path that keep the sections
 * behind it in their pages; longer paths have another image, prepared for the first length that needs one page
 * more. */
static int find_image(const struct ifr_relinker *relinker, const struct placement *placement,
                      const struct image **image, struct ifr_error *err) {
	struct layout_sizes sizes = placement->sizes;
	if (placement->names)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "added external symbols need a link");
	uint64_t wanted = sizes.interp_bytes;
	sizes.interp_bytes = 0;
	for (;;) {
		int result = image_store_get(relinker->images, &sizes, image, err);
		if (result)
			return result;
		uint64_t longest = image_longest_path(*image);
		if (wanted <= longest)
			return 0;
		if (longest == sizes.interp_bytes)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "a longer interpreter path moves this program's code");
		sizes.interp_bytes = longest + 1;
	}
}

/* Places the units twice if the image pins any. The first placement knows no pins and selects the image; the
 * second leaves the units that this image pins where they ship and places the others around them. Both follow from
 * the plan alone. */
static int place_units(struct ifr_relinker_layout *layout, struct ifr_error *err) {
	const struct ifr_relinker *relinker = layout->relinker;
	struct placement *placement = &layout->placement;
	uint8_t *pinned = NULL;
	for (int attempt = 0; attempt < 2; attempt++) {
		int result = placement_make(placement, &relinker->units, &layout->plan, pinned, err);
		free(pinned);
		pinned = NULL;
		if (result)
			return result;
		if (!ld_interpreter_of(relinker->kit))
			placement->sizes.interp_bytes = 0;
		if (!sections_find(&relinker->sections, ".dynsym"))
			placement->names = placement->name_bytes = 0;
		placement->names_by_got = !sections_find(&relinker->sections, ".rela.plt");
		if (find_image(relinker, placement, &layout->image, &layout->refused))
			layout->image = NULL;
		if (!layout->image || attempt || !(pinned = image_pinned_units(layout->image)))
			break;
		placement_release(placement);
	}
	return 0;
}

int ifr_relinker_place(const struct ifr_relinker *relinker, const struct ifr_plan *plan,
                       struct ifr_relinker_layout **placed, struct ifr_error *err) {
	struct ifr_relinker_layout *layout = ifr_alloc(sizeof *layout);
	int result = 0;
	layout->relinker = relinker;
	ifr_plan_copy(&layout->plan, plan);
	layout->shipped = !(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_RELINKER)) && !plan->place_count;
	if (layout->shipped) {
		strcpy(layout->build_id, relinker->kit->build_id);
	} else {
		derive_build_id(relinker->kit, plan, layout->build_id);
		result = place_units(layout, err);
	}
	if (result)
		ifr_relinker_layout_close(layout);
	else
		*placed = layout;
	return result;
}

void ifr_relinker_layout_close(struct ifr_relinker_layout *layout) {
	if (!layout)
		return;
	placement_release(&layout->placement);
	ifr_plan_release(&layout->plan);
	free(layout);
}

int ifr_relinker_apply(const struct ifr_relinker_layout *layout, struct ifr_buffer *bytes, struct ifr_error *err) {
	const struct ifr_relinker *relinker = layout->relinker;
	if (layout->shipped) {
		ifr_buffer_clear(bytes);
		ifr_buffer_append(bytes, relinker->base.data, relinker->base.length);
		return 0;
	}
	if (!layout->image)
		return ifr_fail(err, layout->refused.code, "%s", layout->refused.message);
	return image_apply(layout->image, &layout->placement, layout->build_id, bytes, err);
}

/* A unit where a layout places it. */
struct place_of_unit {
	const struct unit *unit;
	uint64_t at;
};

/* A unit that the linker makes, such as room for copied variables, has no alignment in a file, and stays. */
static bool is_linker_made(const struct unit *unit) {
	return !unit->align && unit->pin;
}

/* Calls visit for each unit of an output section, in its order. The address of a unit without a known alignment is that
 * of the bytes before it. */
static int visit_output(const struct units *units, const struct placed_output *placed, enum output_section output,
                        int (*visit)(const struct place_of_unit *, void *, struct ifr_error *), void *data,
                        struct ifr_error *err) {
	struct place_of_unit place = {.at = units->outputs[output].address};
	int result = 0;
	for (size_t i = 0; i < placed->count && !result; i++) {
		place.unit = &units->items[placed->order[i].unit];
		const uint64_t align = place.unit->align ? place.unit->align : 1;
		place.at = is_linker_made(place.unit)
		               ? place.unit->address
		               : (place.at + placed->order[i].padding_bytes + align - 1) & ~(align - 1);
		result = visit(&place, data, err);
		place.at += place.unit->span_bytes;
	}
	return result;
}

/* Visits the units that a layout places; of the shipped one, those of .text. */
static int visit_units(const struct ifr_relinker_layout *layout,
                       int (*visit)(const struct place_of_unit *, void *, struct ifr_error *), void *data,
                       struct ifr_error *err) {
	const struct units *units = &layout->relinker->units;
	struct placement base = {0};
	const struct placement *placement = &layout->placement;
	int result = 0;
	if (layout->shipped) {
		struct ifr_plan none;
		ifr_plan_init(&none);
		result = placement_make(&base, units, &none, NULL, err);
		placement = &base;
	}
	for (int r = 0; r < OUTPUTS && !result; r++)
		result = visit_output(units, &placement->outputs[r], (enum output_section)r, visit, data, err);
	placement_release(&base);
	return result;
}

static int check_alignment(const struct unit *unit, struct ifr_error *err) {
	return unit->align || is_linker_made(unit)
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "the alignment of %s is not known: no addresses can be told",
	                      unit->name);
}

/* Pinned data stay without being named. */
static bool is_named(const struct unit *unit) {
	return unit->nameable && (unit->output == OUTPUT_TEXT || !unit->pin);
}

static int name_order(const struct place_of_unit *place, void *plan, struct ifr_error *err) {
	(void)err;
	if (is_named(place->unit))
		ifr_plan_place(plan, place->unit->name);
	return 0;
}

static int name_address(const struct place_of_unit *place, void *plan, struct ifr_error *err) {
	if (!is_named(place->unit))
		return 0;
	ifr_plan_place_at(plan, place->unit->name, place->at);
	return check_alignment(place->unit, err);
}

int ifr_relinker_layout_to_plan(const struct ifr_relinker_layout *layout, bool addresses, struct ifr_plan *plan,
                                struct ifr_error *err) {
	ifr_plan_init(plan);
	strcpy(plan->kit, layout->relinker->kit->key);
	int result = visit_units(layout, addresses ? name_address : name_order, plan, err);
	if (result)
		ifr_plan_release(plan);
	return result;
}

/* The addresses to fill in, and the units by whose indices they are ordered. */
struct addresses {
	const struct unit *units;
	uint64_t *at;
};

static int note_address(const struct place_of_unit *place, void *data, struct ifr_error *err) {
	const struct addresses *addresses = data;
	addresses->at[place->unit - addresses->units] = place->at;
	return check_alignment(place->unit, err);
}

int ifr_relinker_layout_addresses(const struct ifr_relinker_layout *layout, uint64_t *addresses,
                                  struct ifr_error *err) {
	const struct units *units = &layout->relinker->units;
	struct addresses found = {units->items, addresses};
	for (size_t i = 0; i < units->count; i++)
		addresses[i] = units->items[i].address;
	return visit_units(layout, note_address, &found, err);
}

/* A linker can leave weak functions out (-z nodynamic-undefined-weak). */
static int check_names(const struct ifr_relinker_layout *layout, const struct ifr_buffer *bytes,
                       struct ifr_error *err) {
	const uint64_t wanted = layout->placement.names * sizeof(Elf64_Sym);
	const struct section_place *base = sections_find(&layout->relinker->sections, ".dynsym"), *now;
	struct sections sections;
	if (!wanted)
		return 0;
	int result = sections_read(&sections, ifr_buffer_text(bytes), bytes->length, "the variant", err);
	now = result ? NULL : sections_find(&sections, ".dynsym");
	if (!result && (!base || !now || now->bytes != base->bytes + wanted))
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "the axis names cannot act: the linker leaves weak external functions out of this program");
	sections_release(&sections);
	return result;
}

int layout_link(const struct ifr_relinker_layout *layout, const char *path, struct ifr_buffer *bytes,
                struct ifr_error *err) {
	const struct ifr_relinker *relinker = layout->relinker;
	int result = ld_engine_link(&relinker->engine, &relinker->units, &layout->placement,
	                            ifr_buffer_text(&relinker->script), layout->build_id, path, NULL, err);
	ifr_buffer_clear(bytes);
	if (!result)
		result = ifr_file_read(path, 0, bytes, err);
	return result ? result : check_names(layout, bytes, err);
}

int ifr_relinker_write(const struct ifr_relinker_layout *layout, const char *path, struct ifr_variant *variant,
                       struct ifr_error *err) {
	struct ifr_buffer bytes = {0};
	struct ifr_error refused = {0};
	int result = ifr_relinker_apply(layout, &bytes, &refused);
	if (!result)
		result = ifr_file_write(path, bytes.data, bytes.length, 0755, err);
	else
		result = layout_link(layout, path, &bytes, err);
	strcpy(variant->build_id, layout->build_id);
	if (!result && !layout->shipped) {
		layout_print_facts(layout, &bytes, &variant->facts);
		if (refused.code)
			ifr_buffer_printf(&variant->facts, "engine: ld.bfd, as %s\n", refused.message);
		else
			ifr_buffer_puts(&variant->facts, "engine: in memory\n");
	}
	ifr_buffer_release(&bytes);
	return result;
}

static int compare_variants(const struct ifr_relinker_layout *layout, const struct ifr_buffer *mine,
                            const struct ifr_buffer *theirs, struct ifr_error *err) {
	size_t at = 0, different = 0, shorter = mine->length < theirs->length ? mine->length : theirs->length;
	for (size_t i = shorter; i-- > 0;)
		if (mine->data[i] != theirs->data[i]) {
			at = i;
			different++;
		}
	if (!different && mine->length == theirs->length)
		return 0;
	return ifr_fail(
		err, IFR_E_BUG,
		"a layout of %s made in memory is not what ld.bfd makes of it: %zu and %zu bytes, %zu different, "
		"the first at 0x%zx",
		layout->relinker->kit->program, mine->length, theirs->length, different, at);
}

int ifr_relinker_verify(const struct ifr_relinker_layout *layout, struct ifr_error *err) {
	struct ifr_buffer mine = {0}, theirs = {0};
	char *folder = NULL;
	int result = ifr_relinker_apply(layout, &mine, err);
	if (!result && !layout->shipped)
		result = ifr_temporary_dir(&folder, err);
	if (folder) {
		char *path = ifr_format("%s/variant", folder);
		result = layout_link(layout, path, &theirs, err);
		if (!result)
			result = compare_variants(layout, &mine, &theirs, err);
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
	struct ifr_relinker_layout *layout = NULL;
	int result = ifr_relinker_place(relinker, plan, &layout, err);
	if (!result)
		result = ifr_relinker_write(layout, path, variant, err);
	ifr_relinker_layout_close(layout);
	return result;
}
