/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as one page. */
#include "harness/report/html.h"

#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/strings.h"
#include "harness/output/output.h"
#include "harness/report/figures.h"
#include "harness/report/prose.h"
#include "harness/report/text.h"
#include "harness/report/unit_map.h"

struct page {
	const struct ifr_analysis *analysis;
	struct ifr_buffer *out;
	const struct ifr_figures *figures;
	const char *dir;        /* of the figures; NULL without them */
	const char *no_figures; /* why there are none */
	const char *open;       /* the end tag of the open list or lead, or NULL */
	bool folded, complained;
};

/* Appends text with every old replaced. */
static void replace(struct ifr_buffer *out, const char *text, const char *old, const char *new) {
	for (const char *found; (found = strstr(text, old)); text = found + strlen(old)) {
		ifr_buffer_append(out, text, (size_t)(found - text));
		ifr_buffer_puts(out, new);
	}
	ifr_buffer_puts(out, text);
}

/* Adapts gnuplot's SVG to the page: identifiers become unique, axes take the page's colour of text. */
static void adapt_svg(struct ifr_buffer *out, const char *svg, size_t number) {
	static const char *const renamed[] = {"id='gp",       "id='f%zu_gp",      "'#gp",        "'#f%zu_gp",
	                                      "id='textbox",  "id='f%zu_textbox", "id='greybox", "id='f%zu_greybox",
	                                      "id=\"gnuplot", "id=\"f%zu_gnuplot"};
	static const char *const recoloured[] = {"rgb(  1,   2,   3)", "rgb(1,2,3)", NULL};
	struct ifr_buffer from = {0}, to = {0};
	replace(&from, svg, "<title>Gnuplot</title>", "");
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i += 2) {
		struct ifr_buffer name = {0};
		char *figure = ifr_format("f%zu_", number);
		replace(&name, renamed[i + 1], "f%zu_", figure);
		ifr_buffer_clear(&to);
		replace(&to, ifr_buffer_text(&from), renamed[i], ifr_buffer_text(&name));
		ifr_buffer_release(&name);
		free(figure);
		struct ifr_buffer swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; recoloured[i]; i++) {
		ifr_buffer_clear(&to);
		replace(&to, ifr_buffer_text(&from), recoloured[i], "var(--ink)");
		struct ifr_buffer swap = from;
		from = to;
		to = swap;
	}
	ifr_buffer_puts(out, ifr_buffer_text(&from));
	ifr_buffer_release(&from);
	ifr_buffer_release(&to);
}

static void put_figure(struct page *page, size_t number) {
	const struct ifr_figure *figure = &page->figures->items[number];
	char *path = ifr_format("%s/%s.svg", page->dir, figure->name);
	struct ifr_buffer svg = {0};
	const char *start = ifr_file_read(path, 64u << 20, &svg, NULL) ? NULL : strstr(ifr_buffer_text(&svg), "<svg");
	if (start) {
		ifr_buffer_puts(page->out, "<figure>");
		adapt_svg(page->out, start, number);
		ifr_buffer_puts(page->out, "<figcaption>");
		ifr_escape_html(page->out, figure->caption);
		ifr_buffer_puts(page->out, "</figcaption></figure>\n");
	}
	ifr_buffer_release(&svg);
	free(path);
}

/* A name that ends in '-' is the prefix of several figures' names. */
static void put_figures(struct page *page, const char *name) {
	if (!page->dir) {
		if (page->complained)
			return;
		ifr_buffer_puts(page->out, "<p class=\"note\">The figures are missing: ");
		ifr_escape_html(page->out, page->no_figures);
		ifr_buffer_puts(page->out, ".</p>\n");
		page->complained = true;
		return;
	}
	bool several = ifr_ends_with(name, "-");
	for (size_t i = 0; i < page->figures->count; i++) {
		const char *has = page->figures->items[i].name;
		if (several ? ifr_starts_with(has, name) : !strcmp(has, name))
			put_figure(page, i);
	}
}

/* A number and its "%" stay on one line. */
static void put_sentence(struct ifr_buffer *out, const char *text) {
	struct ifr_buffer escaped = {0};
	ifr_escape_html(&escaped, text);
	replace(out, ifr_buffer_text(&escaped), " %", "&nbsp;%");
	ifr_buffer_release(&escaped);
}

