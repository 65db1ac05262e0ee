/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/experiment/workshop_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/file.h"

#include "compiletime/compiletime.h"

/* The axes of the compiler that change code. */
static unsigned recompiled_axes(unsigned axes) {
	return axes & ifr_axes_of(IFR_OWNER_PLUGIN) & ~ifr_template_axes();
}

bool ifr_workshop_recompiles(unsigned axes) {
	return recompiled_axes(axes);
}

int ifr_workshop_open(const struct ifr_kit *kit, struct ifr_workshop **opened, struct ifr_error *err) {
	struct ifr_workshop *workshop = ifr_alloc(sizeof *workshop);
	workshop->kit = kit;
	workshop->derived.kit = kit;
	int result = ifr_relinker_open(kit, &workshop->relinker, err);
	if (!result)
		result = units_again_read(kit, &workshop->units, err);
	if (result)
		ifr_workshop_close(workshop);
	else
		*opened = workshop;
	return result;
}

void ifr_workshop_close(struct ifr_workshop *workshop) {
	if (!workshop)
		return;
	ifr_relinker_close(workshop->relinker);
	workshop_release_labelled(workshop);
	units_again_release(&workshop->units);
	derived_close(&workshop->derived);
	free(workshop);
}

const struct ifr_kit *ifr_workshop_kit(const struct ifr_workshop *workshop) {
	return workshop->kit;
}

struct ifr_relinker *ifr_workshop_relinker(const struct ifr_workshop *workshop) {
	return workshop->relinker;
}

size_t ifr_workshop_templates(const struct ifr_workshop *workshop) {
	return workshop->units.count;
}

int ifr_workshop_check(const struct ifr_workshop *workshop, unsigned axes, struct ifr_error *err) {
	unsigned compiled = axes & ifr_axes_of(IFR_OWNER_PLUGIN);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		if (!(compiled & 1u << i))
			continue;
		if (recompiled_axes(1u << i) && !units_again_recipes(&workshop->units))
			return ifr_fail(err, IFR_E_USAGE,
			                "the axis %s changes code, so that units are compiled again, and the kit of %s has no "
			                "sources (%s): build again with INTERFERO_SOURCES=1 make CC=interfero-gcc",
			                ifr_axes[i].name, workshop->kit->program,
			                workshop->units.count ? workshop->units.items[0].no_recipe : "and no templates");
		if (!workshop->units.count)
			return ifr_fail(
				err, IFR_E_USAGE,
				"the axis %s needs units that were compiled as templates, and the kit of %s has none: build "
				"again with INTERFERO_TEMPLATES=1 make CC=interfero-gcc",
				ifr_axes[i].name, workshop->kit->program);
	}
	return 0;
}

/* Key and build-id of a derived kit: they depend on the kit and on the axes that made it. */
static void derive_kit(const struct ifr_workshop *workshop, const struct ifr_plan *plan, struct ifr_kit *derived) {
	struct ifr_plan own;
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX];
	ifr_plan_copy(&own, plan);
	*own.name = *own.kit = '\0';
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		own.axis[i].on = own.axis[i].on && ifr_axes_of(IFR_OWNER_PLUGIN) & 1u << i;
	own.place_count = 0;
	ifr_buffer_printf(&text, "%s\n", workshop->kit->key);
	ifr_plan_print(&own, &text);
	own.place_count = plan->place_count;
	ifr_plan_release(&own);
	ifr_sha256(ifr_buffer_text(&text), text.length, digest);
	ifr_buffer_release(&text);
	*derived = *workshop->kit;
	derived->dir = workshop->derived.folder;
	snprintf(derived->key, sizeof derived->key, "%s", digest);
	derived->build_id = ifr_strdup(workshop->kit->build_id);
	for (size_t i = 0; derived->build_id[i]; i++)
		derived->build_id[i] = digest[i % (sizeof digest - 1)];
}

static void print_facts(const struct ifr_workshop *workshop, struct ifr_buffer *facts) {
	size_t assembled = 0, compiled = 0;
	uint64_t ordered = 0, nops = 0, aligned = 0, frames = 0, variables = 0;
	for (size_t i = 0; i < workshop->units.count; i++) {
		const struct unit_again *unit = &workshop->units.items[i];
		assembled += unit->changed;
		compiled += unit->compiled;
		frames += unit->frames;
		variables += unit->variables;
		ordered += unit->ordered;
		nops += unit->nops;
		aligned += unit->aligned;
	}
	ifr_buffer_printf(facts,
	                  "templates: %zu of %zu units assembled, %" PRIu64 " functions ordered, %" PRIu64
	                  " places with nops, %" PRIu64 " functions and loops aligned\n",
	                  assembled, workshop->units.count, ordered, nops, aligned);
	if (compiled)
		ifr_buffer_printf(facts,
		                  "compiled again: %zu units, %" PRIu64 " frames wider, %" PRIu64 " variables ordered\n",
		                  compiled, frames, variables);
}

