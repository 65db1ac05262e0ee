/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/forecast.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/steps.h"

#define CONFIDENCE 0.95
#define CUT 0.1 /* of the response */

/* A layout's response: cycles per instruction where the same source counts both, else the metric. */
static bool find_response(const struct ifr_analysis *analysis, int instructions, size_t variant, double *value) {
	double count = 1;
	if (!ifr_counter_median(analysis, analysis->metric_index, variant, IFR_ALL_REPETITIONS, value))
		return false;
	if (instructions >= 0 &&
	    !ifr_counter_median(analysis, (size_t)instructions, variant, IFR_ALL_REPETITIONS, &count))
		return false;
	*value /= count;
	return count > 0;
}

static void name_response(const struct ifr_analysis *analysis, int instructions, struct ifr_forecast *forecast) {
	bool cpi = instructions >= 0;
	forecast->response = ifr_strdup(cpi ? "cycles per instruction" : analysis->metric->name);
	forecast->unit = ifr_strdup(cpi ? "" : analysis->scale.unit);
	forecast->scale = cpi ? 1 : 1 / analysis->scale.divisor;
	forecast->estimated = !strcmp(analysis->metric->source, "model");
}

static void evaluate(const struct ifr_forecast *forecast, struct ifr_predicted *row) {
	struct ifr_interval of_line;
	/* Up to once the layouts' own range beyond it counts as near. */
	const double reach = forecast->most - forecast->least;
	row->value = forecast->line.intercept + forecast->line.slope * row->mpki;
	ifr_regression_line_bands(&forecast->line, row->mpki, CONFIDENCE, &of_line, &row->interval);
	row->change = row->value / forecast->mean - 1;
	row->far = row->mpki < forecast->least - reach || row->mpki > forecast->most + reach;
}

int ifr_forecast_fit(const struct ifr_analysis *analysis, const char *name, const double *own,
                     struct ifr_forecast *forecast, struct ifr_error *err) {
	*forecast = (struct ifr_forecast){.own = ifr_strdup(name)};
	int instructions =
		!strcmp(analysis->metric->name, "cycles") ? ifr_event_counter(analysis->dataset, "instructions") : -1;
	double *x = ifr_alloc((analysis->layout_count + 1) * sizeof *x),
		   *y = ifr_alloc((analysis->layout_count + 1) * sizeof *y);
	forecast->variants = ifr_alloc((analysis->layout_count + 1) * sizeof *forecast->variants);
	name_response(analysis, instructions, forecast);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		size_t variant = (size_t)(analysis->layouts[i].variant - analysis->dataset->variants),
			   at = forecast->variant_count;
		if (&analysis->layouts[i] == analysis->shipped || isnan(own[variant]) ||
		    !find_response(analysis, instructions, variant, &y[at]))
			continue;
		y[at] *= forecast->scale;
		x[at] = own[variant];
		forecast->variants[forecast->variant_count++] = variant;
	}
	size_t count = forecast->variant_count;
	int result = ifr_regression_line_fit(x, y, count, &forecast->line, err);
	if (!result) {
		const double sd = gsl_stats_sd(y, 1, count);
		forecast->mean = gsl_stats_mean(y, 1, count);
		forecast->mpki = gsl_stats_mean(x, 1, count);
		forecast->mpki_sd = gsl_stats_sd(x, 1, count);
		forecast->mean_interval =
			ifr_t_interval(forecast->mean, sd / sqrt((double)count), (double)count - 1, CONFIDENCE, 1);
		gsl_stats_minmax(&forecast->least, &forecast->most, x, 1, count);
		forecast->half = (struct ifr_predicted){.mpki = forecast->mpki / 2, .mpki_sd = forecast->mpki_sd / 2};
		evaluate(forecast, &forecast->half);
		forecast->cut = CUT * forecast->mean / forecast->line.slope / forecast->mpki;
	}
	free(x);
	free(y);
	if (result)
		ifr_forecast_release(forecast);
	return result;
}

const char *ifr_forecast_refusal(const struct ifr_forecast *forecast) {
	const struct ifr_regression_line *line = &forecast->line;
	if (!(line->slope > 0))
		return "more mispredictions go with less time here, and no misprediction saves time: the line is of something "
			   "else";
	return line->p <= IFR_REPORT_LEVEL ? NULL : "this may be a line through noise";
}

void ifr_forecast_add(struct ifr_forecast *forecast, const char *predictor, const double *mpki) {
	double *values = ifr_alloc((forecast->variant_count + 1) * sizeof *values);
	for (size_t i = 0; i < forecast->variant_count; i++)
		values[i] = mpki[forecast->variants[i]];
	forecast->rows = ifr_realloc(forecast->rows, forecast->count + 1, sizeof *forecast->rows);
	struct ifr_predicted *row = &forecast->rows[forecast->count++];
	*row = (struct ifr_predicted){.predictor = ifr_strdup(predictor),
	                              .mpki = gsl_stats_mean(values, 1, forecast->variant_count),
	                              .mpki_sd = gsl_stats_sd(values, 1, forecast->variant_count)};
	evaluate(forecast, row);
	free(values);
}

void ifr_forecast_release(struct ifr_forecast *forecast) {
	for (size_t i = 0; i < forecast->count; i++)
		free(forecast->rows[i].predictor);
	free(forecast->rows);
	free(forecast->variants);
	free(forecast->response);
	free(forecast->unit);
	free(forecast->own);
	*forecast = (struct ifr_forecast){0};
}
