/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: the paths of kits and objects, and the list of kits. */
#include "kit/kit.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/store.h"

int ifr_kit_store_path(char **path, struct ifr_error *err) {
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
	int result = ifr_kit_store_path(&store, err);
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

int store_object_path(const char *digest, char **path, struct ifr_error *err) {
	char *below = ifr_format("objects/%.2s/%s", digest, digest + 2);
	int result = store_path(below, path, err);
	free(below);
	return result;
}

int ifr_kit_object_path(const char *key, char **path, struct ifr_error *err) {
	return store_object_path(key, path, err);
}

int ifr_kit_add_object(const void *data, size_t length, char key[IFR_SHA256_HEX], struct ifr_error *err) {
	char *object = NULL, *folder = NULL;
	ifr_sha256(data, length, key);
	int result = store_object_path(key, &object, err);
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
