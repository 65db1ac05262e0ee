/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event and response of one run share its noise: r of 0.9 in the noise alone made a line significant in 60 of 60
 * experiments without a layout effect. harness/statistics/crossed_regression.c has the method. */
#include "harness/analysis/crossed_line.h"

#include <math.h>

void plain_line_finish(struct ifr_counter_regression *regression) {
	struct ifr_correlation pearson, spearman = {0};
	const struct ifr_regression_line *line = &regression->line;
	ifr_correlation_spearman(regression->x, regression->y, regression->count, IFR_REPORT_CONFIDENCE, &spearman,
	                         NULL);
	regression->rank_correlation = spearman.r;
	regression->slope_interval =
		ifr_t_interval(line->slope, line->slope_se, (double)line->count - 2, IFR_REPORT_CONFIDENCE, 1);
	if (!ifr_correlation_pearson(regression->x, regression->y, regression->count, IFR_REPORT_CONFIDENCE, &pearson,
	                             NULL))
		regression->r2_interval = ifr_square_interval(pearson.interval);
}

/* Makes the line of a slope through the means, so that its bands follow from the slope's error. */
static void replace_line(struct ifr_counter_regression *regression, double slope, double se) {
	struct ifr_regression_line *line = &regression->line;
	double n = (double)line->count, mean_y = line->intercept + line->slope * line->mean_x, squares = 0;
	line->slope = slope;
	line->intercept = mean_y - slope * line->mean_x;
	for (size_t i = 0; i < line->count; i++) {
		double residual = regression->y[i] - line->intercept - slope * regression->x[i];
		squares += residual * residual;
	}
	line->residual_sd = sqrt(squares / (n - 2));
	line->slope_se = se;
	line->intercept_se = hypot(line->residual_sd / sqrt(n), line->mean_x * se);
	line->t = se > 0 ? slope / se : 0;
	if (se > 0 && line->residual_sd > 0)
		line->sxx = line->residual_sd * line->residual_sd / (se * se);
}

/* Whether the halves of the counter agree: its layouts differ by more than their noise. */
static bool is_reliable(const struct ifr_halves *x, size_t count) {
	struct ifr_correlation halves;
	return !ifr_correlation_pearson(x->a, x->b, count, IFR_REPORT_CONFIDENCE, &halves, NULL) && halves.r > 0 &&
	       halves.p < 2 * IFR_REPORT_LEVEL;
}

/* Where a correction is impossible: the mean of both crossed correlations, and the line that belongs to it. */
static void keep_noise(struct ifr_counter_regression *r, const struct ifr_halves *x, const struct ifr_halves *y) {
	struct ifr_correlation first, second;
	if (ifr_correlation_pearson(x->a, y->b, r->count, IFR_REPORT_CONFIDENCE, &first, NULL) ||
	    ifr_correlation_pearson(x->b, y->a, r->count, IFR_REPORT_CONFIDENCE, &second, NULL))
		return;
	double plain = r->line.r, mean = (first.r + second.r) / 2;
	double per_r = plain * plain > 0 ? r->line.slope / plain : 0, df = (double)r->count - 2;
	replace_line(r, mean * per_r, fabs(per_r) * sqrt((1 - mean * mean) / df));
	r->line.r = mean;
	r->line.r2 = mean * mean;
	r->slope_interval = ifr_t_interval(r->line.slope, r->line.slope_se, df, IFR_REPORT_CONFIDENCE, 1);
	struct ifr_interval both = {fmin(first.interval.low, second.interval.low),
	                            fmax(first.interval.high, second.interval.high), IFR_REPORT_CONFIDENCE};
	r->r2_interval = ifr_square_interval(both);
}

static double crossed_ranks(const struct ifr_halves *x, const struct ifr_halves *y, size_t count, double plain) {
	struct ifr_correlation first, second;
	if (ifr_correlation_spearman(x->a, y->b, count, IFR_REPORT_CONFIDENCE, &first, NULL) ||
	    ifr_correlation_spearman(x->b, y->a, count, IFR_REPORT_CONFIDENCE, &second, NULL))
		return plain;
	return (first.r + second.r) / 2;
}

void crossed_line_fit(struct ifr_counter_regression *r) {
	const struct ifr_halves x = {r->halves[0][0], r->halves[0][1]}, y = {r->halves[1][0], r->halves[1][1]};
	struct ifr_crossed_regression fit;
	double p;
	if (ifr_crossed_line_test(&x, &y, r->count, &p, NULL)) {
		/* A half without any variation has no noise to share. */
		r->crossing = IFR_CROSSING_NEEDLESS;
		return;
	}
	r->crossing = IFR_CROSSING_DONE;
	r->line.p = p;
	r->rank_correlation = crossed_ranks(&x, &y, r->count, r->rank_correlation);
	if (!is_reliable(&x, r->count) ||
	    ifr_crossed_regression_fit(&x, 1, &y, r->count, IFR_REPORT_CONFIDENCE, &fit, NULL)) {
		keep_noise(r, &x, &y);
		return;
	}
	r->corrected = true;
	r->reliability = fit.reliability[0];
	replace_line(r, fit.slope[0], fit.se[0]);
	r->line.r = fit.r;
	r->line.r2 = fit.r * fit.r;
	r->slope_interval = fit.interval[0];
	r->r2_interval = fit.r2_interval;
}
