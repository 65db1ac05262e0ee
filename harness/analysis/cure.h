/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of a cure: of a change of the layout, in the contexts in which a program was measured with it and without
 * it. Part of harness/analysis/analysis.h. */
#ifndef IFR_HARNESS_ANALYSIS_CURE_H
#define IFR_HARNESS_ANALYSIS_CURE_H

#include "harness/analysis/comparison.h"

enum ifr_cure_effect { IFR_CURE_HELPS, IFR_CURE_HARMS, IFR_CURE_DOES_NOTHING, IFR_CURE_OPEN };

/* The questions to one cure's runs: the mean, and the worst context. */
enum { IFR_CURE_QUESTIONS = 2 };

/* A cure's experiment, compared. */
struct ifr_cure_result {
	struct ifr_dataset dataset;
	struct ifr_comparison comparison; /* old: without the cure */
	bool exhaustive;                  /* values without noise, of all contexts that there are: those of a sweep */
	enum ifr_cure_effect effect;
};

/* Judges a cure: by the change of the mean where there is one, by the rule of comparisons, or where it is
 * exhaustive by the ratio alone, which must differ by the margin; else by the worst context, whose interval
 * must exclude 1, and which must differ by the margin where values have no noise. A cure helps by the worst
 * context alone only where the mean is not found to be worse, and does not come out worse by the margin. */
enum ifr_cure_effect ifr_cure_judge(const struct ifr_comparison *comparison, bool exhaustive);

/* Reads and compares the experiment of a cure (program 0 without it, program 1 with it); cures: as many are
 * judged together, so that all their intervals hold with 95 % (Bonferroni). The caller releases the result,
 * which must stay where it is, after an error too. */
int ifr_cure_read(const char *file, const char *metric, size_t cures, struct ifr_cure_result *result,
                  struct ifr_error *err);
void ifr_cure_result_release(struct ifr_cure_result *result);

/* Stores the most of a counter in any context, without the cure and with it, by the medians of runs; returns
 * false where the experiment lacks it. */
bool ifr_cure_find_most(const struct ifr_cure_result *result, const char *counter, double most[2]);

/* "helps", "does harm", "does not help", "not decided" */
const char *ifr_cure_effect_name(enum ifr_cure_effect effect);

#endif
