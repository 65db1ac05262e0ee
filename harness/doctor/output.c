/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checkup as text and as JSON. */
#include "harness/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/output/output.h"

enum { NAME_COLUMNS = 20, INDENT_COLUMNS = NAME_COLUMNS + 6 };

static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
static const char plain[] = "\033[0m";

static void append_verdict(const struct ifr_checkup *checkup, struct ifr_buffer *text) {
	unsigned warnings = 0, bad = 0;
	for (size_t i = 0; i < checkup->count; i++) {
		warnings += checkup->checks[i].status == IFR_CHECK_WARN;
		bad += checkup->checks[i].status == IFR_CHECK_BAD;
	}
	if (bad)
		ifr_buffer_printf(text, "\ninterfero cannot work here: %u bad, %u to be warned of\n", bad, warnings);
	else
		ifr_buffer_printf(text, "\ninterfero can work here; %u to be warned of\n", warnings);
}

void ifr_checkup_text(const struct ifr_checkup *checkup, bool colour, struct ifr_buffer *text) {
	char indent[INDENT_COLUMNS + 1];
	snprintf(indent, sizeof indent, "%*s", INDENT_COLUMNS, "");
	for (size_t i = 0; i < checkup->count; i++) {
		const struct ifr_check *check = &checkup->checks[i];
		char *head = ifr_format("%-*s%s%-4s%s  ", NAME_COLUMNS, check->name, colour ? colours[check->status] : "",
		                        ifr_check_status_name(check->status), colour ? plain : "");
		ifr_text_wrap(text, check->finding, head, indent);
		free(head);
		if (!*check->remedy)
			continue;
		char *remedy = ifr_format("-> %s", check->remedy);
		ifr_text_wrap(text, remedy, indent, indent);
		free(remedy);
	}
	append_verdict(checkup, text);
}

static json_t *json_check(const struct ifr_check *check) {
	json_t *object = json_object();
	ifr_json_set(object, "name", ifr_json_text(check->name));
	ifr_json_set(object, "status", ifr_json_text(ifr_check_status_name(check->status)));
	ifr_json_set(object, "finding", ifr_json_text(check->finding));
	ifr_json_set(object, "remedy", ifr_json_text(check->remedy));
	return object;
}

void ifr_checkup_json(const struct ifr_checkup *checkup, struct ifr_buffer *text) {
	json_t *root = ifr_json_document(IFR_CHECKUP_SCHEMA_VERSION, NULL, NULL), *checks = json_array();
	for (size_t i = 0; i < checkup->count; i++)
		json_array_append_new(checks, json_check(&checkup->checks[i]));
	ifr_json_set(root, "usable", json_boolean(ifr_checkup_usable(checkup)));
	ifr_json_set(root, "checks", checks);
	ifr_json_print(root, text);
}
