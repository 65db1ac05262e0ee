/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cure's effect in fresh contexts, as text and as JSON. A cure is advised only where it helps. */
#include "harness/report/cure.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"

enum { SCHEMA_VERSION = 1 };

void cure_put_lines(const char *plan, struct ifr_buffer *text) {
	const char *line = strchr(plan, '\n');
	for (bool first = true; line && line[1]; first = false) {
		const size_t length = strcspn(++line, "\n");
		ifr_buffer_printf(text, "%s%.*s", first ? "" : "; ", (int)length, line);
		line = line[length] ? line + length : NULL;
	}
}

void cure_say_mean(const struct ifr_cure_result *result, struct ifr_buffer *text) {
	static const char *const names[] = {[IFR_CURE_HELPS] = "It helps",
	                                    [IFR_CURE_HARMS] = "It does harm",
	                                    [IFR_CURE_DOES_NOTHING] = "It does not help",
	                                    [IFR_CURE_OPEN] = "Not decided"};
	const struct ifr_comparison *c = &result->comparison;
	const size_t contexts = comparison_count_layouts(c);
	struct ifr_buffer pct = {0};
	ifr_format_signed_pct(&pct, 100 * (c->ratio - 1));
	ifr_buffer_printf(text, "%s: %s %s (", names[result->effect], c->metric.name, ifr_buffer_text(&pct));
	if (result->exhaustive)
		ifr_buffer_puts(text, "exact");
	else
		comparison_put_interval(text, c, &c->interval, c->ratio);
	ifr_buffer_printf(text, ") over %zu fresh contexts", contexts);
	ifr_buffer_puts(text, ".");
	if (c->paired && c->layouts[0] == contexts)
		ifr_buffer_printf(text, " In %zu of them it is more with the cure than without.", c->above);
	ifr_buffer_release(&pct);
}

/* "1.4 % (95 % interval 1.2 % to 1.7 %)": a relative standard deviation. */
static void put_sd(struct ifr_buffer *text, double sd, const struct ifr_interval *interval) {
	ifr_format_pct(text, 100 * sd);
	ifr_buffer_puts(text, " (");
	ifr_format_pct(text, 100 * interval->low);
	ifr_buffer_puts(text, " to ");
	ifr_format_pct(text, 100 * interval->high);
	ifr_buffer_puts(text, ")");
}

void cure_say_spread(const struct ifr_cure_result *result, struct ifr_buffer *text) {
	const struct ifr_comparison *c = &result->comparison;
	const struct ifr_comparison_spread *spread = &c->spread;
	if (spread->has_worst) {
		ifr_buffer_puts(text, "The worst context: ");
		ifr_format_signed_pct(text, 100 * (spread->worst_ratio - 1));
		if (spread->worst_interval.low < spread->worst_interval.high) {
			ifr_buffer_puts(text, " (");
			comparison_put_interval(text, c, &spread->worst_interval, spread->worst_ratio);
			ifr_buffer_puts(text, ")");
		}
		ifr_buffer_puts(text, "; above the median context ");
		ifr_format_signed_pct(text, 100 * (spread->above[0] - 1));
		ifr_buffer_puts(text, " without the cure, ");
		ifr_format_signed_pct(text, 100 * (spread->above[1] - 1));
		ifr_buffer_puts(text, " with it. ");
	}
	if (spread->has_sd) {
		ifr_buffer_puts(text, "Standard deviation between contexts: ");
		put_sd(text, spread->sd[0], &spread->sd_interval[0]);
		ifr_buffer_puts(text, " without, ");
		put_sd(text, spread->sd[1], &spread->sd_interval[1]);
		ifr_buffer_puts(text, " with.");
	}
}

static void say_next(const struct ifr_cure *cure, struct ifr_buffer *text) {
	switch (cure->result->effect) {
	case IFR_CURE_HELPS:
		ifr_buffer_puts(text, cure->makes_file ? "To apply it, save this plan as cure.plan and make the variant:"
		                                       : "To apply it, save this plan as cure.plan and run:");
		break;
	case IFR_CURE_HARMS:
	case IFR_CURE_DOES_NOTHING:
		ifr_buffer_puts(text, "It is not advised.");
		break;
	case IFR_CURE_OPEN:
		ifr_buffer_puts(text, "The same command with a larger -n or -r goes on, and may decide.");
		break;
	}
}

static void put_command(const struct ifr_cure *cure, struct ifr_buffer *out) {
	struct ifr_buffer command = {0};
	const char *program = ifr_dataset_fact(&cure->result->dataset, "program");
	if (cure->makes_file) {
		ifr_buffer_puts(&command, "interfero variants --plan cure.plan -o cured ");
		ifr_quote_shell(&command, program ? program : "PROGRAM");
	} else {
		ifr_buffer_printf(&command, "interfero run --plan cure.plan -- %s", cure->command);
	}
	ifr_text_command(out, ifr_buffer_text(&command), "      ");
	ifr_buffer_puts(out, "\n");
	for (const char *line = cure->plan; *line; line += strcspn(line, "\n") + 1)
		ifr_buffer_printf(out, "      %.*s\n", (int)strcspn(line, "\n"), line);
	ifr_buffer_release(&command);
}

