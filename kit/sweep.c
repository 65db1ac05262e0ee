/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removing kits, and objects that no kit uses. */
#include "kit/kit.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/store.h"

enum { YOUNG_SECONDS = 3600 };

int ifr_kit_remove(const char *key, struct ifr_error *err) {
	char *folder = NULL;
	/* "" and ".." would be the store itself. */
	if (!*key || *key == '.' || strchr(key, '/'))
		return ifr_fail(err, IFR_E_USAGE, "there is no kit \"%.80s\"", key);
	int result = kit_folder(key, &folder, err);
	if (!result)
		result = ifr_tree_remove(folder, err);
	free(folder);
	return result;
}

/* nftw has no argument for its callback. */
static int64_t swept_bytes;

/* An object with one link is in no kit. A young one can belong to a capture that is still running. */
static int sweep_object(const char *path, const struct stat *status, int type, struct FTW *where) {
	(void)where;
	if (type == FTW_F && status->st_nlink == 1 && time(NULL) - status->st_ctime > YOUNG_SECONDS && !unlink(path))
		swept_bytes += status->st_size;
	return 0;
}

/* Whether an entry of the folder of kits is of no use: the remains of a capture, or a pinned program's link to a kit
 * that was removed. */
static bool is_left_over(const char *name, const char *path) {
	struct stat status;
	return ifr_starts_with(name, ".new-") ? !lstat(path, &status) && time(NULL) - status.st_ctime > YOUNG_SECONDS
	                                      : ifr_starts_with(name, KIT_PINNED_PREFIX) && stat(path, &status);
}

static void remove_left_over(const char *kits) {
	DIR *folder = opendir(kits);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char *path = ifr_format("%s/%s", kits, entry->d_name);
		if (is_left_over(entry->d_name, path))
			ifr_tree_remove(path, NULL);
		free(path);
	}
	if (folder)
		closedir(folder);
}

int ifr_kit_sweep(int64_t *freed_bytes, struct ifr_error *err) {
	char *objects = NULL, *kits = NULL;
	int result = store_path("kits", &kits, err);
	if (result)
		return result;
	remove_left_over(kits);
	free(kits);
	if ((result = store_path("objects", &objects, err)))
		return result;
	swept_bytes = 0;
	if (nftw(objects, sweep_object, 32, FTW_PHYS) && errno != ENOENT)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot sweep %s", objects);
	*freed_bytes = swept_bytes;
	free(objects);
	return result;
}
