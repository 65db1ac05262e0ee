/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression diagnostics: leverage, influence, outliers, normality and curvature of the residuals. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/statistics/regression.h"

/* Finds the observations with the highest leverage, Cook's distance and studentised residual. */
static void find_extremes(const struct ifr_multiple_regression *m, struct ifr_residual_check *check) {
	double coefficients = (double)m->predictors + m->intercept, df = m->df_residual - 1;
	double largest = 0;
	for (size_t i = 0; i < m->count; i++) {
		double h = fmin(m->leverage[i], 1 - 1e-12), inner = m->residual[i] / (m->residual_sd * sqrt(1 - h));
		double cook = inner * inner * h / (1 - h) / coefficients;
		double rest = (m->df_residual - inner * inner) / fmax(df, 1);
		double outer = rest > 0 ? fabs(inner) / sqrt(rest) : INFINITY;
		if (cook > check->cook) {
			check->cook = cook;
			check->influential = i;
		}
		if (m->leverage[i] > check->leverage) {
			check->leverage = m->leverage[i];
			check->far = i;
		}
		if (outer > largest) {
			largest = outer;
			check->outlier = i;
		}
	}
	check->is_influential = check->cook > 1;
	check->is_far = check->leverage > 3 * coefficients / (double)m->count;
	check->outlier_p = df >= 1 ? fmin(1, (double)m->count * 2 * gsl_cdf_tdist_Q(largest, df)) : 1;
}

/* RESET: the squared fitted values, centred so that they are not collinear with the fitted values, as a further
 * predictor. */
static void test_curvature(const struct ifr_multiple_regression *m, const double *const *x, const double *y,
                           struct ifr_residual_check *check) {
	const double *columns[IFR_PREDICTORS_MAX + 1];
	double *square = ifr_alloc(m->count * sizeof *square), centre = 0;
	if (m->predictors + 1 > IFR_PREDICTORS_MAX) {
		free(square);
		return;
	}
	for (size_t i = 0; i < m->count; i++)
		centre += (y[i] - m->residual[i]) / (double)m->count;
	for (size_t i = 0; i < m->count; i++) {
		double fitted = y[i] - m->residual[i] - (m->intercept ? centre : 0);
		square[i] = fitted * fitted;
	}
	memcpy(columns, x, m->predictors * sizeof *columns);
	columns[m->predictors] = square;
	struct ifr_multiple_regression bent;
	if (!ifr_multiple_regression_fit(columns, m->predictors + 1, y, m->count, m->intercept, &bent, NULL)) {
		check->has_curvature = true;
		check->curvature_p = bent.p[m->predictors + 1];
		ifr_multiple_regression_release(&bent);
	}
	free(square);
}

int ifr_residual_check(const struct ifr_multiple_regression *fit, const double *const *x, const double *y,
                       struct ifr_residual_check *check, struct ifr_error *err) {
	if (!(fit->ss_residual > 1e-24 * (fit->ss_model + fit->ss_residual)))
		return ifr_fail(err, IFR_E_USAGE, "the regression fits exactly: there are no residuals to check");
	struct ifr_normality normality;
	*check = (struct ifr_residual_check){0};
	check->has_normality = !ifr_normality_check(fit->residual, fit->count, &normality, NULL);
	if (check->has_normality)
		check->normality_p = normality.p;
	find_extremes(fit, check);
	test_curvature(fit, x, y, check);
	return 0;
}