int workshop_derive(const struct ifr_workshop *workshop, const struct ifr_plan *plan,
                    struct ifr_workshop_derived *derived, struct ifr_error *err) {
	*derived = (struct ifr_workshop_derived){0};
	int result = derived_place(&workshop->derived, &workshop->units, err);
	if (result)
		return result;
	derive_kit(workshop, plan, &derived->kit);
	return ifr_relinker_open(&derived->kit, &derived->relinker, err);
}

void workshop_derived_close(const struct ifr_workshop *workshop, struct ifr_workshop_derived *derived) {
	ifr_relinker_close(derived->relinker);
	derived_remove_images(&workshop->derived);
	free(derived->kit.build_id);
}

static double now_seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int try_recipes(struct ifr_workshop *workshop, struct ifr_error *err) {
	double start = now_seconds();
	int result = derived_open(&workshop->derived, err);
	if (!result)
		result = units_again_try(&workshop->units, workshop->derived.objects, err);
	workshop->trial = (struct ifr_workshop_trial){units_again_recipes(&workshop->units), now_seconds() - start};
	if (!result && !workshop->trial.units)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "no unit of %s can be compiled again: %s",
		                  workshop->kit->program, workshop->units.items[0].no_recipe);
	workshop->tried = !result;
	return result;
}

int ifr_workshop_try(struct ifr_workshop *workshop, unsigned axes, struct ifr_workshop_trial *trial,
                     struct ifr_error *err) {
	*trial = (struct ifr_workshop_trial){0};
	if (!recompiled_axes(axes))
		return 0;
	int result = ifr_workshop_check(workshop, axes, err);
	if (!result && !workshop->tried)
		result = try_recipes(workshop, err);
	*trial = workshop->trial;
	return result;
}

char *ifr_workshop_describe_trial(const struct ifr_workshop_trial *trial, unsigned variants) {
	return ifr_format("%zu unit%s compiled in %.1f s: %u variant%s about %.0f s to make", trial->units,
	                  trial->units == 1 ? "" : "s", trial->seconds, variants, variants == 1 ? " takes" : "s take",
	                  trial->seconds * variants);
}

void ifr_workshop_print_left(const struct ifr_workshop *workshop, unsigned axes, struct ifr_buffer *lines) {
	if (axes & ifr_axes_of(IFR_OWNER_PLUGIN))
		units_again_print_left(&workshop->units, recompiled_axes(axes), lines);
}

int workshop_make_units(struct ifr_workshop *workshop, const struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_workshop_trial trial;
	int result = ifr_workshop_check(workshop, ifr_plan_axes(plan), err);
	if (!result)
		result = ifr_workshop_try(workshop, ifr_plan_axes(plan), &trial, err);
	if (!result)
		result = derived_open(&workshop->derived, err);
	if (!result)
		result = units_again_assemble(&workshop->units, plan, workshop->derived.objects, err);
	return result;
}

static int visit_object(const struct ifr_workshop *workshop, const struct unit_again *unit,
                        ifr_workshop_visit visit, void *data, struct ifr_error *err) {
	struct ifr_buffer shipped = {0}, made = {0};
	char *name = ifr_format("%s%s%s", ifr_path_base(unit->input), *unit->member ? ":" : "", unit->member);
	int result = unit_read_shipped(workshop->kit, unit, &shipped, err);
	if (!result)
		result = ifr_file_read(unit->object, 0, &made, err);
	if (!result)
		result = visit(name, &shipped, &made, data, err);
	ifr_buffer_release(&shipped);
	ifr_buffer_release(&made);
	free(name);
	return result;
}

int ifr_workshop_visit_objects(struct ifr_workshop *workshop, const struct ifr_plan *plan,
                               ifr_workshop_visit visit, void *data, struct ifr_error *err) {
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
		return 0;
	int result = workshop_make_units(workshop, plan, err);
	for (size_t i = 0; i < workshop->units.count && !result; i++) {
		const struct unit_again *unit = &workshop->units.items[i];
		if (unit->changed && !unit->compiled)
			result = visit_object(workshop, unit, visit, data, err);
	}
	return result;
}

int ifr_workshop_make(struct ifr_workshop *workshop, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err) {
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
		return ifr_relinker_make(workshop->relinker, plan, path, variant, err);
	struct ifr_workshop_derived derived;
	int result = workshop_make_units(workshop, plan, err);
	if (result)
		return result;
	result = workshop_derive(workshop, plan, &derived, err);
	if (!result)
		result = ifr_relinker_make(derived.relinker, plan, path, variant, err);
	workshop_derived_close(workshop, &derived);
	if (!result)
		print_facts(workshop, &variant->facts);
	return result;
}
