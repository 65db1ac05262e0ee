/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: kits and their inputs on disk. */
#include "kit/kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/store.h"

enum { MANIFEST_LIMIT_BYTES = 64 << 20 };

int ifr_kit_store(char **path, struct ifr_error *err) {
	const char *kits = getenv("INTERFERO_KITS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (kits && *kits)
		*path = ifr_strdup(kits);
	else if (cache && *cache == '/')
		*path = ifr_format("%s/interfero", cache);
	else if (home && *home)
		*path = ifr_format("%s/.cache/interfero", home);
	else
		return ifr_fail(err, IFR_E_ENVIRONMENT, "no place for kits: set INTERFERO_KITS, XDG_CACHE_HOME or HOME");
	return 0;
}

int store_path(const char *below, char **path, struct ifr_error *err) {
	char *store = NULL;
	int result = ifr_kit_store(&store, err);
	if (result)
		return result;
	*path = ifr_format("%s/%s", store, below);
	free(store);
	return 0;
}

int kit_folder(const char *key, char **path, struct ifr_error *err) {
	char *below = ifr_format("kits/%s", key);
	int result = store_path(below, path, err);
	free(below);
	return result;
}

static int object_path(const char *digest, char **path, struct ifr_error *err) {
	char *below = ifr_format("objects/%.2s/%s", digest, digest + 2);
	int result = store_path(below, path, err);
	free(below);
	return result;
}

static int store_object(const char *file, const char *digest, char **object, struct ifr_error *err) {
	int result = object_path(digest, object, err);
	if (result || ifr_file_exists(*object))
		return result;
	char *folder = ifr_path_dir(*object);
	result = ifr_dir_make(folder, err);
	free(folder);
	if (!result)
		result = ifr_file_copy(file, *object, 0444, err);
	return result;
}

int ifr_kit_kept(const char *key, char **path, struct ifr_error *err) {
	return object_path(key, path, err);
}

int ifr_kit_keep(const void *data, size_t length, char key[IFR_SHA256_HEX], struct ifr_error *err) {
	char *object = NULL, *folder = NULL;
	ifr_sha256(data, length, key);
	int result = object_path(key, &object, err);
	if (!result && !ifr_file_exists(object)) {
		folder = ifr_path_dir(object);
		result = ifr_dir_make(folder, err);
		if (!result)
			result = ifr_file_write(object, data, length, 0444, err);
	}
	free(folder);
	free(object);
	return result;
}

/* Puts an object at its path under the kit's root: a hard link, or a copy where links do not go. */
static int place_input(const char *object, const char *root, const char *path, struct ifr_error *err) {
	char *target = ifr_format("%s%s", root, path), *folder = ifr_path_dir(target);
	int result = ifr_dir_make(folder, err);
	if (!result && link(object, target) && errno != EEXIST)
		result = ifr_file_copy(object, target, 0444, err);
	free(folder);
	free(target);
	return result;
}

static int save_input(struct ifr_kit_input *input, const char *objects, const char *below, const char *root,
                      struct ifr_error *err) {
	char *object = NULL;
	char *file = objects ? ifr_format("%s/%s", objects, input->sha256) : ifr_format("%s%s", below, input->path);
	int result = ifr_sha256_file(file, input->sha256, &input->bytes, err);
	if (!result)
		result = store_object(file, input->sha256, &object, err);
	if (!result)
		result = place_input(object, root, input->path, err);
	free(object);
	free(file);
	return result;
}

/* ld runs in the copy of the folder in which the program was linked, and goes through the folders its arguments
 * name on the way ("sub/../x.o"). */
static int make_folders(const struct ifr_kit *kit, const char *root, struct ifr_error *err) {
	char *cwd = ifr_format("%s%s", root, kit->cwd);
	int result = ifr_dir_make(cwd, err);
	for (size_t i = 0; i < kit->arguments.count && !result; i++) {
		const char *argument = kit->arguments.items[i];
		if (*argument == '-' || *argument == '/' || !strstr(argument, "/../"))
			continue;
		for (const char *slash = strchr(argument, '/'); slash && !result; slash = strchr(slash + 1, '/')) {
			char *part = ifr_format("%.*s", (int)(slash - argument), argument);
			char *normal = ifr_path_normalise(kit->cwd, part), *folder = ifr_format("%s%s", root, normal);
			result = ifr_dir_make(folder, err);
			free(folder);
			free(normal);
			free(part);
		}
	}
	free(cwd);
	return result;
}

/* Swaps a finished folder in; another capture of the same program may do so at the same time. */
static int kit_settle(const char *made, const char *folder, struct ifr_error *err) {
	for (int attempt = 0; attempt < 10; attempt++) {
		if (!rename(made, folder))
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			break;
		char *old = ifr_format("%s.old", made);
		rename(folder, old);
		ifr_tree_remove(old, NULL);
		free(old);
	}
	return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot put the kit at %s", folder);
}

static int kit_new_folder(char **made, struct ifr_error *err) {
	int result = store_path("kits", made, err);
	if (result)
		return result;
	char *kits = *made;
	result = ifr_dir_make(kits, err);
	*made = ifr_format("%s/.new-XXXXXX", kits);
	if (!result && !mkdtemp(*made))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write in %s", kits);
	free(kits);
	if (result) {
		free(*made);
		*made = NULL;
	}
	return result;
}

static int kit_write_manifest(const struct ifr_kit *kit, const char *folder, struct ifr_error *err) {
	char *path = ifr_format("%s/kit.json", folder), *text = ifr_kit_print(kit);
	int result =
		text ? ifr_file_write(path, text, strlen(text), 0644, err)
			 : ifr_fail(err, IFR_E_ENVIRONMENT, "a path or argument of this link cannot be written as JSON");
	free(text);
	free(path);
	return result;
}

int kit_save_from(struct ifr_kit *kit, const char *objects, const char *below, const char *map,
                  struct ifr_error *err) {
	char *made = NULL, *folder = NULL, *root = NULL;
	int result = kit_new_folder(&made, err);
	if (result)
		goto out;
	root = ifr_format("%s/root", made);
	for (size_t i = 0; i < kit->input_count && !result; i++)
		result = save_input(&kit->inputs[i], objects, below, root, err);
	if (!result)
		result = make_folders(kit, root, err);
	if (!result && map && ifr_file_exists(map)) {
		char *copy = ifr_format("%s/map", made);
		result = ifr_file_copy(map, copy, 0644, err);
		free(copy);
	}
	if (!result)
		result = kit_write_manifest(kit, made, err);
	if (!result)
		result = kit_folder(kit->key, &folder, err);
	if (!result)
		result = kit_settle(made, folder, err);
out:
	if (result && made)
		ifr_tree_remove(made, NULL);
	if (!result) {
		free(kit->dir);
		kit->dir = folder;
		folder = NULL;
	}
	free(folder);
	free(made);
	free(root);
	return result;
}

int ifr_kit_save(struct ifr_kit *kit, const char *map, struct ifr_error *err) {
	return kit_save_from(kit, NULL, "", map, err);
}

int ifr_kit_save_below(struct ifr_kit *kit, const char *root, const char *map, struct ifr_error *err) {
	return kit_save_from(kit, NULL, root, map, err);
}

static int check_presence(const struct ifr_kit *kit, struct ifr_error *err) {
	for (size_t i = 0; i < kit->input_count; i++) {
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		struct stat status;
		bool good = !stat(path, &status) && status.st_size == kit->inputs[i].bytes;
		free(path);
		if (!good)
			return ifr_fail(err, IFR_E_ENVIRONMENT,
			                "the kit of %s has lost its input %s: link the program again with interfero-gcc",
			                kit->program, kit->inputs[i].path);
	}
	return 0;
}

/* Completes a beginning of a key. */
static int complete_key(const char *beginning, char key[IFR_KEY_MAX], struct ifr_error *err) {
	struct ifr_strings keys = {0};
	int result = ifr_kit_keys(&keys, err);
	const char *found = NULL;
	size_t matches = 0;
	for (size_t i = 0; i < keys.count && !result; i++) {
		bool exact = !strcmp(keys.items[i], beginning);
		if (exact || (strlen(beginning) >= 4 && ifr_starts_with(keys.items[i], beginning))) {
			found = keys.items[i];
			matches = exact ? 1 : matches + 1;
			if (exact)
				break;
		}
	}
	if (!result && matches == 0 && strlen(beginning) < 4)
		result =
			ifr_fail(err, IFR_E_USAGE, "\"%s\" is too short for a key: give at least 4 characters", beginning);
	else if (!result && matches == 0)
		result = ifr_fail(err, IFR_E_USAGE, "there is no kit %s; \"interfero kit list\" shows those there are",
		                  beginning);
	else if (!result && matches > 1)
		result = ifr_fail(err, IFR_E_USAGE, "%zu kits begin with %s: give more of the key", matches, beginning);
	else if (!result)
		snprintf(key, IFR_KEY_MAX, "%s", found);
	ifr_strings_release(&keys);
	return result;
}

int ifr_kit_load(const char *beginning, struct ifr_kit *kit, struct ifr_error *err) {
	ifr_kit_init(kit);
	char key[IFR_KEY_MAX], *folder = NULL, *path = NULL;
	struct ifr_buffer text = {0};
	int result = complete_key(beginning, key, err);
	if (result || (result = kit_folder(key, &folder, err)))
		return result;
	path = ifr_format("%s/kit.json", folder);
	if ((result = ifr_file_read(path, MANIFEST_LIMIT_BYTES, &text, err)) ||
	    (result = ifr_kit_parse(ifr_buffer_text(&text), text.length, path, kit, err)))
		goto out;
	kit->dir = folder;
	folder = NULL;
	result = check_presence(kit, err);
	if (result)
		ifr_kit_release(kit);
out:
	ifr_buffer_release(&text);
	free(path);
	free(folder);
	return result;
}

int ifr_kit_of_program(const char *program, struct ifr_kit *kit, struct ifr_error *err) {
	char key[IFR_KEY_MAX], id[2 * IFR_BUILD_ID_MAX_BYTES + 1], *folder = NULL;
	ifr_kit_init(kit);
	int result = ifr_build_id_read(program, id, err);
	if (result)
		return result;
	snprintf(key, sizeof key, "%s", id);
	if (!*id) {
		char digest[IFR_SHA256_HEX];
		if ((result = ifr_sha256_file(program, digest, NULL, err)))
			return result;
		snprintf(key, sizeof key, "sha256-%s", digest);
	}
	if ((result = kit_folder(key, &folder, err)))
		return result;
	bool there = ifr_file_exists(folder);
	free(folder);
	if (!there)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s has no kit: build it with CC=interfero-gcc, which captures its link (key %.12s…)",
		                program, key);
	return ifr_kit_load(key, kit, err);
}

int ifr_kit_check(const struct ifr_kit *kit, struct ifr_error *err) {
	for (size_t i = 0; i < kit->input_count; i++) {
		char digest[IFR_SHA256_HEX];
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		int result = ifr_sha256_file(path, digest, NULL, err);
		free(path);
		if (!result && strcmp(digest, kit->inputs[i].sha256))
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT, "the kit of %s is damaged: %s is not what was linked; link again",
			             kit->program, kit->inputs[i].path);
		if (result)
			return result;
	}
	return 0;
}

static int compare_names(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int ifr_kit_keys(struct ifr_strings *keys, struct ifr_error *err) {
	char *path;
	int result = store_path("kits", &path, err);
	if (result)
		return result;
	DIR *folder = opendir(path);
	if (!folder && errno != ENOENT)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			ifr_strings_add(keys, entry->d_name);
	if (folder)
		closedir(folder);
	if (keys->count)
		qsort(keys->items, keys->count, sizeof *keys->items, compare_names);
	free(path);
	return result;
}
