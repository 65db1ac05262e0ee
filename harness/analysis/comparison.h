/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs compared: what is the change, and what is the luck of their layouts.
 *
 * The change is the ratio of the means over random layouts, in which every layout of either program is as likely
 * as any other. The ratio of the layouts that ship holds the change and the luck of these two files. Values are
 * compared by their logarithms' runs less the machine's bursts (harness/statistics/disturbance.h). */
#ifndef IFR_HARNESS_COMPARISON_H
#define IFR_HARNESS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"
#include "common/error.h"
#include "harness/store/store.h"
#include "harness/statistics/statistics.h"

enum ifr_verdict {
	IFR_VERDICT_NO_CHANGE, /* the change is smaller than the margin, for sure */
	IFR_VERDICT_INCONCLUSIVE,
	IFR_VERDICT_LAYOUT, /* the shipped files differ by luck, the programs cannot be told apart */
	IFR_VERDICT_CHANGE,
	IFR_VERDICT_BOTH /* a change, and luck beside it */
};

/* A program's side: the variants of a dataset that are its own. */
struct ifr_comparison_side {
	const struct ifr_dataset *dataset;
	unsigned program; /* of the dataset: its variants are the side's */
	const char *name;
};

/* One metric. Ratios are new to old; intervals are of the confidence asked for. */
struct ifr_comparison {
	struct ifr_dataset_counter metric;
	struct ifr_comparison_side side[2]; /* old, new; borrowed */
	double confidence;                  /* of the intervals, but luck's; 0.95 unless there are planned looks */
	double z;                           /* the change in standard errors */
	size_t layouts[2], runs[2];         /* random layouts that count; runs that count, of all layouts */
	size_t refused_runs, refused_layouts;
	double mean[2];  /* over the random layouts */
	double ratio, p; /* p: that there is no change */
	struct ifr_interval interval;
	double shipped_ratio, luck; /* shipped_ratio = ratio * luck */
	struct ifr_interval shipped_interval;
	struct ifr_interval luck_interval; /* of 99 %: it is the second question to the same data */
	double between_sd, within_sd;      /* of the ratio between layouts, and of a run; relative */
	size_t bursts_moved;
	double margin;      /* relative: what counts as no change */
	size_t needed;      /* layouts of each for the interval to hold what it promises: ifr_mean_layouts_needed */
	size_t recommended; /* layouts that find a change of the margin with 90 %; 0: over 100000 */
	enum ifr_verdict verdict;
	bool paired;      /* variants of one number lie alike, and are compared with each other */
	bool together;    /* both ran interleaved */
	bool has_shipped; /* shipped_ratio and luck are known */
	bool has_luck;    /* luck's interval is known */
	bool bursts;
	bool regressed; /* a change for the worse by more than was asked */
};

/* What to make of a comparison. */
struct ifr_comparison_rules {
	double margin;     /* a change that is surely smaller is none; 0.01 for 1 % */
	double fail_above; /* a change for the worse whose estimate is above this is a regression */
	double
		confidence;   /* of the intervals and so of a change; 0: 95 %. Looks at data that still grow pay with it */
	unsigned layouts; /* only those of numbers up to this; 0: all */
};

/* Compares one metric, by name; NULL takes cycles where both have them, else cpu_time, else duration_time. Errors:
 * IFR_E_USAGE where a side has no such counter, fewer than two random layouts, or values that are not above 0. */
int ifr_comparison_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                        const char *metric, const struct ifr_comparison_rules *rules,
                        struct ifr_comparison *comparison, struct ifr_error *err);

/* Decides again with another p, one that allows for more comparisons. */
void ifr_comparison_judge(struct ifr_comparison *comparison, const struct ifr_comparison_rules *rules, double p);

const char *ifr_verdict_name(enum ifr_verdict verdict);

/* One command's comparison in a suite. */
struct ifr_comparison_entry {
	const char *name; /* "" where there is one command only */
	const char *command;
	struct ifr_comparison main;
	struct ifr_comparison *others; /* the other counters that both sides have */
	size_t other_count;
	const char *failure; /* why there is no comparison, or NULL; then nothing of main is known */
};

/* Append all entries: in words of at most 80 columns; as a page of its own; as a table for a review comment; as
 * JUnit's XML, in which what regressed is a failure and what could not be compared an error; as JSON with a
 * newline (schema_version 1).
 */
void ifr_comparison_text(const struct ifr_comparison_entry *entries, size_t count, bool color,
                         struct ifr_buffer *out);
void ifr_comparison_html(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_markdown(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_junit(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void ifr_comparison_json(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);

#endif
