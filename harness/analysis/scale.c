/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unit in which the metric is printed, with no more digits than the runs support. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

struct step {
	double divisor;
	const char *name;
};
static const struct step times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
static const struct step sizes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "bytes"}};
static const struct step counts[] = {{1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}, {1, ""}};
enum { STEPS = 4, DIGITS_MIN = 3, DIGITS_MAX = 6 };

static const struct step *choose_step(const struct step *steps, double value) {
	for (int i = 0; i < STEPS - 1; i++)
		if (fabs(value) >= steps[i].divisor)
			return &steps[i];
	return &steps[STEPS - 1];
}

/* The smallest difference between layouts that their runs can resolve. */
static double resolution(const struct ifr_analysis *analysis) {
	double range = analysis->layouts[analysis->layout_count - 1].median - analysis->layouts[0].median;
	if (analysis->has_components && analysis->components.testable)
		return sqrt(analysis->components.ms_within * ifr_median_variance(analysis->layouts[0].count));
	return range > 0 ? range / 100 : fabs(analysis->centre) / 1000;
}

struct ifr_scale ifr_scale_of(const struct ifr_dataset_counter *counter, double value) {
	const char *unit = counter->unit;
	const bool time = !strcmp(unit, "ns"), size = !strcmp(unit, "bytes");
	const struct step *step = choose_step(time ? times : size ? sizes : counts, value);
	struct ifr_scale scale = {.divisor = step->divisor};
	snprintf(scale.unit, sizeof scale.unit, "%s%s%s", step->name,
	         *step->name && *unit && !time && !size ? " " : "", time || size ? "" : unit);
	return scale;
}

void ifr_scale_choose(struct ifr_analysis *analysis) {
	struct ifr_scale scale = ifr_scale_of(analysis->metric, analysis->centre);
	double value = fabs(analysis->centre) / scale.divisor, fine = resolution(analysis) / scale.divisor;
	int before = value >= 1 ? (int)floor(log10(value)) + 1 : 1;
	int wanted = fine > 0 ? (int)ceil(-log10(fine)) : DIGITS_MIN;
	wanted = wanted < DIGITS_MIN - before ? DIGITS_MIN - before : wanted;
	wanted = wanted > DIGITS_MAX - before ? DIGITS_MAX - before : wanted;
	/* Counts that are small are whole numbers, or halves of them; figures of programs may be any. */
	bool whole = scale.divisor == 1 && strcmp(analysis->metric->unit, "ns") != 0 &&
	             !ifr_counter_is_figure(analysis->metric);
	scale.decimals = wanted < 0 ? 0 : whole && wanted > 1 ? 1 : wanted;
	analysis->scale = scale;
}