void cure_put_application(const struct ifr_cure *cure, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	say_next(cure, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	if (cure->result->effect == IFR_CURE_HELPS)
		put_command(cure, out);
	ifr_buffer_release(&text);
}

static void say_contexts(const struct ifr_cure *cure, struct ifr_buffer *text) {
	const struct ifr_dataset *dataset = &cure->result->dataset;
	const struct ifr_comparison *c = &cure->result->comparison;
	const char *axes = ifr_dataset_fact(dataset, "axes"), *seed = ifr_dataset_fact(dataset, "seed");
	ifr_buffer_printf(
		text,
		"Each context is a random layout, with the cure and without it. Axes of the contexts and the cure: "
		"%s; seed %s; %zu runs; %s.",
		axes ? axes : "", seed ? seed : "", c->runs[0] + c->runs[1],
		c->exact ? "modelled" : "interleaved on fresh copies of the file");
}

void ifr_cure_text(const struct ifr_cure *cure, bool color, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text, "Cure of %s: ", cure->command);
	cure_put_lines(cure->plan, &text);
	ifr_buffer_puts(out, color ? "\033[1m" : "");
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "  ");
	ifr_buffer_clear(&text);
	cure_say_mean(cure->result, &text);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  ", "  ");
	ifr_buffer_puts(out, color ? "\033[0m" : "");
	ifr_buffer_clear(&text);
	ifr_format_put_warnings(&cure->result->dataset, out);
	cure_say_spread(cure->result, &text);
	ifr_text_point(out, &text);
	say_contexts(cure, &text);
	ifr_text_point(out, &text);
	cure_put_application(cure, out);
	ifr_buffer_release(&text);
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *json_worst(const struct ifr_comparison_spread *spread) {
	json_t *made = json_object();
	if (!spread->has_worst) {
		json_decref(made);
		return json_null();
	}
	ifr_json_set(made, "ratio", ifr_json_number(spread->worst_ratio));
	ifr_json_set(made, "low", ifr_json_number(spread->worst_interval.low));
	ifr_json_set(made, "high", ifr_json_number(spread->worst_interval.high));
	ifr_json_set(made, "above_median_without", ifr_json_number(spread->above[0] - 1));
	ifr_json_set(made, "above_median_with", ifr_json_number(spread->above[1] - 1));
	ifr_json_set(made, "context_without", ifr_json_count(spread->worst[0]));
	ifr_json_set(made, "context_with", ifr_json_count(spread->worst[1]));
	return made;
}

static json_t *json_spread(const struct ifr_comparison_spread *spread) {
	static const char *const sides[] = {"without", "with"};
	json_t *made = spread->has_sd ? json_object() : json_null();
	for (unsigned i = 0; i < 2 && spread->has_sd; i++) {
		json_t *side = json_object();
		ifr_json_set(side, "sd", ifr_json_number(spread->sd[i]));
		ifr_json_set(side, "low", ifr_json_number(spread->sd_interval[i].low));
		ifr_json_set(side, "high", ifr_json_number(spread->sd_interval[i].high));
		ifr_json_set(made, sides[i], side);
	}
	return made;
}

void cure_json_result(const struct ifr_cure_result *result, json_t *made) {
	const struct ifr_comparison *c = &result->comparison;
	ifr_json_set(made, "metric", ifr_json_text(c->metric.name));
	ifr_json_set(made, "effect", ifr_json_text(ifr_cure_effect_name(result->effect)));
	ifr_json_set(made, "ratio", ifr_json_number(c->ratio));
	ifr_json_set(made, "low", ifr_json_number(c->interval.low));
	ifr_json_set(made, "high", ifr_json_number(c->interval.high));
	ifr_json_set(made, "confidence", ifr_json_number(c->interval.confidence));
	ifr_json_set(made, "exhaustive", json_boolean(result->exhaustive));
	ifr_json_set(made, "p", ifr_json_number(c->p));
	ifr_json_set(made, "contexts", ifr_json_count(comparison_count_layouts(c)));
	ifr_json_set(made, "contexts_with_more", c->paired ? ifr_json_count(c->above) : json_null());
	ifr_json_set(made, "worst_context", json_worst(&c->spread));
	ifr_json_set(made, "spread", json_spread(&c->spread));
}

void ifr_cure_json(const struct ifr_cure *cure, struct ifr_buffer *out) {
	const struct ifr_dataset *dataset = &cure->result->dataset;
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, ifr_dataset_fact(dataset, "host"));
	ifr_json_set(root, "command", ifr_json_text(cure->command));
	ifr_json_set(root, "experiment", ifr_json_text(cure->experiment));
	ifr_json_set(root, "seed", ifr_json_text(ifr_dataset_fact(dataset, "seed")));
	ifr_json_set(root, "axes", ifr_json_text(ifr_dataset_fact(dataset, "axes")));
	ifr_json_set(root, "plan", ifr_json_text(cure->plan));
	cure_json_result(cure->result, root);
	ifr_json_set(root, "warnings", ifr_format_json_warnings(dataset));
	ifr_json_print(root, out);
}
