/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cure's effect in fresh contexts, as text and as JSON. A cure is advised only where it helps. */
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"
#include "harness/report/report.h"

enum { SCHEMA_VERSION = 1 };

enum effect { HELPS, HARMS, NONE, OPEN };

static enum effect judge(const struct ifr_comparison *c) {
	switch (c->verdict) {
	case IFR_VERDICT_CHANGE:
	case IFR_VERDICT_BOTH:
		return c->ratio < 1 ? HELPS : HARMS;
	case IFR_VERDICT_NO_CHANGE:
		return NONE;
	default:
		return OPEN;
	}
}

/* "blocks seed=0 policy=2; align seed=1 loops=32": the plan without its first line. */
static void put_lines(const char *plan, struct ifr_buffer *out) {
	const char *line = strchr(plan, '\n');
	for (bool first = true; line && line[1]; first = false) {
		const size_t length = strcspn(++line, "\n");
		ifr_buffer_printf(out, "%s%.*s", first ? "" : "; ", (int)length, line);
		line = line[length] ? line + length : NULL;
	}
}

static void say_effect(const struct ifr_comparison *c, struct ifr_buffer *out) {
	static const char *const names[] = {
		[HELPS] = "It helps", [HARMS] = "It does harm", [NONE] = "It does not help", [OPEN] = "Not decided"};
	const size_t contexts = comparison_count_layouts(c);
	struct ifr_buffer pct = {0};
	ifr_format_signed_pct(&pct, 100 * (c->ratio - 1));
	ifr_buffer_printf(out, "%s: %s %s (", names[judge(c)], c->metric.name, ifr_buffer_text(&pct));
	comparison_put_interval(out, c, &c->interval, c->ratio);
	ifr_buffer_printf(out, ") over %zu fresh contexts", contexts);
	if (c->paired && c->layouts[0] == contexts)
		ifr_buffer_printf(out, ", more in %zu of them", c->above);
	ifr_buffer_puts(out, ".");
	ifr_buffer_release(&pct);
}

static void say_next(const struct ifr_cure *cure, struct ifr_buffer *text) {
	switch (judge(cure->comparison)) {
	case HELPS:
		ifr_buffer_puts(text, cure->makes_file ? "To apply it, save this plan as cure.plan and make the variant:"
		                                       : "To apply it, save this plan as cure.plan and run:");
		break;
	case HARMS:
	case NONE:
		ifr_buffer_puts(text, "It is not advised.");
		break;
	case OPEN:
		ifr_buffer_puts(text, "The same command with a larger -n or -r goes on, and may decide.");
		break;
	}
}

static void put_application(const struct ifr_cure *cure, struct ifr_buffer *out) {
	struct ifr_buffer command = {0};
	const char *axes = ifr_dataset_fact(cure->comparison->side[0].dataset, "program");
	if (cure->makes_file) {
		ifr_buffer_puts(&command, "interfero variants --plan cure.plan -o cured ");
		ifr_quote_shell(&command, axes ? axes : "PROGRAM");
	} else {
		ifr_buffer_printf(&command, "interfero run --plan cure.plan -- %s", cure->command);
	}
	ifr_text_command(out, ifr_buffer_text(&command), "      ");
	ifr_buffer_puts(out, "\n");
	for (const char *line = cure->plan; *line; line += strcspn(line, "\n") + 1)
		ifr_buffer_printf(out, "      %.*s\n", (int)strcspn(line, "\n"), line);
	ifr_buffer_release(&command);
}

static void say_contexts(const struct ifr_cure *cure, struct ifr_buffer *text) {
	const struct ifr_dataset *dataset = cure->comparison->side[0].dataset;
	const char *axes = ifr_dataset_fact(dataset, "axes"), *seed = ifr_dataset_fact(dataset, "seed");
	ifr_buffer_printf(
		text,
		"Each context is a random layout, with the cure and without it. Axes of the contexts and the cure: "
		"%s; seed %s; %zu runs; %s.",
		axes ? axes : "", seed ? seed : "", cure->comparison->runs[0] + cure->comparison->runs[1],
		cure->comparison->exact ? "modelled" : "interleaved on fresh copies of the file");
}

void ifr_cure_text(const struct ifr_cure *cure, bool color, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text, "Cure of %s: ", cure->command);
	put_lines(cure->plan, &text);
	ifr_buffer_puts(out, color ? "\033[1m" : "");
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "  ");
	ifr_buffer_clear(&text);
	say_effect(cure->comparison, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  ", "  ");
	ifr_buffer_puts(out, color ? "\033[0m" : "");
	ifr_format_put_warnings(cure->comparison->side[0].dataset, out);
	ifr_buffer_clear(&text);
	say_contexts(cure, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	ifr_buffer_clear(&text);
	say_next(cure, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	if (judge(cure->comparison) == HELPS)
		put_application(cure, out);
	ifr_buffer_release(&text);
}

void ifr_cure_json(const struct ifr_cure *cure, struct ifr_buffer *out) {
	static const char *const names[] = {
		[HELPS] = "helps", [HARMS] = "does harm", [NONE] = "does not help", [OPEN] = "not decided"};
	const struct ifr_comparison *c = cure->comparison;
	const struct ifr_dataset *dataset = c->side[0].dataset;
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, ifr_dataset_fact(dataset, "host"));
	ifr_json_set(root, "command", ifr_json_text(cure->command));
	ifr_json_set(root, "experiment", ifr_json_text(cure->experiment));
	ifr_json_set(root, "seed", ifr_json_text(ifr_dataset_fact(dataset, "seed")));
	ifr_json_set(root, "axes", ifr_json_text(ifr_dataset_fact(dataset, "axes")));
	ifr_json_set(root, "plan", ifr_json_text(cure->plan));
	ifr_json_set(root, "metric", ifr_json_text(c->metric.name));
	ifr_json_set(root, "effect", ifr_json_text(names[judge(c)]));
	ifr_json_set(root, "ratio", ifr_json_number(c->ratio));
	ifr_json_set(root, "low", ifr_json_number(c->interval.low));
	ifr_json_set(root, "high", ifr_json_number(c->interval.high));
	ifr_json_set(root, "confidence", ifr_json_number(c->interval.confidence));
	ifr_json_set(root, "p", ifr_json_number(c->p));
	ifr_json_set(root, "contexts", ifr_json_count(comparison_count_layouts(c)));
	ifr_json_set(root, "contexts_with_more", c->paired ? ifr_json_count(c->above) : json_null());
	ifr_json_set(root, "warnings", ifr_format_json_warnings(dataset));
	ifr_json_print(root, out);
}
