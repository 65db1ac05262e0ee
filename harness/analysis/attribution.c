/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"
#include "harness/analysis/attribution_parts.h"
#include "harness/report/format.h"
#include "harness/report/wrap.h"

enum { PAGES_MOST = 8, CLASSES_MOST = 8, LAYOUTS_LEAST = 8, SHOWN = 10 };

static const struct {
	unsigned frame, step;
} kinds[IFR_FEATURES] = {{64, 16}, {32, 16}, {16, 4}, {4096 * PAGES_MOST, 4096}};

unsigned ifr_feature_class_count(enum ifr_feature kind) {
	return kinds[kind].frame / kinds[kind].step;
}

unsigned ifr_feature_class(enum ifr_feature kind, uint64_t address, uint64_t lowest) {
	if (kind == IFR_FEATURE_PAGE)
		address -= lowest / 4096 * 4096;
	return (unsigned)(address % kinds[kind].frame / kinds[kind].step);
}

/* The bytes within their frame that a class begins at, and the frame: 16 and 64 for the second quarter of a line.
 */
static void class_place(enum ifr_feature kind, unsigned class, unsigned *offset, unsigned *frame) {
	*offset = class * kinds[kind].step;
	*frame = kinds[kind].frame;
}

uint64_t ifr_finding_address(const struct ifr_finding *finding, unsigned class, struct ifr_unit_extent unit,
                             struct ifr_unit_extent other) {
	unsigned offset, frame;
	if (finding->kind == IFR_FEATURE_SET_CONFLICT)
		return code_meeting_place(class, unit, other);
	class_place(finding->kind, class, &offset, &frame);
	return finding->kind == IFR_FEATURE_PAGE ? 0 : unit.at / frame * frame + offset;
}

static void take_layouts(const struct ifr_analysis *report, struct code_layouts *w) {
	size_t room = report->layout_count + 1;
	w->variant = ifr_alloc(room * sizeof *w->variant);
	w->response = ifr_alloc(room * sizeof *w->response);
	w->used = ifr_alloc(room * sizeof *w->used);
	w->class_of = ifr_alloc(room * sizeof *w->class_of);
	for (size_t i = 0; i < report->layout_count; i++)
		if (&report->layouts[i] != report->shipped) {
			w->variant[w->count] = (size_t)(report->layouts[i].variant - report->dataset->variants);
			w->response[w->count++] = report->layouts[i].median;
		}
}

uint64_t code_address_of(const struct code_layouts *w, size_t layout, size_t unit) {
	return w->addresses->at[w->variant[layout] * w->addresses->unit_count + unit];
}

static void find_range(struct code_layouts *w) {
	w->lowest = UINT64_MAX;
	for (size_t i = 0; i < w->count; i++)
		for (size_t unit = 0; unit < w->addresses->unit_count; unit++) {
			uint64_t at = code_address_of(w, i, unit);
			w->lowest = at && at < w->lowest ? at : w->lowest;
			w->highest = at > w->highest ? at : w->highest;
		}
}

/* Puts the layouts into classes, without those whose class few share; returns how many remain. */
static size_t classify(const struct code_layouts *w, size_t unit, enum ifr_feature kind) {
	size_t in_class[CLASSES_MOST] = {0}, used = 0;
	for (size_t i = 0; i < w->count; i++)
		if (code_address_of(w, i, unit))
			in_class[ifr_feature_class(kind, code_address_of(w, i, unit), w->lowest)]++;
	for (size_t i = 0; i < w->count; i++) {
		uint64_t at = code_address_of(w, i, unit);
		unsigned class = at ? ifr_feature_class(kind, at, w->lowest) : 0;
		if (!at || in_class[class] < CODE_IN_A_CLASS)
			continue;
		w->class_of[used] = class;
		w->used[used++] = w->response[i];
	}
	return used;
}

