/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A forecast as text, JSON and figures. */
#include <math.h>
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/figures.h"

enum { SCHEMA_VERSION = 1, WIDTH = 720, HEIGHT = 420 };

static void say(struct ifr_buffer *text, char *words) {
	ifr_text_wrap(text, words, "  ", "  ");
	free(words);
}

/* Two questions to the line without a predictor. */
static void say_targets(const struct ifr_forecast *forecast, struct ifr_buffer *text) {
	const struct ifr_predicted *half = &forecast->half;
	say(text, ifr_format("With half of these mispredictions: %.5g (95 %% prediction %.5g to %.5g), %+.1f %%.",
	                     half->value, half->interval.low, half->interval.high, 100 * half->change));
	if (forecast->cut <= 1)
		say(text, ifr_format("For 10 %% less, %.0f %% of the mispredictions have to go.", 100 * forecast->cut));
	else
		say(text, ifr_strdup("No predictor takes 10 % away: all mispredictions cost less."));
}

static void warn(const struct ifr_forecast *forecast, struct ifr_buffer *text) {
	bool far = false;
	for (size_t i = 0; i < forecast->count; i++)
		far |= forecast->rows[i].far;
	if (far)
		say(text,
		    ifr_strdup("~ Extrapolated far beyond the mispredictions of the layouts: right as far as the relation "
		               "stays linear."));
	if (forecast->estimated)
		say(text,
		    ifr_format("! The %s are estimated by the model from these very mispredictions: the forecast "
		               "repeats what the model assumes, and does not say what a processor does. Measure with "
		               "clock or perf beside the model.",
		               forecast->response));
}

/* Prints rounding errors as 0. */
static double round_off(const struct ifr_forecast *forecast, double value) {
	static const double rounding = 1e-9;
	return fabs(value) < rounding * fabs(forecast->mean) ? 0 : value;
}

void ifr_forecast_text(const struct ifr_forecast *forecast, struct ifr_buffer *text) {
	const struct ifr_regression_line *line = &forecast->line;
	const char *refusal = ifr_forecast_refusal(forecast), *space = *forecast->unit ? " " : "";
	say(text,
	    ifr_format("Over %zu random layouts, %s correlates with the mispredictions of %s: %.5g%s%s and %.4g for "
	               "each misprediction per 1000 instructions (r = %.2f, p %s%.2g).",
	               forecast->variant_count, forecast->response, forecast->own, line->intercept, space,
	               forecast->unit, line->slope, line->r, line->p < 0.001 ? "< " : "= ",
	               line->p < 0.001 ? 0.001 : line->p));
	if (refusal) {
		say(text, ifr_format("! Nothing is forecast for other predictors: %s. %s", refusal,
		                     forecast->line.p > IFR_REPORT_LEVEL
		                         ? "More layouts (-n) or runs (-r) settle a weak relation."
		                         : "Predict a program whose time depends on its branches."));
		return;
	}
	ifr_buffer_printf(text, "\n  %-13s %10s %8s  %10s  %-22s %8s\n", "predictor", "misses/1k", "+-", "predicted",
	                  "95 % prediction", "change");
	ifr_buffer_printf(text, "  %-13.13s %10.4f %8.4f  %10.5g  %-10.5g to %-8.5g %8s\n", forecast->own,
	                  forecast->mpki, forecast->mpki_sd, forecast->mean, forecast->mean_interval.low,
	                  forecast->mean_interval.high, "now");
	for (size_t i = 0; i < forecast->count; i++) {
		const struct ifr_predicted *row = &forecast->rows[i];
		ifr_buffer_printf(text, "%c %-13.13s %10.4f %8.4f  %10.5g  %-10.5g to %-8.5g %+6.2f%%\n",
		                  row->far ? '~' : ' ', row->predictor, row->mpki, row->mpki_sd,
		                  round_off(forecast, row->value), round_off(forecast, row->interval.low),
		                  round_off(forecast, row->interval.high), 100 * row->change);
	}
	ifr_buffer_puts(text, "\n");
	say(text,
	    ifr_format("Predicted: %s%s%s%s. The first row is measured, with the interval of its mean.",
	               forecast->response, *forecast->unit ? " (" : "", forecast->unit, *forecast->unit ? ")" : ""));
	say_targets(forecast, text);
	warn(forecast, text);
}

static json_t *json_interval(struct ifr_interval interval) {
	return json_pack("[o,o]", ifr_json_number(interval.low), ifr_json_number(interval.high));
}

static json_t *json_row(const struct ifr_predicted *row) {
	json_t *made = json_object();
	if (row->predictor)
		ifr_json_set(made, "predictor", ifr_json_text(row->predictor));
	ifr_json_set(made, "mpki", ifr_json_number(row->mpki));
	ifr_json_set(made, "mpki_sd", ifr_json_number(row->mpki_sd));
	ifr_json_set(made, "predicted", ifr_json_number(row->value));
	ifr_json_set(made, "prediction_interval", json_interval(row->interval));
	ifr_json_set(made, "change", ifr_json_number(row->change));
	ifr_json_set(made, "extrapolated", json_boolean(row->far));
	return made;
}

