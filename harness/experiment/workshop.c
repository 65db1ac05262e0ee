/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/experiment/workshop.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "harness/experiment/units_again.h"
#include "sites/sites.h"

struct ifr_workshop {
	const struct ifr_kit *kit;
	struct ifr_relinker *relinker;
	struct units_again units;
	/* The derived kit's folder, beside the kit's own so that inputs can be linked into it; NULL until it is
	 * needed. */
	char *folder;
	char *objects; /* where units are assembled */
};

int ifr_workshop_open(const struct ifr_kit *kit, struct ifr_workshop **opened, struct ifr_error *err) {
	struct ifr_workshop *workshop = ifr_alloc(sizeof *workshop);
	workshop->kit = kit;
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
	units_again_release(&workshop->units);
	if (workshop->folder)
		ifr_tree_remove(workshop->folder, NULL);
	free(workshop->folder);
	free(workshop->objects);
	free(workshop);
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
		if (!(ifr_template_axes() & 1u << i))
			return ifr_fail(
				err, IFR_E_USAGE,
				"the axis %s changes code, so that each variant costs a whole compilation of the sources, "
				"which a kit does not hold: write it into a plan and build with INTERFERO_PLAN=PLAN make "
				"CC=interfero-gcc",
				ifr_axes[i].name);
		if (!workshop->units.count)
			return ifr_fail(
				err, IFR_E_USAGE,
				"the axis %s needs units that were compiled as templates, and the kit of %s has none: build "
				"again with INTERFERO_TEMPLATES=1 make CC=interfero-gcc",
				ifr_axes[i].name, workshop->kit->program);
	}
	return 0;
}

/* A path below the derived kit's root. */
static char *derived_path(const struct ifr_workshop *workshop, const char *path) {
	return ifr_format("%s/root%s", workshop->folder, path);
}

/* An input as it is in the kit, in the derived one: a hard link, or a copy where links do not go. */
static int place_input(const struct ifr_workshop *workshop, const char *path, bool to_change,
                       struct ifr_error *err) {
	char *from = ifr_format("%s/root%s", workshop->kit->dir, path), *to = derived_path(workshop, path);
	unlink(to);
	int result = 0;
	if (to_change || link(from, to))
		result = ifr_file_copy(from, to, to_change ? 0600 : 0444, err);
	free(from);
	free(to);
	return result;
}

/* All the kit's folders, also those without inputs: ld goes through them. */
static int copy_tree(const struct ifr_workshop *workshop, const char *path, struct ifr_error *err) {
	char *from = ifr_format("%s/root%s", workshop->kit->dir, path), *to = derived_path(workshop, path);
	int result = ifr_dir_make(to, err);
	DIR *folder = result ? NULL : opendir(from);
	for (struct dirent *entry; folder && !result && (entry = readdir(folder));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		char *below = ifr_format("%s/%s", path, entry->d_name);
		result =
			entry->d_type == DT_DIR ? copy_tree(workshop, below, err) : place_input(workshop, below, false, err);
		free(below);
	}
	if (folder)
		closedir(folder);
	free(from);
	free(to);
	return result;
}

static int open_folder(struct ifr_workshop *workshop, struct ifr_error *err) {
	if (workshop->folder)
		return 0;
	/* What is left behind by a kill is swept with what captures leave behind. */
	char *kits = ifr_path_dir(workshop->kit->dir);
	workshop->folder = ifr_format("%s/.new-XXXXXX", kits);
	free(kits);
	if (!mkdtemp(workshop->folder)) {
		int result =
			ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write beside the kit, at %s", workshop->folder);
		free(workshop->folder);
		workshop->folder = NULL;
		return result;
	}
	workshop->objects = ifr_format("%s/objects", workshop->folder);
	int result = ifr_dir_make(workshop->objects, err);
	return result ? result : copy_tree(workshop, "", err);
}

/* Images of the variant before are of other objects. */
static void remove_images(const struct ifr_workshop *workshop) {
	DIR *folder = opendir(workshop->folder);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (ifr_starts_with(entry->d_name, "image-")) {
			char *path = ifr_format("%s/%s", workshop->folder, entry->d_name);
			unlink(path);
			free(path);
		}
	if (folder)
		closedir(folder);
}

