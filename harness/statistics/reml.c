/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-way random effects by restricted maximum likelihood, for groups of any sizes.
 *
 * Idea: for a given share = between / (between + noise), the best mean and the best noise have closed forms. The
 * likelihood that remains depends on the share alone; a grid brackets its global minimum, golden section refines
 * it. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/components.h"

/* The sufficient statistics. */
struct work {
	size_t groups;
	double *count, *mean;
	double within, values; /* sum of squares within groups; number of values */
};

/* -2 log L at the best mean and noise for the share, up to a constant; squares gets the sum of squares from which
 * the noise is estimated. */
static double profile_deviance(const struct work *w, double share, double *squares) {
	double ratio = share / (1 - share), total = 0, sum = 0, logs = 0;
	for (size_t i = 0; i < w->groups; i++) {
		double weight = w->count[i] / (1 + w->count[i] * ratio);
		total += weight;
		sum += weight * w->mean[i];
		logs += log1p(w->count[i] * ratio);
	}
	*squares = w->within;
	for (size_t i = 0; i < w->groups; i++) {
		double off = w->mean[i] - sum / total;
		*squares += w->count[i] / (1 + w->count[i] * ratio) * off * off;
	}
	return (w->values - 1) * log(*squares) + logs + log(total);
}

/* The minimum of the deviance between low and high. Ref: Kiefer 1953 (golden section). */
static double minimise_deviance(const struct work *w, double low, double high) {
	const double golden = (sqrt(5) - 1) / 2;
	double squares;
	for (int i = 0; i < 100 && high - low > 1e-12; i++) {
		double a = high - golden * (high - low), b = low + golden * (high - low);
		if (profile_deviance(w, a, &squares) <= profile_deviance(w, b, &squares))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

/* The best point of a grid, then the minimum about it; 0 where the boundary is no worse. */
static double find_share(const struct work *w) {
	enum { STEPS = 200 };
	double squares, best = 0, least = profile_deviance(w, 0, &squares);
	for (int i = 1; i < STEPS; i++) {
		double at = (double)i / STEPS, now = profile_deviance(w, at, &squares);
		if (now < least) {
			least = now;
			best = at;
		}
	}
	double found = minimise_deviance(w, fmax(0, best - 1.0 / STEPS), fmin(1 - 1e-12, best + 1.0 / STEPS));
	return profile_deviance(w, 0, &squares) <= profile_deviance(w, found, &squares) ? 0 : found;
}

void ifr_reml_estimate(const struct ifr_group *groups, size_t count, double *between, double *within) {
	struct work w = {.count = ifr_alloc((count + 1) * sizeof *w.count),
	                 .mean = ifr_alloc((count + 1) * sizeof *w.mean)};
	for (size_t i = 0; i < count; i++) {
		if (!groups[i].count)
			continue;
		w.mean[w.groups] = gsl_stats_mean(groups[i].values, 1, groups[i].count);
		w.within += gsl_stats_tss_m(groups[i].values, 1, groups[i].count, w.mean[w.groups]);
		w.count[w.groups++] = (double)groups[i].count;
		w.values += (double)groups[i].count;
	}
	double squares, share = find_share(&w);
	profile_deviance(&w, share, &squares);
	*within = squares / (w.values - 1);
	*between = *within * share / (1 - share);
	free(w.count);
	free(w.mean);
}
