/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/variant_builder_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/file.h"
#include "compiletime/compiletime.h"

/* Reduces axes to the compiler's axes that change code, and thus need a compiler. */
static unsigned recompiled_axes(unsigned axes) {
	return axes & ifr_axes_of(IFR_OWNER_PLUGIN) & ~ifr_template_axes();
}

bool ifr_axes_recompile(unsigned axes) {
	return recompiled_axes(axes);
}

int ifr_builder_open(const struct ifr_kit *kit, struct ifr_builder **opened, struct ifr_error *err) {
	struct ifr_builder *builder = ifr_alloc(sizeof *builder);
	builder->kit = kit;
	builder->overlay.kit = kit;
	int result = ifr_relinker_open(kit, &builder->relinker, err);
	if (!result)
		result = rebuilt_units_read(kit, &builder->units, err);
	if (result)
		ifr_builder_close(builder);
	else
		*opened = builder;
	return result;
}

void builder_release_labelled(struct ifr_builder *builder) {
	for (size_t i = 0; builder->labelled && i < builder->units.count; i++)
		ifr_buffer_release(&builder->labelled[i]);
	free(builder->labelled);
	builder->labelled = NULL;
}

void ifr_builder_close(struct ifr_builder *builder) {
	if (!builder)
		return;
	ifr_relinker_close(builder->relinker);
	builder_release_labelled(builder);
	rebuilt_units_release(&builder->units);
	overlay_kit_close(&builder->overlay);
	free(builder);
}

const struct ifr_kit *ifr_builder_kit(const struct ifr_builder *builder) {
	return builder->kit;
}

struct ifr_relinker *ifr_builder_relinker(const struct ifr_builder *builder) {
	return builder->relinker;
}

size_t ifr_builder_count_templates(const struct ifr_builder *builder) {
	return builder->units.count;
}

int ifr_builder_check(const struct ifr_builder *builder, unsigned axes, struct ifr_error *err) {
	unsigned compiled = axes & ifr_axes_of(IFR_OWNER_PLUGIN);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		if (!(compiled & 1u << i))
			continue;
		if (recompiled_axes(1u << i) && !rebuilt_units_count_recipes(&builder->units))
			return ifr_fail(
				err, IFR_E_USAGE,
				"the axis %s changes code, so that units are compiled again, and the kit of %s has no "
				"sources (%s): build again with INTERFERO_SOURCES=1 make CC=interfero-gcc CXX=interfero-g++",
				ifr_axes[i].name, builder->kit->program,
				builder->units.count ? builder->units.items[0].no_recipe : "and no templates");
		if (!builder->units.count)
			return ifr_fail(
				err, IFR_E_USAGE,
				"the axis %s needs units that were compiled as templates, and the kit of %s has none: build "
				"again with INTERFERO_TEMPLATES=1 make CC=interfero-gcc CXX=interfero-g++",
				ifr_axes[i].name, builder->kit->program);
	}
	return 0;
}

/* Gives the overlay kit a key and a build-id of its own, derived from the base kit's key and the compiler's axes
 * of the plan. */
static void identify_overlay_kit(const struct ifr_builder *builder, const struct ifr_plan *plan,
                                 struct ifr_kit *overlay) {
	struct ifr_plan own;
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX];
	ifr_plan_copy(&own, plan);
	*own.name = *own.kit = '\0';
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		own.axis[i].on = own.axis[i].on && ifr_axes_of(IFR_OWNER_PLUGIN) & 1u << i;
	own.place_count = 0;
	ifr_buffer_printf(&text, "%s\n", builder->kit->key);
	ifr_plan_print_keyed(&own, &text);
	own.place_count = plan->place_count;
	ifr_plan_release(&own);
	ifr_sha256(ifr_buffer_text(&text), text.length, digest);
	ifr_buffer_release(&text);
	*overlay = *builder->kit;
	overlay->dir = builder->overlay.folder;
	snprintf(overlay->key, sizeof overlay->key, "%s", digest);
	overlay->build_id = ifr_strdup(builder->kit->build_id);
	for (size_t i = 0; overlay->build_id[i]; i++)
		overlay->build_id[i] = digest[i % (sizeof digest - 1)];
}

