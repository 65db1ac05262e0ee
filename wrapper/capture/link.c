/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a linker's command line, and makes the arguments that repeat the link. */
#include "wrapper/capture/capture.h"

#include <libiberty/libiberty.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "kit/kit.h"
#include "wrapper/capture/ltrans.h"
#include "wrapper/capture/options.h"

static bool is_long(const char *argument, const char *name) {
	if (*argument != '-')
		return false;
	argument += 1 + (argument[1] == '-');
	size_t length = strlen(name);
	return !strncmp(argument, name, length) && (!argument[length] || argument[length] == '=');
}

static void apply_option(struct ifr_link *link, struct option_use use) {
	char **field = use.kind == OPTION_DROP && use.value
	                   ? (is_long(use.name, "Map")                                         ? &link->map
	                      : is_long(use.name, "dependency-file")                           ? &link->dependency_file
	                      : is_long(use.name, "output") || ifr_starts_with(use.name, "-o") ? &link->output
	                                                                                       : NULL)
	                   : NULL;
	if (field) {
		free(*field);
		*field = ifr_strdup(use.value);
	}
	link->has_build_id |= is_long(use.name, "build-id");
	link->relocatable |= !strcmp(use.name, "-r") || !strcmp(use.name, "-i") || !strcmp(use.name, "-Ur") ||
	                     is_long(use.name, "relocatable");
	link->has_inputs |= use.kind == OPTION_INPUT;
}

void ifr_link_read(struct ifr_link *link, int argc, char **argv) {
	*link = (struct ifr_link){0};
	char **expanded = argv;
	expandargv(&argc, &expanded);
	for (int i = 1; i < argc; i++)
		ifr_strings_add(&link->arguments, expanded[i]);
	/* expandargv copies only if there is a response file. */
	if (expanded != argv)
		freeargv(expanded);
	for (size_t i = 0; i < link->arguments.count;) {
		struct option_use use = option_read(link->arguments.items[i], link->arguments.items[i + 1]);
		apply_option(link, use);
		i += (size_t)use.words;
	}
	if (!link->output)
		link->output = ifr_strdup("a.out");
}

void ifr_link_release(struct ifr_link *link) {
	ifr_strings_release(&link->arguments);
	ifr_strings_release(&link->ltrans);
	ifr_strings_release(&link->ltrans_made);
	free(link->output);
	free(link->map);
	free(link->dependency_file);
}

bool ifr_link_is_probe(const char *output, const char *cwd) {
	const char *base = ifr_path_base(output);
	char *path = ifr_path_normalise(cwd, output);
	bool probe = ifr_starts_with(base, "conftest") || ifr_starts_with(base, "cmTC_") ||
	             ifr_starts_with(base, "CMakeC") || strstr(path, "/CMakeScratch/") || strstr(path, "/CMakeTmp/") ||
	             strstr(path, "/meson-private/") || strstr(path, "/CompilerIdC") || !strcmp(path, "/dev/null");
	free(path);
	return probe;
}

/* Moves an absolute path below the kit's root. A relative path stays: the link runs in the root's copy of the
 * folder. */
static char *root_path(const char *path) {
	if (*path != '/')
		return ifr_strdup(path);
	char *normal = ifr_path_normalise("/", path), *result = ifr_format("%s%s", IFR_KIT_ROOT, normal);
	free(normal);
	return result;
}

static char *root_paths(const char *folders) {
	struct ifr_strings parts = {0};
	struct ifr_buffer list = {0};
	ifr_strings_split(&parts, folders, ":");
	for (size_t i = 0; i < parts.count; i++) {
		char *part = root_path(parts.items[i]);
		ifr_buffer_printf(&list, "%s%s", i ? ":" : "", part);
		free(part);
	}
	ifr_strings_release(&parts);
	return ifr_buffer_detach(&list);
}

/* Adds an option with another value, in the form in which it was given: joined, or as two words. */
static void add_with_value(struct ifr_strings *arguments, struct option_use use, const char *value) {
	if (use.words == 2) {
		ifr_strings_add(arguments, use.name);
		ifr_strings_add(arguments, value);
	} else {
		ifr_strings_take(arguments, ifr_format("%.*s%s", (int)(use.value - use.name), use.name, value));
	}
}

void ifr_link_arguments(const struct ifr_link *link, const char *cwd, struct ifr_strings *arguments,
                        struct ifr_strings *files) {
	bool sysroot = false;
	if (link->ltrans.count)
		ltrans_relink_arguments(link, IFR_KIT_LTO_PLUGIN, IFR_KIT_ROOT, arguments);
	for (size_t i = 0; i < link->arguments.count;) {
		const char *argument = link->arguments.items[i];
		struct option_use use = option_read(argument, link->arguments.items[i + 1]);
		i += (size_t)use.words;
		if (use.kind == OPTION_DROP)
			continue;
		sysroot |= is_long(argument, "sysroot");
		if (use.kind == OPTION_FILE && use.value)
			ifr_strings_take(files, ifr_path_normalise(cwd, use.value));
		if (use.value && use.kind == OPTION_INPUT) {
			ifr_strings_take(arguments, root_path(argument));
		} else if (use.value && (use.kind == OPTION_FILE || use.kind == OPTION_FOLDERS)) {
			char *value = use.kind == OPTION_FILE ? root_path(use.value) : root_paths(use.value);
			add_with_value(arguments, use, value);
			free(value);
		} else {
			ifr_strings_add(arguments, argument);
			if (use.words == 2)
				ifr_strings_add(arguments, use.value);
		}
	}
	if (!sysroot)
		ifr_strings_add(arguments, "--sysroot=" IFR_KIT_ROOT);
}

void ifr_dependencies_parse(const char *text, struct ifr_strings *files) {
	/* The first rule: a line "OUTPUT: \", then lines "  FILE \" to an empty line. Blanks are not escaped. */
	const char *line = strchr(text, '\n');
	while (line && line[1] == ' ' && line[2] == ' ') {
		const char *start = line + 3, *end = strchr(start, '\n');
		size_t length = end ? (size_t)(end - start) : strlen(start);
		if (length > 2 && start[length - 1] == '\\' && start[length - 2] == ' ')
			length -= 2;
		char *file = ifr_format("%.*s", (int)length, start);
		if (ifr_strings_contain(files, file))
			free(file);
		else
			ifr_strings_take(files, file);
		line = end;
	}
}