void code_measure(const struct code_layouts *w, size_t used, struct ifr_finding *f) {
	double mean[2] = {0}, count[2] = {0}, squares = 0;
	struct ifr_classes *c = &f->classes;
	for (size_t i = 0; i < used; i++)
		for (int end = 0; end < 2; end++)
			if (w->class_of[i] == (end ? c->highest : c->lowest)) {
				count[end]++;
				mean[end] += w->used[i];
			}
	for (int end = 0; end < 2; end++)
		mean[end] /= count[end];
	for (size_t i = 0; i < used; i++) {
		double own = 0, n = 0;
		for (size_t j = 0; j < used; j++)
			if (w->class_of[j] == w->class_of[i]) {
				own += w->used[j];
				n++;
			}
		squares += (w->used[i] - own / n) * (w->used[i] - own / n);
	}
	double se = sqrt(squares / c->df_within * (1 / count[0] + 1 / count[1]));
	struct ifr_interval absolute =
		ifr_t_interval(c->difference, se, c->df_within, IFR_REPORT_CONFIDENCE, c->classes * (c->classes - 1) / 2);
	f->low_mean = mean[0];
	f->difference = (struct ifr_interval){absolute.low / mean[0], absolute.high / mean[0], absolute.confidence};
}

static void test_unit(const struct code_layouts *w, size_t unit, struct ifr_attribution *code) {
	bool tested = false;
	for (int kind = 0; kind < IFR_FEATURES; kind++) {
		struct ifr_finding finding = {.unit = w->addresses->units[unit],
		                              .kind = (enum ifr_feature)kind,
		                              .source = w->addresses->sources ? w->addresses->sources[unit] : NULL};
		if (kind == IFR_FEATURE_PAGE && w->highest / 4096 - w->lowest / 4096 >= PAGES_MOST)
			continue;
		size_t used = classify(w, unit, finding.kind);
		if (ifr_classes_test(w->used, w->class_of, used, ifr_feature_class_count(finding.kind), &finding.classes,
		                     NULL))
			continue;
		code_measure(w, used, &finding);
		code->findings = ifr_realloc(code->findings, code->count + 1, sizeof *code->findings);
		code->findings[code->count++] = finding;
		tested = true;
	}
	code->units += tested;
}

static int by_p(const void *a, const void *b) {
	const struct ifr_finding *x = a, *y = b;
	if (x->classes.p != y->classes.p)
		return x->classes.p < y->classes.p ? -1 : 1;
	int names = strcmp(x->unit, y->unit);
	return names ? names : (int)x->kind - (int)y->kind;
}

/* Places and meetings are asked about apart, each with its half of the 5 %: pairs are so many that places would
 * drown in them. */
static void adjust(struct ifr_attribution *code, unsigned families) {
	double *p = ifr_alloc((code->count + 1) * sizeof *p);
	qsort(code->findings, code->count, sizeof *code->findings, by_p);
	for (size_t i = 0; i < code->count; i++)
		p[i] = code->findings[i].classes.p;
	ifr_p_adjust_fdr(p, code->count);
	for (size_t i = 0; i < code->count; i++) {
		code->findings[i].p_adjusted = fmin(1, p[i] * families);
		code->found += p[i] * families < IFR_REPORT_LEVEL;
	}
	free(p);
}

int ifr_attribution_make(const struct ifr_analysis *report, const struct ifr_unit_addresses *addresses,
                         struct ifr_attribution *code, struct ifr_error *err) {
	struct code_layouts w = {.addresses = addresses};
	*code = (struct ifr_attribution){.layouts = report->random_count};
	if (report->random_count < LAYOUTS_LEAST)
		return ifr_fail(err, IFR_E_USAGE, "which code it is takes %d random layouts at least, and there are %zu",
		                LAYOUTS_LEAST, report->random_count);
	take_layouts(report, &w);
	find_range(&w);
	for (size_t unit = 0; unit < addresses->unit_count; unit++)
		test_unit(&w, unit, code);
	adjust(code, addresses->bytes ? CODE_FAMILIES : 1);
	code_find_meetings(&w, code);
	free(w.variant);
	free(w.response);
	free(w.used);
	free(w.class_of);
	return 0;
}

void ifr_attribution_release(struct ifr_attribution *code) {
	free(code->findings);
	*code = (struct ifr_attribution){0};
}

