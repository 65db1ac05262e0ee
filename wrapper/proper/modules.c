/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the module files that a compilation of a Fortran source reads. A module's file also holds the entities that
 * the module uses from others: no file leads to another. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/file.h"
#include "compiletime/compiletime.h"
#include "wrapper/proper/proper.h"

/* Returns the word at *at in small letters, which the caller frees; *at moves behind the word and blanks. */
static char *next_word(const char **at) {
	size_t length = 0;
	while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
		length++;
	char *word = ifr_format("%.*s", (int)length, *at);
	for (char *c = word; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	*at += length;
	*at += strspn(*at, " \t");
	return word;
}

/* Returns NAME of "use NAME" or "use, non_intrinsic :: NAME", which the caller frees, or NULL. */
static char *parse_use(const char *line) {
	const char *at = line + strspn(line, " \t");
	char *word = next_word(&at);
	bool use = !strcmp(word, "use");
	free(word);
	const char *colons = use ? strstr(at, "::") : NULL;
	if (use && *at == ',' && colons)
		at = colons + 2 + strspn(colons + 2, " \t");
	else if (use && !strncmp(at, "::", 2))
		at += 2 + strspn(at + 2, " \t");
	if (!use || !(isalpha((unsigned char)*at)))
		return NULL;
	return next_word(&at);
}

/* Returns the reason why a line depends on files that are not kept, or NULL. */
static const char *find_obstacle(const char *line) {
	const char *at = line + strspn(line, " \t");
	char *word = next_word(&at);
	bool includes = !strcmp(word, "include") && (*at == '\'' || *at == '"');
	bool submodule = !strcmp(word, "submodule") && *at == '(';
	free(word);
	return includes    ? "its source includes files by Fortran's include, which are not kept"
	       : submodule ? "it is a Fortran submodule, whose parents are not kept"
	                   : NULL;
}

static bool has_file(const struct ifr_recipe *recipe, const char *name) {
	for (size_t i = 0; i < recipe->file_count; i++)
		if (!strcmp(recipe->files[i].name, name))
			return true;
	return false;
}

/* Adds a module's file. A module without a file is the compiler's own, or is defined in the source. */
static void add_module(const struct proper_job *job, const char *module, struct ifr_recipe *recipe) {
	char *name = ifr_format("%s.mod", module);
	struct ifr_buffer bytes = {0};
	bool found = has_file(recipe, name) || !ifr_file_read(name, 0, &bytes, NULL);
	for (size_t i = 0; i < job->module_folders.count && !found; i++) {
		char *path = ifr_format("%s/%s", job->module_folders.items[i], name);
		ifr_buffer_clear(&bytes);
		found = !ifr_file_read(path, 0, &bytes, NULL);
		free(path);
	}
	if (found && bytes.length)
		ifr_recipe_add(recipe, name, &bytes);
	ifr_buffer_release(&bytes);
	free(name);
}

const char *proper_modules_add(const struct proper_job *job, const char *source, struct ifr_recipe *recipe) {
	struct ifr_strings lines = {0};
	const char *reason = NULL;
	/* Semicolons part statements, too. */
	ifr_strings_split(&lines, source, "\n;");
	for (size_t i = 0; i < lines.count && !reason; i++) {
		char *module = parse_use(lines.items[i]);
		reason = find_obstacle(lines.items[i]);
		if (module)
			add_module(job, module, recipe);
		free(module);
	}
	ifr_strings_release(&lines);
	return reason;
}
