/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst case of a layout over process contexts, over workloads and over kinds of processors. */
#ifndef IFR_HARNESS_WORST_CASE_H
#define IFR_HARNESS_WORST_CASE_H

#include "harness/optimize/optimize.h"
#include "harness/store/store.h"

/* Runs of several layouts in the same contexts, of one workload on one kind of processors: a cell has those of one layout
 * in one context. Levels of kinds differ, so that their runs never meet in a cell. */
struct context_cells {
	size_t sides, contexts, workload;
	char *processor; /* NULL: one kind ran all */
	double *median;  /* [sides * contexts], by side; of logarithms; NaN without runs */
	double *se;      /* of each median */
	double df; /* of the standard errors, which one variance of a run gives, pooled over all cells; 0: unknown */
};

/* Makes the cells of values, logarithms, each with the number of its cell, side * contexts + context. The caller releases
 * them. */
void context_cells_make(const double *values, const size_t *cell, size_t count, size_t sides, size_t contexts,
                        struct context_cells *cells);
void context_cells_release(struct context_cells *cells);

/* Cells of all workloads, and of all kinds of processors in each. */
struct context_table {
	struct context_cells *items;
	size_t count;
};
/* Adds the cells of a workload's experiment in contexts, for each kind of processors that ran it: program i is side i,
 * layout k context k - 1. The caller releases the table, after an error too. Errors: IFR_E_USAGE for a counter that it
 * does not have. */
int context_table_add(struct context_table *table, size_t workload, const struct ifr_dataset *dataset,
                      const char *counter, size_t sides, size_t contexts, struct ifr_error *err);
void context_table_release(struct context_table *table);

/* The mean over contexts of a side's logarithm less another's; NaN where they have no context in common. */
double context_cells_mean_change(const struct context_cells *cells, size_t from, size_t to);
/* That mean of a workload, in which each kind of processors has the same weight. */
double context_table_mean_change(const struct context_table *table, size_t workload, size_t from, size_t to);

/* Compares the worst context of a side with that of side 0, in the workload and on the kind of processors where this is
 * worst. The processor's name is the table's.
 *
 * A layout's worst case is the greatest median over the contexts. Each of the 2K medians of K contexts gets an interval,
 * and all of these hold together (Bonferroni's correction). Where they hold, the greatest median lies between the
 * greatest of the lower ends and the greatest of the upper ends. The interval of the ratio of two greatest medians
 * follows from both, and that of the greatest ratio over workloads and kinds in the same way.
 * Ref: Dunn 1961 (simultaneous intervals); Wilks 1941 (the share of contexts that are no worse). */
struct ifr_worst_case worst_case_compare(const struct context_table *table, size_t side);

#endif
