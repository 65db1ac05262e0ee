/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction as text, JSON and figures. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/report/escape.h"
#include "harness/report/figures.h"
#include "harness/analysis/forecast.h"
#include "harness/report/wrap.h"

enum { SCHEMA_VERSION = 1, WIDTH = 720, HEIGHT = 420 };

static void sentence(struct ifr_buffer *text, char *words) {
	ifr_text_wrap(text, words, "  ", "  ");
	free(words);
}

static void warn(const struct ifr_forecast *prediction, struct ifr_buffer *text) {
	bool far = false;
	for (size_t i = 0; i < prediction->count; i++)
		far |= prediction->rows[i].far;
	if (prediction->line.p > 0.05)
		sentence(text, ifr_format("! The layouts do not show that mispredictions matter here (p = %.2g): these "
		                          "predictions rest on nothing but a line through noise.",
		                          prediction->line.p));
	if (far)
		sentence(text, ifr_strdup(
						   "~ Far beyond what the layouts themselves mispredict: right as far as the line goes on "
						   "straight."));
	if (prediction->estimated)
		sentence(text, ifr_format(
						   "! The %s are an estimate of the model, made from these very mispredictions: this says "
						   "what the model assumes, not what a processor does. Measure with clock or perf beside "
						   "the model.",
						   prediction->response));
}

void ifr_forecast_text(const struct ifr_forecast *prediction, struct ifr_buffer *text) {
	const struct ifr_regression_line *line = &prediction->line;
	const char *space = *prediction->unit ? " " : "";
	sentence(
		text,
		ifr_format("Over %zu random layouts, %s goes along with the mispredictions of %s: %.5g%s%s and %.4g for "
	               "each misprediction per 1000 instructions (r = %.2f, p %s%.2g).",
	               prediction->variant_count, prediction->response, prediction->own, line->intercept, space,
	               prediction->unit, line->slope, line->r, line->p < 0.001 ? "< " : "= ",
	               line->p < 0.001 ? 0.001 : line->p));
	ifr_buffer_printf(text, "\n  %-14s %10s %8s  %10s  %-22s %7s\n", "predictor", "misses/1k", "+-", "predicted",
	                  "95 % prediction", "change");
	ifr_buffer_printf(text, "  %-14.14s %10.4f %8.4f  %10.5g  %-10.5g to %-8.5g %7s\n", prediction->own,
	                  prediction->mpki, prediction->mpki_sd, prediction->mean, prediction->mean_interval.low,
	                  prediction->mean_interval.high, "now");
	for (size_t i = 0; i < prediction->count; i++) {
		const struct ifr_predicted *row = &prediction->rows[i];
		ifr_buffer_printf(text, "%c %-14.14s %10.4f %8.4f  %10.5g  %-10.5g to %-8.5g %+6.2f%%\n",
		                  row->far ? '~' : ' ', row->predictor, row->mpki, row->mpki_sd, row->value,
		                  row->interval.low, row->interval.high, 100 * row->change);
	}
	ifr_buffer_puts(text, "\n");
	sentence(text, ifr_format("Predicted: %s%s%s%s. The first row is measured, with the interval of its mean.",
	                          prediction->response, *prediction->unit ? " (" : "", prediction->unit,
	                          *prediction->unit ? ")" : ""));
	warn(prediction, text);
}

static json_t *interval(struct ifr_interval interval) {
	return json_pack("[f,f]", interval.low, interval.high);
}

