/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the shipped layout stands, and what the best and the worst are worth. */
#include <math.h>

#include "harness/analysis/analysis_result.h"

/* Variance of a layout's median that comes from its runs. */
static double noise_variance(const struct ifr_analysis *report, const struct ifr_layout *layout) {
	return report->components.ms_within * ifr_median_variance(layout->count);
}

static bool noise_is_known(const struct ifr_analysis *report) {
	return report->has_components && report->components.noise_known;
}

/* Turns a difference and its interval, both in the metric's unit, into percent of a base. */
static struct ifr_contrast in_percent(double difference, const struct ifr_interval *interval, double base) {
	struct ifr_contrast contrast = {0};
	if (!(base > 0))
		return contrast;
	contrast.known = true;
	contrast.difference_pct = 100 * difference / base;
	if (interval) {
		contrast.has_interval = true;
		contrast.interval_pct =
			(struct ifr_interval){100 * interval->low / base, 100 * interval->high / base, interval->confidence};
	}
	return contrast;
}

static void place_shipped(struct ifr_analysis *report) {
	const struct ifr_layout *shipped = report->shipped;
	for (size_t i = 0; i < report->random_count; i++)
		report->faster += report->medians[i] < shipped->median;
	report->has_share = !ifr_proportion_interval(report->faster, report->random_count, IFR_REPORT_CONFIDENCE,
	                                             &report->share, NULL);
	if (report->random_count == 0)
		return;
	struct ifr_interval difference;
	bool has_interval = noise_is_known(report) && report->has_centre_interval;
	if (has_interval) {
		struct ifr_interval own = ifr_t_interval(shipped->median, sqrt(noise_variance(report, shipped)),
		                                         report->components.df_within, IFR_REPORT_CONFIDENCE, 1);
		difference = ifr_difference_interval(shipped->median, own, report->centre, report->centre_interval);
	}
	report->shipped_to_centre =
		in_percent(shipped->median - report->centre, has_interval ? &difference : NULL, report->centre);
}

/* The best of many was chosen by looking: its interval has to hold for all of them at once. */
static struct ifr_contrast against_shipped(const struct ifr_analysis *report, const struct ifr_layout *layout) {
	const struct ifr_layout *shipped = report->shipped;
	double difference = layout->median - shipped->median;
	if (!noise_is_known(report))
		return in_percent(difference, NULL, shipped->median);
	double se = sqrt(noise_variance(report, layout) + noise_variance(report, shipped));
	struct ifr_interval interval =
		ifr_t_interval(difference, se, report->components.df_within, IFR_REPORT_CONFIDENCE, report->random_count);
	return in_percent(difference, &interval, shipped->median);
}

static void predict(const struct ifr_analysis *report, struct ifr_pick *pick) {
	const struct ifr_components *c = &report->components;
	double noise = noise_variance(report, pick->layout);
	struct ifr_shrinkage shrinkage = {
		.measured = pick->layout->median,
		.noise_variance = noise,
		.centre_variance = (c->between_variance + noise) / (double)report->random_count,
		.between_variance = c->between_variance,
		.remeasurement_variance = noise,
		.df = c->df_between,
	};
	/* The centre is the mean of the same medians that are shrunk towards it. */
	if (ifr_sample_moments(report->medians, report->random_count, &shrinkage.centre, NULL, NULL))
		return;
	pick->predicted = !ifr_shrinkage_predict(&shrinkage, IFR_REPORT_CONFIDENCE, &pick->prediction, NULL);
	if (pick->predicted && report->shipped)
		pick->again =
			in_percent(pick->prediction.expected - report->shipped->median, NULL, report->shipped->median);
}

static void describe(const struct ifr_analysis *report, struct ifr_pick *pick) {
	if (report->shipped)
		pick->to_shipped = against_shipped(report, pick->layout);
	if (noise_is_known(report))
		predict(report, pick);
}

void ifr_contrasts_find(struct ifr_analysis *report) {
	for (size_t i = 0; i < report->layout_count; i++) {
		if (&report->layouts[i] == report->shipped)
			continue;
		if (!report->best.layout)
			report->best.layout = &report->layouts[i];
		report->worst.layout = &report->layouts[i];
	}
	if (report->shipped)
		place_shipped(report);
	if (report->best.layout) {
		describe(report, &report->best);
		describe(report, &report->worst);
	}
}
