/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making units again: compiled where their code changes, assembled where anything does, many at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/recompilation.h"
#include "harness/build/rebuilt_units.h"

enum { MOST_THREADS = 64 };

/* Whether the plan changed it shows in its note: nothing told, nothing done, unless it was compiled under a plan
 * of its own, which this one may take back. */
static bool is_changed(const struct rebuilt_unit *unit, const struct ifr_note *note) {
	return unit->rewritten || unit->compiled || unit->labelled || note->entry_count ||
	       strstr(ifr_buffer_text(&unit->text), "\n" IFR_MARK_PLAN " ");
}

/* Whether the unit's code may be another than its template's: by the plan's axes, or without those that it was
 * compiled under. */
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

static void take_counts(struct rebuilt_unit *unit, const struct ifr_note *note) {
	unit->nops = note->did.nops;
	unit->aligned = note->did.functions + note->did.loops;
	unit->ordered = note->did.ordered;
	unit->frames = note->did.frames;
	unit->variables = note->did.variables;
}

/* Assembles a unit under the plan from this text, its own or a newly compiled one. */
static int assemble(struct rebuilt_unit *unit, const struct ifr_buffer *text, const struct ifr_plan *plan,
                    struct ifr_error *err) {
	struct ifr_buffer assembly = {0};
	struct ifr_note note;
	char *source = ifr_format("%s.s", unit->object);
	int result = ifr_template_expand(text->data, text->length, plan, unit->key, &assembly, &note, err);
	unit->changed = !result && is_changed(unit, &note);
	if (!result && unit->labelled)
		ifr_template_list_labels(&assembly);
	take_counts(unit, &note);
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

static int make(struct rebuilt_unit *unit, const void *data, struct ifr_error *err) {
	const struct ifr_plan *plan = data;
	struct ifr_plan merged;
	struct ifr_buffer text = {0};
	ifr_plan_init(&merged);
	int result = needs_compiler(unit, plan, &merged, &unit->compiled, err);
	if (!result && unit->compiled)
		result = unit_compile(unit, &merged, unit->object, &text, err);
	if (!result)
		result = assemble(unit, unit->compiled ? &text : &unit->text, plan, err);
	ifr_buffer_release(&text);
	ifr_plan_release(&merged);
	return result;
}

/* A unit that does not come out as before, or not at all, keeps the form in which it ships. */
static int try_unit(struct rebuilt_unit *unit, const void *data, struct ifr_error *err) {
	struct ifr_plan none, own;
	struct ifr_buffer text = {0};
	struct ifr_error why = {0};
	bool same = false;
	(void)data;
	if (unit->no_recipe)
		return 0;
	ifr_plan_init(&none);
	ifr_plan_init(&own);
	int result = ifr_template_merge_plan(unit->text.data, unit->text.length, &none, &own, err);
	if (!result && unit_compile(unit, &own, unit->object, &text, &why))
		unit->no_recipe = ifr_strdup(why.message);
	else if (!result)
		result = unit_same_code(unit, &text, unit->object, &same, err);
	if (!result && !same && !unit->no_recipe)
		unit->no_recipe = ifr_strdup("compiled again it is not what it was");
	ifr_buffer_release(&text);
	ifr_plan_release(&own);
	return result;
}

/* What the threads share: units are taken one by one. */
struct work {
	struct rebuilt_units *units;
	rebuilt_units_task task;
	const void *data;
	pthread_mutex_t lock;
	size_t next;
	struct ifr_error err; /* the first; its code ends the work */
};

static void *work_on(void *data) {
	struct work *work = data;
	for (;;) {
		struct ifr_error err = {0};
		pthread_mutex_lock(&work->lock);
		size_t mine = work->err.code ? work->units->count : work->next++;
		pthread_mutex_unlock(&work->lock);
		if (mine >= work->units->count)
			return NULL;
		if (!work->task(&work->units->items[mine], work->data, &err))
			continue;
		pthread_mutex_lock(&work->lock);
		work->err = err;
		pthread_mutex_unlock(&work->lock);
	}
}

int rebuilt_units_each(struct rebuilt_units *units, rebuilt_units_task task, const void *data,
                       struct ifr_error *err) {
	struct work work = {.units = units, .task = task, .data = data};
	pthread_t threads[MOST_THREADS];
	size_t started = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_mutex_init(&work.lock, NULL);
	while ((long)started < processors - 1 && started < MOST_THREADS && started + 1 < units->count &&
	       !pthread_create(&threads[started], NULL, work_on, &work))
		started++;
	work_on(&work);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&work.lock);
	return work.err.code ? ifr_fail(err, work.err.code, "%s", work.err.message) : 0;
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
	return rebuilt_units_each(units, make, plan, err);
}

int rebuilt_units_try_recipes(struct rebuilt_units *units, const char *folder, struct ifr_error *err) {
	name_objects(units, folder);
	return rebuilt_units_each(units, try_unit, NULL, err);
}
