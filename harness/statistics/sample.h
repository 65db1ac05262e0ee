/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sample: quantiles, moments, intervals, normality, density. The rules of statistics.h hold. */
#ifndef IFR_HARNESS_STATISTICS_SAMPLE_H
#define IFR_HARNESS_STATISTICS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct ifr_interval {
	double low, high;
	double confidence; /* achieved; may differ from the requested one */
};

/* --- quantiles and moments -------------------------------------------------------------------------------- */

/* Stores quantile p (0 <= p <= 1) of count >= 1 values in any order. Ref: Hyndman and Fan 1996, type 7. */
int ifr_sample_quantile(const double *values, size_t count, double p, double *quantile, struct ifr_error *err);

/* The standard deviation of a normal distribution in median absolute deviations. */
#define IFR_SD_PER_MAD 1.4826

/* Stores the median of count >= 1 values in any order. */
int ifr_sample_median(const double *values, size_t count, double *median, struct ifr_error *err);

/* Stores the mean of count >= 1 values and, unless sd is NULL, their standard deviation (divisor n - 1, needs
 * count >= 2). */
int ifr_sample_moments(const double *values, size_t count, double *mean, double *sd, struct ifr_error *err);

/* Stores Fisher's skewness and excess kurtosis, unbiased for normal values, of count >= 4 values; both 0 where all are
 * equal. Ref: Joanes and Gill 1998, G1 and G2. */
void ifr_sample_shape(const double *values, size_t count, double *skewness, double *kurtosis);

/* The skewness for ifr_mean_interval: G1, damped by the excess kurtosis G2; 0 for fewer than 8 values.
 *
 *     G2 >= 1       G1        tails at least as long as the exponential distribution's
 *     0 < G2 < 1    G1 * G2
 *     G2 <= 0       0         for example layouts of two kinds: skewed, without a long tail; a correction would make
 *                             their intervals too wide
 * Ref: Joanes and Gill 1998 (G1, G2). */
double ifr_sample_skewness(const double *values, size_t count);

/* --- intervals -------------------------------------------------------------------------------------------- */

/* Stores the distribution-free interval of the median of count >= 2 values: the narrowest symmetric pair of order
 * statistics that reaches the confidence, else minimum and maximum with the confidence that they achieve
 * (5 values: 93.75 %). Ref: David and Nagaraja 2003, section 7.1. */
int ifr_median_interval(const double *values, size_t count, double confidence, struct ifr_interval *interval,
                        struct ifr_error *err);

/* The variance of the median of count standard normal values: by numerical integration of the density of the
 * middle order statistics below 500 values, pi / (2 count) from 500 on; 0 for count = 0. The integration is slow:
 * call it once a count. Ref: David and Nagaraja 2003, section 2.3. */
double ifr_median_variance(size_t count);

/* The t interval value -+ t(df) se, df > 0; comparisons > 1 widens it by Bonferroni's correction, so that that
 * many intervals hold jointly. Ref: Miller 1981, section 2.3. */
struct ifr_interval ifr_t_interval(double value, double se, double df, double confidence, size_t comparisons);

/* The interval of the square of a value, from the value's: it begins at 0 where the value may have either sign. */
struct ifr_interval ifr_square_interval(struct ifr_interval of_value);

/* Welch's degrees of freedom of the difference of two independent means, from the variances of the means and the counts
 * (>= 2) of their values. Ref: Welch 1947. */
double ifr_welch_df(double variance_a, size_t count_a, double variance_b, size_t count_b);

/* The two-sided p of a value of that standard error being 0, by Student's test; 0 or 1 where se is 0. */
double ifr_t_test_p(double value, double se, double df);

/* The interval of a mean from count >= 2 values of that mean, standard deviation and skewness, by Hall's
 * transformation; with skewness 0 it is Student's. Ref: Hall 1992, section 3. */
struct ifr_interval ifr_mean_interval(double mean, double sd, double skewness, size_t count, double confidence);

/* Values that ifr_mean_interval needs of a distribution that is not skewed. */
enum { IFR_MEAN_LAYOUTS_LEAST = 20 };