/* Puts the changed members of one archive, from unit `first` on, into the derived copy of it. */
static int fill_archive(const struct ifr_workshop *workshop, size_t first, struct ifr_error *err) {
	const struct units_again *units = &workshop->units;
	const char *input = units->items[first].input;
	struct ifr_strings arguments = {0};
	struct ifr_buffer said = {0};
	int status = 0, result = 0;
	ifr_strings_add(&arguments, "ar");
	ifr_strings_add(&arguments, "rD");
	ifr_strings_take(&arguments, derived_path(workshop, input));
	for (size_t i = first; i < units->count && !result; i++) {
		const struct unit_again *unit = &units->items[i];
		if (!unit->changed || strcmp(unit->input, input))
			continue;
		/* ar goes by the file's name. */
		char *member = ifr_format("%s/%s", workshop->objects, unit->member);
		if (rename(unit->object, member))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", member);
		ifr_strings_take(&arguments, member);
	}
	struct ifr_process process = {.argv = (const char *const *)arguments.items, .out = &said, .errors = &said};
	if (!result && arguments.count > 3)
		result = ifr_process_run(&process, &status, err);
	if (!result && status)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "ar cannot change a copy of %s: %.200s", input,
		                  ifr_buffer_text(&said));
	for (size_t i = 3; i < arguments.count; i++)
		unlink(arguments.items[i]);
	ifr_buffer_release(&said);
	ifr_strings_release(&arguments);
	return result;
}

/* Every input of units, as the plan has it. */
static int place_units(const struct ifr_workshop *workshop, struct ifr_error *err) {
	const struct units_again *units = &workshop->units;
	int result = 0;
	for (size_t i = 0; i < units->count && !result; i++) {
		const struct unit_again *unit = &units->items[i];
		bool first = !i || strcmp(units->items[i - 1].input, unit->input);
		if (first)
			result = place_input(workshop, unit->input, *unit->member || unit->changed, err);
		if (result)
			break;
		if (first && *unit->member) {
			result = fill_archive(workshop, i, err);
		} else if (!*unit->member && unit->changed) {
			char *to = derived_path(workshop, unit->input);
			if (rename(unit->object, to))
				result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", to);
			free(to);
		}
	}
	return result;
}

/* Key and build-id of a derived kit: they depend on the kit and on the axes that made it. */
static void derive_kit(const struct ifr_workshop *workshop, const struct ifr_plan *plan, struct ifr_kit *derived) {
	struct ifr_plan own;
	struct ifr_buffer text = {0};
	char digest[IFR_SHA256_HEX];
	ifr_plan_copy(&own, plan);
	*own.name = *own.kit = '\0';
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		own.axis[i].on = own.axis[i].on && ifr_template_axes() & 1u << i;
	own.place_count = 0;
	ifr_buffer_printf(&text, "%s\n", workshop->kit->key);
	ifr_plan_print(&own, &text);
	own.place_count = plan->place_count;
	ifr_plan_release(&own);
	ifr_sha256(ifr_buffer_text(&text), text.length, digest);
	ifr_buffer_release(&text);
	*derived = *workshop->kit;
	derived->dir = workshop->folder;
	snprintf(derived->key, sizeof derived->key, "%s", digest);
	derived->build_id = ifr_strdup(workshop->kit->build_id);
	for (size_t i = 0; derived->build_id[i]; i++)
		derived->build_id[i] = digest[i % (sizeof digest - 1)];
}

static void print_facts(const struct ifr_workshop *workshop, struct ifr_buffer *facts) {
	size_t assembled = 0;
	uint64_t ordered = 0, nops = 0, aligned = 0;
	for (size_t i = 0; i < workshop->units.count; i++) {
		const struct unit_again *unit = &workshop->units.items[i];
		assembled += unit->changed;
		ordered += unit->ordered;
		nops += unit->nops;
		aligned += unit->aligned;
	}
	ifr_buffer_printf(facts,
	                  "templates: %zu of %zu units assembled, %" PRIu64 " functions ordered, %" PRIu64
	                  " places with nops, %" PRIu64 " functions and loops aligned\n",
	                  assembled, workshop->units.count, ordered, nops, aligned);
}

static int link_derived(const struct ifr_workshop *workshop, const struct ifr_plan *plan, const char *path,
                        struct ifr_variant *variant, struct ifr_error *err) {
	struct ifr_kit derived;
	struct ifr_relinker *relinker = NULL;
	derive_kit(workshop, plan, &derived);
	int result = ifr_relinker_open(&derived, &relinker, err);
	if (!result)
		result = ifr_relinker_make(relinker, plan, path, variant, err);
	ifr_relinker_close(relinker);
	remove_images(workshop);
	free(derived.build_id);
	return result;
}

int ifr_workshop_make(struct ifr_workshop *workshop, const struct ifr_plan *plan, const char *path,
                      struct ifr_variant *variant, struct ifr_error *err) {
	if (!(ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
		return ifr_relinker_make(workshop->relinker, plan, path, variant, err);
	int result = ifr_workshop_check(workshop, ifr_plan_axes(plan), err);
	if (!result)
		result = open_folder(workshop, err);
	if (!result)
		result = units_again_assemble(&workshop->units, plan, workshop->objects, err);
	if (!result)
		result = place_units(workshop, err);
	if (!result)
		result = link_derived(workshop, plan, path, variant, err);
	if (!result)
		print_facts(workshop, &variant->facts);
	return result;
}
