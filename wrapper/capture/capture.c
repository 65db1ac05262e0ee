/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrapper/capture/capture.h"

#include <bfd.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "kit/kit.h"
#include "wrapper/capture/ltrans.h"
#include "wrapper/capture/options.h"

/* The path of our linker plugin, which hands kept ltrans objects to ld.bfd; the caller frees. */
static char *relink_plugin(void) {
	char *self = ifr_path_self(), *folder = ifr_path_dir(self ? self : ".");
	char *path = ifr_format("%s/../relink_plugin.so", folder);
	free(folder);
	free(self);
	return path;
}

/* Adds the link's own arguments, with our plugin in place of the compiler's: -flto compiles nothing again. */
static void add_original_arguments(const struct ifr_link *link, struct ifr_strings *arguments) {
	char *plugin = relink_plugin();
	if (link->ltrans.count)
		ltrans_relink_arguments(link, plugin, "", arguments);
	for (size_t i = 0; i < link->arguments.count;) {
		struct option_use use = option_read(link->arguments.items[i], link->arguments.items[i + 1]);
		for (int word = 0; word < use.words; word++, i++)
			if (use.kind != OPTION_DROP || !strstr(use.name, "-plugin"))
				ifr_strings_add(arguments, link->arguments.items[i]);
	}
	free(plugin);
}

/* Repeats the link by ld.bfd for its dependency file: other linkers do not write one. */
static int link_for_dependencies(const struct ifr_link *link, struct ifr_buffer *dependencies,
                                 struct ifr_error *err) {
	char *folder = NULL, *self = ifr_path_self();
	const char *const not_this[] = {self, NULL};
	char *ld = ifr_program_find("ld.bfd", not_this);
	int result = ld ? ifr_temporary_dir(&folder, err)
	                : ifr_fail(err, IFR_E_ENVIRONMENT, "ld.bfd is not installed (Debian package binutils)");
	if (!result) {
		struct ifr_strings arguments = {0};
		struct ifr_buffer output = {0};
		char *list = ifr_format("%s/dependencies", folder);
		int status = 0;
		ifr_strings_add(&arguments, ld);
		add_original_arguments(link, &arguments);
		ifr_strings_add(&arguments, "-o");
		ifr_strings_take(&arguments, ifr_format("%s/output", folder));
		ifr_strings_take(&arguments, ifr_format("--dependency-file=%s", list));
		struct ifr_process process = {
			.argv = (const char *const *)arguments.items, .out = &output, .errors = &output};
		result = ifr_process_run(&process, &status, err);
		if (!result && status)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "ld.bfd cannot repeat the link: %.*s",
			                  (int)strcspn(ifr_buffer_text(&output), "\n"), ifr_buffer_text(&output));
		if (!result)
			result = ifr_file_read(list, 0, dependencies, err);
		free(list);
		ifr_buffer_release(&output);
		ifr_strings_release(&arguments);
		ifr_tree_remove(folder, NULL);
	}
	free(folder);
	free(ld);
	free(self);
	return result;
}

/* Adds the members of a thin archive, which only names them, as inputs. */
static void add_thin_members(struct ifr_kit *kit, const char *path, const char *cwd) {
	char magic[8] = "";
	FILE *file = fopen(path, "rb");
	bool thin = file && fread(magic, 1, sizeof magic, file) == sizeof magic && !memcmp(magic, "!<thin>\n", 8);
	if (file)
		fclose(file);
	bfd *archive = thin ? bfd_openr(path, NULL) : NULL;
	if (archive && bfd_check_format(archive, bfd_archive)) {
		for (bfd *member = NULL; (member = bfd_openr_next_archived_file(archive, member));) {
			char *absolute = ifr_path_normalise(cwd, bfd_get_filename(member));
			ifr_kit_add_input(kit, absolute);
			free(absolute);
		}
	}
	if (archive)
		bfd_close(archive);
}

static int add_inputs(struct ifr_kit *kit, const char *cwd, const struct ifr_strings *files,
                      const struct ifr_link *link, struct ifr_error *err) {
	for (size_t i = 0; i < link->ltrans.count; i++)
		ifr_kit_add_input(kit, link->ltrans.items[i]);
	for (size_t i = 0; i < files->count; i++) {
		if (ifr_strings_contain(&link->ltrans_made, files->items[i]))
			continue;
		char *path = ifr_path_normalise(cwd, files->items[i]);
		int result = 0;
		if (access(path, R_OK))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read its input %s", path);
		else
			ifr_kit_add_input(kit, path);
		free(path);
		if (result)
			return result;
		add_thin_members(kit, files->items[i], cwd);
	}
	return 0;
}

