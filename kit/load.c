/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading kits by key or program, and checking their inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "kit/kit.h"
#include "kit/store.h"

enum { MANIFEST_LIMIT_BYTES = 64 << 20 };

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

/* Completes the prefix of a key. */
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

int kit_key_of_program(const char *program, char key[IFR_KEY_MAX], struct ifr_error *err) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1], digest[IFR_SHA256_HEX];
	int result = ifr_build_id_read(program, id, err);
	if (result)
		return result;
	snprintf(key, IFR_KEY_MAX, "%s", id);
	if (!*id && !(result = ifr_sha256_file(program, digest, NULL, err)))
		snprintf(key, IFR_KEY_MAX, "sha256-%s", digest);
	return result;
}

int ifr_kit_find(const char *program, struct ifr_kit *kit, bool *found, struct ifr_error *err) {
	char key[IFR_KEY_MAX], *folder = NULL;
	ifr_kit_init(kit);
	*found = false;
	int result = kit_key_of_program(program, key, err);
	for (int i = 0; i < 2 && !result && !*found && (!i || kit_follow_pinned(key)); i++) {
		result = kit_folder(key, &folder, err);
		*found = !result && ifr_file_exists(folder);
		free(folder);
	}
	return *found ? ifr_kit_load(key, kit, err) : result;
}

int ifr_kit_of_program(const char *program, struct ifr_kit *kit, struct ifr_error *err) {
	char key[IFR_KEY_MAX];
	bool found;
	int result = ifr_kit_find(program, kit, &found, err);
	if (result || found || (result = kit_key_of_program(program, key, err)))
		return result;
	return ifr_fail(err, IFR_E_USAGE,
	                "%s has no kit: build it with CC=interfero-gcc, which captures its link (key %.12s…)", program,
	                key);
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
