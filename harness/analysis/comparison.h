/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of two programs: the change between them, apart from the layout effect of the two shipped files.
 *
 * The change is the ratio of the means over random layouts, in which every layout of either program is equally
 * likely. The ratio of the shipped layouts is the product of the change and their layout effect. Values are
 * compared by the logarithms of their runs without serial disturbances (harness/statistics/disturbance.h); the ratio,
 * its interval and p are one test (comparison_ratio.c). */
#ifndef IFR_HARNESS_COMPARISON_H
#define IFR_HARNESS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "harness/store/store.h"
#include "harness/statistics/statistics.h"

enum ifr_comparison_verdict {
	IFR_VERDICT_NO_CHANGE, /* the interval of the change lies within the margin */
	IFR_VERDICT_INCONCLUSIVE,
	IFR_VERDICT_LAYOUT, /* the shipped files differ by a layout effect; no difference of the programs is found */
	IFR_VERDICT_CHANGE,
	IFR_VERDICT_BOTH /* a change, and a layout effect of the shipped files */
};

/* One program's side of a comparison. */
struct ifr_comparison_side {
	const struct ifr_dataset *dataset;
	unsigned program; /* of the dataset: its variants are the side's */
	const char *name;
	const char *processor; /* only the runs on this kind of machine; NULL: all */
};

/* The spread of either side over the random layouts, old and new. */
struct ifr_comparison_spread {
	bool has_worst;                     /* each layout has two runs, or values have no noise */
	unsigned worst[2];                  /* the layout of the highest mean */
	double above[2];                    /* the worst layout's value to that of the median layout */
	double worst_ratio;                 /* of the worst layouts, new to old */
	struct ifr_interval worst_interval; /* of confidence c->confidence, for noise alone */
	bool has_sd;
	double sd[2]; /* between layouts, less the noise; relative */
	struct ifr_interval sd_interval[2];
};

/* One metric. Ratios are new to old. */
struct ifr_comparison {
	struct ifr_dataset_counter metric;
	struct ifr_comparison_side side[2]; /* old, new; borrowed */
	double confidence;          /* of all intervals but the layout effect's; 0.95 without interim analyses */
	double z;                   /* the standard normal value of p, with the sign of the change */
	size_t layouts[2], runs[2]; /* random layouts that count; runs that count, of all layouts */
	size_t repeats; /* runs of a layout beyond its first, of all layouts: they tell the noise of a run */
	size_t refused_runs, refused_layouts;
	double mean[2];  /* over the random layouts */
	double ratio, p; /* p: that there is no change; below 1 - confidence where the interval excludes 1 */
	size_t above;    /* pairs in which new is above old, of layouts[0]; known where paired */
	struct ifr_interval interval;
	double shipped_ratio, layout_effect; /* shipped_ratio = ratio * layout_effect */
	struct ifr_interval shipped_interval;
	struct ifr_interval layout_effect_interval; /* of 99 %: it is the second question to the same data */
	double between_sd, within_sd;               /* of the ratio between layouts, and of a run; relative */
	/* Of the logarithms of a pair\'s two layouts; NaN where not paired, or all layouts are equal. */
	double pair_correlation;
	size_t runs_detrended; /* runs that removing serial disturbances brought within 3 deviations */
	double
		sampling_error; /* standard error of the ratio that samples of the model's core leave; in the interval */
	double margin;      /* relative: what counts as no change */
	size_t family;      /* comparisons for which the intervals and the verdict allow; 1: this one alone */
	struct ifr_tails tails[2]; /* of the random layouts */
	struct ifr_comparison_spread spread;
	size_t needed;      /* layouts of each for the intervals to have their confidence: ifr_mean_layouts_needed */
	size_t recommended; /* layouts that detect a change of the margin with 90 %; 0: over 100000 */
	enum ifr_comparison_verdict verdict;
	bool paired;            /* variants of one number have the same layout, and are compared with each other */
	bool interleaved;       /* the runs of both alternate */
	bool edited[2];         /* the shipped file, after its link: it is no layout (shipped_edit.h) */
	bool has_shipped;       /* shipped_ratio and layout_effect are known */
	bool has_layout_effect; /* the intervals of both are known: not of fewer than five repeats */
	bool disturbed;         /* serial disturbances were found and removed */
	bool exact;             /* the metric is the model's, which counts without noise */
	bool same_instructions; /* both executed as many instructions of each class, as the model recorded them */
	bool regressed;         /* a change for the worse, by more than fail_above at the interval's near end */
};

struct ifr_comparison_rules {
	double
		margin; /* a change whose interval lies within it is none; 0.01 for 1 %. Of measured values only where the
	                    * interval includes 1; of the model's counts, which have no noise, always */
	double fail_above; /* a change for the worse whose whole interval is above this is a regression */
	double confidence; /* of the intervals and so of a change; 0: 95 %. Interim analyses ask for more */
	unsigned layouts;  /* only those of numbers up to this; 0: all */
	size_t family;     /* comparisons whose intervals and verdicts hold together (Bonferroni); 0: 1 */
};

/* Compares one metric, by name; NULL takes the default that both sides have: cycles, else cpu_time, else
 * duration_time. Errors: IFR_E_USAGE where a side has no such counter, fewer than two random layouts, or values
 * that are not above 0. */
int ifr_comparison_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                        const char *metric, const struct ifr_comparison_rules *rules,
                        struct ifr_comparison *comparison, struct ifr_error *err);

/* Judges the comparison again with another p, one that allows for more comparisons. */
void ifr_comparison_judge(struct ifr_comparison *comparison, const struct ifr_comparison_rules *rules, double p);

/* The median of the runs of one layout in each program; NaN where it has none. */
struct ifr_comparison_layout {
	unsigned layout; /* 0: the shipped ones */
	double median[2];
};
/* Lists the layouts of both sides by number, for figures, from the runs as they are; *layouts is the caller's. Returns
 * their number. Layouts of one number are a pair only where the comparison is paired. */
size_t ifr_comparison_layouts(const struct ifr_comparison *comparison, struct ifr_comparison_layout **layouts);

/* "no change", "inconclusive", "layout", "change", "both" */
const char *ifr_comparison_verdict_name(enum ifr_comparison_verdict verdict);

#endif