/* Adds the folders of shared libraries to -rpath-link: dependencies of libraries are found where the original link
 * found them. */
static void add_library_folders(struct ifr_kit *kit) {
	for (size_t i = 0; i < kit->input_count; i++) {
		if (!strstr(ifr_path_base(kit->inputs[i].path), ".so"))
			continue;
		char *folder = ifr_path_dir(kit->inputs[i].path);
		char *argument = ifr_format("-rpath-link=%s%s", IFR_KIT_ROOT, folder);
		if (!ifr_strings_contain(&kit->arguments, argument))
			ifr_strings_add(&kit->arguments, argument);
		free(argument);
		free(folder);
	}
}

static char *ask_version(const char *linker) {
	const char *const argv[] = {linker, "--version", NULL};
	struct ifr_buffer output = {0};
	int status;
	struct ifr_process process = {.argv = argv, .out = &output, .errors = &output};
	ifr_process_run(&process, &status, NULL);
	char *version = ifr_format("%.*s", (int)strcspn(ifr_buffer_text(&output), "\n"), ifr_buffer_text(&output));
	ifr_buffer_release(&output);
	return version;
}

/* Sets the kit's build-id, digest and key. */
static int identify_output(struct ifr_kit *kit, const char *output, struct ifr_error *err) {
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1], digest[IFR_SHA256_HEX];
	int result = ifr_build_id_read(output, id, err);
	if (!result)
		result = ifr_sha256_file(output, digest, NULL, err);
	if (result)
		return result;
	kit->build_id = ifr_strdup(id);
	kit->sha256 = ifr_strdup(digest);
	snprintf(kit->key, sizeof kit->key, "%s%s", *id ? "" : "sha256-", *id ? id : digest);
	return 0;
}

/* Adds LD_RUN_PATH as -rpath, for which it stands where the link has no -rpath. */
static void add_run_path(struct ifr_kit *kit) {
	const char *run_path = getenv("LD_RUN_PATH");
	for (size_t i = 0; i < kit->arguments.count; i++)
		if (ifr_starts_with(kit->arguments.items[i], "-rpath") ||
		    ifr_starts_with(kit->arguments.items[i], "--rpath"))
			return;
	if (run_path && *run_path)
		ifr_strings_take(&kit->arguments, ifr_format("-rpath=%s", run_path));
}

static void describe_link(struct ifr_kit *kit, const struct ifr_link *link, const char *linker, const char *real,
                          const char *cwd) {
	char created[32];
	time_t now = time(NULL);
	struct tm utc;
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	kit->program = ifr_strdup(ifr_path_base(link->output));
	kit->output = ifr_path_normalise(cwd, link->output);
	kit->linker = ifr_strdup(linker);
	kit->linker_version = ask_version(real);
	kit->cwd = ifr_strdup(cwd);
	kit->created = ifr_strdup(created);
}

/* clang -flto compiles within LLVM's linker plugin, and keeps no objects. */
static bool compiles_by_llvm(const struct ifr_link *link) {
	for (size_t i = 0; i < link->arguments.count; i++)
		if (ifr_starts_with(ifr_path_base(link->arguments.items[i]), "LLVMgold"))
			return true;
	return false;
}

int ifr_capture(const struct ifr_link *link, const char *linker, const char *real, const char *dependencies,
                const char *map, struct ifr_error *err) {
	char cwd[PATH_MAX];
	if (!getcwd(cwd, sizeof cwd))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot tell the current folder");
	if (strchr(link->output, '\n') || strchr(cwd, '\n'))
		return ifr_fail(err, IFR_E_USAGE, "its path has a line end, which lists of files cannot hold");
	if (compiles_by_llvm(link))
		return ifr_fail(err, IFR_E_USAGE,
		                "clang -flto keeps no objects that could be linked again; build without -flto");
	struct ifr_kit kit;
	struct ifr_strings files = {0};
	struct ifr_buffer list = {0};
	ifr_kit_init(&kit);
	int result =
		dependencies ? ifr_file_read(dependencies, 0, &list, err) : link_for_dependencies(link, &list, err);
	if (result)
		goto out;
	ifr_link_arguments(link, cwd, &kit.arguments, &files);
	add_run_path(&kit);
	ifr_dependencies_parse(ifr_buffer_text(&list), &files);
	if ((result = identify_output(&kit, link->output, err)) || (result = add_inputs(&kit, cwd, &files, link, err)))
		goto out;
	ifr_capture_templates(&kit);
	add_library_folders(&kit);
	describe_link(&kit, link, linker, real, cwd);
	result = ifr_kit_save(&kit, map, err);
out:
	ifr_buffer_release(&list);
	ifr_strings_release(&files);
	ifr_kit_release(&kit);
	return result;
}
