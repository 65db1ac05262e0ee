/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of all layouts that lie below one layout.
 *
 * Problem: the measured rank of a layout has the noise of its own median in it, and the noise of the others, which
 * spreads them. The interval of a proportion knows neither: at as much noise as layout effect it held the true
 * share in 24 to 95 of 100 experiments.
 *
 * Idea: two errors, each with half of the level. The layout itself lies somewhere in the interval of its median;
 * at either end of that, the others that lie below are counted and give a proportion's interval. Before, the
 * others are drawn towards their mean by the root of their reliability, so that they spread as their effects do. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/components.h"
#include "harness/statistics/distributions.h"

/* Counts the layouts below a limit after drawing each towards the centre. */
static size_t count_below(const struct ifr_share_below *s, const double *effect, double centre, double limit) {
	size_t below = 0;
	for (size_t i = 0; i < s->count; i++)
		below += centre + effect[i] < limit;
	return below;
}

static double *draw_together(const struct ifr_share_below *s, double centre) {
	double *effect = ifr_alloc((s->count + 1) * sizeof *effect);
	for (size_t i = 0; i < s->count; i++)
		effect[i] =
			(s->values[i] - centre) *
			(s->noise_variances[i] > 0 ? sqrt(ifr_reliability(s->between_variance, s->noise_variances[i])) : 1);
	return effect;
}

int ifr_share_below_interval(const struct ifr_share_below *s, double confidence, struct ifr_interval *interval,
                             struct ifr_error *err) {
	const double own[] = {s->value, s->noise_variance, s->between_variance};
	int result = ifr_values_check(own, sizeof own / sizeof *own, 1, err);
	if (!result)
		result = ifr_values_check(s->values, s->count, 1, err);
	if (result)
		return result;
	bool noisy = s->noise_variance > 0;
	double centre, each = noisy ? (1 + confidence) / 2 : confidence;
	ifr_sample_moments(s->values, s->count, &centre, NULL, NULL);
	double *effect = draw_together(s, centre);
	struct ifr_interval at = {s->value, s->value, each}, low, high;
	if (noisy)
		at = ifr_t_interval(s->value, sqrt(s->noise_variance), s->noise_df, each, 1);
	ifr_proportion_interval(count_below(s, effect, centre, at.low), s->count, each, &low, NULL);
	ifr_proportion_interval(count_below(s, effect, centre, at.high), s->count, each, &high, NULL);
	*interval = (struct ifr_interval){low.low, high.high, confidence};
	free(effect);
	return 0;
}
