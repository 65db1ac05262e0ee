/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report knows. Private to this folder: the forms read it, analysis.c and its helpers fill it. */
#ifndef IFR_HARNESS_REPORT_ANALYSIS_H
#define IFR_HARNESS_REPORT_ANALYSIS_H

#include "harness/report/report.h"
#include "harness/statistics/statistics.h"

#define IFR_REPORT_CONFIDENCE 0.95
#define IFR_REPORT_LEVEL 0.05 /* p-values below it count as evidence */

/* A layout that counts: not refused, with at least one value. */
struct ifr_layout {
	const struct ifr_dataset_variant *variant;
	double *values;     /* detrended: without the machine's bursts */
	double *winsorised; /* the same for means and variances (harness/statistics/disturbance.h) */
	size_t count;
	double median;
	struct ifr_interval interval; /* of the median, distribution-free */
	bool has_interval;            /* two runs at least */
};

/* A difference in % of what it is compared with; positive: more than that. */
struct ifr_contrast {
	bool known;
	double difference_pct;
	bool has_interval;
	struct ifr_interval interval_pct;
};

/* The best or the worst of the random layouts. */
struct ifr_pick {
	const struct ifr_layout *layout; /* NULL: there is none */
	struct ifr_contrast to_shipped;  /* its interval allows for the choice among all */
	bool predicted;
	struct ifr_prediction prediction;
	struct ifr_contrast again; /* the prediction's expected value, against the shipped layout */
};

/* A response against a counter, a point a layout; the shipped one stands beside the line, not in it. */
struct ifr_counter_regression {
	const struct ifr_dataset_counter *counter;
	double *x, *y;
	size_t count;
	bool has_shipped;
	double shipped_x, shipped_y;
	struct ifr_regression_line line;
	struct ifr_correlation spearman;
	bool has_check;
	struct ifr_residual_check check; /* of the line */
	double p_adjusted;               /* for the number of counters tried */
};

/* All counters together: the combined model of the paper's figure 6, and what falls to each. */
struct ifr_blame {
	bool known;
	struct ifr_error why_not;
	size_t count;                                   /* of the counters in it */
	size_t regression[IFR_RELATIVE_IMPORTANCE_MAX]; /* which of the report's regressions */
	struct ifr_multiple_regression model;
	double share[IFR_RELATIVE_IMPORTANCE_MAX];
	struct ifr_interval interval[IFR_RELATIVE_IMPORTANCE_MAX];
	bool has_check;
	struct ifr_residual_check check;
};

struct ifr_refusal {
	const char *reason;
	size_t runs;
};

struct ifr_analysis {
	const struct ifr_dataset *dataset;
	const struct ifr_dataset_counter *metric;
	size_t metric_index;
	size_t *by_variant, *first; /* the runs of variant v: by_variant[first[v] ... first[v + 1] - 1] */
	double *counter_medians;    /* [counter * variants + variant] once asked for; NaN before, infinite for none */
	double *detrended, *winsorised; /* of each run; NaN where it does not count */
	struct ifr_disturbances bursts;
	struct ifr_layout *layouts; /* by median, the smallest first */
	size_t layout_count;
	const struct ifr_layout *shipped; /* NULL: refused or not there */
	double *medians;                  /* of the random layouts, ascending */
	size_t random_count;

	size_t runs_used, runs_refused, runs_elsewhere; /* elsewhere: the counter was not on in that pass */
	size_t runs_of_refused, variants_refused, variants_empty;
	struct ifr_refusal *refusals; /* of runs, by reason */
	size_t refusal_count;

	struct ifr_components components;
	struct ifr_mean mean; /* over the random layouts, runs within them; there where the components are */
	struct ifr_normality normality;
	struct ifr_error no_components, no_normality;
	double centre; /* median of the random layouts' medians; of all where there is no random one */
	struct ifr_interval centre_interval;

	size_t faster; /* random layouts whose median is below the shipped one's */
	struct ifr_interval share;
	struct ifr_contrast shipped_to_centre;
	struct ifr_pick best, worst;

	struct ifr_counter_regression *regressions; /* the strongest first */
	size_t regression_count;
	struct ifr_blame blame;

	/* Where something cannot be told, has_* is false and the error's message says why. */
	bool has_components, has_normality, has_centre_interval, has_share;
	bool response_is_cpi, per_1000_instructions;
	bool exact; /* the metric has no noise: it is of the model */
};

/* The median of a counter over a variant's runs that count; false if there is none. */
bool ifr_counter_median(const struct ifr_analysis *report, size_t counter, size_t variant, double *median);

/* The place of a counter of events by this name, whichever source but the clock it has; -1 if there is none. */
int ifr_event_counter(const struct ifr_dataset *dataset, const char *name);

/* Sorts the runs by variant, and takes the machine's bursts off the metric. */
void ifr_runs_sort(struct ifr_analysis *report);
void ifr_runs_calm(struct ifr_analysis *report);

/* The later steps of the analysis. */
void ifr_contrasts_find(struct ifr_analysis *report);
void ifr_regressions_find(struct ifr_analysis *report);
void ifr_blame_find(struct ifr_analysis *report);

#endif
