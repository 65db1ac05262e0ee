/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ratios, differences of medians, correlation, classes, multiple tests, interim analyses, power. The rules of
 * statistics.h hold. */
#ifndef IFR_HARNESS_INFERENCE_H
#define IFR_HARNESS_INFERENCE_H

#include <stdint.h>

#include "harness/statistics/components.h"

/* --- ratios ----------------------------------------------------------------------------------------------- */

/* Two means, for their ratio a / b. */
struct ifr_quotient {
	double a, b;              /* b > 0 */
	double var_a, var_b, cov; /* of the means, not of single values; cov is 0 for independent means */
	double df;                /* > 0 */
};

/* Stores the ratio a / b and Fieller's interval. Errors: IFR_E_USAGE if b is not significantly above 0, so that
 * the ratio is unbounded. Ref: Fieller 1954; for pairs, cov as in Finney 1978, section 4.5. */
int ifr_ratio_fieller(const struct ifr_quotient *quotient, double confidence, double *ratio,
                      struct ifr_interval *interval, struct ifr_error *err);

/* Stores the ratio of the means of count >= 2 pairs, all b > 0, and its interval: all r for which the t test of the
 * mean of a - r b does not reject 0. Layouts of two programs that differ by a ratio have the same distribution, so
 * that these differences are symmetric however skewed the layouts are. p is that test's of r = 1: below 1 - confidence
 * exactly where the interval excludes 1, and known without an interval, too. Ref: Fieller 1954. Errors: IFR_E_USAGE if
 * the pairs do not bound the ratio. */
int ifr_ratio_pairs(const double *a, const double *b, size_t count, double confidence, double *ratio,
                    struct ifr_interval *interval, double *p, struct ifr_error *err);

/* The same of count_a >= 2 and count_b >= 2 independent values, with Welch's degrees of freedom. Ref: Fieller 1954; Welch
 * 1947. */
int ifr_ratio_independent(const double *a, size_t count_a, const double *b, size_t count_b, double confidence,
                          double *ratio, struct ifr_interval *interval, double *p, struct ifr_error *err);

/* Stores the ratio of the means of count >= 8 pairs, all b > 0, and its bias-corrected and accelerated bootstrap
 * interval from draws >= 100 resamples of pairs under the seed. Ref: Efron 1987. */
int ifr_ratio_bootstrap(const double *a, const double *b, size_t count, double confidence, size_t draws,
                        uint64_t seed, double *ratio, struct ifr_interval *interval, struct ifr_error *err);

/* --- medians of few runs ---------------------------------------------------------------------------------- */

/* Stores the residuals of count runs of one layout about their median, scaled to the variance of a run's error
 * under a normal distribution; residuals has room for count. median_variance is ifr_median_variance(count).
 * Returns how many are stored: none of one run; one less than count for an odd count, as the median itself is left
 * out. */
size_t ifr_residuals_standardise(const double *values, size_t count, double median_variance, double *residuals);

/* A difference of two medians of few runs, with the pooled residuals of many other runs. */
struct ifr_median_difference {
	double value;
	size_t runs[2];          /* of either median; 0: there is only one median */
	const double *residuals; /* [count], count >= 2: ifr_residuals_standardise */
	size_t count;
	double se, df;               /* of further, Student-distributed parts of value; se may be 0 */
	double run_variance, run_df; /* of a run's error, as the residuals tell it; run_df 0: only resampling counts */
	uint64_t seed;
};

/* Stores the interval value -+ the wider of two reaches. One is the confidence quantile of |error| over 4000 resampled
 * errors: the difference of two medians of residuals drawn under the seed, plus se times a Student variate. On a machine
 * that disturbs single runs, errors have longer tails than a normal distribution, and Student's interval misses twice as
 * often as it should. The other is Student's: few residuals show neither the tails of their distribution nor its
 * deviation, and resampling takes both for known. Ref: Davison and Hinkley 1997, sections 2.3 and 6.2.3 (resampling of
 * scaled residuals); Satterthwaite 1946 (degrees of freedom of a sum of variances). */
int ifr_median_difference_interval(const struct ifr_median_difference *difference, double confidence,
                                   struct ifr_interval *interval, struct ifr_error *err);

/* --- correlation ------------------------------------------------------------------------------------------ */

struct ifr_correlation {
	double r;
	double p; /* of r = 0, two-sided: exact, or by t with count - 2 degrees of freedom (then 0 for |r| = 1) */
	struct ifr_interval interval; /* Fisher's z; [-1, 1] below 4 points */
};

/* Stores Pearson's correlation of count >= 3 points; neither x nor y may be constant. Ref: Fisher 1921. */
int ifr_correlation_pearson(const double *x, const double *y, size_t count, double confidence,
                            struct ifr_correlation *correlation, struct ifr_error *err);

/* Stores Spearman's rank correlation of count >= 3 points; neither x nor y may be constant, and ties share their
 * mean rank. Up to 9 points p is exact, by all permutations. Ref: Bonett and Wright 2000 (the interval). */
int ifr_correlation_spearman(const double *x, const double *y, size_t count, double confidence,
                             struct ifr_correlation *correlation, struct ifr_error *err);

