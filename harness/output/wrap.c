/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/output/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "harness/output/escape.h"

enum { COLUMNS = 80 };

/* Bytes up to the next place where a line may end: not before a unit, nor within "p < 0.001". */
static size_t word_length(const char *text) {
	size_t bytes = strcspn(text, " ");
	while (text[bytes] == ' ' && text[bytes + 1] &&
	       (strchr("%=<", text[bytes + 1]) || strchr("=<", text[bytes - 1])))
		bytes += 1 + strcspn(text + bytes + 1, " ");
	return bytes;
}

void ifr_text_wrap_to(struct ifr_buffer *out, const char *text, const char *first, const char *rest,
                      size_t columns) {
	struct ifr_buffer clean = {0};
	ifr_escape_plain(&clean, text);
	const char *next = ifr_buffer_text(&clean);
	size_t column = strlen(rest), indent = strlen(rest);
	bool empty = true;
	ifr_buffer_puts(out, first);
	while (*(next += strspn(next, " "))) {
		size_t bytes = word_length(next), width = ifr_text_width(next, bytes);
		if (!empty && column + 1 + width > columns) {
			ifr_buffer_printf(out, "\n%s", rest);
			column = indent;
			empty = true;
		}
		if (!empty) {
			ifr_buffer_puts(out, " ");
			column++;
		}
		while (column + width > columns) {
			size_t part = 0;
			while (ifr_text_width(next, part + 1) <= columns - column)
				part++;
			ifr_buffer_append(out, next, part);
			ifr_buffer_printf(out, "\n%s", rest);
			next += part;
			bytes -= part;
			width = ifr_text_width(next, bytes);
			column = indent;
		}
		ifr_buffer_append(out, next, bytes);
		next += bytes;
		column += width;
		empty = false;
	}
	ifr_buffer_puts(out, "\n");
	ifr_buffer_release(&clean);
}

void ifr_text_wrap(struct ifr_buffer *out, const char *text, const char *first, const char *rest) {
	ifr_text_wrap_to(out, text, first, rest, COLUMNS);
}

void ifr_text_point(struct ifr_buffer *out, struct ifr_buffer *text) {
	if (text->length)
		ifr_text_wrap(out, ifr_buffer_text(text), "  - ", "    ");
	ifr_buffer_clear(text);
}

/* The end of the word that begins here: the next space outside of quotes. */
static size_t command_word(const char *text) {
	size_t i = 0;
	for (char quote = '\0'; text[i] && (quote || text[i] != ' '); i++) {
		if (text[i] == '\\' && quote != '\'' && text[i + 1])
			i++;
		else if (quote ? text[i] == quote : text[i] == '\'' || text[i] == '"')
			quote = (char)(quote ? '\0' : text[i]);
	}
	return i;
}

void ifr_text_command(struct ifr_buffer *out, const char *command, const char *indent) {
	struct ifr_buffer clean = {0};
	ifr_escape_plain(&clean, command);
	const char *text = ifr_buffer_text(&clean);
	const size_t margin = strlen(indent);
	size_t column = 0;
	for (size_t length; *text; text += length + (text[length] == ' ')) {
		length = command_word(text);
		size_t width = ifr_text_width(text, length);
		/* A further command begins a line, unless all of it stands on this one. */
		const size_t whole = strncmp(text, "&& ", 3) ? width : ifr_text_width(text, strlen(text));
		/* The last two columns are the backslash's. */
		if (column && column + 1 + whole > COLUMNS - 2) {
			ifr_buffer_puts(out, " \\\n  ");
			column = 0;
		}
		if (!column)
			ifr_buffer_puts(out, indent);
		ifr_buffer_puts(out, column ? " " : "");
		column += (column ? 1 : margin + 2) + width;
		ifr_buffer_append(out, text, length);
	}
	ifr_buffer_puts(out, "\n");
	ifr_buffer_release(&clean);
}
