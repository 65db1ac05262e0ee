/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/object_files.h"

#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/strings.h"

/* Copies a member, which aligns its tables to 8: in archives, members have even offsets. */
static int copy_member(struct object *object, const void *bytes, size_t length, struct ifr_error *err) {
	if (object->bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is in its archive twice", object->file);
	object->bytes = ifr_alloc(length + 1);
	memcpy(object->bytes, bytes, length);
	return elf_view_open(&object->view, object->bytes, length, object->file, err);
}

static int open_file(struct object *object, const char *path, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(path, 0, &contents, err);
	size_t length = contents.length;
	if (result)
		return result;
	object->bytes = (uint8_t *)ifr_buffer_detach(&contents);
	if (!object->bytes)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is empty", object->file);
	return elf_view_open(&object->view, object->bytes, length, object->file, err);
}

/* Opens every member that the link used. name is the archive's as the map writes it. */
static int open_members(struct objects *objects, const char *name, const char *path, struct ifr_error *err) {
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot open %s", path);
	Elf *archive = elf_begin(fd, ELF_C_READ_MMAP, NULL), *member = NULL;
	int result = 0;
	if (!archive || elf_kind(archive) != ELF_K_AR)
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not an archive", path);
	for (Elf_Cmd next = ELF_C_READ_MMAP; !result && (member = elf_begin(fd, next, archive));) {
		Elf_Arhdr *header = elf_getarhdr(member);
		size_t length = 0;
		const char *bytes = elf_rawfile(member, &length);
		char *key = header && header->ar_name ? ifr_format("%s(%s)", name, header->ar_name) : ifr_strdup("");
		const uint32_t *index = names_find(&objects->by_file, key, 0);
		if (index && bytes)
			result = copy_member(&objects->items[*index], bytes, length, err);
		free(key);
		next = elf_next(member);
		elf_end(member);
	}
	elf_end(archive);
	close(fd);
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
