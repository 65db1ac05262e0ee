/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrapper/capture/ltrans.h"

#include <libiberty/libiberty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"

/* The text behind "-plugin-opt=", or NULL. GCC's driver always joins the two. */
static const char *plugin_option(const char *argument) {
	static const char option[] = "-plugin-opt=";
	argument += ifr_starts_with(argument, "--");
	return ifr_starts_with(argument, option) ? argument + strlen(option) : NULL;
}

static bool names_wrapper(const char *argument) {
	const char *value = plugin_option(argument);
	return value && strchr(value, '/') && *value != '-' && !strcmp(ifr_path_base(value), "lto-wrapper");
}

char *ltrans_keeper(void) {
	char *self = ifr_path_self(), *folder = self ? ifr_path_dir(self) : NULL;
	char *above = folder ? ifr_path_dir(folder) : NULL;
	char *keeper = above ? ifr_format("%s/keep-ltrans", above) : NULL;
	free(above);
	free(folder);
	free(self);
	return keeper;
}

char *ltrans_wrapper_of(const struct ifr_link *link, const char *cwd, const char *keeper) {
	const char *const not_this[] = {keeper, NULL};
	for (size_t i = 0; i < link->arguments.count; i++) {
		if (!names_wrapper(link->arguments.items[i]))
			continue;
		char *path = ifr_path_normalise(cwd, plugin_option(link->arguments.items[i]));
		char *real = ifr_program_find(path, not_this);
		free(path);
		return real;
	}
	return NULL;
}

/* Copies arguments with keeper in place of the lto-wrapper; whether there was one. */
static bool replace_wrapper(char *const *from, size_t count, const char *keeper, struct ifr_strings *arguments) {
	bool replaced = false;
	for (size_t i = 0; i < count; i++) {
		bool wrapper = names_wrapper(from[i]);
		replaced |= wrapper;
		ifr_strings_take(arguments, wrapper ? ifr_format("-plugin-opt=%s", keeper) : ifr_strdup(from[i]));
	}
	return replaced;
}

int ltrans_arguments(const struct ifr_link *link, int argc, char **argv, const char *keeper, const char *folder,
                     struct ifr_strings *arguments, struct ifr_error *err) {
	struct ifr_strings all = {0};
	if (access(keeper, X_OK))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot run %s (install interfero again)", keeper);
	char *untouched = ifr_format("%s/untouched", folder);
	int marked = ifr_file_write(untouched, "", 0, 0600, err);
	free(untouched);
	if (marked)
		return marked;
	if (replace_wrapper(argv + 1, (size_t)argc - 1, keeper, arguments))
		return 0;
	replace_wrapper(link->arguments.items, link->arguments.count, keeper, &all);
	char *path = ifr_format("%s/arguments", folder);
	FILE *file = fopen(path, "w");
	int wrong = !file || writeargv(all.items, file);
	wrong |= file && fclose(file);
	int result = wrong ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", path) : 0;
	ifr_strings_release(arguments);
	ifr_strings_take(arguments, ifr_format("@%s", path));
	ifr_strings_release(&all);
	free(path);
	return result;
}

int ltrans_collect(struct ifr_link *link, const char *folder, struct ifr_error *err) {
	char *list = ifr_format("%s/list", folder), *untouched = ifr_format("%s/untouched", folder);
	struct ifr_buffer text = {0};
	int result = 0;
	if (ifr_file_exists(list))
		result = ifr_file_read(list, 0, &text, err);
	else if (link->watches_ltrans && !ifr_file_exists(untouched))
		result = ifr_fail(
			err, IFR_E_ENVIRONMENT,
			"it used -flto, whose objects could not be kept: is there room for temporary files (TMPDIR)?");
	ifr_strings_split(&link->ltrans_made, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < link->ltrans_made.count && !result; i++) {
		char *from = ifr_format("%s/%zu.o", folder, i);
		char *to = ifr_format("%s/%s.ltrans%zu.ltrans.o", folder, ifr_path_base(link->output), i);
		if (rename(from, to))
			result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write %s", to);
		ifr_strings_take(&link->ltrans, to);
		free(from);
	}
	ifr_buffer_release(&text);
	free(untouched);
	free(list);
	return result;
}

void ltrans_relink_arguments(const struct ifr_link *link, const char *plugin, const char *root,
                             struct ifr_strings *arguments) {
	ifr_strings_add(arguments, "-plugin");
	ifr_strings_add(arguments, plugin);
	for (size_t i = 0; i < link->ltrans.count; i++)
		ifr_strings_take(arguments, ifr_format("-plugin-opt=ltrans=%s%s", root, link->ltrans.items[i]));
	for (size_t i = 0; i < link->arguments.count; i++) {
		const char *value = plugin_option(link->arguments.items[i]);
		static const char through[] = "-pass-through=";
		if (!value || !ifr_starts_with(value, through))
			continue;
		const char *library = value + strlen(through);
		ifr_strings_take(arguments,
		                 ifr_format("-plugin-opt=%s%s%s", through, *library == '/' ? root : "", library));
	}
}
