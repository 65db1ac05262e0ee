/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pearson's and Spearman's correlation. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"

enum { EXACT_MOST = 9 };

/* Stores r with its p by t and the interval by Fisher's z, whose variance times count - 3 is given. */
static void fill_correlation(double r, size_t count, double variance, double confidence,
                             struct ifr_correlation *c) {
	double n = (double)count, df = n - 2;
	/* The last digits of a sum of rounded products may be off. */
	c->r = 1 - fabs(r) < 1e-14 ? copysign(1, r) : r;
	c->p = fabs(c->r) < 1 ? 2 * gsl_cdf_tdist_Q(fabs(c->r) * sqrt(df / (1 - c->r * c->r)), df) : 0;
	c->interval = (struct ifr_interval){-1, 1, confidence};
	if (count < 4)
		return;
	double half = gsl_cdf_ugaussian_Pinv(1 - (1 - confidence) / 2) * sqrt(variance / (n - 3));
	double z = fabs(c->r) < 1 ? atanh(c->r) : copysign(INFINITY, c->r);
	c->interval.low = tanh(z - half);
	c->interval.high = tanh(z + half);
}

int ifr_correlation_pearson(const double *x, const double *y, size_t count, double confidence,
                            struct ifr_correlation *correlation, struct ifr_error *err) {
	int result = ifr_values_check_varies(x, count, "the counter", err);
	if (!result)
		result = ifr_values_check_varies(y, count, "the response", err);
	if (!result)
		fill_correlation(gsl_stats_correlation(x, 1, y, 1, count), count, 1, confidence, correlation);
	return result;
}

/* A count of the permutations of the ranks y whose sum of products with x is as extreme as the observed one. */
struct permutations {
	const double *x;
	double *y;
	size_t count;
	double centre, extreme; /* |sum - centre| >= extreme counts */
	size_t all, hits;
};

static void count_permutations(struct permutations *o, size_t from, double sum) {
	if (from == o->count) {
		o->all++;
		o->hits += fabs(sum - o->centre) >= o->extreme;
		return;
	}
	for (size_t i = from; i < o->count; i++) {
		double kept = o->y[from];
		o->y[from] = o->y[i];
		o->y[i] = kept;
		count_permutations(o, from + 1, sum + o->x[from] * o->y[from]);
		o->y[i] = o->y[from];
		o->y[from] = kept;
	}
}

/* The exact p: without a correlation all permutations of the ranks are equally likely. */
static double exact_p(const double *x, const double *y, size_t count) {
	double ranks_x[EXACT_MOST], ranks_y[EXACT_MOST], sum = 0, n = (double)count;
	ifr_values_rank(x, count, ranks_x);
	ifr_values_rank(y, count, ranks_y);
	for (size_t i = 0; i < count; i++)
		sum += ranks_x[i] * ranks_y[i];
	struct permutations o = {ranks_x, ranks_y, count, n * (n + 1) * (n + 1) / 4, 0, 0, 0};
	o.extreme = fabs(sum - o.centre) - 1e-9;
	count_permutations(&o, 0, 0);
	return (double)o.hits / (double)o.all;
}

int ifr_correlation_spearman(const double *x, const double *y, size_t count, double confidence,
                             struct ifr_correlation *correlation, struct ifr_error *err) {
	int result = ifr_values_check_varies(x, count, "the counter", err);
	if (!result)
		result = ifr_values_check_varies(y, count, "the response", err);
	if (result)
		return result;
	double *work = ifr_alloc(2 * count * sizeof *work);
	double r = gsl_stats_spearman(x, 1, y, 1, count, work);
	free(work);
	fill_correlation(r, count, 1 + r * r / 2, confidence, correlation);
	if (count <= EXACT_MOST)
		correlation->p = exact_p(x, y, count);
	return 0;
}
