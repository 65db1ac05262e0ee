/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/report/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The step between two numbers that the runs can just about tell apart. */
static double resolution(const struct ifr_analysis *report) {
	double range = report->layouts[report->layout_count - 1].median - report->layouts[0].median;
	if (report->has_components && report->components.testable)
		return sqrt(report->components.ms_within * ifr_median_variance(report->layouts[0].count));
	return range > 0 ? range / 100 : fabs(report->centre) / 1000;
}

struct ifr_scale ifr_scale_choose(const struct ifr_analysis *report) {
	const char *unit = report->metric->unit;
	bool time = !strcmp(unit, "ns"), size = !strcmp(unit, "bytes");
	const struct step *step = choose_step(time ? times : size ? sizes : counts, report->centre);
	struct ifr_scale scale = {.divisor = step->divisor};
	snprintf(scale.unit, sizeof scale.unit, "%s%s%s", step->name,
	         *step->name && *unit && !time && !size ? " " : "", time || size ? "" : unit);
	double value = fabs(report->centre) / step->divisor, fine = resolution(report) / step->divisor;
	int before = value >= 1 ? (int)floor(log10(value)) + 1 : 1;
	int wanted = fine > 0 ? (int)ceil(-log10(fine)) : DIGITS_MIN;
	wanted = wanted < DIGITS_MIN - before ? DIGITS_MIN - before : wanted;
	wanted = wanted > DIGITS_MAX - before ? DIGITS_MAX - before : wanted;
	bool whole = step->divisor == 1 && !time; /* counts that are small are whole numbers, or halves of them */
	scale.decimals = wanted < 0 ? 0 : whole && wanted > 1 ? 1 : wanted;
	return scale;
}

void ifr_format_number(struct ifr_buffer *out, const struct ifr_scale *scale, double value) {
	ifr_buffer_printf(out, "%.*f", scale->decimals, value / scale->divisor);
}

void ifr_format_value(struct ifr_buffer *out, const struct ifr_scale *scale, double value) {
	ifr_format_number(out, scale, value);
	ifr_buffer_printf(out, "%s%s", *scale->unit ? " " : "", scale->unit);
}

void ifr_format_range(struct ifr_buffer *out, const struct ifr_scale *scale, double low, double high) {
	ifr_format_number(out, scale, low);
	ifr_buffer_puts(out, " to ");
	ifr_format_value(out, scale, high);
}

static int pct_decimals(double size) {
	return size >= 9.95 ? 0 : size >= 0.995 ? 1 : 2;
}

void ifr_format_pct(struct ifr_buffer *out, double pct) {
	double size = fabs(pct);
	if (size > 0 && size < 0.005)
		ifr_buffer_puts(out, "under 0.01 %");
	else if (size == 0)
		ifr_buffer_puts(out, "0 %");
	else
		ifr_buffer_printf(out, "%.*f %%", pct_decimals(size), size);
}

void ifr_format_signed_pct(struct ifr_buffer *out, double pct) {
	double size = fabs(pct);
	if (size < 0.005)
		ifr_buffer_puts(out, "0 %");
	else
		ifr_buffer_printf(out, "%+.*f %%", pct_decimals(size), pct);
}

void ifr_format_p(struct ifr_buffer *out, double p) {
	if (p < 0.001)
		ifr_buffer_puts(out, "p < 0.001");
	else
		ifr_buffer_printf(out, "p = %.*f", p < 0.1 ? 3 : 2, p);
}

bool ifr_metric_is_time(const struct ifr_analysis *report) {
	return !strcmp(report->metric->unit, "ns") || !strcmp(report->metric->unit, "cycles") ||
	       !strcmp(report->metric->name, "cycles");
}
