/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/overlay_kit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"

/* A path below the overlay kit's root. */
static char *overlay_path(const struct overlay_kit *overlay, const char *path) {
	return ifr_format("%s/root%s", overlay->folder, path);
}

/* Puts an input of the kit into the overlay: as a hard link, or as a copy if it will be changed or cannot be
 * linked. */
static int place_input(const struct overlay_kit *overlay, const char *path, bool writable, struct ifr_error *err) {
	char *from = ifr_format("%s/root%s", overlay->kit->dir, path), *to = overlay_path(overlay, path);
	unlink(to);
	int result = 0;
	if (writable || link(from, to))
		result = ifr_file_copy(from, to, writable ? 0600 : 0444, err);
	free(from);
	free(to);
	return result;
}

/* Places all folders of the kit, empty ones too: ld resolves paths through them. */
static int place_tree(const struct overlay_kit *overlay, const char *path, struct ifr_error *err) {
	char *from = ifr_format("%s/root%s", overlay->kit->dir, path), *to = overlay_path(overlay, path);
	int result = ifr_dir_make(to, err);
	DIR *folder = result ? NULL : opendir(from);
	for (struct dirent *entry; folder && !result && (entry = readdir(folder));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		char *below = ifr_format("%s/%s", path, entry->d_name);
		result =
			entry->d_type == DT_DIR ? place_tree(overlay, below, err) : place_input(overlay, below, false, err);
		free(below);
	}
	if (folder)
		closedir(folder);
	free(from);
	free(to);
	return result;
}

int overlay_kit_open(struct overlay_kit *overlay, struct ifr_error *err) {
	if (overlay->folder)
		return 0;
	/* If a kill leaves this folder behind, the store removes it with those of unfinished captures. */
	char *kits = ifr_path_dir(overlay->kit->dir);
	overlay->folder = ifr_format("%s/.new-XXXXXX", kits);
	free(kits);
	if (!mkdtemp(overlay->folder)) {
		int result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write beside the kit, at %s", overlay->folder);
		free(overlay->folder);
		overlay->folder = NULL;
		return result;
	}
	overlay->objects = ifr_format("%s/objects", overlay->folder);
	int result = ifr_dir_make(overlay->objects, err);
	return result ? result : place_tree(overlay, "", err);
}

void overlay_kit_remove_images(const struct overlay_kit *overlay) {
	DIR *folder = opendir(overlay->folder);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (ifr_starts_with(entry->d_name, "image-")) {
			char *path = ifr_format("%s/%s", overlay->folder, entry->d_name);
			unlink(path);
			free(path);
		}
	if (folder)
		closedir(folder);
}

/* Replaces the changed members of one archive, from unit `first` on, in the overlay's copy of the archive. */
static int replace_members(const struct overlay_kit *overlay, const struct rebuilt_units *units, size_t first,
                           struct ifr_error *err) {
	const char *input = units->items[first].input;
	struct ifr_strings arguments = {0};
	struct ifr_buffer output = {0};
	int status = 0, result = 0;
	ifr_strings_add(&arguments, "ar");
	ifr_strings_add(&arguments, "rD");
	ifr_strings_take(&arguments, overlay_path(overlay, input));
	for (size_t i = first; i < units->count && !result; i++) {
		const struct rebuilt_unit *unit = &units->items[i];
		if (!unit->changed || strcmp(unit->input, input))
			continue;
		/* ar names a member after its file. */
		char *member = ifr_format("%s/%s", overlay->objects, unit->member);
		if (rename(unit->object, member))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", member);
		ifr_strings_take(&arguments, member);
	}
	struct ifr_process process = {.argv = (const char *const *)arguments.items, .out = &output, .errors = &output};
	if (!result && arguments.count > 3)
		result = ifr_process_run(&process, &status, err);
	if (!result && status)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "ar cannot change a copy of %s: %.200s", input,
		                  ifr_buffer_text(&output));
	for (size_t i = 3; i < arguments.count; i++)
		unlink(arguments.items[i]);
	ifr_buffer_release(&output);
	ifr_strings_release(&arguments);
	return result;
}

int overlay_kit_place(const struct overlay_kit *overlay, const struct rebuilt_units *units,
                      struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < units->count && !result; i++) {
		const struct rebuilt_unit *unit = &units->items[i];
		bool first = !i || strcmp(units->items[i - 1].input, unit->input);
		if (first)
			result = place_input(overlay, unit->input, *unit->member || unit->changed, err);
		if (result)
			break;
		if (first && *unit->member) {
			result = replace_members(overlay, units, i, err);
		} else if (!*unit->member && unit->changed) {
			char *to = overlay_path(overlay, unit->input);
			if (rename(unit->object, to))
				result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", to);
			free(to);
		}
	}
	return result;
}

void overlay_kit_close(struct overlay_kit *overlay) {
	if (overlay->folder)
		ifr_tree_remove(overlay->folder, NULL);
	free(overlay->folder);
	free(overlay->objects);
	*overlay = (struct overlay_kit){0};
}
