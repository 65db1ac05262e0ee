/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text is expanded, without an axis and with all axes, or refused with one line. */
#include <assert.h>
#include <string.h>

#include "compiletime/compiletime.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

/* A template with counters, or with an exit at an entry, is a template again. */
static void instrument_entries(const char *text, size_t size) {
	struct ifr_buffer out = {0};
	struct ifr_strings names = {0};
	struct ifr_error err = {0};
	if (!ifr_entries_add_counters(text, size, 0, &out, &names, &err))
		assert(ifr_template_is_complete(out.data, out.length));
	ifr_buffer_clear(&out);
	if (!ifr_entries_add_exit(text, size, names.count / 2, size, &out, &err))
		assert(ifr_template_is_complete(out.data, out.length));
	else
		assert(err.code == IFR_E_USAGE && !strchr(err.message, '\n'));
	ifr_strings_release(&names);
	ifr_buffer_release(&out);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	instrument_entries((const char *)data, size);
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
