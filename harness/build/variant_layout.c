/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts of variants without their files. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/variant_builder_parts.h"
#include "compiletime/compiletime.h"

static void set_labelled(struct ifr_builder *builder, bool labelled) {
	for (size_t i = 0; i < builder->units.count; i++)
		builder->units.items[i].labelled = labelled;
}

/* Assembles the shipped units with their labels, on first use. */
static int assemble_shipped(struct ifr_builder *builder, struct ifr_error *err) {
	struct ifr_plan none;
	if (builder->labelled)
		return 0;
	ifr_plan_init(&none);
	builder->labelled = ifr_alloc((builder->units.count + 1) * sizeof *builder->labelled);
	int result = builder_rebuild_units(builder, &none, err);
	for (size_t i = 0; i < builder->units.count && !result; i++)
		result = ifr_file_read(builder->units.items[i].object, 0, &builder->labelled[i], err);
	if (result)
		builder_release_labelled(builder);
	ifr_plan_release(&none);
	return result;
}

static int read_units(struct ifr_builder *builder, struct ifr_variant_layout *layout, struct ifr_error *err) {
	const struct rebuilt_units *units = &builder->units;
	int result = 0;
	layout->units = ifr_alloc((units->count + 1) * sizeof *layout->units);
	for (size_t i = 0; i < units->count && !result; i++) {
		struct ifr_variant_unit *unit = &layout->units[layout->unit_count++];
		*unit = (struct ifr_variant_unit){
			.input = units->items[i].input, .member = units->items[i].member, .shipped = &builder->labelled[i]};
		result = ifr_file_read(units->items[i].object, 0, &unit->rebuilt, err);
	}
	return result;
}

static int link_units(const struct ifr_builder *builder, const struct ifr_plan *plan,
                      struct ifr_variant_layout *layout, struct ifr_error *err) {
	layout->builder = builder;
	layout->overlay = ifr_alloc(sizeof *layout->overlay);
	int result = builder_overlay_open(builder, plan, layout->overlay, err);
	return result ? result : ifr_relinker_place(layout->overlay->relinker, plan, &layout->layout, err);
}

int ifr_builder_lay_out(struct ifr_builder *builder, const struct ifr_plan *plan,
                        struct ifr_variant_layout *layout, struct ifr_error *err) {
	*layout = (struct ifr_variant_layout){0};
	const unsigned axes = ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN);
	if (!axes)
		return ifr_relinker_place(builder->relinker, plan, &layout->layout, err);
	if (ifr_axes_recompile(axes))
		return ifr_fail(err, IFR_E_USAGE,
		                "frames, globals and alias-check change what the program executes: such a plan's "
		                "layout is no layout of the shipped program");
	int result = ifr_builder_check(builder, axes, err);
	set_labelled(builder, true);
	if (!result)
		result = assemble_shipped(builder, err);
	if (!result)
		result = builder_rebuild_units(builder, plan, err);
	set_labelled(builder, false);
	if (!result)
		result = read_units(builder, layout, err);
	if (!result)
		result = link_units(builder, plan, layout, err);
	return result;
}

void ifr_variant_layout_release(struct ifr_variant_layout *layout) {
	ifr_relinker_layout_close(layout->layout);
	for (size_t i = 0; i < layout->unit_count; i++)
		ifr_buffer_release(&layout->units[i].rebuilt);
	free(layout->units);
	if (layout->overlay)
		builder_overlay_close(layout->builder, layout->overlay);
	free(layout->overlay);
	*layout = (struct ifr_variant_layout){0};
}
