/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From datasets to findings, without text: harness/report prints them.
 *
 * The layout that ships (variant 0) is compared with the others, which are a random sample of the possible
 * layouts; spread, ranks and proportions are those of the random ones. Refused variants and runs are left out and
 * counted; nothing is imputed and no outlier is dropped. */
#ifndef IFR_HARNESS_ANALYSIS_H
#define IFR_HARNESS_ANALYSIS_H

#include "common/error.h"
#include "harness/analysis/agreement.h"
#include "harness/analysis/attribution.h"
#include "harness/analysis/audit.h"
#include "harness/analysis/calibration.h"
#include "harness/analysis/comparison.h"
#include "harness/analysis/comparison_kinds.h"
#include "harness/analysis/cure.h"
#include "harness/analysis/forecast.h"
#include "harness/analysis/load_contexts.h"
#include "harness/analysis/modelled_cycles.h"
#include "harness/analysis/result.h"
#include "harness/analysis/spike_plan.h"
#include "harness/analysis/unit_addresses.h"
#include "harness/analysis/unit_map.h"

/* Analyses one counter, by name; NULL takes the cost of a marked statement where it was measured, else cycles,
 * else cpu_time, else duration_time. The analysis borrows the dataset, which must outlive it. Errors:
 * IFR_E_USAGE for a counter that was not recorded (the message lists the recorded ones), IFR_E_ENVIRONMENT
 * where no run gave a value or the dataset contradicts itself. Too few layouts or runs are no error: the
 * findings then say why they are unknown. */
int ifr_analysis_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_analysis **analysis,
                      struct ifr_error *err);
void ifr_analysis_free(struct ifr_analysis *analysis);

/* The evidence on which interim analyses decide. */
struct ifr_evidence {
	char what[160]; /* the hypothesis: "the line against branch-misses", or "the difference between layouts" */
	double p;       /* adjusted for all counters that were tried; 1 without a test */
	bool has_width;
	double width;       /* of the mean's 95 % interval, relative to the mean */
	size_t width_needs; /* layouts for that interval to hold: ifr_mean_layouts_needed */
};
/* Takes the most significant regression on a counter; without counters, the difference between layouts. */
void ifr_analysis_weigh(const struct ifr_analysis *analysis, struct ifr_evidence *evidence);

/* Whether only the process of the program varied, not its file: its code and data lay where they ship. */
bool ifr_analysis_varies_process_alone(const struct ifr_analysis *analysis);

/* The unit in which a value of the counter is printed, such as "million cycles"; without decimals. */
struct ifr_scale ifr_scale_of(const struct ifr_dataset_counter *counter, double value);
/* Whether the counter is a time, so that less of it is faster. */
bool ifr_counter_is_time(const struct ifr_dataset_counter *counter);
/* Whether runs of one layout execute different numbers of instructions, by more than a program with fixed work does;
 * stores the relative standard deviation of the median layout. False without counted instructions. */
bool ifr_work_is_unequal(const struct ifr_dataset *dataset, double *share);
/* The fact "own iterations" of a program that chooses them begins so. */
#define IFR_WORK_ADAPTIVE "The program chooses its iterations anew in every run"
/* Whether values of the metric are of whole runs that do different work, by which nothing can be compared. */
bool ifr_work_is_adaptive(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *metric);
/* Whether layout matters for one benchmark and not for another, or more clearly: with a smaller p, else a wider range. */
bool ifr_benchmark_is_clearer(const struct ifr_benchmark_finding *a, const struct ifr_benchmark_finding *b);
/* Whether the counter is a figure of the program's own benchmarks. */
bool ifr_counter_is_figure(const struct ifr_dataset_counter *counter);
/* Whether the counter, by name, is of the kernel's dealings with a process: it goes along with time where the machine was
 * busy, and is hardly a cause. */
bool ifr_counter_is_symptom(const char *name);

#endif
