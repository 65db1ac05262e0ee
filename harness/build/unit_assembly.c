/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rebuilds units in parallel: compiles those whose code changes, assembles those with any change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/parallel.h"
#include "harness/build/recompilation.h"
#include "harness/build/rebuilt_units.h"

/* Whether the object file differs from the shipped one. The note of a changed unit has entries; only a unit that
 * ships under a plan of its own may change without any, because this plan takes the shipped one back. */
static bool is_changed(const struct rebuilt_unit *unit, const struct ifr_note *note) {
	return unit->rewritten || unit->compiled || unit->labelled || note->entry_count ||
	       strstr(ifr_buffer_text(&unit->text), "\n" IFR_MARK_PLAN " ");
}

/* Whether the unit's code may differ from its template's: because of the plan's axes, or because the template was
 * compiled under axes that the plan does not have. */
static int needs_compiler(const struct rebuilt_unit *unit, const struct ifr_plan *plan, struct ifr_plan *merged,
                          bool *needed, struct ifr_error *err) {
	struct ifr_plan none, own;
	const char *text = ifr_buffer_text(&unit->text);
	unsigned axes = ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN) & ~ifr_template_axes();
	ifr_plan_init(&none);
	ifr_plan_init(&own);
	*needed = false;
	int result = ifr_template_merge_plan(text, unit->text.length, plan, merged, err);
	if (!result && axes && !unit->no_recipe && !unit->rewritten) {
		result = ifr_template_merge_plan(text, unit->text.length, &none, &own, err);
		*needed = !result && (ifr_template_needs_recompilation(text, unit->text.length, merged) ||
		                      ifr_template_needs_recompilation(text, unit->text.length, &own));
	}
	ifr_plan_release(&own);
	return result;
}

static void store_counts(struct rebuilt_unit *unit, const struct ifr_note *note) {
	unit->nops = note->did.nops;
	unit->aligned = note->did.functions + note->did.loops;
	unit->ordered = note->did.ordered;
	unit->frames = note->did.frames;
	unit->variables = note->did.variables;
	unit->checks = note->did.checks;
	unit->split = note->did.split;
	unit->copies = note->did.copies;
}

/* Assembles a unit under the plan from a template: the kit's, or a newly compiled one. */
static int assemble_unit(struct rebuilt_unit *unit, const struct ifr_buffer *text, const struct ifr_plan *plan,
                         struct ifr_error *err) {
	struct ifr_buffer assembly = {0};
	struct ifr_note note;
	char *source = ifr_format("%s.s", unit->object);
	int result = ifr_template_expand(text->data, text->length, plan, unit->key, &assembly, &note, err);
	unit->changed = !result && is_changed(unit, &note);
	if (!result && unit->labelled)
		ifr_template_list_labels(&assembly);
	store_counts(unit, &note);
	if (unit->changed)
		result = ifr_file_write(source, ifr_buffer_text(&assembly), assembly.length, 0600, err);
	if (unit->changed && !result)
		result = unit_run_assembler(unit, source, unit->object, err);
	unlink(source);
	ifr_note_release(&note);
	ifr_buffer_release(&assembly);
	free(source);
	return result;
}

static int rebuild_unit(struct rebuilt_unit *unit, const void *data, struct ifr_error *err) {
	const struct ifr_plan *plan = data;
	struct ifr_plan merged;
	struct ifr_buffer text = {0};
	ifr_plan_init(&merged);
	int result = needs_compiler(unit, plan, &merged, &unit->compiled, err);
	if (!result && unit->compiled)
		result = unit_compile(unit, &merged, unit->object, &text, err);
	if (!result)
		result = assemble_unit(unit, unit->compiled ? &text : &unit->text, plan, err);
	ifr_buffer_release(&text);
	ifr_plan_release(&merged);
	return result;
}

/* The time of a trial, and the number of units that it began. */
struct trial {
	int64_t deadline_ns;
	_Atomic size_t *tried;
};

/* Removes the recipe of a unit that fails to compile or yields other code than the shipped. */
static int try_recipe(struct rebuilt_unit *unit, const void *data, struct ifr_error *err) {
	struct ifr_plan none, own;
	struct ifr_buffer text = {0};
	struct ifr_error why = {0};
	const struct trial *trial = data;
	bool same = false;
	if (unit->no_recipe || ifr_clock_ns() > trial->deadline_ns)
		return 0;
	(*trial->tried)++;
	ifr_plan_init(&none);
	ifr_plan_init(&own);
	int result = ifr_template_merge_plan(unit->text.data, unit->text.length, &none, &own, err);
	if (!result && unit_compile(unit, &own, unit->object, &text, &why))
		unit->no_recipe = ifr_strdup(why.message);
	else if (!result)
		result = unit_same_code(unit, &text, unit->object, &same, err);
	if (!result && !same && !unit->no_recipe)
		unit->no_recipe = ifr_strdup("compiled again it yields other code");
	ifr_buffer_release(&text);
	ifr_plan_release(&own);
	return result;
}

struct unit_loop {
	struct rebuilt_units *units;
	rebuilt_units_task task;
	const void *data;
};

static int run_task(size_t index, size_t thread, void *data, struct ifr_error *err) {
	const struct unit_loop *loop = data;
	(void)thread;
	return loop->task(&loop->units->items[index], loop->data, err);
}

int rebuilt_units_each(struct rebuilt_units *units, rebuilt_units_task task, const void *data,
                       struct ifr_error *err) {
	struct unit_loop loop = {units, task, data};
	return ifr_parallel_each(units->count, ifr_parallel_processors(), run_task, &loop, err);
}

static void name_objects(struct rebuilt_units *units, const char *folder) {
	for (size_t i = 0; i < units->count; i++) {
		free(units->items[i].object);
		units->items[i].object = ifr_format("%s/%zu.o", folder, i);
	}
}

int rebuilt_units_assemble(struct rebuilt_units *units, const struct ifr_plan *plan, const char *folder,
                           struct ifr_error *err) {
	name_objects(units, folder);
	return rebuilt_units_each(units, rebuild_unit, plan, err);
}

int rebuilt_units_try_recipes(struct rebuilt_units *units, const char *folder, int64_t deadline_ns, size_t *tried,
                              struct ifr_error *err) {
	_Atomic size_t count = 0;
	const struct trial trial = {deadline_ns, &count};
	name_objects(units, folder);
	int result = rebuilt_units_each(units, try_recipe, &trial, err);
	*tried = count;
	return result;
}