void ifr_forecast_json(const struct ifr_forecast *prediction, struct ifr_buffer *text) {
	const struct ifr_regression_line *line = &prediction->line;
	json_t *rows = json_array();
	for (size_t i = 0; i < prediction->count; i++) {
		const struct ifr_predicted *row = &prediction->rows[i];
		json_array_append_new(rows, json_pack("{s:s,s:f,s:f,s:f,s:o,s:f,s:b}", "predictor", row->predictor, "mpki",
		                                      row->mpki, "mpki_sd", row->mpki_sd, "predicted", row->value,
		                                      "prediction_interval", interval(row->interval), "change",
		                                      row->change, "extrapolated", row->far));
	}
	json_t *root = json_pack(
		"{s:i,s:s,s:s,s:s,s:s,s:I,s:f,s:o,s:{s:s,s:f,s:f},s:{s:f,s:f,s:f,s:f},s:o}", "schema_version",
		SCHEMA_VERSION, "tool", "interfero", "version", INTERFERO_VERSION, "response", prediction->response,
		"unit", prediction->unit, "layouts", (json_int_t)prediction->variant_count, "mean", prediction->mean,
		"mean_interval", interval(prediction->mean_interval), "own", "predictor", prediction->own, "mpki",
		prediction->mpki, "mpki_sd", prediction->mpki_sd, "line", "intercept", line->intercept, "slope",
		line->slope, "r", line->r, "p", line->p, "predictions", rows);
	char *dumped = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
	ifr_buffer_puts(text, dumped ? dumped : "null");
	ifr_buffer_puts(text, "\n");
	free(dumped);
	json_decref(root);
}

/* --- figures 7 and 8 -------------------------------------------------------------------------------------------
 */

static void label(struct ifr_buffer *script, const char *axis, const char *words) {
	ifr_buffer_printf(script, "set %slabel ", axis);
	ifr_quote_gnuplot(script, words);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
}

static void data_row(struct ifr_buffer *script, const char *name, double a, double b, double c) {
	ifr_quote_gnuplot(script, name);
	ifr_buffer_printf(script, " %.9g %.9g %.9g\n", a, b, c);
}

static void draw_mispredictions(const struct ifr_forecast *prediction, struct ifr_figures *figures) {
	struct ifr_figure *figure =
		ifr_figure_begin(figures, "mispredictions",
	                     "Mispredictions of each predictor in the same layouts, mean and standard deviation.");
	struct ifr_buffer *script = &figure->script;
	label(script, "y", "mispredictions per 1000 instructions");
	ifr_buffer_puts(script,
	                "set style fill solid 0.7\nset boxwidth 0.6\nset yrange [0:*]\nset xtics rotate by -30\n"
	                "$rows << EOD\n");
	data_row(script, prediction->own, prediction->mpki, prediction->mpki_sd, 0);
	for (size_t i = 0; i < prediction->count; i++)
		data_row(script, prediction->rows[i].predictor, prediction->rows[i].mpki, prediction->rows[i].mpki_sd, 0);
	ifr_buffer_puts(script, "EOD\n");
	ifr_figure_end(
		figure, WIDTH, HEIGHT,
		"plot $rows using 0:2:xtic(1) with boxes lc rgb '#3b7dd8' notitle, $rows using 0:2:3 with yerrorbars "
		"lc rgb '" IFR_FIGURE_INK "' pt 0 notitle");
}

static void draw_predicted(const struct ifr_forecast *prediction, struct ifr_figures *figures) {
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "predicted",
		"What each predictor would come to, with 95 % prediction intervals; the first is measured, with "
		"the interval of its mean.");
	struct ifr_buffer *script = &figure->script;
	char *words = ifr_format("%s%s%s%s", prediction->response, *prediction->unit ? " (" : "", prediction->unit,
	                         *prediction->unit ? ")" : "");
	label(script, "y", words);
	ifr_buffer_puts(script, "set xtics rotate by -30\nset offsets 0.5, 0.5, 0, 0\n$rows << EOD\n");
	data_row(script, prediction->own, prediction->mean, prediction->mean_interval.low,
	         prediction->mean_interval.high);
	for (size_t i = 0; i < prediction->count; i++)
		data_row(script, prediction->rows[i].predictor, prediction->rows[i].value,
		         prediction->rows[i].interval.low, prediction->rows[i].interval.high);
	ifr_buffer_puts(script, "EOD\n");
	ifr_figure_end(figure, WIDTH, HEIGHT,
	               "plot $rows using 0:2:3:4:xtic(1) with yerrorbars lc rgb '#e0632a' pt 7 notitle");
	free(words);
}

int ifr_forecast_figures(const struct ifr_forecast *prediction, const char *dir, struct ifr_error *err) {
	struct ifr_figures figures = {0};
	draw_mispredictions(prediction, &figures);
	draw_predicted(prediction, &figures);
	int result = ifr_dir_make(dir, err);
	if (!result)
		result = ifr_figures_draw(&figures, dir, err);
	ifr_figures_release(&figures);
	return result;
}
