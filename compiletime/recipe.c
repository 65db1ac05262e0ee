/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compiletime/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "interfero-recipe";

bool ifr_recipe_compiler_known(const char *name) {
	static const char *const names[] = {"cc1", "cc1plus", "f951", "lto1"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void ifr_recipe_release(struct ifr_recipe *recipe) {
	for (size_t i = 0; i < recipe->file_count; i++) {
		free(recipe->files[i].name);
		ifr_buffer_release(&recipe->files[i].bytes);
	}
	free(recipe->files);
	free(recipe->compiler);
	ifr_strings_release(&recipe->arguments);
	*recipe = (struct ifr_recipe){0};
}

void ifr_recipe_add(struct ifr_recipe *recipe, const char *name, struct ifr_buffer *bytes) {
	recipe->files = ifr_realloc(recipe->files, recipe->file_count + 1, sizeof *recipe->files);
	recipe->files[recipe->file_count++] = (struct ifr_recipe_file){ifr_strdup(name), *bytes};
	*bytes = (struct ifr_buffer){0};
}

void ifr_recipe_print(const struct ifr_recipe *recipe, struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s %d\ncompiler %s\n", header, IFR_RECIPE_VERSION, recipe->compiler);
	for (size_t i = 0; i < recipe->arguments.count; i++)
		ifr_buffer_printf(text, "argument %s\n", recipe->arguments.items[i]);
	for (size_t i = 0; i < recipe->file_count; i++) {
		const struct ifr_recipe_file *file = &recipe->files[i];
		ifr_buffer_printf(text, "file %s %zu\n", file->name, file->bytes.length);
		ifr_buffer_append(text, file->bytes.data, file->bytes.length);
		ifr_buffer_puts(text, "\n");
	}
}

struct reader {
	const char *text;
	size_t left;
	char *line; /* the last line read */
};

static bool next_line(struct reader *reader) {
	const char *newline = reader->left ? memchr(reader->text, '\n', reader->left) : NULL;
	free(reader->line);
	reader->line = NULL;
	if (!newline)
		return false;
	size_t length = (size_t)(newline - reader->text);
	reader->line = ifr_alloc(length + 1);
	memcpy(reader->line, reader->text, length);
	reader->text += length + 1;
	reader->left -= length + 1;
	return strlen(reader->line) == length;
}

/* Reads "NAME BYTES" and the bytes of the file behind that line. */
static bool read_file(struct reader *reader, const char *words, struct ifr_recipe *recipe) {
	char *space = strrchr(words, ' '), *end = NULL;
	if (!space || space == words || space[1] < '0' || space[1] > '9')
		return false;
	size_t size = strtoull(space + 1, &end, 10);
	if (*end || size >= reader->left || reader->text[size] != '\n')
		return false;
	char *name = ifr_format("%.*s", (int)(space - words), words);
	bool good = !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
	struct ifr_buffer bytes = {0};
	ifr_buffer_append(&bytes, reader->text, size);
	if (good)
		ifr_recipe_add(recipe, name, &bytes);
	ifr_buffer_release(&bytes);
	free(name);
	reader->text += size + 1;
	reader->left -= size + 1;
	return good;
}

static bool parse_line(struct reader *reader, struct ifr_recipe *recipe) {
	const char *line = reader->line;
	if (ifr_starts_with(line, "compiler ") && !recipe->compiler) {
		recipe->compiler = ifr_strdup(line + strlen("compiler "));
		return ifr_recipe_compiler_known(recipe->compiler);
	}
	if (ifr_starts_with(line, "argument ")) {
		ifr_strings_add(&recipe->arguments, line + strlen("argument "));
		return true;
	}
	return ifr_starts_with(line, "file ") && read_file(reader, line + strlen("file "), recipe);
}

int ifr_recipe_parse(const char *text, size_t length, struct ifr_recipe *recipe, struct ifr_error *err) {
	struct reader reader = {.text = text, .left = length};
	char *first = ifr_format("%s %d", header, IFR_RECIPE_VERSION);
	bool good = next_line(&reader) && !strcmp(reader.line, first);
	while (good && reader.left)
		good = next_line(&reader) && parse_line(&reader, recipe);
	good = good && recipe->compiler && recipe->file_count;
	free(reader.line);
	free(first);
	return good ? 0 : ifr_fail(err, IFR_E_USAGE, "not a recipe of version %d: compile again", IFR_RECIPE_VERSION);
}
