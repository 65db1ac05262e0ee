/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/calibration.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "harness/analysis/analysis_result.h"
#include "harness/report/format.h"
#include "harness/report/wrap.h"

const size_t ifr_calibration_layouts[IFR_CALIBRATION_SIZES] = {8, 16, 32, 64, 128};
const size_t ifr_calibration_runs[IFR_CALIBRATION_RUNS] = {1, 3, 5, 10};
static const double power = 0.9;
enum { LAYOUTS_MOST = 100000 };

/* Whether two halves are called different: in pairs, or each for itself. */
static bool is_called(const double *a, const double *b, size_t count, bool paired) {
	struct ifr_interval interval;
	double ratio, mean_a, mean_b, sd_a, sd_b, n = (double)count;
	if (paired)
		return !ifr_ratio_pairs(a, b, count, IFR_REPORT_CONFIDENCE, &ratio, &interval, NULL) &&
		       (interval.low > 1 || interval.high < 1);
	ifr_sample_moments(a, count, &mean_a, &sd_a, NULL);
	ifr_sample_moments(b, count, &mean_b, &sd_b, NULL);
	const struct ifr_quotient quotient = {mean_a, mean_b, sd_a * sd_a / n, sd_b * sd_b / n, 0, 2 * n - 2};
	return !ifr_ratio_fieller(&quotient, IFR_REPORT_CONFIDENCE, &ratio, &interval, NULL) &&
	       (interval.low > 1 || interval.high < 1);
}

/* The order of a draw. */
static void shuffle(struct ifr_random_key key, uint64_t draw, uint64_t what, size_t *order, size_t count) {
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (uint64_t i = count; i-- > 1;) {
		const uint64_t name[] = {draw, what, i};
		size_t other = ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), i + 1), kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
}

/* Random layouts with two runs at least, and room to divide. */
struct halves {
	const struct ifr_layout **layouts;
	size_t count, runs_most;
	double *a, *b;
	size_t *order;
};

static double mean_of(const double *values, const size_t *order, size_t count) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[order[i]] / (double)count;
	return sum;
}

static void divide_runs(struct halves *h, struct ifr_random_key key, uint64_t draw) {
	for (size_t i = 0; i < h->count; i++) {
		size_t half = h->layouts[i]->count / 2;
		shuffle(key, draw, i + 1, h->order, h->layouts[i]->count);
		h->a[i] = mean_of(h->layouts[i]->winsorised, h->order, half);
		h->b[i] = mean_of(h->layouts[i]->winsorised, h->order + half, half);
	}
}

static void divide_layouts(struct halves *h, struct ifr_random_key key, uint64_t draw) {
	shuffle(key, draw, 0, h->order, h->count);
	for (size_t i = 0; i < h->count / 2 * 2; i++) {
		const struct ifr_layout *layout = h->layouts[h->order[i]];
		double mean;
		ifr_sample_moments(layout->winsorised, layout->count, &mean, NULL, NULL);
		(i % 2 ? h->b : h->a)[i / 2] = mean;
	}
}

static void draw_all(const struct ifr_analysis *report, uint64_t seed, struct ifr_calibration *c) {
	struct halves h = {.layouts = ifr_alloc((report->layout_count + 1) * sizeof *h.layouts)};
	struct ifr_random_key key = ifr_random_key_of(seed, "calibrate");
	for (size_t i = 0; i < report->layout_count; i++) {
		if (&report->layouts[i] == report->shipped || report->layouts[i].count < 2)
			continue;
		h.layouts[h.count++] = &report->layouts[i];
		h.runs_most = report->layouts[i].count > h.runs_most ? report->layouts[i].count : h.runs_most;
	}
	h.a = ifr_alloc((h.count + 1) * sizeof *h.a);
	h.b = ifr_alloc((h.count + 1) * sizeof *h.b);
	h.order = ifr_alloc((h.count + h.runs_most + 1) * sizeof *h.order);
	c->has_runs = h.count >= 2;
	c->has_layouts = h.count >= 4;
	for (uint64_t draw = 0; draw < IFR_CALIBRATION_DRAWS && c->has_runs; draw++) {
		divide_runs(&h, key, draw);
		c->called_runs += is_called(h.a, h.b, h.count, true);
		if (!c->has_layouts)
			continue;
		divide_layouts(&h, key, draw);
		c->called_layouts += is_called(h.a, h.b, h.count / 2, false);
	}
	free(h.order);
	free(h.b);
	free(h.a);
	free(h.layouts);
}

int ifr_calibration_make(const struct ifr_analysis *report, uint64_t seed, struct ifr_calibration *calibration,
                         struct ifr_error *err) {
	struct ifr_calibration c = {0};
	const struct ifr_components *k = &report->components;
	if (!report->has_components)
		return ifr_fail(err, IFR_E_USAGE, "this cannot be calibrated: %s", report->no_components.message);
	if (!k->noise_known || !(k->mean > 0))
		return ifr_fail(err, IFR_E_USAGE,
		                "to tell noise from layouts takes two runs of each layout, and values above 0");
	double square = k->mean * k->mean;
	c.noise = (struct ifr_noise){k->between_variance / square, k->ms_within / square};
	draw_all(report, seed, &c);
	ifr_proportion_interval(c.called_runs, IFR_CALIBRATION_DRAWS, IFR_REPORT_CONFIDENCE, &c.runs_interval, NULL);
	ifr_proportion_interval(c.called_layouts, IFR_CALIBRATION_DRAWS, IFR_REPORT_CONFIDENCE, &c.layouts_interval,
	                        NULL);
	c.runs_worthwhile = ifr_runs_optimal(c.noise, 1, 20);
	const struct ifr_noise difference = {2 * c.noise.between, 2 * c.noise.within};
	for (size_t i = 0; i < IFR_CALIBRATION_SIZES; i++)
		for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++)
			c.effect[i][j] = ifr_detectable_effect(difference, ifr_calibration_layouts[i], ifr_calibration_runs[j],
			                                       power, IFR_REPORT_LEVEL);
	c.layouts_for_1_pct =
		ifr_layouts_needed(difference, c.runs_worthwhile, 0.01, power, IFR_REPORT_LEVEL, LAYOUTS_MOST);
	*calibration = c;
	return 0;
}

