/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the counting and the limited program: assembles rewritten templates and links them in an overlay kit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/limit/stages.h"
#include "relinker/relinker.h"
#include "compiletime/compiletime.h"

static int limit_build_open(const struct ifr_kit *kit, struct limit_build *build, struct ifr_error *err) {
	*build = (struct limit_build){.overlay.kit = kit};
	int result = ifr_kit_load(kit->key, &build->kit, err);
	if (!result)
		result = rebuilt_units_read(kit, &build->units, err);
	if (!result && !build->units.count)
		result = ifr_fail(err, IFR_E_USAGE,
		                  "the kit of %s has no units that were compiled as templates, in which entries could be "
		                  "counted: build again with INTERFERO_TEMPLATES=1 make CC=interfero-gcc",
		                  kit->program);
	if (!result)
		result = overlay_kit_open(&build->overlay, err);
	return result;
}

void limit_build_close(struct limit_build *build) {
	overlay_kit_close(&build->overlay);
	rebuilt_units_release(&build->units);
	ifr_kit_release(&build->kit);
}

/* Replaces the template of a unit, which takes over text. */
static void replace_template(struct rebuilt_unit *unit, struct ifr_buffer *text) {
	ifr_buffer_release(&unit->text);
	unit->text = *text;
	ifr_sha256(unit->text.data, unit->text.length, unit->key);
	unit->rewritten = true;
}

/* Sets a build-id of the same length, derived from the kit and the template. */
static void set_build_id(struct ifr_kit *kit, const char *template_key) {
	char *text = ifr_format("%s\nlimit %s\n", kit->key, template_key), digest[IFR_SHA256_HEX];
	ifr_sha256(text, strlen(text), digest);
	for (size_t i = 0; kit->build_id[i]; i++)
		kit->build_id[i] = digest[i % (sizeof digest - 1)];
	free(text);
}

/* Assembles the rewritten units and links the shipped layout. */
static int link_program(struct limit_build *build, const char *path, struct ifr_error *err) {
	struct ifr_plan none;
	struct ifr_variant variant = {0};
	struct ifr_relinker *relinker = NULL;
	ifr_plan_init(&none);
	int result = rebuilt_units_assemble(&build->units, &none, build->overlay.objects, err);
	if (!result)
		result = overlay_kit_place(&build->overlay, &build->units, err);
	free(build->kit.dir);
	build->kit.dir = ifr_strdup(build->overlay.folder);
	if (!result)
		result = ifr_relinker_open(&build->kit, &relinker, err);
	if (!result)
		result = ifr_relinker_make(relinker, &none, path, &variant, err);
	ifr_relinker_close(relinker);
	ifr_buffer_release(&variant.facts);
	ifr_plan_release(&none);
	return result;
}

void procedures_release(struct procedures *procedures) {
	free(procedures->items);
	ifr_strings_release(&procedures->names);
	*procedures = (struct procedures){0};
}

static int count_unit(struct limit_build *build, size_t number, struct procedures *procedures,
                      struct ifr_error *err) {
	struct rebuilt_unit *unit = &build->units.items[number];
	struct ifr_buffer text = {0};
	size_t first = procedures->names.count;
	int result =
		ifr_entries_add_counters(unit->text.data, unit->text.length, first, &text, &procedures->names, err);
	if (result || procedures->names.count == first) {
		ifr_buffer_release(&text);
		return result;
	}
	replace_template(unit, &text);
	procedures->count = procedures->names.count;
	procedures->items = ifr_realloc(procedures->items, procedures->count, sizeof *procedures->items);
	for (size_t i = first; i < procedures->count; i++)
		procedures->items[i] = (struct procedure){.unit = number, .index = i - first};
	return 0;
}

int link_counting_program(const struct ifr_kit *kit, const char *path, struct procedures *procedures,
                          struct ifr_error *err) {
	struct limit_build build;
	int result = limit_build_open(kit, &build, err);
	for (size_t i = 0; i < build.units.count && !result; i++)
		result = count_unit(&build, i, procedures, err);
	for (size_t i = 0; i < procedures->count; i++)
		procedures->items[i].name = procedures->names.items[i];
	if (!result && !procedures->count)
		result = ifr_fail(err, IFR_E_USAGE, "no unit of %s with a template has a function to count", kit->program);
	if (!result)
		result = link_program(&build, path, err);
	limit_build_close(&build);
	return result;
}

/* Adds the rewritten template to the inputs of the new kit, so that variants of the unit can be made. */
static int add_template(struct limit_build *build, const struct rebuilt_unit *unit, struct ifr_error *err) {
	char *kept = NULL;
	int result = ifr_kit_object_path(unit->key, &kept, err);
	if (result)
		return result;
	char *cwd = getcwd(NULL, 0), *path = ifr_path_normalise(cwd ? cwd : "/", kept);
	char *file = ifr_format("%s/root%s", build->overlay.folder, path), *folder = ifr_path_dir(file);
	ifr_kit_add_input(&build->kit, path);
	result = ifr_dir_make(folder, err);
	if (!result)
		result = ifr_file_write(file, unit->text.data, unit->text.length, 0444, err);
	free(folder);
	free(file);
	free(path);
	free(cwd);
	free(kept);
	return result;
}

int link_limited_program(const struct ifr_kit *kit, const struct procedure *procedure, const char *path,
                         struct limit_build *build, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = limit_build_open(kit, build, err);
	struct rebuilt_unit *unit = result ? NULL : &build->units.items[procedure->unit];
	if (!result)
		result = ifr_entries_add_exit(unit->text.data, unit->text.length, procedure->index, procedure->count,
		                              &text, err);
	if (!result) {
		replace_template(unit, &text);
		set_build_id(&build->kit, unit->key);
		result = link_program(build, path, err);
	}
	if (!result)
		result = add_template(build, unit, err);
	return result;
}

int limit_build_save_kit(struct limit_build *build, const char *path, struct ifr_error *err) {
	struct ifr_kit *kit = &build->kit;
	char digest[IFR_SHA256_HEX], *cwd = getcwd(NULL, 0);
	int result = ifr_sha256_file(path, digest, NULL, err);
	if (!result) {
		snprintf(kit->key, sizeof kit->key, "%s%s", *kit->build_id ? "" : "sha256-",
		         *kit->build_id ? kit->build_id : digest);
		free(kit->sha256);
		free(kit->program);
		free(kit->output);
		kit->sha256 = ifr_strdup(digest);
		kit->program = ifr_strdup(ifr_path_base(path));
		kit->output = ifr_path_normalise(cwd ? cwd : "/", path);
		char *root = ifr_format("%s/root", build->overlay.folder);
		result = ifr_kit_save_below(kit, root, NULL, err);
		free(root);
	}
	free(cwd);
	return result;
}
