/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A response and its predictors: regression line, multiple regression with diagnostics, relative importance. A
 * predictor is a column of one value per observation, here as a rule a counter. The rules of statistics.h hold. */
#ifndef IFR_HARNESS_REGRESSION_H
#define IFR_HARNESS_REGRESSION_H

#include <stdint.h>

#include "harness/statistics/sample.h"

/* --- regression line -------------------------------------------------------------------------------------- */

/* y = intercept + slope x by least squares. */
struct ifr_regression_line {
	size_t count;
	double intercept, slope, intercept_se, slope_se;
	double residual_sd; /* count - 2 degrees of freedom */
	double r, r2;       /* Pearson's correlation and its square */
	double t, p;        /* of slope = 0, two-sided; both 0 where the line is exact */
	double mean_x, sxx; /* mean of x, sum of squares about it */
};

/* Fits a regression line to count >= 3 points; neither x nor y may be constant. */
int ifr_regression_line_fit(const double *x, const double *y, size_t count, struct ifr_regression_line *line,
                            struct ifr_error *err);

/* Stores the confidence interval of the line at x and the prediction interval of one further point. Ref: Draper
 * and Smith 1998, section 3.1. */
void ifr_regression_line_bands(const struct ifr_regression_line *line, double x, double confidence,
                               struct ifr_interval *mean, struct ifr_interval *point);

/* The relative change of the response (-0.26: 26 % less) that the line predicts when x goes from one value to
 * another. Ref: Wang and Jiménez 2011, section 1.4. */
double ifr_regression_line_change(const struct ifr_regression_line *line, double from, double to);

/* The fraction by which x must fall from `from` for the line to predict a response lower by the fraction fall
 * (0.1: 10 %). Ref: Wang and Jiménez 2011, section 1.4. */
double ifr_regression_line_needed_fall(const struct ifr_regression_line *line, double from, double fall);

/* --- multiple regression ---------------------------------------------------------------------------------- */

enum { IFR_PREDICTORS_MAX = 64, IFR_RELATIVE_IMPORTANCE_MAX = 10 };

/* y = b0 + b1 x1 + … + bk xk. Element 0 of the arrays [k+1] is the intercept, 0 for a regression without one. */
struct ifr_multiple_regression {
	size_t count, predictors; /* observations; k */
	bool intercept;
	double *coefficient, *se, *t, *p; /* [k+1]; t and p are 0 where the fit is exact */
	double *inflation;                /* [k] variance inflation factor, >= 1; 1 for an orthogonal predictor */
	double *residual, *leverage;      /* [count] */
	double ss_model, ss_residual, df_model, df_residual, residual_sd;
	double r2, r2_adjusted;       /* about the mean; without an intercept, about zero */
	double f, f_p;                /* of all slopes = 0 */
	double condition;             /* of the centred columns, each scaled to length 1 */
	double *basis, *mean, *scale; /* [k * k], [k], [k]: for ifr_multiple_regression_predict */
};

/* Fits columns x[0 … predictors-1], each of count values, to y[count] by least squares: Householder QR of the
 * centred and scaled columns in extended precision. 1 … IFR_PREDICTORS_MAX predictors, more values than
 * coefficients. The caller releases the regression. Errors: IFR_E_USAGE for a constant predictor and for a
 * condition above 1e7, where a relative input error of 1e-16 leaves fewer than nine digits of a coefficient; the
 * message names a column to leave out. Ref: Golub and Van Loan 2013, sections 5.2 and 5.3; Belsley, Kuh and Welsch
 * 1980, section 3.2 (scaled condition). */
int ifr_multiple_regression_fit(const double *const *x, size_t predictors, const double *y, size_t count,
                                bool intercept, struct ifr_multiple_regression *fit, struct ifr_error *err);
void ifr_multiple_regression_release(struct ifr_multiple_regression *fit);

/* The predicted response at point[k], with the confidence interval of its mean and the prediction interval of one
 * further observation. */
double ifr_multiple_regression_predict(const struct ifr_multiple_regression *fit, const double *point,
                                       double confidence, struct ifr_interval *mean, struct ifr_interval *further);

/* Regression diagnostics. All of them warn; none drops an observation. */
struct ifr_residual_check {
	bool has_normality;  /* at least 8 residuals, not all equal */
	double normality_p;  /* Anderson-Darling */
	size_t influential;  /* observation with the largest Cook's distance */
	double cook;         /* its distance */
	bool is_influential; /* cook > 1 */
	size_t far;          /* observation with the highest leverage */
	double leverage;     /* its leverage */
	bool is_far;         /* leverage above 3 times the mean leverage */
	size_t outlier;      /* observation with the largest externally studentised residual */
	double outlier_p;    /* its p, adjusted for the number of residuals */
	bool has_curvature;  /* degrees of freedom were left for the test */
	double curvature_p;  /* RESET: squared fitted values as a further predictor */
};

