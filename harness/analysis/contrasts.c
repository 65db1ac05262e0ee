/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped layout against the median layout; the best and the worst layout against the shipped one. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
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

/* The noise of the layout before: the variance of a median takes an integration, and most layouts have the same number of
 * runs. */
struct last_noise {
	size_t runs;
	double variance;
};

static double recall_noise(const struct ifr_analysis *analysis, const struct ifr_layout *layout,
                           struct last_noise *last) {
	if (layout->count != last->runs)
		*last = (struct last_noise){layout->count, noise_variance(analysis, layout)};
	return last->variance;
}

static void fill_noise(const struct ifr_analysis *analysis, double *values, double *noise) {
	struct last_noise last = {0};
	size_t at = 0;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout == analysis->shipped)
			continue;
		values[at] = layout->median;
		noise[at++] = recall_noise(analysis, layout, &last);
	}
}

/* The share of faster layouts is known where the noise is, or where there is none (from the model). */
static void find_faster_share(struct ifr_analysis *analysis) {
	bool noisy = noise_is_known(analysis) && analysis->components.ms_within > 0;
	if (!analysis->exact && !noise_is_known(analysis))
		return;
	double *values = ifr_alloc(2 * (analysis->random_count + 1) * sizeof *values),
		   *noise = values + analysis->random_count;
	struct ifr_share_below share = {.value = analysis->shipped->median,
	                                .values = values,
	                                .noise_variances = noise,
	                                .count = analysis->random_count,
	                                .between_variance = analysis->components.between_variance};
	fill_noise(analysis, values, noise);
	if (noisy) {
		share.noise_variance = noise_variance(analysis, analysis->shipped);
		share.noise_df = analysis->components.df_within;
	}
	analysis->has_faster_share =
		!ifr_share_below_interval(&share, IFR_REPORT_CONFIDENCE, &analysis->faster_share, NULL);
	free(values);
}

static void place_shipped(struct ifr_analysis *analysis) {
	const struct ifr_layout *shipped = analysis->shipped;
	for (size_t i = 0; i < analysis->random_count; i++)
		analysis->faster += analysis->medians[i] < shipped->median;
	find_faster_share(analysis);
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

/* The interval has the error of the layout's prediction, and the noise of the shipped one's median. */
static struct ifr_contrast predict_gain(const struct ifr_analysis *analysis, const struct ifr_shrinkage *s,
                                        const struct ifr_prediction *prediction) {
	const struct ifr_layout *shipped = analysis->shipped;
	double lost = 1 - prediction->reliability, difference = prediction->expected - shipped->median;
	double variance =
		s->between_variance * lost + lost * lost * s->centre_variance + noise_variance(analysis, shipped);
	struct ifr_interval interval = ifr_t_interval(difference, sqrt(variance), s->df, IFR_REPORT_CONFIDENCE, 1);
	return in_percent(difference, &interval, shipped->median);
}

/* A value that stands out is no draw from the distribution of the others: it tells nothing of their variance, and theirs
 * nothing of it. */
static void describe_others(struct ifr_analysis *analysis) {
	struct ifr_group *groups = ifr_alloc((analysis->layout_count + 1) * sizeof *groups);
	size_t count = 0;
	analysis->others = analysis->components;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout != analysis->shipped && !ifr_sweep_spike_of(analysis, layout))
			groups[count++] = (struct ifr_group){layout->winsorised, layout->count};
	}
	if (count < analysis->random_count)
		ifr_components_estimate(groups, count, IFR_REPORT_CONFIDENCE, &analysis->others, NULL);
	free(groups);
}

/* The mean of the medians of the others; false without any. */
static bool find_centre(const struct ifr_analysis *analysis, double *centre) {
	double sum = 0;
	size_t count = 0;
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (&analysis->layouts[i] != analysis->shipped && !ifr_sweep_spike_of(analysis, &analysis->layouts[i])) {
			sum += analysis->layouts[i].median;
			count++;
		}
	*centre = count ? sum / (double)count : NAN;
	return count;
}

static void predict_pick(const struct ifr_analysis *analysis, struct ifr_pick *pick) {
	const struct ifr_components *c = &analysis->others;
	double noise = noise_variance(analysis, pick->layout);
	struct ifr_shrinkage shrinkage = {
		.measured = pick->layout->median,
		.noise_variance = noise,
		.centre_variance = (c->between_variance + noise) / (double)c->groups,
		.between_variance = c->between_variance,
		.remeasurement_variance = noise,
		.df = c->df_between,
	};
	/* The centre is the mean of the same medians that are shrunk towards it. */
	if (!find_centre(analysis, &shrinkage.centre))
		return;
	pick->predicted = !ifr_shrinkage_predict(&shrinkage, IFR_REPORT_CONFIDENCE, &pick->prediction, NULL);
	if (pick->predicted && analysis->shipped)
		pick->again = predict_gain(analysis, &shrinkage, &pick->prediction);
}

static void describe_pick(const struct ifr_analysis *analysis, struct ifr_pick *pick) {
	if (analysis->shipped)
		pick->to_shipped = against_shipped(analysis, pick->layout);
	pick->spike = ifr_sweep_spike_of(analysis, pick->layout);
	if (noise_is_known(analysis) && !pick->spike)
		predict_pick(analysis, pick);
}

/* Every layout is shrunk by its own noise: the highest median of one run says less than one of five. A value that stands
 * out keeps its place. */
static double expect_range(const struct ifr_analysis *analysis) {
	double low = HUGE_VAL, high = -HUGE_VAL, centre;
	struct last_noise last = {0};
	find_centre(analysis, &centre);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout == analysis->shipped)
			continue;
		const double noise = recall_noise(analysis, layout, &last);
		const double kept =
			ifr_sweep_spike_of(analysis, layout) ? 1 : ifr_reliability(analysis->others.between_variance, noise);
		const double expected = kept < 1 ? centre + kept * (layout->median - centre) : layout->median;
		low = fmin(low, expected);
		high = fmax(high, expected);
	}
	return low > 0 ? 100 * (high - low) / low : 0;
}

static void find_range(struct ifr_analysis *analysis) {
	const double *medians = analysis->medians;
	const size_t count = analysis->random_count;
	analysis->range_pct = count && medians[0] > 0 ? 100 * (medians[count - 1] - medians[0]) / medians[0] : 0;
	analysis->expected_range_pct =
		count > 1 && noise_is_known(analysis) ? expect_range(analysis) : analysis->range_pct;
}

void ifr_contrasts_find(struct ifr_analysis *analysis) {
	describe_others(analysis);
	find_range(analysis);
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
