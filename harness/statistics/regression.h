/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of a response by several predictors: least squares, checks of what it leaves over, and how the predictors
 * share what is explained. The rules of statistics.h hold: pure functions, errors as sentences.
 */
#ifndef IFR_HARNESS_REGRESSION_H
#define IFR_HARNESS_REGRESSION_H

#include <stdint.h>

#include "harness/statistics/statistics.h"

enum { IFR_PREDICTORS_MAX = 64, IFR_RELATIVE_IMPORTANCE_MAX = 10 };

/* y = b0 + b1 x1 + … + bk xk. Arrays marked [k+1] hold the intercept's first; without an intercept that is 0. */
struct ifr_multiple_regression {
	size_t count, predictors;
	bool intercept;
	double *coefficient, *se, *t, *p; /* [k+1]; t is 0 and p is 0 where the fit is exact */
	double *inflation;           /* [k] variance inflation: 1 where a predictor is at right angles to the rest */
	double *residual, *leverage; /* [count] */
	double ss_model, ss_residual, df_model, df_residual, residual_sd;
	double r2, r2_adjusted; /* about zero, not the mean, where there is no intercept */
	double f, f_p;
	double condition;             /* of the centred columns, each scaled to length 1 */
	double *basis, *mean, *scale; /* what ifr_multiple_regression_predict needs: [k * k], [k], [k] */
};

/* Least squares by Householder QR of the centred and scaled columns x[0 … predictors-1], each of count values, in
 * extended precision. Needs more values than coefficients. Errors: IFR_E_USAGE for a constant predictor, and for
 * columns so nearly dependent (condition over 1e7) that rounding of the input alone, 1e-16, would leave fewer than
 * nine digits of a coefficient; the message names a column to leave out. The caller releases the model.
 * Ref: Golub and Van Loan 2013, sections 5.2 and 5.3; Belsley, Kuh and Welsch 1980, section 3.2 (scaled
 * condition).
 */
int ifr_multiple_regression_fit(const double *const *x, size_t predictors, const double *y, size_t count,
                                bool intercept, struct ifr_multiple_regression *model, struct ifr_error *err);
void ifr_multiple_regression_release(struct ifr_multiple_regression *model);

/* At a point of k values: what the model says, its interval, and that of one further observation. */
double ifr_multiple_regression_predict(const struct ifr_multiple_regression *model, const double *point,
                                       double confidence, struct ifr_interval *mean, struct ifr_interval *further);

/* What a fit leaves over. Everything warns; nothing is ever dropped. */
struct ifr_residual_check {
	bool has_normality; /* 8 residuals at least, not all the same */
	double normality_p; /* Anderson-Darling */
	size_t influential; /* the observation with the largest Cook's distance, and that distance */
	double cook;
	bool is_influential; /* Cook's distance above 1 */
	size_t far;          /* the observation of the highest leverage */
	double leverage;
	bool is_far;    /* more than 3 times the mean leverage */
	size_t outlier; /* the largest externally studentised residual, and its p for the number of residuals */
	double outlier_p;
	bool has_curvature; /* there was freedom left to test it */
	double curvature_p; /* of the squared fit as one more predictor */
};

/* Checks a model's residuals. Ref: Cook 1977; Hoaglin and Welsch 1978 (leverage); Ramsey 1969, RESET with the
 * square (Tukey 1949). Errors: IFR_E_USAGE where the fit is exact, so that there is nothing to check. */
int ifr_residual_check(const struct ifr_multiple_regression *model, const double *const *x, const double *y,
                       struct ifr_residual_check *check, struct ifr_error *err);

/* How the explained share of the variance, r2, falls to each of 1 … IFR_RELATIVE_IMPORTANCE_MAX predictors: its gain in r2,
 * averaged over all orders of entering. share[k] adds up to r2. interval[k] may be NULL; else it gets percentile
 * bootstrap intervals from draws resamplings (of observations) under the seed; resamplings without variation are
 * drawn again. Ref: Lindeman, Merenda and Gold 1980, p. 119; Grömping 2006. */
struct ifr_relative_importance {
	double *share;                 /* [predictors], the caller's */
	struct ifr_interval *interval; /* [predictors], or NULL */
	double confidence;
	size_t draws;
	uint64_t seed;
	double r2;
};
int ifr_relative_importance_estimate(const double *const *x, size_t predictors, const double *y, size_t count,
                                     struct ifr_relative_importance *shares, struct ifr_error *err);

/* What a line promises: the relative change of the response, -0.26 for 26 % less, when the counter goes from one
 * value to another; and by what share the counter must fall for the response to fall by a share (0.1 for 10 %).
 * Ref: Wang and Jiménez 2011, section 1.4. */
double ifr_regression_line_change(const struct ifr_regression_line *line, double from, double to);
double ifr_regression_line_needed_fall(const struct ifr_regression_line *line, double from, double fall);

#endif
