/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/curve.h"

#include <math.h>

#include "harness/statistics/statistics.h"

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

bool probe_curve_edge(const struct probe_point *points, size_t first, size_t last, double level, size_t *edge) {
	size_t below = first;
	while (below <= last && points[below].y.told && points[below].y.high < level)
		below++;
	if (below < first + SIDE_LEAST || last + 1 < below + SIDE_LEAST)
		return false;
	for (size_t i = below; i <= last; i++)
		if (!points[i].y.told || points[i].y.low <= level)
			return false;
	*edge = below - 1;
	return true;
}

double probe_curve_level(const struct probe_point *points, size_t first, size_t count, double above, double part) {
	double sum = 0;
	for (size_t i = first; i < first + count; i++)
		sum += points[i].y.value;
	return sum / (double)count * (1 + part) + above;
}

bool probe_estimate_whole(const struct probe_estimate *estimate, double widest, double *whole) {
	*whole = round(estimate->value);
	return estimate->told && estimate->high - estimate->low < widest && estimate->low > *whole - 0.5 &&
	       estimate->high < *whole + 0.5;
}
