/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/window_curve.h"

#include <math.h>

void probe_curve_add(struct probe_window_curve *curve, double x, struct probe_windows windows) {
	curve->points[curve->count].x = x;
	curve->windows[curve->count++] = windows;
}

static double count_instructions(const struct probe_kernel *kernel) {
	double count = 0;
	for (size_t i = 0; i < kernel->blocks_count; i++)
		count += kernel->geometry[i].instructions;
	return count / (double)kernel->elements;
}

bool probe_curve_measure(struct probe_clocked *probe, struct probe_window_curve *curve, const char *const *keys,
                         const char *title, const char *x_label) {
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = 0; i < curve->count; i++) {
		struct probe_kernel *kernel = probe_batch_add(&batch);
		probe_windows(kernel, &curve->windows[i]);
		curve->instructions[i] = count_instructions(kernel);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys);
	for (size_t i = 0; measured && i < curve->count; i++)
		curve->points[i].y = probe_batch_cycles(&batch, i + 1, 0);
	probe_batch_release(&batch);
	if (measured && title)
		probe_clocked_keep(probe, IFR_PROBE_FRONT, title, x_label, curve->points, curve->count);
	return measured;
}

/* The mean difference of points so far apart. */
static double compare_apart(const struct probe_window_curve *curve, size_t apart) {
	double sum = 0;
	for (size_t i = 0; i + apart < curve->count; i++)
		sum += fabs(curve->points[i].y.value - curve->points[i + apart].y.value);
	return sum / (double)(curve->count - apart);
}

/* The mean difference of points from their mean, and their range; all 0 if some are not told. */
static double find_spread(const struct probe_window_curve *curve, double *least, double *most) {
	double sum = 0, spread = 0;
	*least = *most = curve->points[0].y.value;
	for (size_t i = 0; i < curve->count; i++) {
		const struct probe_estimate *y = &curve->points[i].y;
		if (!y->told)
			return *least = *most = 0;
		*least = y->value < *least ? y->value : *least;
		*most = y->value > *most ? y->value : *most;
		sum += y->value;
	}
	for (size_t i = 0; i < curve->count; i++)
		spread += fabs(curve->points[i].y.value - sum / (double)curve->count);
	return spread / (double)curve->count;
}

size_t probe_curve_find_period(const struct probe_window_curve *curve, double *least, double *most) {
	const double spread = find_spread(curve, least, most);
	if (!(*most > 1.05 * *least))
		return 0;
	/* Not one step: neighbours are alike on any smooth curve. */
	double half = compare_apart(curve, 1);
	for (size_t period = 2; period <= curve->count / 2; period *= 2) {
		const double difference = compare_apart(curve, period);
		if (difference < spread / 3 && difference < half / 2)
			return period;
		half = difference;
	}
	return 0;
}