static void print_facts(const struct ifr_builder *builder, struct ifr_buffer *facts) {
	struct ifr_buffer further = {0};
	size_t assembled = 0, compiled = 0;
	uint64_t ordered = 0, nops = 0, aligned = 0, frames = 0, variables = 0, checks = 0, split = 0, copies = 0;
	for (size_t i = 0; i < builder->units.count; i++) {
		const struct rebuilt_unit *unit = &builder->units.items[i];
		assembled += unit->changed;
		compiled += unit->compiled;
		frames += unit->frames;
		variables += unit->variables;
		checks += unit->checks;
		split += unit->split;
		copies += unit->copies;
		ordered += unit->ordered;
		nops += unit->nops;
		aligned += unit->aligned;
	}
	ifr_buffer_printf(facts,
	                  "templates: %zu of %zu units assembled, %" PRIu64 " functions ordered, %" PRIu64
	                  " places with nops, %" PRIu64 " functions and loops aligned\n",
	                  assembled, builder->units.count, ordered, nops, aligned);
	if (split || copies)
		ifr_buffer_printf(&further, ", %" PRIu64 " loops in parts, %" PRIu64 " copies of joins", split, copies);
	if (compiled)
		ifr_buffer_printf(facts,
		                  "compiled again: %zu units, %" PRIu64 " frames wider, %" PRIu64
		                  " variables ordered, %" PRIu64 " loops in two versions%s\n",
		                  compiled, frames, variables, checks, ifr_buffer_text(&further));
	for (size_t i = 0; i < builder->units.count; i++)
		if (builder->units.items[i].compiled && builder->units.items[i].remark)
			ifr_buffer_printf(facts, "%s\n", builder->units.items[i].remark);
	ifr_buffer_release(&further);
}

int builder_overlay_open(const struct ifr_builder *builder, const struct ifr_plan *plan,
                         struct ifr_builder_overlay *overlay, struct ifr_error *err) {
	*overlay = (struct ifr_builder_overlay){0};
	int result = overlay_kit_place(&builder->overlay, &builder->units, err);
	if (result)
		return result;
	identify_overlay_kit(builder, plan, &overlay->kit);
	return ifr_relinker_open(&overlay->kit, &overlay->relinker, err);
}

void builder_overlay_close(const struct ifr_builder *builder, struct ifr_builder_overlay *overlay) {
	ifr_relinker_close(overlay->relinker);
	overlay_kit_remove_images(&builder->overlay);
	free(overlay->kit.build_id);
}

/* Tries the recipes and times the compilation. */
static int time_trial(struct ifr_builder *builder, int64_t deadline_ns, struct ifr_error *err) {
	const int64_t start_ns = ifr_clock_ns();
	const size_t recipes = rebuilt_units_count_recipes(&builder->units);
	size_t tried = 0;
	int result = overlay_kit_open(&builder->overlay, err);
	if (!result)
		result = rebuilt_units_try_recipes(&builder->units, builder->overlay.objects, deadline_ns, &tried, err);
	builder->trial = (struct ifr_rebuild_trial){rebuilt_units_count_recipes(&builder->units), recipes - tried,
	                                            (double)(ifr_clock_ns() - start_ns) / 1e9};
	if (!result && !builder->trial.units)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "no unit of %s can be compiled again: %s", builder->kit->program,
		                  builder->units.items[0].no_recipe);
	builder->tried = !result && !builder->trial.left;
	return result;
}

int ifr_builder_try_recipes(struct ifr_builder *builder, unsigned axes, int64_t deadline_ns,
                            struct ifr_rebuild_trial *trial, struct ifr_error *err) {
	*trial = (struct ifr_rebuild_trial){0};
	if (!recompiled_axes(axes))
		return 0;
	int result = ifr_builder_check(builder, axes, err);
	if (!result && !builder->tried)
		result = time_trial(builder, deadline_ns, err);
	*trial = builder->trial;
	return result;
}

