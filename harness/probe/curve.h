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

/* Values between these are neither inside a flat part nor behind it. */
struct probe_border {
	double inside, outside;
};

/* Widens an interval to hold another. */
void probe_widen(struct probe_estimate *all, const struct probe_estimate *other);

/* Replaces each point by the middle one of it and its neighbours: a lone point that is far off goes, an edge stays. */
void probe_curve_smooth(struct probe_point *points, size_t count);

/* A flat part ends between two neighbouring points: all points before are surely inside, all points behind, up to `last`,
 * surely outside. Stores the last point of the flat part. Returns false where an interval reaches a border, a point is on
 * the wrong side, or either side has fewer than two points: a slope has no edge. */
bool probe_curve_edge(const struct probe_point *points, size_t last, struct probe_border border, size_t *edge);

/* Behind the flat part of a level begins a slope to the next one's. A level's size is where a point, at x, has half of
 * what the one at 2 x has more than the flat part: that lies in the next level, which needs no flat part of its own. It
 * lies between the points `below` and `above`, one or two apart: `below` is surely under the half, `above` and the point
 * behind it surely over. The flat part is the middle one of the first three points, so that a lone disturbed one changes
 * nothing. octave: points from x to 2 x. Returns false where that is not so, where the slope
 * behind does not become flatter (from 1.5 x to 2 x it rises less than from x to 1.5 x), or where the next level takes
 * less than twice as long. */
bool probe_curve_middle(const struct probe_point *points, size_t count, size_t octave, size_t *below,
                        size_t *above);

/* Of the points from x on: whether all are surely inside (1), all surely outside (0), or neither (-1). */
int probe_curve_side(const struct probe_point *points, size_t count, double x, struct probe_border border);

/* A border above the mean of the curve's first points: parts of it, 1.2 for a fifth more. */
struct probe_border probe_curve_border(const struct probe_point *points, size_t count, double inside,
                                       double outside);

/* Whole numbers: told if the whole interval is near one, and narrower than `widest`. */
bool probe_estimate_whole(const struct probe_estimate *estimate, double widest, double *whole);

#endif