void ifr_forecast_json(const struct ifr_forecast *forecast, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *own = json_object(), *line = json_object(),
		   *rows = json_array();
	ifr_json_set(own, "predictor", ifr_json_text(forecast->own));
	ifr_json_set(own, "mpki", ifr_json_number(forecast->mpki));
	ifr_json_set(own, "mpki_sd", ifr_json_number(forecast->mpki_sd));
	ifr_json_set(line, "intercept", ifr_json_number(forecast->line.intercept));
	ifr_json_set(line, "slope", ifr_json_number(forecast->line.slope));
	ifr_json_set(line, "r", ifr_json_number(forecast->line.r));
	ifr_json_set(line, "p", ifr_json_number(forecast->line.p));
	for (size_t i = 0; i < forecast->count; i++)
		json_array_append_new(rows, json_row(&forecast->rows[i]));
	ifr_json_set(root, "refused", ifr_json_text(ifr_forecast_refusal(forecast)));
	ifr_json_set(root, "response", ifr_json_text(forecast->response));
	ifr_json_set(root, "unit", ifr_json_text(forecast->unit));
	ifr_json_set(root, "layouts", ifr_json_count(forecast->variant_count));
	ifr_json_set(root, "mean", ifr_json_number(forecast->mean));
	ifr_json_set(root, "mean_interval", json_interval(forecast->mean_interval));
	ifr_json_set(root, "own", own);
	ifr_json_set(root, "line", line);
	ifr_json_set(root, "half", json_row(&forecast->half));
	ifr_json_set(root, "mispredictions_cut_for_10_pct_less",
	             ifr_json_number_if(forecast->line.slope > 0, forecast->cut));
	ifr_json_set(root, "predictions", rows);
	ifr_json_print(root, out);
}

/* --- figures 7 and 8 ------------------------------------------------------------------------------------------ */

static void put_label(struct ifr_buffer *script, const char *axis, const char *words) {
	ifr_buffer_printf(script, "set %slabel ", axis);
	ifr_quote_gnuplot(script, words);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
}

static void put_data(struct ifr_buffer *script, const char *name, double a, double b, double c) {
	ifr_quote_gnuplot(script, name);
	ifr_buffer_printf(script, " %.9g %.9g %.9g\n", a, b, c);
}

static void draw_mispredictions(const struct ifr_forecast *forecast, struct ifr_figures *figures) {
	struct ifr_figure *figure =
		ifr_figure_begin(figures, "mispredictions",
	                     "Mispredictions of each predictor in the same layouts, mean and standard deviation.");
	struct ifr_buffer *script = &figure->script;
	put_label(script, "y", "mispredictions per 1000 instructions");
	ifr_buffer_puts(script,
	                "set style fill solid 0.7\nset boxwidth 0.6\nset yrange [0:*]\nset xtics rotate by -30\n"
	                "$rows << EOD\n");
	put_data(script, forecast->own, forecast->mpki, forecast->mpki_sd, 0);
	for (size_t i = 0; i < forecast->count; i++)
		put_data(script, forecast->rows[i].predictor, forecast->rows[i].mpki, forecast->rows[i].mpki_sd, 0);
	ifr_buffer_puts(script, "EOD\n");
	ifr_figure_end(
		figure, WIDTH, HEIGHT,
		"plot $rows using 0:2:xtic(1) with boxes lc rgb '#3b7dd8' notitle, $rows using 0:2:3 with yerrorbars "
		"lc rgb '" IFR_FIGURE_INK "' pt 0 notitle");
}

static void draw_predicted(const struct ifr_forecast *forecast, struct ifr_figures *figures) {
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "predicted",
		"The response forecast for each predictor, with 95 % prediction intervals; the first is measured, with "
		"the interval of its mean.");
	struct ifr_buffer *script = &figure->script;
	char *words = ifr_format("%s%s%s%s", forecast->response, *forecast->unit ? " (" : "", forecast->unit,
	                         *forecast->unit ? ")" : "");
	put_label(script, "y", words);
	ifr_buffer_puts(script, "set xtics rotate by -30\nset offsets 0.5, 0.5, 0, 0\n$rows << EOD\n");
	put_data(script, forecast->own, forecast->mean, forecast->mean_interval.low, forecast->mean_interval.high);
	for (size_t i = 0; i < forecast->count; i++)
		put_data(script, forecast->rows[i].predictor, forecast->rows[i].value, forecast->rows[i].interval.low,
		         forecast->rows[i].interval.high);
	ifr_buffer_puts(script, "EOD\n");
	ifr_figure_end(figure, WIDTH, HEIGHT,
	               "plot $rows using 0:2:3:4:xtic(1) with yerrorbars lc rgb '#e0632a' pt 7 notitle");
	free(words);
}

int ifr_forecast_figures(const struct ifr_forecast *forecast, const char *dir, struct ifr_error *err) {
	struct ifr_figures figures = {0};
	draw_mispredictions(forecast, &figures);
	draw_predicted(forecast, &figures);
	const int result = ifr_figures_draw(&figures, dir, err);
	ifr_figures_release(&figures);
	return result;
}
