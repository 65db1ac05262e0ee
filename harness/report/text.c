/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for a terminal: 80 columns, plain characters. */
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/prose.h"
#include "harness/report/text.h"
#include "harness/report/unit_map.h"

struct page {
	const struct ifr_analysis *analysis;
	struct ifr_buffer *out;
	bool color, started, in_list, in_lead;
};

static void put_heading(struct page *page, const char *text) {
	ifr_buffer_printf(page->out, "%s%s", page->started ? "\n" : "", page->color ? "\033[1m" : "");
	ifr_text_wrap(page->out, text, "", "");
	if (page->color)
		ifr_buffer_puts(page->out, "\033[0m");
}

/* Lines are not wrapped: a command must remain fit to be copied. */
static void put_code(struct page *page, const char *text) {
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

static void put_caption(struct page *page) {
	struct ifr_buffer caption = {0};
	map_put_caption(page->analysis, page->analysis->units, &caption);
	ifr_text_wrap(page->out, ifr_buffer_text(&caption), "  ", "  ");
	ifr_buffer_puts(page->out, "\n");
	ifr_buffer_release(&caption);
}

static void emit(void *context, enum ifr_prose_kind kind, const char *text) {
	struct page *page = context;
	bool listed = kind == IFR_PROSE_ITEM || kind == IFR_PROSE_WARNING;
	bool headed = kind == IFR_PROSE_HEADING || kind == IFR_PROSE_FOLDED;
	if (!listed && !headed && kind != IFR_PROSE_FIGURE &&
	    (page->in_list || (page->in_lead && kind != IFR_PROSE_LEAD && kind != IFR_PROSE_COMMAND)))
		ifr_buffer_puts(page->out, "\n");
	switch (kind) {
	case IFR_PROSE_TITLE:
	case IFR_PROSE_HEADING:
	case IFR_PROSE_FOLDED:
		put_heading(page, text);
		break;
	case IFR_PROSE_LEAD:
		ifr_text_wrap(page->out, text, "  ", "  ");
		break;
	case IFR_PROSE_COMMAND:
		ifr_text_command(page->out, text, "      ");
		break;
	case IFR_PROSE_PARAGRAPH:
		ifr_text_wrap(page->out, text, "  ", "  ");
		break;
	case IFR_PROSE_ITEM:
		ifr_text_wrap(page->out, text, "  - ", "    ");
		break;
	case IFR_PROSE_WARNING:
		ifr_text_wrap(page->out, text, page->color ? "  \033[33m!\033[0m " : "  ! ", "    ");
		break;
	case IFR_PROSE_CODE:
		put_code(page, text);
		break;
	case IFR_PROSE_UNITS:
		put_caption(page);
		map_put_text(page->analysis, page->analysis->units, page->color, page->out);
		break;
	case IFR_PROSE_PLOT:
		if (*text)
			ifr_text_sweep(page->analysis, (unsigned)(*text - '0'), page->out);
		else
			ifr_text_plot(page->analysis, page->out);
		ifr_buffer_puts(page->out, "\n");
		break;
	case IFR_PROSE_TABLE:
		ifr_text_table(page->analysis, page->color, page->out);
		break;
	case IFR_PROSE_FIGURE:
		break;
	}
	page->started = true;
	if (kind != IFR_PROSE_FIGURE) {
		page->in_list = listed;
		page->in_lead = kind == IFR_PROSE_LEAD || kind == IFR_PROSE_COMMAND;
	}
}

void ifr_report_text(const struct ifr_analysis *analysis, bool color, struct ifr_buffer *out) {
	struct page page = {.analysis = analysis, .out = out, .color = color};
	ifr_prose_tell(analysis, emit, &page);
}
