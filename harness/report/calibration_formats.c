/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration as text and JSON. */
#include <math.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/format.h"
#include "harness/report/report.h"

enum { SCHEMA_VERSION = 1 };

static void say(struct ifr_buffer *out, struct ifr_buffer *text, const char *first, const char *rest) {
	ifr_text_wrap(out, ifr_buffer_text(text), first, rest);
	ifr_buffer_clear(text);
}

static void say_rate(struct ifr_buffer *out, struct ifr_buffer *text, const char *what, size_t called) {
	ifr_buffer_printf(text, "%s: called different in %.1f %% of %d random divisions; 5 %% would be right.", what,
	                  100.0 * (double)called / IFR_CALIBRATION_DRAWS, IFR_CALIBRATION_DRAWS);
	say(out, text, "  - ", "    ");
}

/* Appends "copies of a file by 0.9 % (0.0012 s each)". */
static void say_level(struct ifr_buffer *text, const char *what, const struct ifr_level *level) {
	ifr_buffer_printf(text, "%s by ", what);
	ifr_format_pct(text, 100 * sqrt(level->variance));
	ifr_buffer_printf(text, " (%.2g s each)", level->cost);
}

static void put_levels(const struct ifr_analysis *analysis, const struct ifr_calibration_levels *levels,
                       struct ifr_buffer *out, struct ifr_buffer *text) {
	const size_t *number = levels->replications;
	if (!levels->known) {
		ifr_buffer_printf(text, "Copies of a file and runs of a copy are one level here: %s.",
		                  levels->why_not.message);
		say(out, text, "  - ", "    ");
		return;
	}
	ifr_buffer_puts(text, "Levels of replication, by standard deviation and cost: ");
	say_level(text, "layouts differ", &levels->level[2]);
	say_level(text, ", copies of a file", &levels->level[1]);
	say_level(text, ", runs of a copy", &levels->level[0]);
	ifr_buffer_printf(
		text,
		". In %.3g s, %zu layout%s with %zu cop%s of each and %zu run%s of each copy give%s the most exact "
		"mean, with a standard error of ",
		levels->budget_s, number[2], number[2] == 1 ? "" : "s", number[1], number[1] == 1 ? "y" : "ies", number[0],
		number[0] == 1 ? "" : "s", number[2] == 1 ? "s" : "");
	ifr_format_pct(text, 100 * levels->se);
	ifr_buffer_printf(text, ": interfero bench -n %zu -r %zu", number[2], number[1] * number[0]);
	if (number[0] > 1)
		ifr_buffer_puts(text, ", which makes a copy for each run");
	if (!strcmp(analysis->metric->source, "repeat"))
		ifr_buffer_puts(text, ". Iterations in a run are no level of their own: only their sum is measured");
	ifr_buffer_puts(text, ".");
	say(out, text, "  - ", "    ");
}

static void put_effects(const struct ifr_calibration *c, struct ifr_buffer *out) {
	ifr_buffer_puts(out, "\nSmallest change that is detected 9 times in 10:\n  layouts");
	for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++)
		ifr_buffer_printf(out, " %6zu run%s", ifr_calibration_runs[j], ifr_calibration_runs[j] == 1 ? " " : "s");
	ifr_buffer_puts(out, "\n");
	for (size_t i = 0; i < IFR_CALIBRATION_SIZES; i++) {
		ifr_buffer_printf(out, "  %7zu", ifr_calibration_layouts[i]);
		for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++)
			ifr_buffer_printf(out, " %9.2f %%", 100 * c->effect[i][j]);
		ifr_buffer_puts(out, "\n");
	}
}

