/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/forecast.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/analysis_result.h"
#include "harness/report/format.h"

#define CONFIDENCE 0.95

/* A layout's response: cycles per instruction where the same source counts both, else the metric. */
static bool response_of(const struct ifr_analysis *report, int instructions, size_t variant, double *value) {
	double count = 1;
	if (!ifr_counter_median(report, report->metric_index, variant, value))
		return false;
	if (instructions >= 0 && !ifr_counter_median(report, (size_t)instructions, variant, &count))
		return false;
	*value /= count;
	return count > 0;
}

static void name_response(const struct ifr_analysis *report, int instructions, struct ifr_forecast *prediction) {
	struct ifr_scale scale = ifr_scale_choose(report);
	bool cpi = instructions >= 0;
	prediction->response = ifr_strdup(cpi ? "cycles per instruction" : report->metric->name);
	prediction->unit = ifr_strdup(cpi ? "" : scale.unit);
	prediction->scale = cpi ? 1 : 1 / scale.divisor;
	prediction->estimated = !strcmp(report->metric->source, "model");
}

int ifr_forecast_fit(const struct ifr_analysis *report, const char *name, const double *own,
                     struct ifr_forecast *prediction, struct ifr_error *err) {
	*prediction = (struct ifr_forecast){.own = ifr_strdup(name)};
	int instructions =
		!strcmp(report->metric->name, "cycles") ? ifr_event_counter(report->dataset, "instructions") : -1;
	double *x = ifr_alloc((report->layout_count + 1) * sizeof *x),
		   *y = ifr_alloc((report->layout_count + 1) * sizeof *y);
	prediction->variants = ifr_alloc((report->layout_count + 1) * sizeof *prediction->variants);
	name_response(report, instructions, prediction);
	for (size_t i = 0; i < report->layout_count; i++) {
		size_t variant = (size_t)(report->layouts[i].variant - report->dataset->variants),
			   at = prediction->variant_count;
		if (&report->layouts[i] == report->shipped || isnan(own[variant]) ||
		    !response_of(report, instructions, variant, &y[at]))
			continue;
		y[at] *= prediction->scale;
		x[at] = own[variant];
		prediction->variants[prediction->variant_count++] = variant;
	}
	size_t count = prediction->variant_count;
	int result = ifr_regression_line_fit(x, y, count, &prediction->line, err);
	if (!result) {
		const double sd = gsl_stats_sd(y, 1, count);
		prediction->mean = gsl_stats_mean(y, 1, count);
		prediction->mpki = gsl_stats_mean(x, 1, count);
		prediction->mpki_sd = gsl_stats_sd(x, 1, count);
		prediction->mean_interval =
			ifr_t_interval(prediction->mean, sd / sqrt((double)count), (double)count - 1, CONFIDENCE, 1);
		gsl_stats_minmax(&prediction->least, &prediction->most, x, 1, count);
	}
	free(x);
	free(y);
	if (result)
		ifr_forecast_release(prediction);
	return result;
}

void ifr_forecast_add(struct ifr_forecast *prediction, const char *predictor, const double *mpki) {
	struct ifr_interval of_line;
	double *values = ifr_alloc((prediction->variant_count + 1) * sizeof *values);
	for (size_t i = 0; i < prediction->variant_count; i++)
		values[i] = mpki[prediction->variants[i]];
	prediction->rows = ifr_realloc(prediction->rows, prediction->count + 1, sizeof *prediction->rows);
	struct ifr_predicted *row = &prediction->rows[prediction->count++];
	*row = (struct ifr_predicted){.predictor = ifr_strdup(predictor),
	                              .mpki = gsl_stats_mean(values, 1, prediction->variant_count),
	                              .mpki_sd = gsl_stats_sd(values, 1, prediction->variant_count)};
	row->value = prediction->line.intercept + prediction->line.slope * row->mpki;
	ifr_regression_line_bands(&prediction->line, row->mpki, CONFIDENCE, &of_line, &row->interval);
	row->change = row->value / prediction->mean - 1;
	/* As far again as the layouts themselves reach is still near them. */
	double reach = prediction->most - prediction->least;
	row->far = row->mpki < prediction->least - reach || row->mpki > prediction->most + reach;
	free(values);
}

void ifr_forecast_release(struct ifr_forecast *prediction) {
	for (size_t i = 0; i < prediction->count; i++)
		free(prediction->rows[i].predictor);
	free(prediction->rows);
	free(prediction->variants);
	free(prediction->response);
	free(prediction->unit);
	free(prediction->own);
	*prediction = (struct ifr_forecast){0};
}
