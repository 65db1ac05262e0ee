/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts far from all others. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/sample.h"

enum { SHAPE_FROM = 8, UNMET = 3 };
/* far: robust standard deviations off the median. */
static const double far = 4, kurtosis_most = 1;

static size_t count_outlying(const double *values, size_t count) {
	double median, typical, *off = ifr_alloc(count * sizeof *off);
	size_t outlying = 0;
	ifr_sample_median(values, count, &median, NULL);
	for (size_t i = 0; i < count; i++)
		off[i] = fabs(values[i] - median);
	ifr_sample_median(off, count, &typical, NULL);
	for (size_t i = 0; i < count; i++)
		outlying += off[i] > far * IFR_SD_PER_MAD * typical;
	free(off);
	return outlying;
}

struct ifr_tails ifr_sample_tails(const double *values, size_t count) {
	struct ifr_tails tails = {.unmet_share = count > UNMET ? UNMET / (double)count : 1};
	double skewness;
	if (count < SHAPE_FROM)
		return tails;
	ifr_sample_shape(values, count, &skewness, &tails.kurtosis);
	tails.outlying = count_outlying(values, count);
	tails.found = tails.outlying && tails.kurtosis > kurtosis_most;
	return tails;
}
