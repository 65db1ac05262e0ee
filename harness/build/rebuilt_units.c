/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/rebuilt_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* Finds the input with this digest (NULL: none), or returns NULL. */
static const struct ifr_kit_input *find_input(const struct ifr_kit *kit, const char *sha256) {
	for (size_t i = 0; i < kit->input_count && sha256; i++)
		if (!strcmp(kit->inputs[i].sha256, sha256))
			return &kit->inputs[i];
	return NULL;
}

struct unit_search {
	const struct ifr_kit *kit;
	const char *input;
	struct rebuilt_units *units;
};

static const char duplicate_member[] = "its archive has two members of that name, which cannot be told apart";

static void add_unbuildable(struct rebuilt_units *units, const char *input, const char *member,
                            const char *reason) {
	units->unbuildable = ifr_realloc(units->unbuildable, units->unbuildable_count + 1, sizeof *units->unbuildable);
	units->unbuildable[units->unbuildable_count++] =
		(struct unbuildable_unit){ifr_strdup(input), ifr_strdup(member), reason};
}

/* Whether the archive has an earlier member of this name. That member becomes unbuildable, too. */
static bool is_duplicate_member(const struct unit_search *search, const char *member) {
	struct rebuilt_units *units = search->units;
	for (size_t i = 0; i < units->unbuildable_count && *member; i++)
		if (!strcmp(units->unbuildable[i].input, search->input) && !strcmp(units->unbuildable[i].member, member))
			return true;
	for (size_t i = 0; i < units->count && *member; i++) {
		struct rebuilt_unit *unit = &units->items[i];
		if (!strcmp(unit->input, search->input) && !strcmp(unit->member, member) && *unit->key) {
			*unit->key = '\0';
			add_unbuildable(units, search->input, member, duplicate_member);
			return true;
		}
	}
	return false;
}

static void add_unit(struct unit_search *search, const char *member, const char *key) {
	struct rebuilt_units *units = search->units;
	units->items = ifr_realloc(units->items, units->count + 1, sizeof *units->items);
	struct rebuilt_unit *unit = &units->items[units->count++];
	*unit = (struct rebuilt_unit){.input = ifr_strdup(search->input), .member = ifr_strdup(member)};
	strcpy(unit->key, key);
}

/* The reason why an object file cannot be rebuilt; NULL: it can. */
static const char *find_obstacle(const struct unit_search *search, size_t notes, const char *key) {
	if (notes > 1)
		return "it was joined from several units (ld -r)";
	if (!*key)
		return "it was compiled without INTERFERO_TEMPLATES=1, or its assembly includes files (.incbin, .include)";
	return find_input(search->kit, key)
	           ? NULL
	           : "its template is no longer in the store of kits (an object of a compiler's cache, or of another "
	             "machine?)";
}

/* Adds an object file to the units, or to the unbuildable ones. ld -r joins notes: several notes are several
 * units. */
static int add_object(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct unit_search *search = data;
	struct ifr_note note;
	char key[IFR_SHA256_HEX] = "";
	size_t offset = 0, notes = 0;
	(void)err;
	while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
		notes++;
		snprintf(key, sizeof key, "%s", note.template_key);
		ifr_note_release(&note);
	}
	const char *reason =
		is_duplicate_member(search, member) ? duplicate_member : find_obstacle(search, notes, key);
	if (reason)
		add_unbuildable(search->units, search->input, member, reason);
	else
		add_unit(search, member, key);
	return 0;
}

static int read_input(const struct ifr_kit *kit, const char *key, struct ifr_buffer *text, struct ifr_error *err) {
	char *path = ifr_format("%s/root%s", kit->dir, find_input(kit, key)->path);
	int result = ifr_file_read(path, 0, text, err);
	free(path);
	return result;
}

static int read_recipe(const struct ifr_kit *kit, struct rebuilt_unit *unit, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	unit->recipe_reference = ifr_template_read_recipe(unit->text.data, unit->text.length);
	const char *reference = unit->recipe_reference;
	if (!reference)
		unit->no_recipe = ifr_strdup("it was compiled without INTERFERO_SOURCES=1");
	else if (ifr_starts_with(reference, "none "))
		unit->no_recipe = ifr_strdup(reference + strlen("none "));
	else if (!find_input(kit, reference))
		unit->no_recipe = ifr_strdup("its source is no longer in the store of kits");
	if (unit->no_recipe)
		return 0;
	int result = read_input(kit, reference, &text, err);
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
	free(unit->recipe_reference);
	free(unit->no_recipe);
	free(unit->remark);
	ifr_buffer_release(&unit->text);
	ifr_strings_release(&unit->arguments);
	ifr_recipe_release(&unit->recipe);
}

int rebuilt_units_read(const struct ifr_kit *kit, struct rebuilt_units *units, struct ifr_error *err) {
	*units = (struct rebuilt_units){0};
	int result = 0;
	for (size_t i = 0; i < kit->input_count; i++) {
		char *path = ifr_format("%s/root%s", kit->dir, kit->inputs[i].path);
		struct unit_search search = {kit, kit->inputs[i].path, units};
		/* An input that is no ELF file, such as a linker script, has no units: its error is ignored. */
		ifr_sections_visit(path, IFR_NOTE_SECTION, add_object, &search, NULL);
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
	for (size_t i = 0; i < units->unbuildable_count; i++) {
		free(units->unbuildable[i].input);
		free(units->unbuildable[i].member);
	}
	free(units->items);
	free(units->unbuildable);
	*units = (struct rebuilt_units){0};
}

size_t rebuilt_units_count_recipes(const struct rebuilt_units *units) {
	size_t count = 0;
	for (size_t i = 0; i < units->count; i++)
		count += !units->items[i].no_recipe;
	return count;
}