char *ifr_rebuild_trial_describe(const struct ifr_rebuild_trial *trial, unsigned variants) {
	return ifr_format("%zu unit%s compiled in %.1f s: %u variant%s about %.0f s to make", trial->units,
	                  trial->units == 1 ? "" : "s", trial->seconds, variants, variants == 1 ? " takes" : "s take",
	                  trial->seconds * variants);
}

void ifr_builder_print_unbuildable(const struct ifr_builder *builder, unsigned axes, struct ifr_buffer *lines) {
	if (axes & ifr_axes_of(IFR_OWNER_PLUGIN))
		rebuilt_units_print_unbuildable(&builder->units, recompiled_axes(axes), lines);
}

int builder_rebuild_units(struct ifr_builder *builder, const struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_rebuild_trial trial;
	int result = ifr_builder_check(builder, ifr_plan_axes(plan), err);
	if (!result)
		result = ifr_builder_try_recipes(builder, ifr_plan_axes(plan), INT64_MAX, &trial, err);
	if (!result)
		result = overlay_kit_open(&builder->overlay, err);
	if (!result)
		result = rebuilt_units_assemble(&builder->units, plan, builder->overlay.objects, err);
	return result;
}

static int visit_object(const struct ifr_builder *builder, const struct rebuilt_unit *unit,
                        ifr_builder_visit visit, void *data, struct ifr_error *err) {
	struct ifr_buffer shipped = {0}, rebuilt = {0};
	char *name = ifr_format("%s%s%s", ifr_path_base(unit->input), *unit->member ? ":" : "", unit->member);
	int result = unit_read_shipped(builder->kit, unit, &shipped, err);
	if (!result)
		result = ifr_file_read(unit->object, 0, &rebuilt, err);
	if (!result)
		result = visit(name, &shipped, &rebuilt, data, err);
	ifr_buffer_release(&shipped);
	ifr_buffer_release(&rebuilt);
	free(name);
	return result;
}

int ifr_builder_visit_objects(struct ifr_builder *builder, const struct ifr_plan *plan, ifr_builder_visit visit,
                              void *data, struct ifr_error *err) {
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
		return 0;
	int result = builder_rebuild_units(builder, plan, err);
	for (size_t i = 0; i < builder->units.count && !result; i++) {
		const struct rebuilt_unit *unit = &builder->units.items[i];
		if (unit->changed && !unit->compiled)
			result = visit_object(builder, unit, visit, data, err);
	}
	return result;
}

int ifr_builder_make(struct ifr_builder *builder, const struct ifr_plan *plan, const char *path,
                     struct ifr_variant *variant, struct ifr_error *err) {
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
		return ifr_relinker_make(builder->relinker, plan, path, variant, err);
	struct ifr_builder_overlay overlay;
	int result = builder_rebuild_units(builder, plan, err);
	if (result)
		return result;
	result = builder_overlay_open(builder, plan, &overlay, err);
	if (!result)
		result = ifr_relinker_make(overlay.relinker, plan, path, variant, err);
	builder_overlay_close(builder, &overlay);
	if (!result)
		print_facts(builder, &variant->facts);
	return result;
}

int ifr_builder_write(struct ifr_builder *builder, const struct ifr_plan *plan, const char *folder, bool plan_too,
                      struct ifr_variant *variant, struct ifr_error *err) {
	char *path = ifr_format("%s/%s", folder, plan->name), *plan_path = ifr_format("%s.plan", path);
	struct ifr_buffer text = {0};
	ifr_plan_print(plan, &text);
	int result = ifr_builder_make(builder, plan, path, variant, err);
	if (!result && plan_too)
		result = ifr_file_write(plan_path, ifr_buffer_text(&text), text.length, 0644, err);
	ifr_buffer_release(&text);
	free(plan_path);
	free(path);
	return result;
}
