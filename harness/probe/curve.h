/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inference from measured curves: where a flat part ends. Pure functions, for any source of values. */
#ifndef IFR_HARNESS_PROBE_CURVE_H
#define IFR_HARNESS_PROBE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

struct probe_estimate { /* with its interval; all 0 and not told without enough values */
	double value, low, high;
	bool told;
};

/* The median of values, with its distribution-free interval of 99 %. Not told with fewer than 5 values. */
struct probe_estimate probe_estimate_median(const double *values, size_t count);

struct probe_point {
	double x; /* size, count */
	struct probe_estimate y;
};

/* A flat part ends between two neighbouring points: all points from `first` to it are surely below `level`, and all
 * points behind it, up to `last`, surely above. Stores the last point of the flat part. Returns false where an interval
 * includes the level, a point is on the wrong side, or either side has fewer than two points. */
bool probe_curve_edge(const struct probe_point *points, size_t first, size_t last, double level, size_t *edge);

/* A level between the flat part at the curve's begin and what follows: a part above the median of its first points. */
double probe_curve_level(const struct probe_point *points, size_t first, size_t count, double above, double part);

/* Whole numbers: told if the interval includes exactly one and is narrower than `widest`. */
bool probe_estimate_whole(const struct probe_estimate *estimate, double widest, double *whole);

#endif