/* How many values like these ifr_mean_interval needs to keep its confidence: max(20, 6 G1^2).
 *
 * With fewer, the interval is too short: 12 exponential values lose 2 points of confidence. A rare kind of layout
 * that does not occur in the sample cannot be noticed (one kind in ten, 12 layouts: 83 % instead of 95 %). */
size_t ifr_mean_layouts_needed(const double *values, size_t count);

/* Stores the exact interval of a binomial proportion, hits of count >= 1. Ref: Clopper and Pearson 1934. */
int ifr_proportion_interval(size_t hits, size_t count, double confidence, struct ifr_interval *interval,
                            struct ifr_error *err);

/* The interval of a - b from independent estimates with their intervals; it achieves the smaller of the two
 * confidences. Ref: Zou and Donner 2008. */
struct ifr_interval ifr_difference_interval(double a, struct ifr_interval of_a, double b,
                                            struct ifr_interval of_b);

/* --- shape ------------------------------------------------------------------------------------------------ */

struct ifr_normality {
	double a2;          /* Anderson-Darling statistic, mean and variance estimated */
	double a2_adjusted; /* a2 (1 + 0.75/n + 2.25/n^2) */
	double p;           /* probability of a larger statistic from normal data */
};

/* Tests count >= 8 values, not all equal, for a normal distribution. Ref: Stephens 1974 (case 3); D'Agostino and
 * Stephens 1986, table 4.7 (the adjustment). */
int ifr_normality_check(const double *values, size_t count, struct ifr_normality *normality,
                        struct ifr_error *err);

/* The probability of a larger adjusted statistic from normal data. Ref: D'Agostino and Stephens 1986, table 4.9. */
double ifr_normality_tail(double a2_adjusted);

/* The standard normal quantile to be expected of the value of rank 1 … count among count. Ref: Blom 1958. */
double ifr_normal_score(size_t rank, size_t count);

/* Stores the normal scores of count values: ifr_normal_score of their ranks. Equal values take their ranks in a
 * random order under the seed, so that the scores of all samples of one size are the same ones and a test on them
 * keeps its level whatever the values are. With mean scores for equal values it would not: where 6 in 100 layouts
 * differ from an otherwise constant count, 71 of 100 attributions without an effect had a finding. Ref: van der
 * Waerden 1952; Blom 1958; Conover 1999, section 5.10. */
void ifr_normal_scores(const double *values, size_t count, uint64_t seed, double *scores);

struct ifr_tails {
	bool found;
	size_t outlying;    /* values more than 4 robust standard deviations (1.4826 MAD) off the median */
	double kurtosis;    /* excess, G2 */
	double unmet_share; /* kinds of values rarer than this may not be among the values: 3 / count, at most 1 */
};

/* Says whether values, as the medians of layouts, have tails that make the interval of their mean depend on how many
 * of a rare kind are among them: one outlying value at least, and an excess kurtosis above 1. Never below 8 values.
 * Found in 6 % of samples of 12 normal values, 3 % of 32, 2 % of 100; where 6 in 100 values lie 13 standard
 * deviations off and one of them is met, in 94, 99 and 100 %; 5 deviations off, in 59, 79 and 99 %. Of exponential
 * samples, in 32, 57 and 89 %. Ref: Iglewicz and Hoaglin 1993 (robust scores); Joanes and Gill 1998; Hanley and
 * Lippman-Hand 1983 (rule of three). */
struct ifr_tails ifr_sample_tails(const double *values, size_t count);

/* Stores the bandwidth of a Gaussian kernel, 0.9 min(sd, interquartile range / 1.34) n^(-1/5), for count >= 3
 * values that are not all equal. Ref: Silverman 1986, equation 3.31. */
int ifr_density_bandwidth(const double *values, size_t count, double *bandwidth, struct ifr_error *err);

/* The Gaussian kernel density of the values at a point, in 1/unit; bandwidth > 0. */
double ifr_density_at(const double *values, size_t count, double bandwidth, double point);

#endif
