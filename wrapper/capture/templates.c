/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds to a kit the templates of its units (compiletime/template.h) and the recipes that compile them
 * (compiletime/recipe.h). An object's note names its template, and the template its recipe. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"
#include "wrapper/capture/capture.h"

static void add_recipe(struct ifr_kit *kit, const char *template) {
	struct ifr_buffer text = {0};
	char *key = ifr_file_read(template, 0, &text, NULL) ? NULL : ifr_template_read_recipe(text.data, text.length);
	char *path = NULL;
	if (key && strlen(key) == IFR_SHA256_HEX - 1 && !strpbrk(key, "/ ") &&
	    !ifr_kit_object_path(key, &path, NULL) && ifr_file_exists(path))
		ifr_kit_add_input(kit, path);
	free(path);
	free(key);
	ifr_buffer_release(&text);
}

/* Adds the templates that an object's notes name. An unreadable note is skipped: the kit is worth more. */
static int add_template(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct ifr_kit *kit = data;
	struct ifr_note note;
	size_t offset = 0;
	(void)member;
	(void)err;
	while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
		char *path = NULL;
		if (*note.template_key && !ifr_kit_object_path(note.template_key, &path, NULL) && ifr_file_exists(path)) {
			ifr_kit_add_input(kit, path);
			add_recipe(kit, path);
		}
		free(path);
		ifr_note_release(&note);
	}
	return 0;
}

void ifr_capture_templates(struct ifr_kit *kit) {
	/* Inputs that are added on the way are templates and recipes, not object files. */
	size_t count = kit->input_count;
	for (size_t i = 0; i < count; i++) {
		char *path = ifr_strdup(kit->inputs[i].path);
		ifr_sections_visit(path, IFR_NOTE_SECTION, add_template, kit, NULL);
		free(path);
	}
}
