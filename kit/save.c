/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saving a captured link as a kit: its inputs become objects of the store; its folder appears whole or never. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/kit.h"
#include "kit/store.h"

static int store_object(const char *file, const char *digest, char **object, struct ifr_error *err) {
	int result = store_object_path(digest, object, err);
	if (result || ifr_file_exists(*object))
		return result;
	char *folder = ifr_path_dir(*object);
	result = ifr_dir_make(folder, err);
	free(folder);
	if (!result)
		result = ifr_file_copy(file, *object, 0444, err);
	return result;
}

/* Puts an object at its path under the kit's root: as a hard link, or as a copy where links fail. */
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

/* Makes the folders that ld needs besides those of inputs: its working folder, and folders that its arguments only
 * pass through ("sub/../x.o"). */
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

/* Renames a finished folder to its place; another capture of the same program may do so at the same time. */
static int publish_folder(const char *made, const char *folder, struct ifr_error *err) {
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

static int make_new_folder(char **made, struct ifr_error *err) {
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

static int write_manifest(const struct ifr_kit *kit, const char *folder, struct ifr_error *err) {
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
	int result = make_new_folder(&made, err);
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
		result = write_manifest(kit, made, err);
	if (!result)
		result = kit_folder(kit->key, &folder, err);
	if (!result)
		result = publish_folder(made, folder, err);
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
