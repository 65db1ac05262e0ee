/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text is expanded or refused as no template; without an axis the expansion of an expansion is the same text
 * but for the notes, as no mark is left. */
#include <assert.h>
#include <string.h>

#include "sites/sites.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_plan plan;
	for (int on = 0; on < 2; on++) {
		struct ifr_buffer out = {0};
		struct ifr_note note;
		struct ifr_error err = {0};
		ifr_plan_init(&plan);
		for (int i = 0; on && i < IFR_AXIS_COUNT; i++)
			ifr_plan_enable(&plan, (enum ifr_axis)i, size);
		int result = ifr_template_expand((const char *)data, size, &plan, "", &out, &note, &err);
		assert(!result || (result == -IFR_E_USAGE && *err.message && !strchr(err.message, '\n')));
		assert(result || ifr_note_next("", 0, &(size_t){0}, &(struct ifr_note){0}, NULL) == 0);
		ifr_note_release(&note);
		ifr_buffer_release(&out);
		ifr_plan_release(&plan);
	}
	return 0;
}
