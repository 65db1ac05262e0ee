/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The regression line and its bands. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "harness/statistics/distributions.h"
#include "harness/statistics/regression.h"

int ifr_regression_line_fit(const double *x, const double *y, size_t count, struct ifr_regression_line *line,
                            struct ifr_error *err) {
	int result = ifr_values_check_varies(x, count, "the counter", err);
	if (!result)
		result = ifr_values_check_varies(y, count, "the response", err);
	if (result)
		return result;
	double cov00, cov01, cov11, residuals, df = (double)count - 2;
	gsl_fit_linear(x, 1, y, 1, count, &line->intercept, &line->slope, &cov00, &cov01, &cov11, &residuals);
	line->count = count;
	line->intercept_se = sqrt(cov00);
	line->slope_se = sqrt(cov11);
	line->residual_sd = sqrt(residuals / df);
	line->r = gsl_stats_correlation(x, 1, y, 1, count);
	line->r2 = line->r * line->r;
	line->mean_x = gsl_stats_mean(x, 1, count);
	line->sxx = gsl_stats_tss_m(x, 1, count, line->mean_x);
	line->t = line->slope_se > 0 ? line->slope / line->slope_se : 0;
	line->p = line->slope_se > 0 ? 2 * gsl_cdf_tdist_Q(fabs(line->t), df) : 0;
	return 0;
}

void ifr_regression_line_bands(const struct ifr_regression_line *line, double x, double confidence,
                               struct ifr_interval *mean, struct ifr_interval *point) {
	double n = (double)line->count, y = line->intercept + line->slope * x;
	double leverage = 1 / n + (x - line->mean_x) * (x - line->mean_x) / line->sxx;
	*mean = ifr_t_interval(y, line->residual_sd * sqrt(leverage), n - 2, confidence, 1);
	*point = ifr_t_interval(y, line->residual_sd * sqrt(1 + leverage), n - 2, confidence, 1);
}

double ifr_regression_line_change(const struct ifr_regression_line *line, double from, double to) {
	return line->slope * (to - from) / (line->intercept + line->slope * from);
}

double ifr_regression_line_needed_fall(const struct ifr_regression_line *line, double from, double fall) {
	return fall * (line->intercept + line->slope * from) / (line->slope * from);
}
