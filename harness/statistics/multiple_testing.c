/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p-values adjusted for the number of tests. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/inference.h"

static int by_value(const void *a, const void *b) {
	const double x = **(double *const *)a, y = **(double *const *)b;
	return (x > y) - (x < y);
}

void ifr_p_adjust_holm(double *p, size_t count) {
	double **order = ifr_alloc((count ? count : 1) * sizeof *order);
	size_t tests = 0;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			order[tests++] = &p[i];
	qsort(order, tests, sizeof *order, by_value);
	double largest = 0;
	for (size_t i = 0; i < tests; i++) {
		largest = fmax(largest, fmin(1, *order[i] * (double)(tests - i)));
		*order[i] = largest;
	}
	free(order);
}

void ifr_p_adjust_fdr(double *p, size_t count) {
	size_t *order = ifr_alloc((count ? count : 1) * sizeof *order);
	gsl_sort_index(order, p, 1, count);
	double least = 1;
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, p[order[i]] * (double)count / (double)(i + 1));
		p[order[i]] = least;
	}
	free(order);
}
