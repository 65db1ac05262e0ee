/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression of a response on predictors that were measured with noise, in the same runs.
 *
 * Problem: a run that is disturbed takes more cycles and counts more events. Over layouts that do not differ at all,
 * cycles then follow the events. Besides, the noise of an event makes its slope too small.
 *
 * Idea: each quantity is taken twice for a layout, from its odd and from its even repetitions. Products of one half
 * with the other half have no noise in common, so that their sums over layouts are those of the layouts' own values.
 *
 *     slopes   solve  M b = v
 *     M        mean of the products xa_j xb_l and xb_j xa_l, for one predictor its variance without noise
 *     v        mean of the products xa_j yb and xb_j ya
 *
 * For one predictor b is the line's slope over the reliability of x. Standard errors are the jackknife's, by leaving
 * out one layout at a time: sums of products about the means are downdated exactly, S - n / (n - 1) da db.
 * Ref: Fuller 1987, section 1.2 (known reliability) and 2.4 (instruments); Miller 1974 (jackknife). */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/regression.h"

enum { SIDE = IFR_CROSSED_PREDICTORS_MAX };

/* Sums of crossed products about the means. */
struct sums {
	double m[SIDE][SIDE], v[SIDE];
	double x[SIDE], y; /* sums of squares of the means of both halves */
};

struct deviations {
	double a[SIDE], b[SIDE], ya, yb;
};

/* The caller frees. */
static struct deviations *centre(const struct ifr_halves *x, size_t k, const struct ifr_halves *y, size_t count) {
	struct deviations *d = ifr_alloc(count * sizeof *d);
	for (size_t j = 0; j <= k; j++) {
		const struct ifr_halves *from = j < k ? &x[j] : y;
		double a = gsl_stats_mean(from->a, 1, count), b = gsl_stats_mean(from->b, 1, count);
		for (size_t i = 0; i < count; i++) {
			*(j < k ? &d[i].a[j] : &d[i].ya) = from->a[i] - a;
			*(j < k ? &d[i].b[j] : &d[i].yb) = from->b[i] - b;
		}
	}
	return d;
}

static void add_products(struct sums *s, const struct deviations *d, size_t k, double weight) {
	for (size_t j = 0; j < k; j++) {
		for (size_t l = 0; l < k; l++)
			s->m[j][l] += weight * (d->a[j] * d->b[l] + d->b[j] * d->a[l]) / 2;
		s->v[j] += weight * (d->a[j] * d->yb + d->b[j] * d->ya) / 2;
		s->x[j] += weight * (d->a[j] + d->b[j]) * (d->a[j] + d->b[j]) / 4;
	}
	s->y += weight * (d->ya + d->yb) * (d->ya + d->yb) / 4;
}

/* Solves m b = v by Cholesky factorisation; false where m is not positive definite. */
static bool solve(const struct sums *s, size_t k, double *b) {
	double factor[SIDE][SIDE];
	for (size_t j = 0; j < k; j++) {
		for (size_t l = 0; l <= j; l++) {
			double sum = s->m[j][l];
			for (size_t i = 0; i < l; i++)
				sum -= factor[j][i] * factor[l][i];
			if (j == l && !(sum > 1e-9 * s->x[j]))
				return false;
			factor[j][l] = j == l ? sqrt(sum) : sum / factor[l][l];
		}
		b[j] = s->v[j];
		for (size_t i = 0; i < j; i++)
			b[j] -= factor[j][i] * b[i];
		b[j] /= factor[j][j];
	}
	for (size_t j = k; j-- > 0;) {
		for (size_t i = j + 1; i < k; i++)
			b[j] -= factor[i][j] * b[i];
		b[j] /= factor[j][j];
	}
	return true;
}

/* Fisher's z of the multiple correlation; for one predictor with the slope's sign. */
static double fisher_z(const struct sums *s, size_t k, const double *b) {
	double explained = 0;
	for (size_t j = 0; j < k; j++)
		explained += b[j] * s->v[j];
	double r = sqrt(fmax(0, fmin(1, s->y > 0 ? explained / s->y : 0)));
	return atanh(fmin(r, 1 - 1e-12)) * (k == 1 && b[0] < 0 ? -1 : 1);
}

/* Stores the jackknife's standard errors of the slopes and of z. */
static bool leave_out(const struct deviations *d, size_t k, size_t count, const struct sums *all, double *se,
                      double *z_se) {
	double n = (double)count, sum[SIDE + 1] = {0}, squares[SIDE + 1] = {0}, first[SIDE + 1];
	for (size_t i = 0; i < count; i++) {
		struct sums s = *all;
		double b[SIDE + 1];
		add_products(&s, &d[i], k, -n / (n - 1));
		if (!solve(&s, k, b))
			return false;
		b[k] = fisher_z(&s, k, b);
		for (size_t j = 0; j <= k; j++) {
			first[j] = i ? first[j] : b[j];
			sum[j] += b[j] - first[j];
			squares[j] += (b[j] - first[j]) * (b[j] - first[j]);
		}
	}
	for (size_t j = 0; j <= k; j++)
		*(j < k ? &se[j] : z_se) = sqrt(fmax(0, squares[j] - sum[j] * sum[j] / n) * (n - 1) / n);
	return true;
}

int ifr_crossed_regression_fit(const struct ifr_halves *x, size_t predictors, const struct ifr_halves *y,
                               size_t count, double confidence, struct ifr_crossed_regression *fit,
                               struct ifr_error *err) {
	if (predictors < 1 || predictors > SIDE || count < predictors + 3)
		return ifr_fail(err, IFR_E_USAGE, "%zu predictors and %zu layouts are not enough for a regression",
		                predictors, count);
	struct sums s = {{{0}}, {0}, {0}, 0};
	struct ifr_crossed_regression made = {.predictors = predictors, .df = (double)(count - predictors - 1)};
	struct deviations *d = centre(x, predictors, y, count);
	double z_se;
	for (size_t i = 0; i < count; i++)
		add_products(&s, &d[i], predictors, 1);
	bool solved = solve(&s, predictors, made.slope) && leave_out(d, predictors, count, &s, made.se, &z_se);
	free(d);
	if (!solved)
		return ifr_fail(err, IFR_E_USAGE,
		                "the predictors do not differ between layouts by more than their noise and each other");
	double z = fisher_z(&s, predictors, made.slope), t = ifr_t_quantile((1 + confidence) / 2, made.df);
	for (size_t j = 0; j < predictors; j++) {
		made.interval[j] = ifr_t_interval(made.slope[j], made.se[j], made.df, confidence, 1);
		made.reliability[j] = fmin(1, s.m[j][j] / s.x[j]);
	}
	made.r = tanh(z);
	made.r2_interval =
		ifr_square_interval((struct ifr_interval){tanh(z - t * z_se), tanh(z + t * z_se), confidence});
	*fit = made;
	return 0;
}

int ifr_crossed_line_test(const struct ifr_halves *x, const struct ifr_halves *y, size_t count, double *p,
                          struct ifr_error *err) {
	struct ifr_regression_line first, second;
	int result = ifr_regression_line_fit(x->a, y->b, count, &first, err);
	if (!result)
		result = ifr_regression_line_fit(x->b, y->a, count, &second, err);
	if (!result)
		*p = fmin(1, 2 * fmin(first.p, second.p));
	return result;
}
