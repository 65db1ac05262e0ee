/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export and import. A kit's file is a zstd-compressed tar of kit.json, map and objects/SHA256. */
#include "kit/kit.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "kit/store.h"

/* Limits of an imported file's contents. */
static const int64_t entry_limit_bytes = 1 << 30, total_limit_bytes = INT64_C(16) << 30;
enum { TOTAL_LIMIT_ENTRIES = 100000 };

static int add_entry(struct archive *archive, const char *name, const char *file, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(file, 0, &contents, err);
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, name);
	archive_entry_set_size(entry, (int64_t)contents.length);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	if (!result && (archive_write_header(archive, entry) != ARCHIVE_OK ||
	                archive_write_data(archive, ifr_buffer_text(&contents), contents.length) < 0))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot write the kit: %s", archive_error_string(archive));
	archive_entry_free(entry);
	ifr_buffer_release(&contents);
	return result;
}

static int add_file(struct archive *archive, const struct ifr_kit *kit, const char *name, struct ifr_error *err) {
	char *path = ifr_format("%s/%s", kit->dir, name);
	int result = ifr_file_exists(path) ? add_entry(archive, name, path, err) : 0;
	free(path);
	return result;
}

static int add_all(struct archive *archive, const struct ifr_kit *kit, struct ifr_error *err) {
	int result = add_file(archive, kit, "kit.json", err);
	if (!result)
		result = add_file(archive, kit, "map", err);
	for (size_t i = 0; i < kit->input_count && !result; i++) {
		bool seen = false;
		for (size_t j = 0; j < i && !seen; j++)
			seen = !strcmp(kit->inputs[i].sha256, kit->inputs[j].sha256);
		if (seen)
			continue;
		char *name = ifr_format("objects/%s", kit->inputs[i].sha256);
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		result = add_entry(archive, name, path, err);
		free(path);
		free(name);
	}
	return result;
}

int ifr_kit_export(const struct ifr_kit *kit, const char *file, struct ifr_error *err) {
	int result = ifr_kit_check(kit, err);
	if (result)
		return result;
	struct stat status;
	if (!stat(file, &status) && !S_ISREG(status.st_mode))
		return ifr_fail(err, IFR_E_USAGE, "%s is not a file: name one to write the kit to", file);
	char *temporary = ifr_format("%s.partial", file);
	struct archive *archive = archive_write_new();
	archive_write_set_format_pax_restricted(archive);
	archive_write_add_filter_zstd(archive);
	if (archive_write_open_filename(archive, temporary) != ARCHIVE_OK)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot write %s: %s", file, archive_error_string(archive));
	if (!result)
		result = add_all(archive, kit, err);
	if (archive_write_close(archive) != ARCHIVE_OK && !result)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot write %s: %s", file, archive_error_string(archive));
	archive_write_free(archive);
	if (!result && rename(temporary, file))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", file);
	if (result)
		unlink(temporary);
	free(temporary);
	return result;
}

/* Whether export writes entries of a name; import refuses an archive with others. */
static bool is_known_name(const char *name) {
	if (!strcmp(name, "kit.json") || !strcmp(name, "map"))
		return true;
	if (!ifr_starts_with(name, "objects/"))
		return false;
	name += strlen("objects/");
	return strlen(name) == IFR_SHA256_HEX - 1 && strspn(name, "0123456789abcdef") == IFR_SHA256_HEX - 1;
}

static int unpack_entry(struct archive *archive, struct archive_entry *entry, const char *folder,
                        struct ifr_error *err) {
	const char *name = archive_entry_pathname(entry);
	if (!name || !is_known_name(name) || archive_entry_filetype(entry) != AE_IFREG ||
	    archive_entry_size(entry) > entry_limit_bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "not an exported kit: it holds \"%.80s\"", name ? name : "?");
	struct ifr_buffer contents = {0};
	char chunk[65536];
	la_ssize_t got;
	while ((got = archive_read_data(archive, chunk, sizeof chunk)) > 0 &&
	       (int64_t)contents.length <= entry_limit_bytes)
		ifr_buffer_append(&contents, chunk, (size_t)got);
	char *path = ifr_format("%s/%s", folder, name);
	int result = got ? ifr_fail(err, IFR_E_ENVIRONMENT, "the exported kit is damaged: %s",
	                            got < 0 ? archive_error_string(archive) : "an entry is too large")
	                 : ifr_file_write(path, ifr_buffer_text(&contents), contents.length, 0644, err);
	free(path);
	ifr_buffer_release(&contents);
	return result;
}

static int unpack_archive(const char *file, const char *folder, struct ifr_error *err) {
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	int result = 0, status = ARCHIVE_OK;
	archive_read_support_filter_zstd(archive);
	archive_read_support_format_tar(archive);
	if (archive_read_open_filename(archive, file, 65536) != ARCHIVE_OK)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "cannot read %s: %s", file, archive_error_string(archive));
	for (int count = 0; !result && count < TOTAL_LIMIT_ENTRIES; count++) {
		status = archive_read_next_header(archive, &entry);
		if (status == ARCHIVE_EOF)
			break;
		result = status != ARCHIVE_OK ? ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not an exported kit: %s", file,
		                                         archive_error_string(archive))
		                              : unpack_entry(archive, entry, folder, err);
		if (!result && archive_filter_bytes(archive, 0) > total_limit_bytes)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s unpacks to more than a kit should", file);
	}
	archive_read_free(archive);
	return result;
}

/* Checks the unpacked files against their manifest and saves the kit in the store. */
static int save_unpacked(const char *folder, struct ifr_kit *kit, struct ifr_error *err) {
	char *manifest = ifr_format("%s/kit.json", folder), *map = ifr_format("%s/map", folder);
	struct ifr_buffer text = {0};
	int result = ifr_file_read(manifest, 64 << 20, &text, err);
	if (!result)
		result = ifr_kit_parse(ifr_buffer_text(&text), text.length, manifest, kit, err);
	for (size_t i = 0; i < kit->input_count && !result; i++) {
		char digest[IFR_SHA256_HEX];
		char *object = ifr_format("%s/objects/%s", folder, kit->inputs[i].sha256);
		result = ifr_sha256_file(object, digest, NULL, err);
		if (!result && strcmp(digest, kit->inputs[i].sha256))
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "the exported kit is damaged: %s has another content",
			                  kit->inputs[i].path);
		free(object);
	}
	if (!result) {
		char *objects = ifr_format("%s/objects", folder);
		result = kit_save_from(kit, objects, "", map, err);
		free(objects);
	}
	ifr_buffer_release(&text);
	free(map);
	free(manifest);
	return result;
}

int ifr_kit_import(const char *file, char key[IFR_KEY_MAX], struct ifr_error *err) {
	char *folder, *objects;
	struct ifr_kit kit;
	ifr_kit_init(&kit);
	if (!ifr_file_exists(file))
		return ifr_fail(err, IFR_E_USAGE, "there is no file %s", file);
	int result = ifr_temporary_dir(&folder, err);
	if (result)
		return result;
	objects = ifr_format("%s/objects", folder);
	result = ifr_dir_make(objects, err);
	if (!result)
		result = unpack_archive(file, folder, err);
	if (!result)
		result = save_unpacked(folder, &kit, err);
	if (!result)
		strcpy(key, kit.key);
	ifr_kit_release(&kit);
	ifr_tree_remove(folder, NULL);
	free(objects);
	free(folder);
	return result;
}
