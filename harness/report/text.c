/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for a terminal: 80 columns, plain characters. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/escape.h"
#include "harness/report/prose.h"
#include "harness/report/text.h"

enum { COLUMNS = 80 };

struct page {
	const struct ifr_report *report;
	struct ifr_buffer *out;
	bool color, started, in_list;
};

/* Bytes up to the next place where a line may end: not before a unit, nor within "p < 0.001". */
static size_t word_length(const char *text) {
	size_t bytes = strcspn(text, " ");
	while (text[bytes] == ' ' && text[bytes + 1] &&
	       (strchr("%=<", text[bytes + 1]) || strchr("=<", text[bytes - 1])))
		bytes += 1 + strcspn(text + bytes + 1, " ");
	return bytes;
}

/* first and rest take the same columns; first may be coloured. Breaks words at spaces; a word longer than a line
 * is broken where the line ends. */
static void wrap(struct ifr_buffer *out, const char *text, const char *first, const char *rest) {
	struct ifr_buffer clean = {0};
	ifr_escape_plain(&clean, text);
	const char *next = ifr_buffer_text(&clean);
	size_t column = strlen(rest), indent = strlen(rest);
	bool empty = true;
	ifr_buffer_puts(out, first);
	while (*(next += strspn(next, " "))) {
		size_t bytes = word_length(next), width = ifr_text_width(next, bytes);
		if (!empty && column + 1 + width > COLUMNS) {
			ifr_buffer_printf(out, "\n%s", rest);
			column = indent;
			empty = true;
		}
		if (!empty) {
			ifr_buffer_puts(out, " ");
			column++;
		}
		while (column + width > COLUMNS) {
			size_t part = 0;
			while (ifr_text_width(next, part + 1) <= COLUMNS - column)
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

static void heading(struct page *page, const char *text) {
	ifr_buffer_printf(page->out, "%s%s", page->started ? "\n" : "", page->color ? "\033[1m" : "");
	wrap(page->out, text, "", "");
	if (page->color)
		ifr_buffer_puts(page->out, "\033[0m");
}

/* Lines stay lines, also the long ones: a command must be fit to be copied. */
static void code(struct page *page, const char *text) {
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		char *line = ifr_format("%.*s", (int)bytes, text);
		if (*line)
			ifr_buffer_puts(page->out, "    ");
		ifr_escape_plain(page->out, line);
		ifr_buffer_puts(page->out, "\n");
		free(line);
		text += bytes + (text[bytes] == '\n');
	}
}

static void emit(void *context, enum ifr_prose_kind kind, const char *text) {
	struct page *page = context;
	bool listed = kind == IFR_PROSE_ITEM || kind == IFR_PROSE_WARNING;
	if (!listed && page->started && kind != IFR_PROSE_HEADING && kind != IFR_PROSE_FIGURE && page->in_list)
		ifr_buffer_puts(page->out, "\n");
	switch (kind) {
	case IFR_PROSE_TITLE:
	case IFR_PROSE_HEADING:
		heading(page, text);
		break;
	case IFR_PROSE_PARAGRAPH:
		wrap(page->out, text, "  ", "  ");
		break;
	case IFR_PROSE_ITEM:
		wrap(page->out, text, "  - ", "    ");
		break;
	case IFR_PROSE_WARNING:
		wrap(page->out, text, page->color ? "  \033[33m!\033[0m " : "  ! ", "    ");
		break;
	case IFR_PROSE_CODE:
		code(page, text);
		break;
	case IFR_PROSE_PLOT:
		ifr_text_plot(page->report, page->out);
		ifr_buffer_puts(page->out, "\n");
		break;
	case IFR_PROSE_TABLE:
		ifr_text_table(page->report, page->color, page->out);
		break;
	case IFR_PROSE_FIGURE:
		break;
	}
	page->started = true;
	if (kind != IFR_PROSE_FIGURE)
		page->in_list = listed;
}

void ifr_report_text(const struct ifr_report *report, bool color, struct ifr_buffer *out) {
	struct page page = {.report = report, .out = out, .color = color};
	ifr_prose_tell(report, emit, &page);
}
