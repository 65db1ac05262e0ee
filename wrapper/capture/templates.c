/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The templates of a link's units (sites/template.h): an object's note names its own, and the kit takes it along.
 */
#include <stdlib.h>

#include "common/file.h"
#include "kit/kit.h"
#include "sites/sites.h"
#include "wrapper/capture/capture.h"

/* A note that cannot be read is no reason to lose the kit. */
static int add_template(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct ifr_kit *kit = data;
	struct ifr_note note;
	size_t offset = 0;
	(void)member;
	(void)err;
	while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
		char *path = NULL;
		if (*note.template_key && !ifr_kit_kept(note.template_key, &path, NULL) && ifr_file_exists(path))
			ifr_kit_add_input(kit, path);
		free(path);
		ifr_note_release(&note);
	}
	return 0;
}

void ifr_capture_templates(struct ifr_kit *kit) {
	/* Those that are added on the way are no objects. */
	size_t count = kit->input_count;
	for (size_t i = 0; i < count; i++) {
		char *path = ifr_strdup(kit->inputs[i].path);
		ifr_sections_visit(path, IFR_NOTE_SECTION, add_template, kit, NULL);
		free(path);
	}
}
