/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/bundle/bundle.h"

struct bundle_archive {
	struct archive *archive;
	char *file, *partial;
};

static int fail_write(struct bundle_archive *archive, struct ifr_error *err) {
	return ifr_fail(err, IFR_E_ENVIRONMENT, "cannot write %s: %s", archive->file,
	                archive_error_string(archive->archive));
}

int bundle_archive_begin(const char *file, struct bundle_archive **archive, struct ifr_error *err) {
	struct stat status;
	if (!stat(file, &status) && !S_ISREG(status.st_mode))
		return ifr_fail(err, IFR_E_USAGE, "%s is not a file: name one to write the bundle to", file);
	struct bundle_archive *made = ifr_alloc(sizeof *made);
	*made = (struct bundle_archive){archive_write_new(), ifr_strdup(file), ifr_format("%s.partial", file)};
	archive_write_set_format_pax_restricted(made->archive);
	archive_write_add_filter_zstd(made->archive);
	*archive = made;
	if (archive_write_open_filename(made->archive, made->partial) == ARCHIVE_OK)
		return 0;
	int result = fail_write(made, err);
	return bundle_archive_end(made, result, NULL);
}

int bundle_archive_add(struct bundle_archive *archive, const char *name, const void *data, size_t length,
                       mode_t mode, struct ifr_error *err) {
	if (!ifr_bundle_takes(name))
		return ifr_fail(
			err, IFR_E_USAGE,
			"no bundle takes \"%.80s\": rename it, as control characters and paths of over 1000 bytes are "
			"refused where bundles are unpacked",
			name);
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, name);
	archive_entry_set_size(entry, (int64_t)length);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, mode);
	/* A name that is no text in this locale is warned of, and stored as its bytes. */
	int result = archive_write_header(archive->archive, entry) < ARCHIVE_WARN ||
	                     archive_write_data(archive->archive, data, length) != (la_ssize_t)length
	                 ? fail_write(archive, err)
	                 : 0;
	archive_entry_free(entry);
	return result;
}

int bundle_archive_add_file(struct bundle_archive *archive, const char *name, const char *path,
                            struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	struct stat status;
	int result = ifr_file_read(path, 0, &contents, err);
	if (!result && stat(path, &status))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path);
	if (!result)
		result = bundle_archive_add(archive, name, ifr_buffer_text(&contents), contents.length,
		                            status.st_mode & 0111 ? 0755 : 0644, err);
	ifr_buffer_release(&contents);
	return result;
}

int bundle_archive_end(struct bundle_archive *archive, int result, struct ifr_error *err) {
	if (archive_write_close(archive->archive) != ARCHIVE_OK && !result)
		result = fail_write(archive, err);
	archive_write_free(archive->archive);
	if (!result && rename(archive->partial, archive->file))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", archive->file);
	if (result)
		unlink(archive->partial);
	free(archive->partial);
	free(archive->file);
	free(archive);
	return result;
}
