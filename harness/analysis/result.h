/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of one analysis: layouts by their medians, the variance between them, the standing of the shipped
 * layout, regressions on counters, and the conclusion. Forms of a report read it and infer nothing themselves. */
#ifndef IFR_HARNESS_ANALYSIS_RESULT_H
#define IFR_HARNESS_ANALYSIS_RESULT_H

#include "harness/analysis/conclusion.h"
#include "harness/analysis/counter_result.h"
#include "harness/analysis/machines.h"
#include "harness/analysis/sweep.h"
#include "harness/statistics/statistics.h"
#include "harness/store/store.h"

/* A layout that is not refused and has at least one value. */
struct ifr_layout {
	const struct ifr_dataset_variant *variant;
	double *values;     /* [count], detrended: without serial disturbances of the machine */
	double *winsorised; /* [count], values with outlying ones winsorised, for means and variances */
	size_t count;
	double median;
	struct ifr_interval interval; /* of the median, distribution-free */
	bool has_interval;            /* two runs at least */
};

/* A difference in % of a base; positive: above the base. */
struct ifr_contrast {
	bool known;
	double difference_pct;
	bool has_interval;
	struct ifr_interval interval_pct;
};

/* The best or the worst of the random layouts. */
struct ifr_pick {
	const struct ifr_layout *layout; /* NULL without random layouts */
	struct ifr_contrast to_shipped;  /* its interval allows for the choice among all */
	const struct ifr_spike
		*spike; /* the layout stands out in a sweep, and is not predicted from the others; or NULL */
	bool predicted;
	struct ifr_prediction prediction;
	/* The prediction's expected value against the shipped layout; its interval is of the difference of the two
	 * layouts' own values. */
	struct ifr_contrast again;
};

/* Differences between copies of one file, relative to the layouts' medians. */
struct ifr_copy_findings {
	bool known; /* the effect's variance */
	struct ifr_error why_not;
	struct ifr_copies effect;
	size_t count, far;                 /* copies; those beyond 5 robust standard deviations of their siblings */
	const struct ifr_layout *farthest; /* the layout of the farthest copy; NULL: none is far */
	unsigned copy;                     /* its number */
	double deviation;                  /* from the median of its siblings; above 0: more */
};

struct ifr_refusal {
	const char *reason;
	size_t runs;
};

/* One unit for all values of the metric, and the decimals that the runs support. */
struct ifr_scale {
	double divisor;
	int decimals;
	char unit[40]; /* "ms", "million cycles", "" */
};

/* One of the program's own benchmarks. */
struct ifr_benchmark_finding {
	const struct ifr_dataset_counter *counter;
	bool known, tested; /* noise, and the F test */
	double p;           /* adjusted for all benchmarks (Holm) */
	enum ifr_effect effect;
	size_t layouts;                       /* random ones with values */
	double range_pct, expected_range_pct; /* as in struct ifr_analysis */
	double centre;                        /* median of the random layouts' medians */
	struct ifr_scale scale;
	bool has_shipped;
	struct ifr_contrast shipped_to_centre;
};
struct ifr_unit_map;
struct ifr_analysis {
	const struct ifr_dataset *dataset;
	const struct ifr_dataset_counter *metric;
	size_t metric_index;
	size_t *by_variant, *first;     /* the runs of variant v: by_variant[first[v] ... first[v + 1] - 1] */
	double *counter_medians;        /* [(repetitions * counters + counter) * variants + variant], of enum
	                                   ifr_repetitions; NaN until needed, infinite for none */
	double *detrended, *winsorised; /* [runs] of the metric; NaN for a run that does not count */
	struct ifr_disturbances disturbances;
	struct ifr_layout *layouts; /* by median, the smallest first */
	size_t layout_count;
	const struct ifr_layout *shipped; /* NULL: refused, not measured, or edited */
	bool shipped_edited;              /* after its link: its file is no layout (shipped_edit.h) */
	double *medians;                  /* of the random layouts, ascending */
	size_t random_count;
	struct ifr_scale scale;
	unsigned axes; /* that vary, as a mask; of other tools' results: 0 */

	size_t runs_used, runs_refused, runs_elsewhere; /* elsewhere: the counter was not on in that pass */
	size_t runs_twin, runs_held_out; /* for the copies' component of variance, and a sweep's suspects, alone */
	unsigned held_out;               /* the first repetition of the latter; UINT_MAX: none */
	size_t runs_of_refused, runs_of_edited, variants_refused, variants_empty;
	struct ifr_refusal *refusals; /* of runs, by reason */
	size_t refusal_count;

	struct ifr_components components;
	struct ifr_components others; /* of the layouts that do not stand out in a sweep: the same where none does */
	struct ifr_mean mean;         /* over the random layouts, runs within them; known where the components are */
	struct ifr_tails tails;       /* of the random layouts' medians */
	struct ifr_copy_findings copies;
	struct ifr_machine_findings machines;
	struct ifr_normality normality;
	struct ifr_error no_components, no_normality;
	double centre; /* median of the random layouts' medians; of all where there is no random one */
	struct ifr_interval centre_interval;
	double medians_mean, medians_sd; /* of the random layouts' medians; for the normal quantiles */
	double bandwidth;                /* of the medians' kernel density */

	size_t faster; /* random layouts whose median is below the shipped one's */
	struct ifr_interval faster_share;
	struct ifr_contrast shipped_to_centre;
	struct ifr_pick best, worst;
	/* From the lowest median of a random layout to the highest; and what to expect of it when all layouts are measured
	 * again, each shrunk by its own noise. The same where noise is unknown. */
	double range_pct, expected_range_pct;

	struct ifr_counter_regression *regressions; /* the strongest first */
	size_t regression_count;
	struct ifr_counter_importance importance;
	struct ifr_benchmark_finding *benchmarks; /* of the program's own, the metric among them */
	size_t benchmark_count;
	struct ifr_conclusion conclusion;
	struct ifr_unit_map *units;       /* never NULL; empty without stored units */
	struct ifr_sweep_findings *sweep; /* NULL: the layouts are random */

	/* Where a finding is not known, has_* is false and the error's message says why. */
	bool has_components, has_normality, has_centre_interval, has_faster_share, has_moments, has_density;
	bool response_is_cpi, per_1000_instructions;
	bool exact; /* the metric comes from the model and has no noise */
};

#endif
