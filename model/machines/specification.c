/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine by its specification: the name or file of a description, and changes, as in skylake,l1d.ways=4. */
#include "model/machines/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"

/* A description is a few thousand bytes. */
#define TEXT_LIMIT (1u << 20)

void ifr_machine_print_names(struct ifr_buffer *out) {
	for (const struct ifr_machine_text *text = ifr_machine_texts; text->name; text++)
		ifr_buffer_printf(out, "%s%s", text == ifr_machine_texts ? "" : " ", text->name);
}

static int open_description(struct ifr_machine **out, const char *name, struct ifr_error *err) {
	for (const struct ifr_machine_text *text = ifr_machine_texts; text->name; text++)
		if (!strcmp(text->name, name))
			return ifr_machine_read(out, name, name, text->text, err);
	if (!strchr(name, '/') && !strstr(name, ".cfg")) {
		struct ifr_buffer names = {0};
		ifr_machine_print_names(&names);
		ifr_fail(err, IFR_E_USAGE,
		         "there is no machine \"%s\": the descriptions that are built in are %s, and native, the nearest "
		         "of them to this processor; another is named by its file, with a / or .cfg in the name",
		         name, ifr_buffer_text(&names));
		ifr_buffer_release(&names);
		return -IFR_E_USAGE;
	}
	struct ifr_buffer text = {0};
	int rc = ifr_file_read_named(name, TEXT_LIMIT, &text, err);
	if (!rc)
		rc = ifr_machine_read(out, name, name, ifr_buffer_text(&text), err);
	ifr_buffer_release(&text);
	return rc;
}

/* Applies KEY=VALUE, which is changed in place. */
static int apply_change(struct ifr_machine *machine, char *change, struct ifr_error *err) {
	char *value = strchr(change, '=');
	if (!value)
		return ifr_fail(err, IFR_E_USAGE, "\"%s\" is no change of a machine: write KEY=VALUE, as l1d.ways=4",
		                change);
	*value++ = 0;
	return ifr_machine_set(machine, change, value, err);
}

int ifr_machine_open(struct ifr_machine **out, const char *spec, struct ifr_error *err) {
	char *copy, *note;
	int rc = ifr_machine_resolve(spec, &copy, &note, err);
	if (rc)
		return rc;
	free(note);
	char *rest = copy;
	const char *name = strsep(&rest, ",");
	struct ifr_machine *machine = NULL;
	rc = open_description(&machine, name, err);
	while (!rc && rest)
		rc = apply_change(machine, strsep(&rest, ","), err);
	if (!rc)
		rc = ifr_machine_check(machine, err);
	free(copy);
	if (rc)
		ifr_machine_free(machine);
	else
		*out = machine;
	return rc;
}