static void say(struct ifr_buffer *out, struct ifr_buffer *text, const char *first, const char *rest) {
	ifr_text_wrap(out, ifr_buffer_text(text), first, rest);
	ifr_buffer_clear(text);
}

static void say_rate(struct ifr_buffer *out, struct ifr_buffer *text, const char *what, size_t called) {
	ifr_buffer_printf(text, "%s: called different in %.1f %% of %d random divisions; 5 %% is right.", what,
	                  100.0 * (double)called / IFR_CALIBRATION_DRAWS, IFR_CALIBRATION_DRAWS);
	say(out, text, "  - ", "    ");
}

static void put_effects(const struct ifr_calibration *c, struct ifr_buffer *out) {
	ifr_buffer_puts(out, "\nSmallest change that is found 9 times in 10:\n  layouts");
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

void ifr_calibration_text(const struct ifr_analysis *report, const struct ifr_calibration *c,
                          struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	const char *command = ifr_dataset_fact(report->dataset, "command");
	ifr_buffer_printf(&text, "Calibration by %s%s", command ? command : "an experiment",
	                  report->bursts.found ? " (the machine's bursts taken off)" : "");
	say(out, &text, "", "");
	ifr_buffer_puts(&text, "Against itself:");
	say(out, &text, "", "");
	say_rate(out, &text, "the same layouts, other runs", c->called_runs);
	if (c->has_layouts)
		say_rate(out, &text, "other layouts", c->called_layouts);
	ifr_buffer_printf(&text, "Standard deviations of %s: between layouts ", report->metric->name);
	ifr_format_pct(&text, 100 * sqrt(c->noise.between));
	ifr_buffer_puts(&text, ", from run to run ");
	ifr_format_pct(&text, 100 * sqrt(c->noise.within));
	ifr_buffer_printf(&text,
	                  ". So %zu run%s of each layout spend%s time best; more layouts pay more than more runs.",
	                  c->runs_worthwhile, c->runs_worthwhile == 1 ? "" : "s", c->runs_worthwhile == 1 ? "s" : "");
	say(out, &text, "  - ", "    ");
	if (c->layouts_for_1_pct)
		ifr_buffer_printf(
			&text,
			"A change of 1 %% is found 9 times in 10 with %zu layouts of each program: interfero compare -n "
			"%zu -r %zu OLD NEW",
			c->layouts_for_1_pct, c->layouts_for_1_pct, c->runs_worthwhile);
	else
		ifr_buffer_printf(&text, "A change of 1 %% is out of reach with %d layouts on this machine.",
		                  LAYOUTS_MOST);
	say(out, &text, "  - ", "    ");
	put_effects(c, out);
	ifr_buffer_puts(&text,
	                "For programs whose layouts have nothing in common, the worst case; where most functions are "
	                "the same, pairs of layouts find smaller ones.");
	say(out, &text, "  ", "  ");
	ifr_buffer_release(&text);
}

void ifr_calibration_json(const struct ifr_analysis *report, const struct ifr_calibration *c,
                          struct ifr_buffer *out) {
	json_t *effects = json_array();
	for (size_t i = 0; i < IFR_CALIBRATION_SIZES; i++)
		for (size_t j = 0; j < IFR_CALIBRATION_RUNS; j++)
			json_array_append_new(
				effects, json_pack("{s:I,s:I,s:f}", "layouts", (json_int_t)ifr_calibration_layouts[i], "runs",
			                       (json_int_t)ifr_calibration_runs[j], "effect", c->effect[i][j]));
	json_t *root = json_pack(
		"{s:i,s:s,s:s,s:s,s:i,s:f,s:o,s:f,s:f,s:I,s:o,s:o}", "schema_version", 1, "tool", "interfero", "version",
		INTERFERO_VERSION, "metric", report->metric->name, "divisions", IFR_CALIBRATION_DRAWS, "called_other_runs",
		(double)c->called_runs / IFR_CALIBRATION_DRAWS, "called_other_layouts",
		c->has_layouts ? json_real((double)c->called_layouts / IFR_CALIBRATION_DRAWS) : json_null(), "between_sd",
		sqrt(c->noise.between), "within_sd", sqrt(c->noise.within), "runs_worthwhile",
		(json_int_t)c->runs_worthwhile, "layouts_for_1_pct",
		c->layouts_for_1_pct ? json_integer((json_int_t)c->layouts_for_1_pct) : json_null(), "effects", effects);
	char *dumped = json_dumps(root, JSON_INDENT(1));
	ifr_buffer_puts(out, dumped ? dumped : "null");
	ifr_buffer_puts(out, "\n");
	free(dumped);
	json_decref(root);
}
