/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/object_files.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"
#include "kit/kit.h"

/* Takes the contents over; as a copy of their own their tables are aligned to 8, unlike in archives. */
static int view_contents(struct object *object, struct ifr_buffer *contents, struct ifr_error *err) {
	const size_t length = contents->length;
	object->bytes = (uint8_t *)ifr_buffer_detach(contents);
	return elf_view_open(&object->view, object->bytes, length, object->file, err);
}

static int open_file(struct object *object, const char *path, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(path, 0, &contents, err);
	if (!result)
		result = view_contents(object, &contents, err);
	ifr_buffer_release(&contents);
	return result;
}

/* Opens the archive's current member if the link used it. name is the member's in the map: "archive(member)". */
static int open_member(struct objects *objects, const char *name, const struct ifr_elf_file *archive,
                       struct ifr_error *err) {
	const uint32_t *index = names_find(&objects->by_file, name, 0);
	struct ifr_buffer contents = {0};
	if (!index)
		return 0;
	if (objects->items[*index].bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is in its archive twice", name);
	ifr_elf_read_member(archive, &contents);
	return view_contents(&objects->items[*index], &contents, err);
}

/* Opens every member that the link used. name is the archive's as the map writes it. */
static int open_members(struct objects *objects, const char *name, const char *path, struct ifr_error *err) {
	struct ifr_elf_file archive;
	int result = 0;
	if (!ifr_elf_open(&archive, path))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot open %s", path);
	else if (elf_kind(archive.elf) != ELF_K_AR)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not an archive", path);
	for (const char *member; !result && (member = ifr_elf_next_member(&archive));) {
		char *key = ifr_format("%s(%s)", name, member);
		result = open_member(objects, key, &archive, err);
		free(key);
	}
	ifr_elf_close(&archive);
	return result;
}

static char *path_of(const char *file, const char *folder) {
	return *file == '/' ? ifr_strdup(file) : ifr_format("%s/%s", folder, file);
}

/* Opens an object; with a member of an archive also all others that the link used. */
static int open_object(struct objects *objects, size_t index, const char *folder, struct ifr_error *err) {
	struct object *object = &objects->items[index];
	char *path = path_of(object->file, folder), *name = NULL;
	const char *open = strrchr(object->file, '(');
	int result;
	if (!open || !ifr_ends_with(object->file, ")") || ifr_file_exists(path)) {
		result = open_file(object, path, err);
	} else {
		name = ifr_format("%.*s", (int)(open - object->file), object->file);
		free(path);
		path = path_of(name, folder);
		result = open_members(objects, name, path, err);
	}
	free(name);
	free(path);
	return result;
}

int object_files_open(struct objects *objects, const char *folder, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < objects->count && !result; i++)
		if (!objects->items[i].bytes)
			result = open_object(objects, i, folder, err);
	for (size_t i = 0; i < objects->count && !result; i++)
		if (!objects->items[i].bytes)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not there", objects->items[i].file);
	return result;
}
