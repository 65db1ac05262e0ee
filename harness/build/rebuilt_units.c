/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/rebuilt_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* The input whose bytes have that digest, or NULL. */
static const struct ifr_kit_input *input_with(const struct ifr_kit *kit, const char *sha256) {
	for (size_t i = 0; i < kit->input_count && sha256; i++)
		if (!strcmp(kit->inputs[i].sha256, sha256))
			return &kit->inputs[i];
	return NULL;
}

struct search {
	const struct ifr_kit *kit;
	const char *input;
	struct rebuilt_units *units;
};

static const char twice[] = "its archive has two members of that name, which cannot be told apart";

static void leave(struct rebuilt_units *units, const char *input, const char *member, const char *reason) {
	units->left = ifr_realloc(units->left, units->left_count + 1, sizeof *units->left);
	units->left[units->left_count++] = (struct unbuildable_unit){ifr_strdup(input), ifr_strdup(member), reason};
}

/* Whether the archive had a member of that name before, which then is left, too. */
static bool member_known(const struct search *search, const char *member) {
	struct rebuilt_units *units = search->units;
	for (size_t i = 0; i < units->left_count && *member; i++)
		if (!strcmp(units->left[i].input, search->input) && !strcmp(units->left[i].member, member))
			return true;
	for (size_t i = 0; i < units->count && *member; i++) {
		struct rebuilt_unit *unit = &units->items[i];
		if (!strcmp(unit->input, search->input) && !strcmp(unit->member, member) && *unit->key) {
			*unit->key = '\0';
			leave(units, search->input, member, twice);
			return true;
		}
	}
	return false;
}

static void add_unit(struct search *search, const char *member, const char *key) {
	struct rebuilt_units *units = search->units;
	units->items = ifr_realloc(units->items, units->count + 1, sizeof *units->items);
	struct rebuilt_unit *unit = &units->items[units->count++];
	*unit = (struct rebuilt_unit){.input = ifr_strdup(search->input), .member = ifr_strdup(member)};
	strcpy(unit->key, key);
}

static const char *why_left(const struct search *search, size_t notes, const char *key) {
	if (notes > 1)
		return "it was joined from several units (ld -r)";
	if (!*key)
		return "it was compiled without INTERFERO_TEMPLATES=1, or its assembly includes files (.incbin, .include)";
	return input_with(search->kit, key)
	           ? NULL
	           : "its template is no longer in the store of kits (an object of a compiler's cache, or of another "
	             "machine?)";
}

/* An object with several notes was joined from several units. */
static int find_unit(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct search *search = data;
	struct ifr_note note;
	char key[IFR_SHA256_HEX] = "";
	size_t offset = 0, notes = 0;
	(void)err;
	while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
		notes++;
		snprintf(key, sizeof key, "%s", note.template_key);
		ifr_note_release(&note);
	}
	const char *reason = member_known(search, member) ? twice : why_left(search, notes, key);
	if (reason)
		leave(search->units, search->input, member, reason);
	else
		add_unit(search, member, key);
	return 0;
}

static int read_input(const struct ifr_kit *kit, const char *key, struct ifr_buffer *text, struct ifr_error *err) {
	char *path = ifr_format("%s/root%s", kit->dir, input_with(kit, key)->path);
	int result = ifr_file_read(path, 0, text, err);
	free(path);
	return result;
}

static int read_recipe(const struct ifr_kit *kit, struct rebuilt_unit *unit, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	unit->recipe_words = ifr_template_read_recipe(unit->text.data, unit->text.length);
	const char *words = unit->recipe_words;
	if (!words)
		unit->no_recipe = ifr_strdup("it was compiled without INTERFERO_SOURCES=1");
	else if (ifr_starts_with(words, "none "))
		unit->no_recipe = ifr_strdup(words + strlen("none "));
	else if (!input_with(kit, words))
		unit->no_recipe = ifr_strdup("its source is no longer in the store of kits");
	if (unit->no_recipe)
		return 0;
	int result = read_input(kit, words, &text, err);
	if (!result)
		result = ifr_recipe_parse(ifr_buffer_text(&text), text.length, &unit->recipe, err);
	ifr_buffer_release(&text);
	return result;
}

static int read_unit(const struct ifr_kit *kit, struct rebuilt_unit *unit, struct ifr_error *err) {
	int result = read_input(kit, unit->key, &unit->text, err);
	if (!result) {
		ifr_template_read_arguments(ifr_buffer_text(&unit->text), unit->text.length, &unit->arguments);
		result = read_recipe(kit, unit, err);
	}
	return result;
}

static void release_unit(struct rebuilt_unit *unit) {
	free(unit->input);
	free(unit->member);
	free(unit->object);
	free(unit->recipe_words);
	free(unit->no_recipe);
	ifr_buffer_release(&unit->text);
	ifr_strings_release(&unit->arguments);
	ifr_recipe_release(&unit->recipe);
}

int rebuilt_units_read(const struct ifr_kit *kit, struct rebuilt_units *units, struct ifr_error *err) {
	*units = (struct rebuilt_units){0};
	int result = 0;
	for (size_t i = 0; i < kit->input_count; i++) {
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		struct search search = {kit, kit->inputs[i].path, units};
		/* Many inputs are linker scripts and the like. */
		ifr_sections_visit(path, IFR_NOTE_SECTION, find_unit, &search, NULL);
		free(path);
	}
	size_t kept = 0;
	for (size_t i = 0; i < units->count; i++)
		if (*units->items[i].key)
			units->items[kept++] = units->items[i];
		else
			release_unit(&units->items[i]);
	units->count = kept;
	for (size_t i = 0; i < kept && !result; i++)
		result = read_unit(kit, &units->items[i], err);
	return result;
}

void rebuilt_units_release(struct rebuilt_units *units) {
	for (size_t i = 0; i < units->count; i++)
		release_unit(&units->items[i]);
	for (size_t i = 0; i < units->left_count; i++) {
		free(units->left[i].input);
		free(units->left[i].member);
	}
	free(units->items);
	free(units->left);
	*units = (struct rebuilt_units){0};
}

size_t rebuilt_units_count_recipes(const struct rebuilt_units *units) {
	size_t count = 0;
	for (size_t i = 0; i < units->count; i++)
		count += !units->items[i].no_recipe;
	return count;
}
