/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A curve over loops of windows of code. */
#ifndef IFR_HARNESS_PROBE_WINDOW_CURVE_H
#define IFR_HARNESS_PROBE_WINDOW_CURVE_H

#include "harness/probe/clocked.h"
#include "harness/probe/kernels.h"

/* Bytes of a window, windows of a loop, bytes of two windows, points of a curve. */
enum { PROBE_WINDOW = 64, PROBE_LOOP_WINDOWS = 16, PROBE_SPARSE = 2 * PROBE_WINDOW, PROBE_CURVE_POINTS = 120 };

struct probe_window_curve {
	struct probe_point points[PROBE_CURVE_POINTS];
	struct probe_windows windows[PROBE_CURVE_POINTS];
	double instructions[PROBE_CURVE_POINTS]; /* of a window */
	size_t count;
};

void probe_curve_add(struct probe_window_curve *curve, double x, struct probe_windows windows);
/* Measures all points: cycles of a window. title: of the plot; NULL: none. Returns false where nothing is told of the
 * keys. */
bool probe_curve_measure(struct probe_clocked *probe, struct probe_window_curve *curve, const char *const *keys,
                         const char *title, const char *x_label);
/* The smallest period of the points, in steps, a power of two: so far apart they differ by less than a third of their
 * spread, and by twice as much at half of it. 0: none, or their range is less than a twentieth. Stores the range. */
size_t probe_curve_find_period(const struct probe_window_curve *curve, double *least, double *most);

void probe_clocked_jumps(struct probe_clocked *probe);  /* clocked_jumps.c */
void probe_clocked_groups(struct probe_clocked *probe); /* clocked_groups.c */

#endif
