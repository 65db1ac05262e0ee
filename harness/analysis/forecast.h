/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program would do with another branch predictor: the line that its layouts lie on, the response against
 * mispredictions, drawn to the mispredictions that another predictor makes in the same layouts.
 * Ref: Wang and Jiménez 2011, section 7 (figures 7 and 8). */
#ifndef IFR_HARNESS_FORECAST_H
#define IFR_HARNESS_FORECAST_H

#include "harness/report/report.h"
#include "harness/statistics/statistics.h"

struct ifr_predicted {
	char *predictor;
	double mpki, mpki_sd;         /* mean over the layouts, and their standard deviation */
	double value;                 /* of the response, on the line */
	struct ifr_interval interval; /* of a layout's, 95 % */
	double change;                /* against the measured mean: -0.05 for 5 % less */
	bool far;                     /* beyond the layouts' own mispredictions: the line is drawn out */
};

struct ifr_forecast {
	char *response, *unit; /* "cycles per instruction", ""; or the metric and its unit */
	char *own;             /* whose mispredictions the line is over */
	double scale;          /* from the metric's unit to the one that is shown */
	struct ifr_regression_line line;
	double least, most; /* of the layouts' own mispredictions */
	double mean, mpki, mpki_sd;
	struct ifr_interval mean_interval; /* 95 % */
	bool estimated;                    /* the response is itself of the model */
	struct ifr_predicted *rows;
	size_t count;
	size_t *variants; /* of the dataset: the random layouts that count */
	size_t variant_count;
};

/* The line over the random layouts. own: mispredictions per 1000 instructions of each variant of the report's
 * dataset. Errors: IFR_E_USAGE where there is no line: fewer than three layouts, or nothing varies. */
int ifr_forecast_fit(const struct ifr_analysis *report, const char *name, const double *own,
                     struct ifr_forecast *prediction, struct ifr_error *err);
/* Adds what the line says of a predictor with these mispredictions. */
void ifr_forecast_add(struct ifr_forecast *prediction, const char *predictor, const double *mpki);
void ifr_forecast_release(struct ifr_forecast *prediction);

void ifr_forecast_text(const struct ifr_forecast *prediction, struct ifr_buffer *text);
void ifr_forecast_json(const struct ifr_forecast *prediction, struct ifr_buffer *text);
/* "mispredictions" and "predicted": as figures 7 and 8 of the paper. As ifr_report_figures. */
int ifr_forecast_figures(const struct ifr_forecast *prediction, const char *dir, struct ifr_error *err);

#endif
