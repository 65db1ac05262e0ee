/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forecast of a program's response with another branch predictor: the regression line of the response on
 * mispredictions over the program's layouts, evaluated at the mispredictions that another predictor makes in
 * the same layouts. Ref: Wang and Jiménez 2011, section 7 (figures 7 and 8), section 1.4 (half of the mispredictions). */
#ifndef IFR_HARNESS_FORECAST_H
#define IFR_HARNESS_FORECAST_H

#include "harness/statistics/statistics.h"

struct ifr_analysis;

struct ifr_predicted {
	char *predictor;
	double mpki, mpki_sd;         /* mean over the layouts, and their standard deviation */
	double value;                 /* of the response, on the line */
	struct ifr_interval interval; /* of a layout's, 95 % */
	double change;                /* against the measured mean: -0.05 for 5 % less */
	bool far;                     /* extrapolated far beyond the layouts' own mispredictions */
};

struct ifr_forecast {
	char *response, *unit; /* "cycles per instruction", ""; or the metric and its unit */
	char *own;             /* the machine whose mispredictions the line is over */
	double scale;          /* from the metric's unit to the printed one */
	struct ifr_regression_line line;
	double least, most; /* of the layouts' own mispredictions */
	double mean, mpki, mpki_sd;
	struct ifr_interval mean_interval; /* 95 % */
	bool estimated;                    /* the response itself comes from the model */
	struct ifr_predicted half;         /* with half of the layouts' own mispredictions; predictor is NULL */
	double
		cut; /* the part of their own mispredictions that 10 % less of the response costs; above 1: out of reach */
	struct ifr_predicted *rows;
	size_t count;
	size_t *variants; /* of the dataset: the random layouts that count */
	size_t variant_count;
};

/* Fits the line over the random layouts. own: mispredictions per 1000 instructions of each variant of the dataset.
 * Errors: IFR_E_USAGE where no line can be fitted: fewer than three layouts, or nothing varies. */
int ifr_forecast_fit(const struct ifr_analysis *analysis, const char *name, const double *own,
                     struct ifr_forecast *forecast, struct ifr_error *err);
/* Why the line forecasts nothing: it slopes downwards, or p exceeds 0.05. NULL if it does. */
const char *ifr_forecast_refusal(const struct ifr_forecast *forecast);
/* Adds the forecast for a predictor with these mispredictions. */
void ifr_forecast_add(struct ifr_forecast *forecast, const char *predictor, const double *mpki);
void ifr_forecast_release(struct ifr_forecast *forecast);

#endif
