/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, ratios, many tests at once, planned looks, power. The rules of statistics.h hold.
 */
#ifndef IFR_HARNESS_INFERENCE_H
#define IFR_HARNESS_INFERENCE_H

#include <stdint.h>

#include "harness/statistics/statistics.h"

/* --- the mean over layouts -------------------------------------------------------------------------------- */

struct ifr_mean {
	size_t groups;
	double mean, se;
	double df;       /* groups - 1: layouts are what is replicated */
	double skewness; /* of the groups' means, as ifr_sample_skewness has it */
	size_t needs;    /* groups for the interval to hold: ifr_mean_layouts_needed */
	struct ifr_interval interval;
};

/* Random intercept: the mean of all layouts from runs within layouts. A layout weighs 1 / (between + within /
 * runs), as ifr_components_estimate has them; the interval takes the weighted spread of the layouts'
 * means with groups - 1 degrees of freedom, which for equal sizes is the t interval of the means, and from 8
 * layouts on is corrected for their skewness. Ref: Hartung and Knapp 2001; Sidik and Jonkman 2002; Hall 1992
 * (skewness). */
int ifr_mean_estimate(const struct ifr_group *groups, size_t count, double confidence, struct ifr_mean *mean,
                      struct ifr_error *err);

/* Interval of a mean from count >= 2 values of that mean, sd and skewness, by Hall's correction; with skewness 0
 * it is Student's. Ref: Hall 1992, section 3. */
struct ifr_interval ifr_mean_interval(double mean, double sd, double skewness, size_t count, double confidence);
/* The skewness that this interval should know of: G1, in full for tails as long as an exponential's, less where
 * the excess kurtosis G2 is below 1, none where it is below 0: layouts of two kinds are lopsided without long
 * tails, and correcting makes their intervals too wide. 0 for fewer than 8 values. Ref: Joanes and Gill 1998 (G1,
 * G2). */
double ifr_sample_skewness(const double *values, size_t count);
/* How many values like these the interval takes to hold what it promises: 20, and more where they are so lopsided
 * as a rare kind among them makes them. With fewer it falls short: of 12 exponential ones by 2 in 100, and where a
 * kind that is one in ten was not met at all, it cannot know (12 layouts: 83 %). */
size_t ifr_mean_layouts_needed(const double *values, size_t count);

/* --- ratios ----------------------------------------------------------------------------------------------- */

/* Two means, a / b. */
struct ifr_quotient {
	double a, b;              /* b > 0 */
	double var_a, var_b, cov; /* of the means, not of single values; cov is 0 for independent ones */
	double df;
};

/* The ratio a / b and its interval. Errors: IFR_E_USAGE if b cannot be told from 0, so that the ratio may be
 * anything. Ref: Fieller 1954; for pairs, cov as in Finney 1978, section 4.5. */
int ifr_ratio_fieller(const struct ifr_quotient *quotient, double confidence, double *ratio,
                      struct ifr_interval *interval, struct ifr_error *err);

/* Ratio of the means of count >= 2 pairs: the ratios r at which the pairs' a - r b has a mean of 0, by its
 * interval with the correction for skewness. For pairs without skewness it is Fieller's. All b > 0. */
int ifr_ratio_pairs(const double *a, const double *b, size_t count, double confidence, double *ratio,
                    struct ifr_interval *interval, struct ifr_error *err);

/* Ratio of the means of count >= 8 pairs, with a bias-corrected and accelerated bootstrap interval that resamples
 * pairs, draws times under the seed. All b > 0. Ref: Efron 1987. */
int ifr_ratio_bootstrap(const double *a, const double *b, size_t count, double confidence, size_t draws,
                        uint64_t seed, double *ratio, struct ifr_interval *interval, struct ifr_error *err);

/* --- few runs, many errors to learn from -------------------------------------------------------------------- */

/* The errors of count runs of one layout, about their median, in the scale that they would have about the truth
 * were they normal; residuals has room for count. median_variance is ifr_median_variance(count), which takes its
 * time. Returns how many: none of one run, and of an odd number one less. */
size_t ifr_residuals_standardise(const double *values, size_t count, double median_variance, double *residuals);

/* A difference of two medians of few runs, while many other runs show what errors look like. */
struct ifr_median_difference {
	double value;
	size_t runs[2]; /* that either median is of; 0: there is one only */
	const double *residuals;
	size_t count;
	double se, df; /* of what else value depends on, as Student's; se may be 0 */
	uint64_t seed;
};

