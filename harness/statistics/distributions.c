/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/distributions.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

double ifr_t_quantile(double p, double df) {
	gsl_error_handler_t *before = gsl_set_error_handler_off();
	double x = gsl_cdf_tdist_Pinv(p, df);
	gsl_set_error_handler(before);
	return x;
}

double ifr_chi2_quantile(double p, double df) {
	gsl_error_handler_t *before = gsl_set_error_handler_off();
	double x = gsl_cdf_chisq_Pinv(p, df);
	gsl_set_error_handler(before);
	return x;
}

double ifr_f_quantile(double p, double df1, double df2) {
	gsl_error_handler_t *before = gsl_set_error_handler_off();
	double x = gsl_cdf_fdist_Pinv(p, df1, df2);
	gsl_set_error_handler(before);
	return x;
}

double ifr_beta_quantile(double p, double a, double b) {
	gsl_error_handler_t *before = gsl_set_error_handler_off();
	double x = gsl_cdf_beta_Pinv(p, a, b);
	gsl_set_error_handler(before);
	return x;
}

int ifr_values_check(const double *values, size_t count, size_t needed, struct ifr_error *err) {
	if (count < needed)
		return ifr_fail(err, IFR_E_USAGE, "there %s %zu value%s, and this needs at least %zu",
		                count == 1 ? "is" : "are", count, count == 1 ? "" : "s", needed);
	for (size_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return ifr_fail(err, IFR_E_USAGE, "value %zu of %zu is not a number", i + 1, count);
	return 0;
}

int ifr_values_check_varies(const double *values, size_t count, const char *what, struct ifr_error *err) {
	int result = ifr_values_check(values, count, 3, err);
	if (result)
		return result;
	double low, high;
	gsl_stats_minmax(&low, &high, values, 1, count);
	return low < high ? 0 : ifr_fail(err, IFR_E_USAGE, "%s is the same at all %zu points", what, count);
}

double *ifr_values_sorted(const double *values, size_t count) {
	double *sorted = ifr_alloc(count * sizeof *sorted);
	memcpy(sorted, values, count * sizeof *sorted);
	gsl_sort(sorted, 1, count);
	return sorted;
}

struct indexed_value {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b) {
	double x = ((const struct indexed_value *)a)->value, y = ((const struct indexed_value *)b)->value;
	return (x > y) - (x < y);
}

/* Values are sorted together with their indices: sorting indices alone (gsl_sort_index) reads a million values in
 * random order. */
void ifr_values_rank(const double *values, size_t count, double *rank) {
	struct indexed_value *entries = ifr_alloc((count + 1) * sizeof *entries);
	for (size_t i = 0; i < count; i++)
		entries[i] = (struct indexed_value){values[i], i};
	qsort(entries, count, sizeof *entries, by_value);
	for (size_t i = 0, j; i < count; i = j) {
		for (j = i; j < count && entries[j].value == entries[i].value; j++)
			;
		for (size_t k = i; k < j; k++)
			rank[entries[k].at] = ((double)(i + j) + 1) / 2;
	}
	free(entries);
}
