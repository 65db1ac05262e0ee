/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a bundle's archive, entry by entry. Private to this room. */
#ifndef IFR_HARNESS_BUNDLE_ARCHIVE_H
#define IFR_HARNESS_BUNDLE_ARCHIVE_H

#include <stddef.h>
#include <sys/types.h>

#include "common/error.h"

struct bundle_archive;

/* Begins FILE.partial; end renames it, or removes it after an error (result), which it returns. */
int bundle_archive_begin(const char *file, struct bundle_archive **archive, struct ifr_error *err);
int bundle_archive_add(struct bundle_archive *archive, const char *name, const void *data, size_t length,
                       mode_t mode, struct ifr_error *err);
int bundle_archive_add_file(struct bundle_archive *archive, const char *name, const char *path,
                            struct ifr_error *err);
int bundle_archive_end(struct bundle_archive *archive, int result, struct ifr_error *err);

#endif
