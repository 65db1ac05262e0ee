/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fortran: a source names modules, whose files a compilation reads. Each file holds all that its module gives,
 * also what that one uses of others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/file.h"
#include "compiletime/compiletime.h"
#include "wrapper/proper/proper.h"

/* The word at *at in small letters, which the caller frees; *at moves behind it and what is blank. */
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

/* "use NAME", "use, non_intrinsic :: NAME": the name, which the caller frees, or NULL. */
static char *module_used(const char *line) {
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

/* What this part cannot follow. */
static const char *beyond(const char *line) {
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

/* Those that are nowhere are the compiler's own, or the source's. */
static void add_module(const struct proper_job *job, const char *module, struct ifr_recipe *recipe) {
	char *name = ifr_format("%s.mod", module);
	struct ifr_buffer bytes = {0};
	bool found = has_file(recipe, name) || !ifr_file_read(name, 0, &bytes, NULL);
	for (size_t i = 0; i < job->folders.count && !found; i++) {
		char *path = ifr_format("%s/%s", job->folders.items[i], name);
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
	/* Statements share lines by semicolons. */
	ifr_strings_split(&lines, source, "\n;");
	for (size_t i = 0; i < lines.count && !reason; i++) {
		char *module = module_used(lines.items[i]);
		reason = beyond(lines.items[i]);
		if (module)
			add_module(job, module, recipe);
		free(module);
	}
	ifr_strings_release(&lines);
	return reason;
}
