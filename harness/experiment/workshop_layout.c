/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts of a workshop: what its variants are, without their files. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/experiment/workshop_parts.h"
#include "compiletime/compiletime.h"

void workshop_release_labelled(struct ifr_workshop *workshop) {
	for (size_t i = 0; workshop->labelled && i < workshop->units.count; i++)
		ifr_buffer_release(&workshop->labelled[i]);
	free(workshop->labelled);
	workshop->labelled = NULL;
}

static void list_labels(struct ifr_workshop *workshop, bool labelled) {
	for (size_t i = 0; i < workshop->units.count; i++)
		workshop->units.items[i].labelled = labelled;
}

/* The units as they ship, once. */
static int make_labelled(struct ifr_workshop *workshop, struct ifr_error *err) {
	struct ifr_plan none;
	if (workshop->labelled)
		return 0;
	ifr_plan_init(&none);
	workshop->labelled = ifr_alloc((workshop->units.count + 1) * sizeof *workshop->labelled);
	int result = workshop_make_units(workshop, &none, err);
	for (size_t i = 0; i < workshop->units.count && !result; i++)
		result = ifr_file_read(workshop->units.items[i].object, 0, &workshop->labelled[i], err);
	if (result)
		workshop_release_labelled(workshop);
	ifr_plan_release(&none);
	return result;
}

static int read_units(struct ifr_workshop *workshop, struct ifr_workshop_layout *layout, struct ifr_error *err) {
	const struct units_again *units = &workshop->units;
	int result = 0;
	layout->units = ifr_alloc((units->count + 1) * sizeof *layout->units);
	for (size_t i = 0; i < units->count && !result; i++) {
		struct ifr_workshop_unit *unit = &layout->units[layout->unit_count++];
		*unit = (struct ifr_workshop_unit){
			.input = units->items[i].input, .member = units->items[i].member, .shipped = &workshop->labelled[i]};
		result = ifr_file_read(units->items[i].object, 0, &unit->made, err);
	}
	return result;
}

static int link_units(const struct ifr_workshop *workshop, const struct ifr_plan *plan,
                      struct ifr_workshop_layout *layout, struct ifr_error *err) {
	layout->workshop = workshop;
	layout->derived = ifr_alloc(sizeof *layout->derived);
	int result = workshop_derive(workshop, plan, layout->derived, err);
	return result ? result : ifr_relinker_place(layout->derived->relinker, plan, &layout->layout, err);
}

int ifr_workshop_lay_out(struct ifr_workshop *workshop, const struct ifr_plan *plan,
                         struct ifr_workshop_layout *layout, struct ifr_error *err) {
	*layout = (struct ifr_workshop_layout){0};
	const unsigned axes = ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN);
	if (!axes)
		return ifr_relinker_place(workshop->relinker, plan, &layout->layout, err);
	if (ifr_workshop_recompiles(axes))
		return ifr_fail(err, IFR_E_USAGE,
		                "frames and globals change what the program executes: such a plan's "
		                "layout is no layout of the shipped program");
	int result = ifr_workshop_check(workshop, axes, err);
	list_labels(workshop, true);
	if (!result)
		result = make_labelled(workshop, err);
	if (!result)
		result = workshop_make_units(workshop, plan, err);
	list_labels(workshop, false);
	if (!result)
		result = read_units(workshop, layout, err);
	if (!result)
		result = link_units(workshop, plan, layout, err);
	return result;
}

void ifr_workshop_layout_release(struct ifr_workshop_layout *layout) {
	ifr_layout_close(layout->layout);
	for (size_t i = 0; i < layout->unit_count; i++)
		ifr_buffer_release(&layout->units[i].made);
	free(layout->units);
	if (layout->derived)
		workshop_derived_close(layout->workshop, layout->derived);
	free(layout->derived);
	*layout = (struct ifr_workshop_layout){0};
}
