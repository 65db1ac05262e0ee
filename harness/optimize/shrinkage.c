/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/shrinkage.h"

#include <math.h>

enum { LAYOUTS_LEAST = 3 };
static const double normal_95 = 1.959964;

/* The distribution of random layouts' times. */
struct prior {
	double mean, between, uncertainty; /* variances: of the layouts beyond noise, and of the mean */
	size_t layouts;
};

static bool counts(const struct trial *trial) {
	return !trial_is_shipped(trial) && isfinite(trial->time) && isfinite(trial->noise);
}

/* The mean is relative to the shipped layout, whose own noise it has. */
static struct prior make_prior(const struct trial *trials, size_t count) {
	struct prior prior = {0};
	double squares = 0, noise = 0, noise_of_shipped = 0;
	for (size_t i = 0; i < count; i++) {
		if (trial_is_shipped(&trials[i]) && isfinite(trials[i].noise))
			noise_of_shipped = trials[i].noise;
		if (!counts(&trials[i]))
			continue;
		prior.mean += trials[i].time;
		noise += trials[i].noise;
		prior.layouts++;
	}
	if (prior.layouts < LAYOUTS_LEAST)
		return prior;
	const double layouts = (double)prior.layouts;
	prior.mean /= layouts;
	for (size_t i = 0; i < count; i++)
		if (counts(&trials[i]))
			squares += pow(trials[i].time - prior.mean, 2);
	const double total = squares / (layouts - 1);
	prior.between = fmax(0, total - noise / layouts);
	prior.uncertainty = total / layouts + noise_of_shipped;
	return prior;
}

static double se_of(struct ifr_interval interval) {
	return log(interval.high / interval.low) / (2 * normal_95);
}

struct ifr_shrunk_gain shrink_gain(const struct trial *trials, size_t count, double ratio,
                                   struct ifr_interval interval) {
	const struct prior prior = make_prior(trials, count);
	const double se = se_of(interval);
	/* A mean that is not known well draws less. */
	const struct ifr_shrinkage shrinkage = {.measured = log(ratio),
	                                        .noise_variance = se * se,
	                                        .centre = prior.mean,
	                                        .between_variance = prior.between + prior.uncertainty,
	                                        .df = (double)prior.layouts - 1};
	struct ifr_prediction prediction;
	if (prior.layouts < LAYOUTS_LEAST || !isfinite(se) ||
	    ifr_shrinkage_predict(&shrinkage, interval.confidence, &prediction, NULL))
		return (struct ifr_shrunk_gain){.known = false};
	return (struct ifr_shrunk_gain){
		.known = true,
		.ratio = exp(prediction.expected),
		.interval = {exp(prediction.again.low), exp(prediction.again.high), interval.confidence},
		.kept = prediction.reliability,
		.centre = exp(prior.mean),
		.spread = sqrt(prior.between),
		.layouts = prior.layouts};
}

/* The mean of two independent ratios by the inverse of their variances. */
static void pool(double *ratio, struct ifr_interval *interval, double other, struct ifr_interval of_other) {
	const double variance = pow(se_of(*interval), 2), variance_of_other = pow(se_of(of_other), 2),
				 both = variance + variance_of_other;
	if (!isfinite(both) || both <= 0)
		return;
	const double mean = (log(*ratio) * variance_of_other + log(other) * variance) / both,
				 se = sqrt(variance * variance_of_other / both);
	*ratio = exp(mean);
	interval->low = exp(mean - normal_95 * se);
	interval->high = exp(mean + normal_95 * se);
}

void search_shrink_gain(struct search *search) {
	struct ifr_optimum *optimum = search->optimum;
	double ratio = optimum->ratio;
	struct ifr_interval interval = optimum->interval;
	if (optimum->again_tried && !optimum->again.skipped)
		pool(&ratio, &interval, optimum->again.ratio, optimum->again.interval);
	optimum->shrunk = shrink_gain(search->trials, search->learned, ratio, interval);
}
