/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unpacking a bundle, which may come from anybody. Its files go below one new folder, in which nothing is a link: a
 * path of plain names cannot leave it. */
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/bundle/bundle.h"

/* Limits of the contents. */
static const int64_t entry_limit_bytes = INT64_C(4) << 30, total_limit_bytes = INT64_C(16) << 30;
enum { ENTRIES_MOST = 200000, NAME_MOST = 1000 };

bool ifr_bundle_is(const char *file) {
	static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	unsigned char start[sizeof magic];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool same = fd >= 0 && read(fd, start, sizeof start) == sizeof start && !memcmp(start, magic, sizeof magic);
	if (fd >= 0)
		close(fd);
	return same;
}

/* Whether a path has plain names alone: none empty, ".", ".." or with a control character. */
static bool is_plain_path(const char *path) {
	if (!*path || strlen(path) > NAME_MOST)
		return false;
	for (const char *c = path; *c; c++)
		if (iscntrl((unsigned char)*c))
			return false;
	for (;; path++) {
		size_t length = strcspn(path, "/");
		if (!length || (length == 1 && *path == '.') || (length == 2 && !strncmp(path, "..", 2)))
			return false;
		path += length;
		if (!*path)
			return true;
	}
}

bool ifr_bundle_takes(const char *name) {
	static const char *const folders[] = {"kits/",  "programs/", "plans/", "libraries/",
	                                      "files/", "given/",    "replay/"};
	if (!strcmp(name, "interfero-bundle") || !strcmp(name, "experiment"))
		return true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (ifr_starts_with(name, folders[i]))
			return is_plain_path(name + strlen(folders[i]));
	return false;
}

/* Writes an entry's data into a new file; total counts the bytes of all entries. */
static int write_data(struct archive *archive, int fd, int64_t *total, struct ifr_error *err) {
	static char chunk[1 << 16];
	la_ssize_t got;
	int64_t size = 0;
	while ((got = archive_read_data(archive, chunk, sizeof chunk)) > 0) {
		size += got;
		*total += got;
		if (size > entry_limit_bytes || *total > total_limit_bytes)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the bundle unpacks to more than a bundle should");
		if (write(fd, chunk, (size_t)got) != got)
			return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot unpack the bundle");
	}
	return got ? ifr_fail(err, IFR_E_ENVIRONMENT, "the bundle is damaged: %s", archive_error_string(archive)) : 0;
}

static int unpack_entry(struct archive *archive, struct archive_entry *entry, const char *folder, int64_t *total,
                        struct ifr_error *err) {
	const char *name = archive_entry_pathname(entry);
	if (!name || !ifr_bundle_takes(name) || archive_entry_filetype(entry) != AE_IFREG ||
	    archive_entry_hardlink(entry) || archive_entry_size(entry) > entry_limit_bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "not a bundle of interfero: it holds \"%.80s\"",
		                name ? name : "?");
	char *path = ifr_format("%s/%s", folder, name), *above = ifr_path_dir(path);
	int result = ifr_dir_make(above, err);
	int fd = result ? -1
	                : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	                       archive_entry_perm(entry) & 0100 ? 0755 : 0644);
	if (!result && fd < 0 && errno == EEXIST)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "not a bundle of interfero: it holds \"%.80s\" twice", name);
	else if (!result && fd < 0)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	if (!result)
		result = write_data(archive, fd, total, err);
	if (fd >= 0 && close(fd) && !result)
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path);
	free(above);
	free(path);
	return result;
}

static int check_version(const char *file, const char *folder, struct ifr_error *err) {
	char *path = ifr_format("%s/interfero-bundle", folder);
	struct ifr_buffer text = {0};
	int result = ifr_file_read(path, 64, &text, NULL);
	if (result)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not a bundle of interfero", file);
	else if (strcmp(ifr_buffer_text(&text), "interfero-bundle 1\n"))
		result =
			ifr_fail(err, IFR_E_ENVIRONMENT, "%s is of another format than 1: it needs a newer interfero", file);
	ifr_buffer_release(&text);
	free(path);
	return result;
}

int ifr_bundle_unpack(const char *file, const char *folder, struct ifr_error *err) {
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	int64_t total = 0;
	int result = ifr_dir_make(folder, err), status = ARCHIVE_OK;
	archive_read_support_filter_zstd(archive);
	archive_read_support_format_tar(archive);
	if (!result && archive_read_open_filename(archive, file, 1 << 16) != ARCHIVE_OK)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot read %s: %s", file, archive_error_string(archive));
	for (int count = 0; !result; count++) {
		status = archive_read_next_header(archive, &entry);
		if (status == ARCHIVE_EOF)
			break;
		if (status != ARCHIVE_OK)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not a bundle of interfero: %s", file,
			                  archive_error_string(archive));
		else if (count >= ENTRIES_MOST)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s holds more files than a bundle should", file);
		else
			result = unpack_entry(archive, entry, folder, &total, err);
	}
	archive_read_free(archive);
	return result ? result : check_version(file, folder, err);
}
