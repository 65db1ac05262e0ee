/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/curve.h"

#include <math.h>

#include "harness/statistics/statistics.h"

#define NEAR 0.35
enum { VALUES_LEAST = 5, SIDE_LEAST = 2 };

struct probe_estimate probe_estimate_median(const double *values, size_t count) {
	struct probe_estimate estimate = {0};
	struct ifr_interval interval;
	if (count < VALUES_LEAST || ifr_sample_median(values, count, &estimate.value, NULL) ||
	    ifr_median_interval(values, count, 0.99, &interval, NULL))
		return (struct probe_estimate){0};
	estimate.low = interval.low;
	estimate.high = interval.high;
	estimate.told = true;
	return estimate;
}

bool probe_curve_edge(const struct probe_point *points, size_t last, struct probe_border border, size_t *edge) {
	size_t inside = 0;
	while (inside <= last && points[inside].y.told && points[inside].y.high < border.inside)
		inside++;
	if (inside < SIDE_LEAST || last + 1 < inside + SIDE_LEAST)
		return false;
	for (size_t i = inside; i <= last; i++)
		if (!points[i].y.told || points[i].y.low <= border.outside)
			return false;
	*edge = inside - 1;
	return true;
}

struct probe_border probe_curve_border(const struct probe_point *points, size_t count, double inside,
                                       double outside) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += points[i].y.value;
	return (struct probe_border){sum / (double)count * inside, sum / (double)count * outside};
}

bool probe_estimate_whole(const struct probe_estimate *estimate, double widest, double *whole) {
	*whole = round(estimate->value);
	return estimate->told && estimate->high - estimate->low < widest && estimate->low > *whole - NEAR &&
	       estimate->high < *whole + NEAR;
}