static void put_class(struct ifr_buffer *out, enum ifr_feature kind, unsigned class) {
	unsigned offset, frame;
	if (kind == IFR_FEATURE_SET_CONFLICT) {
		ifr_buffer_puts(out, class ? "where they meet" : "where they do not");
		return;
	}
	class_place(kind, class, &offset, &frame);
	if (kind == IFR_FEATURE_PAGE)
		ifr_buffer_printf(out, "in page %u", class + 1);
	else
		ifr_buffer_printf(out, "%u to %u bytes into it", offset, offset + kinds[kind].step - 1);
}

static void say_finding(const struct ifr_finding *f, struct ifr_buffer *out) {
	static const char *const what[] = {"where in a 64-byte line it begins", "where in 32 bytes it begins",
	                                   "where in 16 bytes it begins", "the page it lies in"};
	struct ifr_buffer s = {0};
	unsigned offset, frame;
	ifr_buffer_puts(&s, f->unit);
	if (f->source)
		ifr_buffer_printf(&s, " (%s)", f->source);
	if (f->other)
		ifr_buffer_printf(&s, ": whether it meets %s in a cache set explains ", f->other);
	else
		ifr_buffer_printf(&s, ": %s explains ", what[f->kind]);
	ifr_format_pct(&s, 100 * f->classes.share);
	ifr_buffer_puts(&s, " of the variation (");
	ifr_format_p(&s, f->p_adjusted);
	ifr_buffer_puts(&s, "). Most ");
	put_class(&s, f->kind, (unsigned)f->classes.highest);
	ifr_buffer_puts(&s, ": ");
	ifr_format_signed_pct(&s, 100 * f->classes.difference / f->low_mean);
	ifr_buffer_puts(&s, " (95 % interval ");
	ifr_format_signed_pct(&s, 100 * f->difference.low);
	ifr_buffer_puts(&s, " to ");
	ifr_format_signed_pct(&s, 100 * f->difference.high);
	ifr_buffer_puts(&s, ") against least, ");
	put_class(&s, f->kind, (unsigned)f->classes.lowest);
	if (f->kind != IFR_FEATURE_SET_CONFLICT)
		class_place(f->kind, (unsigned)f->classes.lowest, &offset, &frame);
	if (f->kind == IFR_FEATURE_SET_CONFLICT)
		ifr_buffer_puts(&s, ". Remedy: \"at\" lines in the plan that keep the two at addresses whose bits 6 to 11 "
		                    "differ, or let them lie side by side.");
	else if (f->kind != IFR_FEATURE_PAGE && !offset)
		ifr_buffer_printf(&s, ". Remedy: __attribute__((aligned(%u))) on that function.", frame);
	else
		ifr_buffer_puts(&s, ". Remedy: a place of its own by an \"at\" line in the plan.");
	ifr_text_wrap(out, ifr_buffer_text(&s), "  - ", "    ");
	ifr_buffer_release(&s);
}

void ifr_attribution_text(const struct ifr_analysis *report, const struct ifr_attribution *code,
                          struct ifr_buffer *out) {
	struct ifr_buffer s = {0};
	ifr_buffer_puts(out, "Which code?\n");
	ifr_buffer_printf(
		&s,
		"%zu units in %zu random layouts by %s: %zu questions to where they begin and %zu to whether two of "
		"them meet in a cache set, of which %zu found something (of such findings 5 %% are false, Benjamini and "
		"Hochberg 1995).",
		code->units, code->layouts, report->metric->name, code->count - code->meetings, code->pairs, code->found);
	ifr_text_wrap(out, ifr_buffer_text(&s), "  ", "  ");
	for (size_t i = 0; i < code->found && i < SHOWN; i++)
		say_finding(&code->findings[i], out);
	ifr_buffer_clear(&s);
	if (code->found > SHOWN)
		ifr_buffer_printf(&s, "%zu further findings are not shown.", code->found - SHOWN);
	else if (!code->found)
		ifr_buffer_puts(
			&s, "No single place explains the differences with these layouts: more of them (bench -n) may, or "
				"it is how units meet.");
	else
		ifr_buffer_puts(
			&s, "Units that move together are found together: --confirm moves one alone and measures afresh.");
	ifr_text_wrap(out, ifr_buffer_text(&s), "  ", "  ");
	ifr_buffer_release(&s);
}