/* --- classes ---------------------------------------------------------------------------------------------- */

struct ifr_classes {
	size_t classes; /* with values */
	double f, p, df_between, df_within;
	double share;           /* omega squared: share of the variance that the classes explain, 0 … 1 */
	double trend, trend_p;  /* linear change of the response from one class to the next; two-sided */
	size_t lowest, highest; /* the classes of the extreme means */
	double difference;      /* of these means, highest - lowest */
};

/* Tests a response for differences between classes 0 … class_count - 1 by one-way analysis of variance, and for a
 * trend over the class numbers, which is the Cochran-Armitage test for a response of 0 and 1. At least two classes
 * have values, and there are more values than classes, >= 3. Ref: Armitage 1955; Hays 1963 (omega squared). */
int ifr_classes_test(const double *response, const unsigned *class_of, size_t count, size_t class_count,
                     struct ifr_classes *classes, struct ifr_error *err);

/* Tests values for differences between groups 0 … groups - 1, whatever their distribution, where each value is of a
 * block 0 … blocks - 1 that may have a level of its own: the F test of aligned ranks. At least two groups have
 * values. aligned_ranks.c says how often it finds. Ref: Hodges and Lehmann 1962; Conover and Iman 1981. */
int ifr_aligned_ranks_test(const double *values, const unsigned *group_of, const unsigned *block_of, size_t count,
                           size_t groups, size_t blocks, double *p, struct ifr_error *err);

/* --- multiple tests --------------------------------------------------------------------------------------- */

/* Replaces count p-values by p-values adjusted for the family-wise error rate. NAN stands for no test: it stays, and does
 * not count. Ref: Holm 1979. */
void ifr_p_adjust_holm(double *p, size_t count);

/* Replaces count p-values by p-values adjusted for the false discovery rate. Ref: Benjamini and Hochberg 1995. */
void ifr_p_adjust_fdr(double *p, size_t count);

/* --- interim analyses (group sequential tests) ------------------------------------------------------------ */

enum { IFR_INTERIM_MAX = 50 }; /* analyses of one test, the final one included */

/* The part of alpha (two-sided, each side spends half) spent when a fraction of the planned information, 0 … 1, is
 * collected. Ref: Lan and DeMets 1983, the O'Brien-Fleming-like spending function. */
double ifr_alpha_spent(double alpha, double information);

/* Stores the critical values of |Z| at 1 … IFR_INTERIM_MAX analyses, taken at ascending information fractions
 * information[analyses], such that all of them together have the two-sided level alpha. Ref: Armitage, McPherson
 * and Rowe 1969 (the recursion). */
int ifr_interim_bounds(double alpha, const double *information, size_t analyses, double *z, struct ifr_error *err);

/* The confidence of the interval that matches a critical value z. */
double ifr_interim_confidence(double z);

/* The conditional power: the probability that |Z| exceeds the final critical value, if the trend so far continues;
 * z is the score at the information fraction. Ref: Lan and Wittes 1988. */
double ifr_interim_conditional_power(double z, double information, double bound);

/* The probability that the final interval, of critical value bound, lies within -margin … margin if the trend so far
 * continues: se > 0 is the standard error of the estimate at the information fraction. The counterpart of the
 * conditional power for equivalence. Ref: Jennison and Turnbull 2000, section 10.2 (stochastic curtailment);
 * Schuirmann 1987 (equivalence by intervals). */
double ifr_interim_equivalence_power(double estimate, double se, double information, double bound, double margin);

/* --- power ------------------------------------------------------------------------------------------------ */

/* The power of a two-sided t test of that level against a mean that lies shift standard errors from 0; df > 0.
 * Ref: the noncentral t distribution, Johnson and Welch 1940. */
double ifr_t_power(double shift, double df, double level);

/* The shift, in standard errors, that the test detects with that power: the inverse of ifr_t_power. */
double ifr_t_detectable(double power, double df, double level);

/* The standard deviation between groups >= 2, in standard deviations of one of runs >= 2 runs in each, that the F test
 * detects with that power. Ref: Scheffe 1959, section 7.2 (the random effects model). */
double ifr_f_detectable(double power, size_t groups, size_t runs, double level);

/* Variances of a single run; for a comparison, of the differences. */
struct ifr_noise {
	double between, within; /* between layouts; between runs of one layout */
};

/* The smallest mean difference that layouts >= 2 with runs >= 1 each detect with that power. */
double ifr_detectable_effect(struct ifr_noise noise, size_t layouts, size_t runs, double power, double level);

/* The fewest layouts that detect an effect, 10 % added because real layout effects are not normal; 0 if that is
 * more than the limit. */
size_t ifr_layouts_needed(struct ifr_noise noise, size_t runs, double effect, double power, double level,
                          size_t limit);

/* The number of runs of a layout, 1 … most, that minimises the variance for a given time when a further layout
 * costs as much as `cost` runs: sqrt(cost within / between), a cost below 1 counts as 1. Ref: Cochran 1977,
 * equation 10.23. */
size_t ifr_runs_optimal(struct ifr_noise noise, double cost, size_t most);

#endif