void ifr_calibration_text(const struct ifr_analysis *analysis, const struct ifr_calibration *c,
                          struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	const char *command = ifr_dataset_fact(analysis->dataset, "command");
	ifr_buffer_printf(&text, "Calibration by %s%s", command ? command : "an experiment",
	                  analysis->disturbances.found ? " (serial disturbances of the machine removed)" : "");
	say(out, &text, "", "");
	ifr_format_put_warnings(analysis->dataset, out);
	ifr_buffer_puts(&text, "The program compared with itself:");
	say(out, &text, "", "");
	say_rate(out, &text, "halves of the runs of each layout", c->called_runs);
	if (c->has_layouts)
		say_rate(out, &text, "halves of the layouts", c->called_layouts);
	ifr_buffer_printf(&text, "Standard deviations of %s: between layouts ", analysis->metric->name);
	ifr_format_pct(&text, 100 * sqrt(c->noise.between));
	ifr_buffer_puts(&text, ", from run to run ");
	ifr_format_pct(&text, 100 * sqrt(c->noise.within));
	ifr_buffer_printf(&text, ". %zu run%s of each layout use%s time best; more layouts help more than more runs.",
	                  c->runs_worthwhile, c->runs_worthwhile == 1 ? "" : "s", c->runs_worthwhile == 1 ? "s" : "");
	say(out, &text, "  - ", "    ");
	put_levels(analysis, &c->levels, out, &text);
	if (c->layouts_for_1_pct)
		ifr_buffer_printf(
			&text,
			"A change of 1 %% is detected 9 times in 10 with %zu layouts of each program: interfero compare -n "
			"%zu -r %zu OLD NEW",
			c->layouts_for_1_pct, c->layouts_for_1_pct, c->runs_worthwhile);
	else
		ifr_buffer_printf(&text, "A change of 1 %% is out of reach with %d layouts on this machine.",
		                  IFR_CALIBRATION_LAYOUTS_MAX);
	say(out, &text, "  - ", "    ");
	put_effects(c, out);
	ifr_buffer_puts(
		&text,
		"This is the worst case, for programs whose layouts have nothing in common. Where most functions are "
		"the same, paired layouts detect smaller changes.");
	say(out, &text, "  ", "  ");
	ifr_buffer_release(&text);
}

static json_t *json_levels(const struct ifr_calibration_levels *levels) {
	static const char *const names[IFR_CALIBRATION_LEVELS] = {"run", "copy", "layout"};
	json_t *made = json_array();
	for (size_t i = 0; i < IFR_CALIBRATION_LEVELS && levels->known; i++) {
		json_t *level = json_object();
		ifr_json_set(level, "level", ifr_json_text(names[i]));
		ifr_json_set(level, "sd", ifr_json_number(sqrt(levels->level[i].variance)));
		ifr_json_set(level, "cost_s", ifr_json_number(levels->level[i].cost));
		ifr_json_set(level, "replications", ifr_json_count(levels->replications[i]));
		json_array_append_new(made, level);
	}
	return made;
}

void ifr_calibration_json(const struct ifr_analysis *analysis, const struct ifr_calibration *c,
                          struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, ifr_dataset_fact(analysis->dataset, "host")),
		   *effects = json_array();
	for (size_t i = 0; i < IFR_CALIBRATION_SIZES; i++)
		for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++) {
			json_t *effect = json_object();
			ifr_json_set(effect, "layouts", ifr_json_count(ifr_calibration_layouts[i]));
			ifr_json_set(effect, "runs", ifr_json_count(ifr_calibration_runs[j]));
			ifr_json_set(effect, "effect", ifr_json_number(c->effect[i][j]));
			json_array_append_new(effects, effect);
		}
	ifr_json_set(root, "metric", ifr_json_text(analysis->metric->name));
	ifr_json_set(root, "warnings", ifr_format_json_warnings(analysis->dataset));
	ifr_json_set(root, "divisions", ifr_json_count(IFR_CALIBRATION_DRAWS));
	ifr_json_set(root, "called_other_runs", ifr_json_number((double)c->called_runs / IFR_CALIBRATION_DRAWS));
	ifr_json_set(root, "called_other_layouts",
	             ifr_json_number_if(c->has_layouts, (double)c->called_layouts / IFR_CALIBRATION_DRAWS));
	ifr_json_set(root, "between_sd", ifr_json_number(sqrt(c->noise.between)));
	ifr_json_set(root, "within_sd", ifr_json_number(sqrt(c->noise.within)));
	ifr_json_set(root, "runs_worthwhile", ifr_json_count(c->runs_worthwhile));
	ifr_json_set(root, "layouts_for_1_pct",
	             c->layouts_for_1_pct ? ifr_json_count(c->layouts_for_1_pct) : json_null());
	ifr_json_set(root, "levels", json_levels(&c->levels));
	ifr_json_set(root, "budget_s", ifr_json_number_if(c->levels.known, c->levels.budget_s));
	ifr_json_set(root, "mean_se", ifr_json_number_if(c->levels.known, c->levels.se));
	ifr_json_set(root, "effects", effects);
	ifr_json_print(root, out);
}
