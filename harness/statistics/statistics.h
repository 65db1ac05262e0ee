/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of layouts: pure functions over arrays. They know nothing of experiments and keep no state.
 *
 * Values may have any unit; results have the same. Every value must be finite. A function that can fail returns 0,
 * or a negative number with err->message saying in a plain sentence what the data lack (IFR_E_USAGE); its result
 * is then not touched. Confidences are fractions, 0 < confidence < 1. */
#ifndef IFR_HARNESS_STATISTICS_H
#define IFR_HARNESS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct ifr_interval {
	double low, high;
	double confidence; /* what the interval achieves, not what was asked for */
};

/* --- one sample ------------------------------------------------------------------------------------------- */

/* Quantile p (0..1) of count >= 1 values in any order. Ref: Hyndman and Fan 1996, type 7. */
int ifr_sample_quantile(const double *values, size_t count, double p, double *quantile, struct ifr_error *err);
int ifr_sample_median(const double *values, size_t count, double *median, struct ifr_error *err);

/* Mean and standard deviation (n-1) of count >= 1 values; sd may be NULL and needs count >= 2. */
int ifr_sample_moments(const double *values, size_t count, double *mean, double *sd, struct ifr_error *err);

/* Distribution-free interval of the median of count >= 2 values: the narrowest pair of order statistics, the same
 * number from either end, that reaches confidence, else the smallest and the largest value with what they achieve
 * (5 values: 93.75 %). Ref: David and Nagaraja 2003, section 7.1. */
int ifr_median_interval(const double *values, size_t count, double confidence, struct ifr_interval *interval,
                        struct ifr_error *err);

/* Variance of the median of count standard normal values, by numerical integration of the density of the middle
 * order statistics; pi/(2 count) from 500 on; 0 for count = 0. Ref: David and Nagaraja 2003, section 2.3. */
double ifr_median_variance(size_t count);

/* --- layouts and runs ------------------------------------------------------------------------------------- */

/* The runs of one layout. */
struct ifr_group {
	const double *values;
	size_t count;
};

/* One-way random-effects analysis of variance: value = mean + layout's effect + run's noise. */
struct ifr_components {
	size_t groups, values;
	double mean;                         /* of the groups' means, each counting once */
	double ss_between, ss_within;        /* sums of squares */
	double df_between, df_within;        /* degrees of freedom */
	double ms_between, ms_within;        /* mean squares; ms_within is 0 where df_within is */
	double n0;                           /* effective number of runs in a group */
	bool noise_known;                    /* false: no group has two runs, so all the variation counts as between */
	double f, p;                         /* meaningful where testable */
	bool testable;                       /* noise is known and not zero */
	double between_variance, between_sd; /* not below 0: by the mean squares for equal sizes, else by REML */
	struct ifr_interval between_interval; /* of the standard deviation between groups */
};

/* Splits the variance. Groups without values are left out; two must remain. The interval takes the groups' means
 * with the harmonic mean of their sizes, which for equal sizes is Williams's. Data without any variation give
 * zeros. Ref: Searle, Casella and McCulloch 1992, section 3.6 (n0); Williams 1962; Thomas and Hultquist 1978
 * (unequal sizes). */
int ifr_components_estimate(const struct ifr_group *groups, size_t count, double confidence,
                            struct ifr_components *components, struct ifr_error *err);

/* Variances between and within groups by restricted maximum likelihood; at least two groups with values, one of
 * them with two that differ. For equal sizes these are what mean squares give, where that is not below 0. Ref:
 * Patterson and Thompson 1971; Searle, Casella and McCulloch 1992, section 6.6. */
void ifr_reml_estimate(const struct ifr_group *groups, size_t count, double *between, double *within);

/* Share of a measured difference between layouts that is the layouts': between / (between + noise); 0 for 0 / 0.
 * noise_variance is that of the number compared: ms_within/n for a mean of n runs, ms_within *
 * ifr_median_variance(n) for their median. */
double ifr_reliability(double between_variance, double noise_variance);

