/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of an analysis, in the order in which analysis.c takes them. Private to this folder. */
#ifndef IFR_HARNESS_ANALYSIS_STEPS_H
#define IFR_HARNESS_ANALYSIS_STEPS_H

#include "harness/analysis/result.h"
#include "harness/analysis/spike_plan.h"

/* Sets metric, metric_index and exact. name NULL takes the default. Errors: IFR_E_USAGE for a counter that was not
 * recorded. */
int ifr_metric_choose(struct ifr_analysis *analysis, const char *name, struct ifr_error *err);
/* Finds one counter in two datasets: the one of that name, or with name NULL the default that both have.
 * Returns -1, or the index of the dataset that lacks it. */
int ifr_metric_match(const struct ifr_dataset *const datasets[2], const char *name, int counters[2]);
/* Index of a counter of events by this name from any source but the clock; -1 if there is none. */
int ifr_event_counter(const struct ifr_dataset *dataset, const char *name);

/* Sorts the runs by variant: by_variant and first. */
void ifr_runs_sort(struct ifr_analysis *analysis);
/* Removes serial disturbances from the metric: detrended, winsorised and disturbances. */
void ifr_runs_detrend(struct ifr_analysis *analysis);

/* Fills copies. Needs the layouts. */
void ifr_copies_find(struct ifr_analysis *analysis);

/* Repetitions of a layout. */
enum ifr_repetitions { IFR_ALL_REPETITIONS, IFR_EVEN_REPETITIONS, IFR_ODD_REPETITIONS, IFR_REPETITION_SETS };

/* The median of a counter over a variant's runs that count, of those repetitions; false if there is none. */
bool ifr_counter_median(const struct ifr_analysis *analysis, size_t counter, size_t variant,
                        enum ifr_repetitions repetitions, double *median);

/* Chooses the unit and decimals of the metric. Needs the layouts and the variance components. */
void ifr_scale_choose(struct ifr_analysis *analysis);
/* Whether a layout stands out in a sweep: how, or NULL. */
const struct ifr_spike *ifr_sweep_spike_of(const struct ifr_analysis *analysis, const struct ifr_layout *layout);
/* Fills others, shipped_to_centre, faster, best, worst, range_pct and expected_range_pct. */
void ifr_contrasts_find(struct ifr_analysis *analysis);
void ifr_regressions_find(struct ifr_analysis *analysis);
/* Fills importance. Needs the regressions. */
void ifr_importance_find(struct ifr_analysis *analysis);
/* Analyses a counter as far as its layouts, their spread and contrasts. */
int ifr_analysis_make_brief(const struct ifr_dataset *dataset, size_t counter, struct ifr_analysis **analysis);
/* Fills benchmarks. */
void ifr_benchmarks_find(struct ifr_analysis *analysis);
/* The benchmark that a report is about where none is named: where layout matters for any, the one with the smallest p;
 * else the first. -1 where there is none. */
int ifr_benchmarks_choose(const struct ifr_dataset *dataset);
/* Fills sweep, if the experiment is one. Needs the layouts. ifr_sweep_release frees it. */
void ifr_sweep_find(struct ifr_analysis *analysis);
void ifr_sweep_release(struct ifr_analysis *analysis);
/* Allocates the findings' cells and fills them from the layouts; needs the number of layouts. */
void ifr_sweep_find_cells(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found);
/* The neighbours that a suspect is run beside, as levels; returns their number. measured: NaN for a layout that is
 * refused. */
size_t ifr_spike_plan_neighbours(const struct ifr_spike_plan *plan, const struct ifr_sweeps *sweeps,
                                 const double *measured, unsigned suspect, size_t *neighbours);
/* Fills the findings' check from the runs of the second look, where the experiment has any. Needs the cells. */
void ifr_spike_check_make(const struct ifr_analysis *analysis, struct ifr_sweep_findings *found);
/* Fills conclusion. Needs everything else. */
void ifr_conclusion_draw(struct ifr_analysis *analysis);

#endif
