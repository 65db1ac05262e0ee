/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the lines of a suite share its budget. */
#ifndef IFR_HARNESS_COMPARE_BUDGET_H
#define IFR_HARNESS_COMPARE_BUDGET_H

#include "harness/commands/compare_benchmarks.h"

/* An equal part of the rest for each line that is left: time that a line leaves goes on to the next. */
int64_t compare_budget_divide(int64_t deadline_ns, size_t lines_left);

/* The trial to measure once more in the time that the others left: of those whose part ended early, the one that needs
 * least; count where none fits. */
size_t compare_budget_choose(const struct compare_trial *trials, size_t count, int64_t left_ns);

/* One sentence on the trials that the budget left out, and a budget for the whole suite; NULL where there is none.
 * The caller frees it. */
char *compare_budget_describe(const struct compare_trial *trials, size_t count);

#endif
