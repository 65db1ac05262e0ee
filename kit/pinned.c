/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pinned programs: variants that took the place of the program that was linked, and so have another build-id. */
#include "kit/kit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/store.h"

static int link_path(const char *key, char **path, struct ifr_error *err) {
	/* Lists of kits leave out names that begin with a dot. */
	char *below = ifr_format("kits/" KIT_PINNED_PREFIX "%s", key);
	int result = store_path(below, path, err);
	free(below);
	return result;
}

int ifr_kit_note_pinned(const char *program, const struct ifr_kit *kit, struct ifr_error *err) {
	char key[IFR_KEY_MAX], *path = NULL;
	int result = kit_key_of_program(program, key, err);
	if (result || !strcmp(key, kit->key))
		return result;
	result = link_path(key, &path, err);
	if (!result && unlink(path) && errno != ENOENT)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot replace %s", path);
	if (!result && symlink(kit->key, path))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	free(path);
	return result;
}

bool kit_follow_pinned(char key[IFR_KEY_MAX]) {
	char *path = NULL, target[IFR_KEY_MAX];
	ssize_t length = link_path(key, &path, NULL) ? -1 : readlink(path, target, sizeof target - 1);
	free(path);
	if (length <= 0 || memchr(target, '/', (size_t)length))
		return false;
	target[length] = '\0';
	strcpy(key, target);
	return true;
}

bool ifr_kit_is_pinned(const char *program, const struct ifr_kit *kit) {
	char key[IFR_KEY_MAX];
	return !kit_key_of_program(program, key, NULL) && strcmp(key, kit->key) && kit_follow_pinned(key) &&
	       !strcmp(key, kit->key);
}
