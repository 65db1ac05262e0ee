/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/experiment/units_again.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "sites/sites.h"

enum { MOST_THREADS = 64 };

/* The input whose bytes have that digest, or NULL. */
static const struct ifr_kit_input *input_with(const struct ifr_kit *kit, const char *sha256) {
	for (size_t i = 0; i < kit->input_count; i++)
		if (!strcmp(kit->inputs[i].sha256, sha256))
			return &kit->inputs[i];
	return NULL;
}

struct search {
	const struct ifr_kit *kit;
	const char *input;
	struct units_again *units;
};

static bool member_known(const struct search *search, const char *member) {
	bool known = false;
	for (size_t i = 0; i < search->units->count; i++) {
		struct unit_again *unit = &search->units->items[i];
		if (*member && !strcmp(unit->input, search->input) && !strcmp(unit->member, member)) {
			*unit->key = '\0'; /* neither of the two */
			known = true;
		}
	}
	return known;
}

static void add_unit(struct search *search, const char *member, const char *key) {
	struct units_again *units = search->units;
	units->items = ifr_realloc(units->items, units->count + 1, sizeof *units->items);
	struct unit_again *unit = &units->items[units->count++];
	*unit = (struct unit_again){.input = ifr_strdup(search->input), .member = ifr_strdup(member)};
	strcpy(unit->key, key);
}

/* An object with several notes was joined from several units. */
static int find_unit(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct search *search = data;
	struct ifr_note note;
	char key[IFR_SHA256_HEX] = "";
	size_t offset = 0, notes = 0;
	(void)err;
	while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
		notes++;
		snprintf(key, sizeof key, "%s", note.template_key);
		ifr_note_release(&note);
	}
	if (!member_known(search, member) && notes == 1 && *key && input_with(search->kit, key))
		add_unit(search, member, key);
	return 0;
}

static int read_template(const struct ifr_kit *kit, struct unit_again *unit, struct ifr_error *err) {
	char *path = ifr_format("%s/root%s", kit->dir, input_with(kit, unit->key)->path);
	int result = ifr_file_read(path, 0, &unit->text, err);
	if (!result)
		ifr_template_arguments(ifr_buffer_text(&unit->text), unit->text.length, &unit->arguments);
	free(path);
	return result;
}

int units_again_read(const struct ifr_kit *kit, struct units_again *units, struct ifr_error *err) {
	*units = (struct units_again){0};
	int result = 0;
	for (size_t i = 0; i < kit->input_count; i++) {
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		struct search search = {kit, kit->inputs[i].path, units};
		/* Many inputs are linker scripts and the like. */
		ifr_sections_visit(path, IFR_NOTE_SECTION, find_unit, &search, NULL);
		free(path);
	}
	size_t kept = 0;
	for (size_t i = 0; i < units->count; i++)
		if (*units->items[i].key) {
			struct unit_again unit = units->items[i];
			units->items[i] = units->items[kept];
			units->items[kept++] = unit;
		}
	for (size_t i = 0; i < kept && !result; i++)
		result = read_template(kit, &units->items[i], err);
	/* Those left out lie behind the others. */
	for (size_t i = kept; i < units->count; i++) {
		free(units->items[i].input);
		free(units->items[i].member);
	}
	units->count = kept;
	return result;
}

void units_again_release(struct units_again *units) {
	for (size_t i = 0; i < units->count; i++) {
		struct unit_again *unit = &units->items[i];
		free(unit->input);
		free(unit->member);
		free(unit->object);
		ifr_buffer_release(&unit->text);
		ifr_strings_release(&unit->arguments);
	}
	free(units->items);
	*units = (struct units_again){0};
}

/* Runs the assembler; its first complaint is the error. */
static int run_assembler(const struct unit_again *unit, const char *source, struct ifr_error *err) {
	struct ifr_strings arguments = {0};
	struct ifr_buffer said = {0};
	int status = 0;
	ifr_strings_add(&arguments, "as");
	ifr_strings_add_all(&arguments, &unit->arguments);
	ifr_strings_add(&arguments, "-o");
	ifr_strings_add(&arguments, unit->object);
	ifr_strings_add(&arguments, source);
	struct ifr_process process = {.argv = (const char *const *)arguments.items, .out = &said, .errors = &said};
	int result = ifr_process_run(&process, &status, err);
	if (!result && status)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "the assembler refuses the template of %s%s%s: %.200s",
		                  unit->input, *unit->member ? ":" : "", unit->member, ifr_buffer_text(&said));
	ifr_buffer_release(&said);
	ifr_strings_release(&arguments);
	return result;
}

/* Whether the plan changed it shows in its note: nothing told, nothing done, unless it was compiled under a plan
 * of its own, which this one may take back. */
static bool is_changed(const struct unit_again *unit, const struct ifr_note *note) {
	return unit->rewritten || note->entry_count || strstr(ifr_buffer_text(&unit->text), "\n" IFR_MARK_PLAN " ");
}

static int assemble(struct unit_again *unit, const struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_buffer assembly = {0};
	struct ifr_note note;
	char *source = ifr_format("%s.s", unit->object);
	int result = ifr_template_expand(unit->text.data, unit->text.length, plan, unit->key, &assembly, &note, err);
	unit->changed = !result && is_changed(unit, &note);
	unit->nops = note.did.nops;
	unit->aligned = note.did.functions + note.did.loops;
	unit->ordered = note.did.ordered;
	if (unit->changed)
		result = ifr_file_write(source, ifr_buffer_text(&assembly), assembly.length, 0600, err);
	if (unit->changed && !result)
		result = run_assembler(unit, source, err);
	unlink(source);
	ifr_note_release(&note);
	ifr_buffer_release(&assembly);
	free(source);
	return result;
}

/* What the threads share: units are taken one by one. */
struct work {
	struct units_again *units;
	const struct ifr_plan *plan;
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
		if (!assemble(&work->units->items[mine], work->plan, &err))
			continue;
		pthread_mutex_lock(&work->lock);
		work->err = err;
		pthread_mutex_unlock(&work->lock);
	}
}

int units_again_assemble(struct units_again *units, const struct ifr_plan *plan, const char *folder,
                         struct ifr_error *err) {
	struct work work = {.units = units, .plan = plan};
	pthread_t threads[MOST_THREADS];
	size_t started = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	for (size_t i = 0; i < units->count; i++) {
		free(units->items[i].object);
		units->items[i].object = ifr_format("%s/%zu.o", folder, i);
	}
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