/* Checks the residuals of a regression of y on x, the arrays that it was fitted to. Errors: IFR_E_USAGE for an
 * exact fit, which has no residuals. Ref: Cook 1977; Hoaglin and Welsch 1978 (leverage); Ramsey 1969 (RESET) with
 * the square, Tukey 1949. */
int ifr_residual_check(const struct ifr_multiple_regression *fit, const double *const *x, const double *y,
                       struct ifr_residual_check *check, struct ifr_error *err);

/* --- crossed regression ----------------------------------------------------------------------------------- */

enum { IFR_CROSSED_PREDICTORS_MAX = 10 };

/* One quantity of the layouts, from their odd and from their even repetitions: [count] each. */
struct ifr_halves {
	const double *a, *b;
};

struct ifr_crossed_regression {
	size_t predictors;
	double df;
	double slope[IFR_CROSSED_PREDICTORS_MAX], se[IFR_CROSSED_PREDICTORS_MAX];
	struct ifr_interval interval[IFR_CROSSED_PREDICTORS_MAX]; /* of the slopes */
	double reliability[IFR_CROSSED_PREDICTORS_MAX];           /* of a predictor's mean over both halves */
	double r;                                                 /* multiple; of one predictor with its sign */
	struct ifr_interval r2_interval;
};

/* Fits y = b0 + b1 x1 + … + bk xk over count >= k + 3 layouts, k = 1 … IFR_CROSSED_PREDICTORS_MAX, from products
 * of unlike halves: noise that x and y share in a run does not count, and the slopes are those of the layouts' own
 * values, not made smaller by the noise of x. r2 is the part of the variance of y's mean over both halves. Errors:
 * IFR_E_USAGE where the predictors do not differ by more than their noise.
 *
 * 32 layouts of 5 runs, true slope 1, event noise of a run as large as its layout effect: mean slope 1.00 to 1.03,
 * the interval holds in 95 to 96 % (tests/unit/test_crossed.c). Without the correction the slope is 0.78.
 * Ref: Fuller 1987, sections 1.2 and 2.4; Miller 1974 (jackknife). */
int ifr_crossed_regression_fit(const struct ifr_halves *x, size_t predictors, const struct ifr_halves *y,
                               size_t count, double confidence, struct ifr_crossed_regression *fit,
                               struct ifr_error *err);

/* Stores the p of no relation between x and y over count >= 3 layouts: twice the smaller p of the two lines of one
 * half on the other (Bonferroni). It keeps its level whatever noise x and y share in a run. Ref: Miller 1981,
 * section 2.3. */
int ifr_crossed_line_test(const struct ifr_halves *x, const struct ifr_halves *y, size_t count, double *p,
                          struct ifr_error *err);

/* --- chosen predictors ------------------------------------------------------------------------------------ */

/* Stores the p of no relation between y[count] and the candidates, of which the strongest 1 … most (and no more than
 * IFR_RELATIVE_IMPORTANCE_MAX) enter the regression: the part of the permutations of y under the seed, and the data
 * themselves, whose r2 after the same choice is as large. draws is lowered, not below 199, where candidates, count
 * and draws multiply to more than 1e9. Of 20 candidates without a relation and 32 observations it finds 5 %, the F
 * test of the six chosen ones 53 %. Ref: Phipson and Smyth 2010 (counting the data); Westfall and Young 1993,
 * section 1.3 (the choice is repeated). */
int ifr_selection_test(const double *const *x, size_t candidates, size_t most, const double *y, size_t count,
                       size_t draws, uint64_t seed, double *p, struct ifr_error *err);

/* --- relative importance ---------------------------------------------------------------------------------- */

struct ifr_relative_importance {
	double *share;                 /* [predictors], the caller's; adds up to r2 */
	struct ifr_interval *interval; /* [predictors], the caller's, or NULL: none wanted */
	double confidence;             /* of the intervals */
	size_t draws;                  /* resamples for the intervals */
	uint64_t seed;                 /* of the resamples */
	double r2;
};

/* Divides r2 among 1 … IFR_RELATIVE_IMPORTANCE_MAX correlated predictors (LMG): the share of a predictor is its
 * gain in r2, averaged over all orders of entering; count >= predictors + 2. Intervals are percentile bootstrap
 * intervals over resamples of observations; a resample without variation is drawn again. Ref: Lindeman, Merenda
 * and Gold 1980, p. 119; Grömping 2006. */
int ifr_relative_importance_estimate(const double *const *x, size_t predictors, const double *y, size_t count,
                                     struct ifr_relative_importance *importance, struct ifr_error *err);

#endif