struct ifr_shrinkage {
	double measured;               /* the layout's mean or median */
	double noise_variance;         /* of measured */
	double centre;                 /* the mean of all layouts */
	double centre_variance;        /* of that mean */
	double between_variance;       /* true layouts about their centre */
	double remeasurement_variance; /* noise of the measurement to predict; as a rule noise_variance once more */
	double df;                     /* degrees of freedom behind between_variance */
};

struct ifr_prediction {
	double reliability;
	double expected;           /* of the layout, and so of measuring it again */
	struct ifr_interval again; /* where that measurement should fall */
};

/* What to expect of a layout measured again, also of one that was chosen for being the best of many: its lead over
 * the centre shrinks by its reliability. Ref: Robinson 1991 (best linear unbiased prediction); Efron 2011
 * (selection does not bias it where layouts follow a normal distribution). */
int ifr_shrinkage_predict(const struct ifr_shrinkage *shrinkage, double confidence,
                          struct ifr_prediction *prediction, struct ifr_error *err);

/* --- shape ------------------------------------------------------------------------------------------------ */

struct ifr_normality {
	double a2;          /* Anderson-Darling statistic, mean and variance estimated */
	double a2_adjusted; /* a2 (1 + 0.75/n + 2.25/n^2) */
	double p;           /* probability of a larger one from normal data */
};

/* Do count >= 8 values look normal? Ref: Stephens 1974 (case 3);
 * D'Agostino and Stephens 1986, table 4.7 (the adjustment). */
int ifr_normality_check(const double *values, size_t count, struct ifr_normality *normality,
                        struct ifr_error *err);

/* Probability of a larger adjusted statistic from normal data. Ref: D'Agostino and Stephens 1986, table 4.9. */
double ifr_normality_tail(double a2_adjusted);

/* The standard normal quantile that the value of rank (from 1) among count should have. Ref: Blom 1958. */
double ifr_normal_score(size_t rank, size_t count);

/* Bandwidth of a Gaussian kernel: 0.9 min(sd, interquartile range/1.34) n^(-1/5); count >= 3, not all equal.
 * Ref: Silverman 1986, equation 3.31. */
int ifr_density_bandwidth(const double *values, size_t count, double *bandwidth, struct ifr_error *err);
/* Gaussian kernel density at a point; bandwidth > 0. */
double ifr_density_at(const double *values, size_t count, double bandwidth, double point);

/* --- one thing against another ---------------------------------------------------------------------------- */

/* A straight line by least squares. */
struct ifr_regression_line {
	size_t count;
	double intercept, slope, intercept_se, slope_se;
	double residual_sd; /* count - 2 degrees of freedom */
	double r, r2;       /* Pearson's correlation and its square */
	double t, p;        /* of slope = 0, two-sided; t is 0 and p 0 where the line is exact */
	double mean_x, sxx; /* mean of x, sum of squares about it */
};

/* y = intercept + slope x over count >= 3 points; neither x nor y may be constant. */
int ifr_regression_line_fit(const double *x, const double *y, size_t count, struct ifr_regression_line *line,
                            struct ifr_error *err);
/* At x: the interval of the line itself, and that of one further point. Ref: Draper and Smith 1998, section 3.1.
 */
void ifr_regression_line_bands(const struct ifr_regression_line *line, double x, double confidence,
                               struct ifr_interval *mean, struct ifr_interval *point);

/* Exact interval of a share, hits of count >= 1. Ref: Clopper and Pearson 1934. */
int ifr_proportion_interval(size_t hits, size_t count, double confidence, struct ifr_interval *interval,
                            struct ifr_error *err);

/* Interval of a - b from independent estimates with their intervals; achieves the smaller confidence of the two.
 * Ref: Zou and Donner 2008. */
struct ifr_interval ifr_difference_interval(double a, struct ifr_interval of_a, double b,
                                            struct ifr_interval of_b);

/* value -+ t(df) se; comparisons > 1 widens it so that all of that many hold together. Ref: Bonferroni; see Miller
 * 1981, section 2.3. df > 0. */
struct ifr_interval ifr_t_interval(double value, double se, double df, double confidence, size_t comparisons);

/* Replaces p-values by those adjusted for their number. Ref: Holm 1979. */
void ifr_p_adjust_holm(double *p, size_t count);

#endif
