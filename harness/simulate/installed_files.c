/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/installed_files.h"

#include "common/file.h"

int ifr_installed_file_find(const char *name, char **path, struct ifr_error *err) {
	*path = ifr_path_libexec(name);
	return ifr_file_exists(*path)
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "%s is missing: install interfero again", *path);
}
