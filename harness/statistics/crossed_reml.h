/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restricted maximum likelihood for crossed.c. Private to this folder. */
#ifndef IFR_HARNESS_STATISTICS_CROSSED_REML_H
#define IFR_HARNESS_STATISTICS_CROSSED_REML_H

#include "harness/statistics/crossed.h"

/* The sufficient statistics of all cells, of which none is empty. */
struct ifr_crossed_cells {
	const double *means, *counts; /* [rows * columns] */
	size_t rows, columns;
	double within, values; /* sum of squares within cells, above 0; number of values */
};

/* Replaces the standard deviations, from which the search begins, by those of greatest likelihood. */
void ifr_crossed_reml(const struct ifr_crossed_cells *cells, struct ifr_crossed *crossed);

#endif
