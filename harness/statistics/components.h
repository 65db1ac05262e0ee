/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs within layouts: variance components, the mean of all layouts, and what to expect of one layout measured
 * again. The layout is the unit of replication. The rules of statistics.h hold. */
#ifndef IFR_HARNESS_STATISTICS_COMPONENTS_H
#define IFR_HARNESS_STATISTICS_COMPONENTS_H

#include "harness/statistics/sample.h"

/* The runs of one layout. */
struct ifr_group {
	const double *values;
	size_t count;
};

/* --- variance components ---------------------------------------------------------------------------------- */

/* One-way random-effects analysis of variance: value = mean + layout effect + noise of the run. */
struct ifr_components {
	size_t groups, values;
	double mean;                          /* of the groups' means, unweighted */
	double ss_between, ss_within;         /* sums of squares */
	double df_between, df_within;         /* degrees of freedom */
	double ms_between, ms_within;         /* mean squares; ms_within is 0 where df_within is 0 */
	double n0;                            /* effective number of runs in a group */
	bool noise_known;                     /* false: no group has two runs, so all variation counts as between */
	double f, p;                          /* F test of the layout effect; meaningful where testable */
	bool testable;                        /* the noise is known and not zero */
	double between_variance, between_sd;  /* layout effect, >= 0: by mean squares for equal sizes, else by REML */
	struct ifr_interval between_interval; /* of between_sd */
};

/* Estimates the components of variance from count groups, of which at least two have values; empty groups are left
 * out, and data without any variation give zeros. The interval, of the groups' means and the harmonic mean of the
 * sizes, is Bonett's less the noise, and below 8 groups Williams's; components.c says why and how often it holds.
 * Ref: Searle, Casella and McCulloch 1992, section 3.6 (n0); Bonett 2006; Zou and Donner 2008 (the difference);
 * Williams 1962; Thomas and Hultquist 1978 (unequal sizes). */
int ifr_components_estimate(const struct ifr_group *groups, size_t count, double confidence,
                            struct ifr_components *components, struct ifr_error *err);

/* Stores the variances between and within groups by restricted maximum likelihood. At least two groups have
 * values, and one has two different ones. For equal sizes the result is the one of the mean squares, where these
 * are not negative. Ref: Patterson and Thompson 1971; Searle, Casella and McCulloch 1992, section 6.6. */
void ifr_reml_estimate(const struct ifr_group *groups, size_t count, double *between, double *within);

/* --- the mean of all layouts ------------------------------------------------------------------------------ */

struct ifr_mean {
	size_t groups;
	double mean, se;
	double df;       /* groups - 1 */
	double skewness; /* of the groups' means: ifr_sample_skewness */
	size_t needs;    /* groups for the interval to keep its confidence: ifr_mean_layouts_needed */
	struct ifr_interval interval;
};

/* Estimates the mean of all layouts from runs within layouts (random intercept), of which at least two have
 * values.
 *
 *     weight of a layout   1 / (between + within / runs), by ifr_components_estimate
 *     interval             weighted spread of the layouts' means, groups - 1 degrees of freedom; corrected for
 *                          their skewness from 8 layouts on. For equal sizes: the t interval of the means
 * Ref: Hartung and Knapp 2001; Sidik and Jonkman 2002; Hall 1992 (skewness). */
int ifr_mean_estimate(const struct ifr_group *groups, size_t count, double confidence, struct ifr_mean *mean,
                      struct ifr_error *err);

/* --- prediction ------------------------------------------------------------------------------------------- */

/* The reliability of a measured layout effect, between / (between + noise), 0 … 1; 0 for 0 / 0. noise_variance
 * belongs to the number compared: ms_within / n for the mean of n runs, ms_within * ifr_median_variance(n) for
 * their median. */
double ifr_reliability(double between_variance, double noise_variance);

struct ifr_shrinkage {
	double measured;               /* mean or median of the layout */
	double noise_variance;         /* of measured */
	double centre;                 /* mean of all layouts */
	double centre_variance;        /* of centre */
	double between_variance;       /* of the layout effects */
	double remeasurement_variance; /* noise of the measurement to predict; as a rule noise_variance */
	double df;                     /* of between_variance, >= 1 */
};

struct ifr_prediction {
	double reliability;
	double expected;           /* of the layout, and so of its next measurement */
	struct ifr_interval again; /* of the next measurement */
};

/* Predicts the next measurement of a layout: its lead over the centre shrinks by its reliability. This also holds
 * for a layout chosen as the best of many, where layout effects follow a normal distribution. Ref: Robinson 1991
 * (best linear unbiased prediction); Efron 2011 (no selection bias). */
int ifr_shrinkage_predict(const struct ifr_shrinkage *shrinkage, double confidence,
                          struct ifr_prediction *prediction, struct ifr_error *err);

/* --- share below one layout ---------------------------------------------------------------------------------- */

/* One layout among a random sample of others, each by the mean or the median of its runs. */
struct ifr_share_below {
	double value, noise_variance, noise_df; /* of the layout itself; df > 0 where the variance is */
	const double *values, *noise_variances; /* [count] of the others, count >= 1 */
	size_t count;
	double between_variance; /* of the layout effects */
};

/* Stores an interval of the share of all layouts whose effects lie below the layout's, 0 … 1: Clopper and Pearson's
 * of the others below either end of the layout's own interval, each at half of the level (Bonferroni). The others
 * are drawn towards their mean by the root of their reliability: their spread is that of the effects alone.
 * Without noise it is Clopper and Pearson's. At 24 layouts of 5 runs, with layout effects of 0.2 to 3 times the
 * noise, it holds in 98 to 100 % (tests/unit/test_share_below.c). Ref: Clopper and Pearson 1934; Louis 1984
 * (estimates with the spread of what they estimate); Miller 1981, section 2.3. */
int ifr_share_below_interval(const struct ifr_share_below *share, double confidence, struct ifr_interval *interval,
                             struct ifr_error *err);

#endif
