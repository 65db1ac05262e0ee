/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts crossed with kinds of machines: the part of a layout's effect that all kinds share, and the part that is one
 * kind's own. The rules of statistics.h hold. */
#ifndef IFR_HARNESS_STATISTICS_CROSSED_H
#define IFR_HARNESS_STATISTICS_CROSSED_H

#include "harness/statistics/components.h"

/* value = level of the column + effect of the row + effect of the cell + noise of the run; columns are fixed, rows and
 * cells are random. */
struct ifr_crossed {
	size_t rows, left_out; /* used; without values in some column */
	double ms_rows, ms_cells, ms_runs;
	double row_sd, cell_sd, run_sd; /* >= 0 */
	double f, p;                    /* F test of the cells' effect */
	double correlation;             /* of the rows' effects in two columns, 0 … 1; 0 for 0 / 0 */
};

/* Estimates the components from cells[row * columns + column]. At least two rows have values in all columns, of which
 * there are two, and some cell has two values. The standard deviations are those of restricted maximum likelihood, as in
 * lme4's y ~ column + (1|row) + (1|row:column); mean squares and the F test of unequal cells are those of unweighted
 * means. Where all values of each cell are equal, the standard deviations are those of the mean squares, too.
 * Ref: Searle, Casella and McCulloch 1992, section 4.3; Milliken and Johnson 1992, section 22 (unweighted means). */
int ifr_crossed_estimate(const struct ifr_group *cells, size_t rows, size_t columns, struct ifr_crossed *crossed,
                         struct ifr_error *err);

#endif
