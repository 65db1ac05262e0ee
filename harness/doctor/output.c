/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checkup as text and as JSON. */
#include "harness/doctor/doctor.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, NAME_COLUMNS = 20, INDENT_COLUMNS = NAME_COLUMNS + 6 };

static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
static const char plain[] = "\033[0m";

/* The number of columns of UTF-8 text, one a character. */
static size_t text_columns(const char *text, size_t bytes) {
	size_t columns = 0;
	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

/* Appends words, wrapped at COLUMNS; the cursor stands at the indent. */
static void append_wrapped(struct ifr_buffer *text, const char *words) {
	size_t column = INDENT_COLUMNS;
	for (words += strspn(words, " \n"); *words; words += strspn(words, " \n")) {
		size_t bytes = strcspn(words, " \n"), columns = text_columns(words, bytes);
		bool first = column == INDENT_COLUMNS;
		if (!first && column + 1 + columns > COLUMNS) {
			ifr_buffer_printf(text, "\n%*s", INDENT_COLUMNS, "");
			column = INDENT_COLUMNS;
		} else if (!first) {
			ifr_buffer_puts(text, " ");
			column++;
		}
		ifr_buffer_append(text, words, bytes);
		column += columns;
		words += bytes;
	}
	ifr_buffer_puts(text, "\n");
}

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
	for (size_t i = 0; i < checkup->count; i++) {
		const struct ifr_check *check = &checkup->checks[i];
		ifr_buffer_printf(text, "%-*s%s%-4s%s  ", NAME_COLUMNS, check->name, colour ? colours[check->status] : "",
		                  ifr_check_status_name(check->status), colour ? plain : "");
		append_wrapped(text, check->finding);
		if (!*check->remedy)
			continue;
		char *remedy = ifr_format("-> %s", check->remedy);
		ifr_buffer_printf(text, "%*s", INDENT_COLUMNS, "");
		append_wrapped(text, remedy);
		free(remedy);
	}
	append_verdict(checkup, text);
}

/* A JSON string; text that is not UTF-8, such as some paths, is replaced. */
static json_t *json_text(const char *text) {
	json_t *string = json_string(text);
	return string ? string : json_string("(not UTF-8)");
}

static json_t *json_check(const struct ifr_check *check) {
	json_t *object = json_object();
	json_object_set_new(object, "name", json_text(check->name));
	json_object_set_new(object, "status", json_text(ifr_check_status_name(check->status)));
	json_object_set_new(object, "finding", json_text(check->finding));
	json_object_set_new(object, "remedy", json_text(check->remedy));
	return object;
}

int ifr_checkup_json(const struct ifr_checkup *checkup, struct ifr_buffer *text, struct ifr_error *err) {
	json_t *root = json_object(), *checks = json_array();
	for (size_t i = 0; i < checkup->count; i++)
		json_array_append_new(checks, json_check(&checkup->checks[i]));
	json_object_set_new(root, "schema_version", json_integer(IFR_CHECKUP_SCHEMA_VERSION));
	json_object_set_new(root, "tool", json_text("interfero"));
	json_object_set_new(root, "version", json_text(INTERFERO_VERSION));
	json_object_set_new(root, "usable", json_boolean(ifr_checkup_usable(checkup)));
	json_object_set_new(root, "checks", checks);
	char *dump = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (!dump)
		return ifr_fail(err, IFR_E_BUG, "doctor: the findings cannot be written as JSON");
	ifr_buffer_printf(text, "%s\n", dump);
	free(dump);
	return 0;
}
