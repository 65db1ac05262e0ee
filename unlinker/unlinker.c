/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/unlinker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "unlinker/command.h"
#include "unlinker/frames.h"
#include "unlinker/object.h"

/* Decodes all code; that of other parts than .text need not be readable. */
static void read_codes(const struct program *program, struct references *references) {
	references->codes = ifr_alloc(program->part_count * sizeof *references->codes);
	for (size_t i = 1; i < program->part_count; i++) {
		const struct part *part = &program->parts[i];
		if (!part_is_code(part))
			continue;
		struct code *code = &references->codes[i];
		struct code_run run;
		uint64_t at;
		code_init(code, part);
		if (part != program->text)
			code->readable =
				code_decode(code, part->header.sh_addr, part->header.sh_addr + part->header.sh_size, &run, &at);
	}
}

static void count_units(const struct split_units *units, const struct references *references,
                        struct ifr_unlinked *made) {
	made->units = units->count;
	made->resolved = references->resolved;
	made->tables = references->tables;
	for (size_t i = 0; i < units->count; i++) {
		made->functions += units->items[i].functions;
		made->tied += units->items[i].functions > 1 ? units->items[i].functions : 0;
	}
}

/* Takes the program apart: the object file's bytes, and counts. */
static int take_apart(const struct program *program, struct ifr_buffer *object, struct ifr_unlinked *made,
                      struct ifr_error *err) {
	struct split_units units = {0};
	struct references references = {0};
	struct frames frames;
	read_codes(program, &references);
	int result = frames_read(program, &frames, err);
	if (!result)
		result =
			split_units_find(program, &frames, &references.codes[program->text - program->parts], &units, err);
	if (!result)
		result = references_find(program, &units, &frames, &references, err);
	if (!result)
		result = object_make(program, &units, &frames, &references, object, err);
	if (!result)
		count_units(&units, &references, made);
	references_release(program, &references);
	frames_release(&frames);
	split_units_release(&units);
	return result;
}

static int describe(const struct program *program, const char *cwd, struct ifr_kit *kit, struct ifr_error *err) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1], digest[IFR_SHA256_HEX], created[32];
	int result = ifr_build_id_read(program->path, id, err);
	if (!result)
		result = ifr_sha256_file(program->path, digest, NULL, err);
	if (result)
		return result;
	time_t now = time(NULL);
	struct tm utc;
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	kit->program = ifr_strdup(ifr_path_base(program->path));
	kit->output = ifr_path_normalise(cwd, program->path);
	kit->linker = ifr_strdup(IFR_KIT_UNLINKED);
	kit->linker_version = ifr_strdup("interfero kit make --from-relocs");
	kit->cwd = ifr_path_dir(kit->output);
	kit->created = ifr_strdup(created);
	kit->build_id = ifr_strdup(id);
	kit->sha256 = ifr_strdup(digest);
	snprintf(kit->key, sizeof kit->key, "%s%s", *id ? "" : "sha256-", *id ? id : digest);
	return 0;
}

/* Puts the inputs below a folder at their paths: the object file itself, libraries by links. */
static int place_inputs(const struct ifr_kit *kit, const char *object, const struct ifr_buffer *bytes,
                        const char *root, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < kit->input_count && !result; i++) {
		const char *path = kit->inputs[i].path;
		char *place = ifr_format("%s%s", root, path), *folder = ifr_path_dir(place);
		result = ifr_dir_make(folder, err);
		if (!result && !strcmp(path, object))
			result = ifr_file_write(place, bytes->data, bytes->length, 0644, err);
		else if (!result && symlink(path, place))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", place);
		free(folder);
		free(place);
	}
	return result;
}

static int save(const struct program *program, const struct ifr_buffer *bytes, struct ifr_unlinked *made,
                struct ifr_error *err) {
	char cwd[PATH_MAX], *root = NULL, *object = NULL;
	struct ifr_kit kit;
	ifr_kit_init(&kit);
	int result = getcwd(cwd, sizeof cwd) ? 0 : ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot tell the folder");
	if (!result)
		result = describe(program, cwd, &kit, err);
	if (!result) {
		object = ifr_format("%s.o", kit.output);
		result = command_make(program, object, &kit, err);
	}
	if (!result)
		result = ifr_temporary_dir(&root, err);
	if (!result)
		result = place_inputs(&kit, object, bytes, root, err);
	if (!result)
		result = ifr_kit_save_below(&kit, root, NULL, err);
	if (!result)
		snprintf(made->key, sizeof made->key, "%s", kit.key);
	if (root)
		ifr_tree_remove(root, NULL);
	free(root);
	free(object);
	ifr_kit_release(&kit);
	return result;
}

int ifr_unlinker_make_kit(const char *path, bool dry_run, struct ifr_unlinked *made, struct ifr_error *err) {
	struct program program;
	struct ifr_buffer object = {0};
	*made = (struct ifr_unlinked){0};
	int result = program_open(&program, path, err);
	if (!result)
		result = take_apart(&program, &object, made, err);
	if (!result && !dry_run)
		result = save(&program, &object, made, err);
	ifr_buffer_release(&object);
	program_close(&program);
	return result;
}
