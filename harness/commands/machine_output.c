/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/machine_output.h"

#include <stdlib.h>
#include <string.h>

#include "harness/commands/commands.h"
#include "harness/output/output.h"

/* Appends a line of a description, "KEY = VALUE<tab>STANDING<tab>SOURCE", in 80 columns. */
static void put_setting(char *line, struct ifr_buffer *out) {
	enum { KEY_COLUMNS = 26 };
	char *standing = strchr(line, '\t'), *source = standing ? strchr(standing + 1, '\t') : NULL;
	if (!source) {
		ifr_text_wrap(out, line, "", "");
		return;
	}
	*standing++ = *source++ = '\0';
	char *first = ifr_format("%-*s  ", KEY_COLUMNS, line), *rest = ifr_format("%*s  ", KEY_COLUMNS, ""),
		 *note = ifr_format("%s: %s", standing, source);
	if (strlen(first) > KEY_COLUMNS + 2) {
		ifr_buffer_printf(out, "%s\n", line);
		ifr_text_wrap(out, note, rest, rest);
	} else {
		ifr_text_wrap(out, note, first, rest);
	}
	free(note);
	free(rest);
	free(first);
}

int machine_output_describe(const struct ifr_machine *machine, struct ifr_error *err) {
	struct ifr_buffer text = {0}, wrapped = {0};
	struct ifr_strings lines = {0};
	ifr_machine_print(machine, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count; i++)
		put_setting(lines.items[i], &wrapped);
	int result = ifr_command_print(&wrapped, err);
	ifr_strings_release(&lines);
	ifr_buffer_release(&wrapped);
	ifr_buffer_release(&text);
	return result;
}

/* Where the text of a line begins, behind the name before it; 0 where there is none. */
static size_t find_text(const char *line) {
	enum { NAME_MOST = 30 };
	const size_t indent = strspn(line, " ");
	const char *gap = strstr(line + indent, "  ");
	return gap && gap - line < NAME_MOST ? (size_t)(gap - line) + strspn(gap, " ") : 0;
}

/* A line of the list within 80 columns; what does not fit stands below its text. */
static void put_entry(const char *line, struct ifr_buffer *out) {
	enum { COLUMNS = 80, FURTHER = 2 };
	const size_t text = find_text(line), indent = strspn(line, " "); /* a heading has none */
	if (strlen(line) <= COLUMNS || !indent) {
		ifr_buffer_printf(out, "%s\n", line);
		return;
	}
	char *first = ifr_format("%.*s", (int)(text ? text : indent), line),
		 *rest = ifr_format("%*s", (int)(text ? text : indent + FURTHER), "");
	ifr_text_wrap(out, line + (text ? text : indent), first, rest);
	free(first);
	free(rest);
}

int machine_output_list(struct ifr_error *err) {
	struct ifr_buffer text = {0}, wrapped = {0};
	struct ifr_strings lines = {0};
	ifr_machine_print_help(&text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count; i++)
		put_entry(lines.items[i], &wrapped);
	int result = ifr_command_print(&wrapped, err);
	ifr_strings_release(&lines);
	ifr_buffer_release(&wrapped);
	ifr_buffer_release(&text);
	return result;
}