/* value -+ what 1 - confidence of 4000 errors exceed, whose runs are drawn from the residuals under the seed. On a
 * machine that disturbs runs now and then, errors have longer tails than their variance tells: Student's interval
 * misses twice as often as it says. Ref: Davison and Hinkley 1997, sections 2.3 and 6.2.3 (resampling residuals,
 * their scale). */
int ifr_median_difference_interval(const struct ifr_median_difference *offset, double confidence,
                                   struct ifr_interval *interval, struct ifr_error *err);

/* --- correlation ------------------------------------------------------------------------------------------ */

struct ifr_correlation {
	double r, p; /* two-sided, by t with count - 2 degrees of freedom, and then 0 for |r| = 1; or exact */
	struct ifr_interval interval; /* Fisher's z; [-1, 1] below 4 points */
};

/* Pearson's and Spearman's correlation of count >= 3 points; neither x nor y may be constant. Equal values share
 * their mean rank. The p of up to 9 points' ranks is exact, by all their orders. Ref: Fisher 1921; Bonett and
 * Wright 2000 (the interval of ranks). */
int ifr_correlation_pearson(const double *x, const double *y, size_t count, double confidence,
                            struct ifr_correlation *correlation, struct ifr_error *err);
int ifr_correlation_spearman(const double *x, const double *y, size_t count, double confidence,
                             struct ifr_correlation *correlation, struct ifr_error *err);

/* --- classes ---------------------------------------------------------------------------------------------- */

struct ifr_classes {
	size_t classes; /* that have values */
	double f, p, df_between, df_within;
	double share; /* of the variance that the classes explain, corrected for their number (omega squared) */
	double trend, trend_p;  /* change of the response from one class to the next, were it a line; two-sided */
	size_t lowest, highest; /* the classes of the extreme means */
	double difference;      /* highest - lowest */
};

/* A response by classes 0 … class_count-1: one-way analysis of variance, and the trend over the classes' numbers,
 * which is Cochran and Armitage's where the response is 0 or 1. At least two classes with values, and more values
 * than classes. Ref: Armitage 1955; Hays 1963 (omega squared). */
int ifr_classes_test(const double *response, const unsigned *class_of, size_t count, size_t class_count,
                     struct ifr_classes *classes, struct ifr_error *err);

/* --- many tests, planned looks ---------------------------------------------------------------------------- */

/* Replaces p-values by those that control the false discovery rate. Ref: Benjamini and Hochberg 1995. */
void ifr_p_adjust_fdr(double *p, size_t count);

enum { IFR_INTERIM_MAX = 50 };

/* The part of alpha (two-sided, each side spends its half) that may be spent when a share of the planned
 * information, 0 … 1, is there. Ref: Lan and DeMets 1983, the function that resembles O'Brien and Fleming's. */
double ifr_alpha_spent(double alpha, double information);

/* The normal quantiles z[looks] that |Z| must exceed at looks taken at the shares of information, ascending, so
 * that all together err with alpha. Ref: Armitage, McPherson and Rowe 1969 (the recursion). */
int ifr_interim_bounds(double alpha, const double *information, size_t looks, double *z, struct ifr_error *err);

/* The confidence of an interval that answers to such a bound. */
double ifr_interim_confidence(double z);

/* How likely data that go on as they have begun are to exceed the last look's bound, z being their score at a
 * share of the planned information. Ref: Lan and Wittes 1988. */
double ifr_interim_conditional_power(double z, double information, double bound);

/* --- power ------------------------------------------------------------------------------------------------ */

/* Probability that a two-sided t test of that level finds a mean that lies shift standard errors from 0. df > 0.
 */
double ifr_t_power(double shift, double df, double level);
/* The shift, in standard errors, that is found with that power. Ref: the noncentral t distribution; Johnson and
 * Welch 1940. */
double ifr_t_detectable(double power, double df, double level);

/* Variances of single runs, by where they arise. */
struct ifr_noise {
	double between,
		within; /* between layouts, and between runs of one layout; for a comparison, of the differences */
};
/* The smallest mean difference that layouts x runs detect. layouts >= 2, runs >= 1. */
double ifr_detectable_effect(struct ifr_noise noise, size_t layouts, size_t runs, double power, double level);
/* The fewest layouts that detect an effect, at most the limit (then 0: more than that); a tenth more than normal
 * layouts would need, as real ones are not. */
size_t ifr_layouts_needed(struct ifr_noise noise, size_t runs, double effect, double power, double level,
                          size_t limit);
/* The runs of a layout that spend time best, when a further layout costs as much as that many runs (cost >= 0, 1
 * is the least taken): sqrt(cost within / between), from 1 to most. Ref: Cochran 1977, equation 10.23. */
size_t ifr_runs_optimal(struct ifr_noise noise, double cost, size_t most);

#endif
