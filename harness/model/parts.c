/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/model/parts.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/file.h"

int ifr_part_find(const char *name, char **path, struct ifr_error *err) {
	char *self = ifr_path_self(), *bin = self ? ifr_path_dir(self) : ifr_strdup("/usr/bin");
	char *relative = ifr_format("%s/../libexec/interfero/%s", bin, name);
	*path = ifr_path_normalise("/", relative);
	free(relative);
	free(bin);
	free(self);
	return ifr_file_exists(*path)
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "%s is missing: install interfero again", *path);
}
