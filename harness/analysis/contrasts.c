/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped layout against the median layout; the best and the worst layout against the shipped one. */
#include <math.h>

#include "harness/analysis/steps.h"

/* Variance of a layout's median from the noise of its runs. */
static double noise_variance(const struct ifr_analysis *analysis, const struct ifr_layout *layout) {
	return analysis->components.ms_within * ifr_median_variance(layout->count);
}

static bool noise_is_known(const struct ifr_analysis *analysis) {
	return analysis->has_components && analysis->components.noise_known;
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

static void place_shipped(struct ifr_analysis *analysis) {
	const struct ifr_layout *shipped = analysis->shipped;
	for (size_t i = 0; i < analysis->random_count; i++)
		analysis->faster += analysis->medians[i] < shipped->median;
	analysis->has_faster_share = !ifr_proportion_interval(analysis->faster, analysis->random_count,
	                                                      IFR_REPORT_CONFIDENCE, &analysis->faster_share, NULL);
	if (analysis->random_count == 0)
		return;
	struct ifr_interval difference;
	bool has_interval = noise_is_known(analysis) && analysis->has_centre_interval;
	if (has_interval) {
		struct ifr_interval own = ifr_t_interval(shipped->median, sqrt(noise_variance(analysis, shipped)),
		                                         analysis->components.df_within, IFR_REPORT_CONFIDENCE, 1);
		difference = ifr_difference_interval(shipped->median, own, analysis->centre, analysis->centre_interval);
	}
	analysis->shipped_to_centre =
		in_percent(shipped->median - analysis->centre, has_interval ? &difference : NULL, analysis->centre);
}

/* The best of many is selected by its value, so its interval holds for all layouts simultaneously (Bonferroni). */
static struct ifr_contrast against_shipped(const struct ifr_analysis *analysis, const struct ifr_layout *layout) {
	const struct ifr_layout *shipped = analysis->shipped;
	double difference = layout->median - shipped->median;
	if (!noise_is_known(analysis))
		return in_percent(difference, NULL, shipped->median);
	double se = sqrt(noise_variance(analysis, layout) + noise_variance(analysis, shipped));
	struct ifr_interval interval = ifr_t_interval(difference, se, analysis->components.df_within,
	                                              IFR_REPORT_CONFIDENCE, analysis->random_count);
	return in_percent(difference, &interval, shipped->median);
}

static void predict_pick(const struct ifr_analysis *analysis, struct ifr_pick *pick) {
	const struct ifr_components *c = &analysis->components;
	double noise = noise_variance(analysis, pick->layout);
	struct ifr_shrinkage shrinkage = {
		.measured = pick->layout->median,
		.noise_variance = noise,
		.centre_variance = (c->between_variance + noise) / (double)analysis->random_count,
		.between_variance = c->between_variance,
		.remeasurement_variance = noise,
		.df = c->df_between,
	};
	/* The centre is the mean of the same medians that are shrunk towards it. */
	if (ifr_sample_moments(analysis->medians, analysis->random_count, &shrinkage.centre, NULL, NULL))
		return;
	pick->predicted = !ifr_shrinkage_predict(&shrinkage, IFR_REPORT_CONFIDENCE, &pick->prediction, NULL);
	if (pick->predicted && analysis->shipped)
		pick->again =
			in_percent(pick->prediction.expected - analysis->shipped->median, NULL, analysis->shipped->median);
}

static void describe_pick(const struct ifr_analysis *analysis, struct ifr_pick *pick) {
	if (analysis->shipped)
		pick->to_shipped = against_shipped(analysis, pick->layout);
	if (noise_is_known(analysis))
		predict_pick(analysis, pick);
}

void ifr_contrasts_find(struct ifr_analysis *analysis) {
	for (size_t i = 0; i < analysis->layout_count; i++) {
		if (&analysis->layouts[i] == analysis->shipped)
			continue;
		if (!analysis->best.layout)
			analysis->best.layout = &analysis->layouts[i];
		analysis->worst.layout = &analysis->layouts[i];
	}
	if (analysis->shipped)
		place_shipped(analysis);
	if (analysis->best.layout) {
		describe_pick(analysis, &analysis->best);
		describe_pick(analysis, &analysis->worst);
	}
}
