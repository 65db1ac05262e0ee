/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-way random effects by restricted maximum likelihood, for groups of any sizes. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/statistics.h"

/* What the likelihood depends on. */
struct work {
	size_t groups;
	double *count, *mean;
	double within, values; /* sum of squares within groups; number of values */
};

/* What is left of -2 log L when the mean and the noise are at their best for a share = between / (between +
 * noise): squares is the sum that the noise is estimated from. */
static double deviance(const struct work *w, double share, double *squares) {
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

/* The minimum between low and high. Ref: Kiefer 1953 (golden section). */
static double minimise(const struct work *w, double low, double high) {
	const double golden = (sqrt(5) - 1) / 2;
	double squares;
	for (int i = 0; i < 100 && high - low > 1e-12; i++) {
		double a = high - golden * (high - low), b = low + golden * (high - low);
		if (deviance(w, a, &squares) <= deviance(w, b, &squares))
			high = b;
		else
			low = a;
	}
	return (low + high) / 2;
}

/* The best of a grid, then the minimum about it. */
static double find_share(const struct work *w) {
	enum { STEPS = 200 };
	double squares, best = 0, least = deviance(w, 0, &squares);
	for (int i = 1; i < STEPS; i++) {
		double at = (double)i / STEPS, now = deviance(w, at, &squares);
		if (now < least) {
			least = now;
			best = at;
		}
	}
	double found = minimise(w, fmax(0, best - 1.0 / STEPS), fmin(1 - 1e-12, best + 1.0 / STEPS));
	return deviance(w, 0, &squares) <= deviance(w, found, &squares) ? 0 : found;
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
	deviance(&w, share, &squares);
	*within = squares / (w.values - 1);
	*between = *within * share / (1 - share);
	free(w.count);
	free(w.mean);
}