static void put_element(struct ifr_buffer *out, const char *tag, const char *text) {
	ifr_buffer_printf(out, "<%s>", tag);
	put_sentence(out, text);
	ifr_buffer_printf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

/* A path breaks behind its slashes first. */
static void put_title(struct ifr_buffer *out, const char *text) {
	struct ifr_buffer title = {0};
	put_sentence(&title, text);
	ifr_buffer_puts(out, "<h1>");
	for (const char *c = ifr_buffer_text(&title); *c; c++)
		ifr_buffer_printf(out, "%c%s", *c, *c == '/' ? "<wbr>" : "");
	ifr_buffer_puts(out, "</h1>\n");
	ifr_buffer_release(&title);
}

static void put_plot(struct page *page, const char *text) {
	struct ifr_buffer plot = {0};
	/* The figure of the intervals holds the same and more. */
	if (!page->dir) {
		if (*text)
			ifr_text_sweep(page->analysis, (unsigned)(*text - '0'), &plot);
		else
			ifr_text_plot(page->analysis, &plot);
		put_element(page->out, "pre", ifr_buffer_text(&plot));
	}
	ifr_buffer_release(&plot);
}

/* Ends the open list or lead unless the next element belongs to it, and begins another. */
static void switch_block(struct page *page, const char *begin, const char *end) {
	if (page->open == end)
		return;
	if (page->open)
		ifr_buffer_puts(page->out, page->open);
	if (begin)
		ifr_buffer_puts(page->out, begin);
	page->open = end;
}

static void end_section(struct page *page) {
	if (page->folded)
		ifr_buffer_puts(page->out, "</details>\n");
	page->folded = false;
}

static void begin_folded(struct page *page, const char *heading) {
	ifr_buffer_puts(page->out, "<details><summary>");
	put_sentence(page->out, heading);
	ifr_buffer_puts(page->out, "</summary>\n");
	page->folded = true;
}

static void emit(void *context, enum ifr_prose_kind kind, const char *text) {
	static const char list_end[] = "</ul>\n", lead_end[] = "</div>\n";
	static const char *const tags[] = {
		[IFR_PROSE_LEAD] = "p",     [IFR_PROSE_HEADING] = "h2", [IFR_PROSE_PARAGRAPH] = "p",
		[IFR_PROSE_ITEM] = "li",    [IFR_PROSE_CODE] = "pre",   [IFR_PROSE_WARNING] = "li class=\"warning\"",
		[IFR_PROSE_COMMAND] = "pre"};
	struct page *page = context;
	if (kind == IFR_PROSE_ITEM || kind == IFR_PROSE_WARNING)
		switch_block(page, "<ul>\n", list_end);
	else if (kind == IFR_PROSE_LEAD || kind == IFR_PROSE_COMMAND)
		switch_block(page, "<div class=\"lead\">\n", lead_end);
	else
		switch_block(page, NULL, NULL);
	if (kind == IFR_PROSE_HEADING || kind == IFR_PROSE_FOLDED)
		end_section(page);
	if (kind == IFR_PROSE_FOLDED)
		begin_folded(page, text);
	else if (kind == IFR_PROSE_FIGURE)
		put_figures(page, text);
	else if (kind == IFR_PROSE_UNITS)
		map_put_svg(page->analysis, page->analysis->units, page->out);
	else if (kind == IFR_PROSE_PLOT)
		put_plot(page, text);
	else if (kind == IFR_PROSE_TABLE)
		ifr_html_table(page->analysis, page->out);
	else if (kind == IFR_PROSE_TITLE)
		put_title(page->out, text);
	else
		put_element(page->out, tags[kind], text);
}

static void put_page(struct page *page) {
	const char *program = ifr_dataset_program_name(page->analysis->dataset, 0);
	char *title =
		ifr_format("%s %s", ifr_prose_has_alternatives(page->analysis) ? "Alternatives in" : "Layouts of",
	               program ? program : "a program");
	ifr_buffer_puts(page->out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	                           "<meta name=\"generator\" content=\"interfero\">\n");
	put_element(page->out, "title", title);
	ifr_buffer_printf(page->out, "<style>\n%s</style></head><body>\n", ifr_html_style);
	ifr_prose_tell(page->analysis, emit, page);
	switch_block(page, NULL, NULL);
	end_section(page);
	ifr_html_methods(page->analysis, page->out);
	ifr_buffer_puts(page->out, "</body></html>\n");
	free(title);
}

int ifr_report_html(const struct ifr_analysis *analysis, const char *path, struct ifr_error *err) {
	struct ifr_figures figures = {0};
	struct ifr_buffer out = {0};
	struct ifr_error why = {0};
	char *dir = NULL;
	ifr_figures_script(analysis, &figures);
	int result = ifr_temporary_dir(&dir, err);
	if (!result) {
		bool drawn = !ifr_figures_draw(&figures, dir, &why);
		struct page page = {.analysis = analysis,
		                    .out = &out,
		                    .figures = &figures,
		                    .dir = drawn ? dir : NULL,
		                    .no_figures = why.message};
		put_page(&page);
		result = ifr_file_write(path, out.data, out.length, 0644, err);
		ifr_tree_remove(dir, NULL);
	}
	free(dir);
	ifr_buffer_release(&out);
	ifr_figures_release(&figures);
	return result;
}
