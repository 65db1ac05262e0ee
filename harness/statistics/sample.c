/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sample: quantiles, moments, the interval of a median. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/sample.h"

int ifr_sample_quantile(const double *values, size_t count, double p, double *quantile, struct ifr_error *err) {
	int result = ifr_values_check(values, count, 1, err);
	if (result)
		return result;
	if (!(p >= 0 && p <= 1))
		return ifr_fail(err, IFR_E_USAGE, "a quantile lies between 0 and 1");
	double *sorted = ifr_values_sorted(values, count);
	*quantile = gsl_stats_quantile_from_sorted_data(sorted, 1, count, p);
	free(sorted);
	return 0;
}

int ifr_sample_median(const double *values, size_t count, double *median, struct ifr_error *err) {
	int result = ifr_values_check(values, count, 1, err);
	if (result)
		return result;
	/* Selection, not sorting: experiments have millions of values. */
	double *copy = ifr_alloc(count * sizeof *copy);
	memcpy(copy, values, count * sizeof *copy);
	*median = gsl_stats_median(copy, 1, count);
	free(copy);
	return 0;
}

int ifr_sample_moments(const double *values, size_t count, double *mean, double *sd, struct ifr_error *err) {
	int result = ifr_values_check(values, count, sd ? 2 : 1, err);
	if (result)
		return result;
	*mean = gsl_stats_mean(values, 1, count);
	if (sd)
		*sd = gsl_stats_sd_m(values, 1, count, *mean);
	return 0;
}
