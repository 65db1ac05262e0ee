/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/statistics/replication.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"

static int pool_groups(const struct ifr_group *groups, size_t count, struct ifr_mean_square *square,
                       struct ifr_error *err) {
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		int result = ifr_values_check(groups[i].values, groups[i].count, 0, err);
		if (result)
			return result;
		if (groups[i].count < 2)
			continue;
		sum += gsl_stats_tss(groups[i].values, 1, groups[i].count);
		square->df += (double)groups[i].count - 1;
	}
	if (square->df < 1)
		return ifr_fail(err, IFR_E_USAGE, "no layout has two runs on different copies of its file");
	square->ms = sum / square->df;
	return 0;
}

static int pool_twins(const double (*twins)[2], size_t pairs, struct ifr_mean_square *square,
                      struct ifr_error *err) {
	double sum = 0;
	for (size_t i = 0; i < pairs; i++) {
		int result = ifr_values_check(twins[i], 2, 0, err);
		if (result)
			return result;
		sum += (twins[i][0] - twins[i][1]) * (twins[i][0] - twins[i][1]) / 2;
	}
	if (pairs < 2)
		return ifr_fail(err, IFR_E_USAGE,
		                "to tell copies from runs takes two pairs of runs on one copy, and there %s",
		                pairs ? "is one" : "is none");
	if (!(sum > 0))
		return ifr_fail(err, IFR_E_USAGE, "runs on one copy of a file do not differ");
	square->df = (double)pairs;
	square->ms = sum / square->df;
	return 0;
}

/* The ends of the interval of values - noise with a probability of tail beyond each; see the header's reference. */
static void difference_interval(struct ifr_mean_square values, struct ifr_mean_square noise, double tail,
                                double *low, double *high) {
	const double f_high = ifr_f_quantile(1 - tail, values.df, noise.df),
				 f_low = ifr_f_quantile(tail, values.df, noise.df),
				 g1 = 1 - values.df / ifr_chi2_quantile(1 - tail, values.df),
				 h1 = values.df / ifr_chi2_quantile(tail, values.df) - 1,
				 g2 = 1 - noise.df / ifr_chi2_quantile(1 - tail, noise.df),
				 h2 = noise.df / ifr_chi2_quantile(tail, noise.df) - 1;
	const double g12 = ((f_high - 1) * (f_high - 1) - g1 * g1 * f_high * f_high - h2 * h2) / f_high,
				 h12 = ((1 - f_low) * (1 - f_low) - h1 * h1 * f_low * f_low - g2 * g2) / f_low;
	const double a = values.ms, b = noise.ms;
	*low = a - b - sqrt(fmax(0, g1 * g1 * a * a + h2 * h2 * b * b + g12 * a * b));
	*high = a - b + sqrt(fmax(0, h1 * h1 * a * a + g2 * g2 * b * b + h12 * a * b));
}

int ifr_copies_estimate(const struct ifr_group *groups, size_t count, const double (*twins)[2], size_t pairs,
                        double confidence, struct ifr_copies *copies, struct ifr_error *err) {
	struct ifr_copies c = {0};
	double low, high;
	int result = pool_groups(groups, count, &c.copies, err);
	if (!result)
		result = pool_twins(twins, pairs, &c.runs, err);
	if (result)
		return result;
	c.f = c.copies.ms / c.runs.ms;
	c.p = gsl_cdf_fdist_Q(c.f, c.copies.df, c.runs.df);
	c.copy_variance = fmax(0, c.copies.ms - c.runs.ms);
	c.copy_sd = sqrt(c.copy_variance);
	c.run_sd = sqrt(c.runs.ms);
	/* Copies closer together than runs put them have the interval of copies as far apart; components.c says why. */
	const struct ifr_mean_square of_values = {.df = c.copies.df, .ms = fmax(c.copies.ms, c.runs.ms)};
	difference_interval(of_values, c.runs, (1 - confidence) / 2, &low, &high);
	c.copy_interval = (struct ifr_interval){sqrt(fmax(0, low)), sqrt(fmax(0, high)), confidence};
	*copies = c;
	return 0;
}

/* --- numbers of replications ----------------------------------------------------------------------------------
 *
 * Problem: numbers that minimise variance x cost, each at least 1. The optimum of one level against the next is
 * sqrt(quotient of their variances per cost), which may be less than 1: a copy costs less than a run of it.
 *
 * Idea: neighbouring levels whose optimum is no more than 1 form a block, in which each level has one replication; a
 * block's variance and cost are sums. Blocks are merged until the variance per cost falls from each block to the next
 * higher one, as in isotonic regression (pool adjacent violators). Between blocks the formula holds with a number above
 * 1. Of the two integers beside it, the better one is the smallest r with r (r + 1) >= formula^2. */

struct block {
	double variance, cost;
	size_t last; /* its highest level */
};

static bool falls(const struct block *low, const struct block *high) {
	return low->variance * high->cost > high->variance * low->cost;
}

/* Divides the levels into blocks, the lowest first; returns their number. blocks: [count]. */
static size_t make_blocks(const struct ifr_level *levels, size_t count, struct block *blocks) {
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		blocks[n++] = (struct block){levels[i].variance, levels[i].cost, i};
		for (; n > 1 && !falls(&blocks[n - 2], &blocks[n - 1]); n--) {
			blocks[n - 2].variance += blocks[n - 1].variance;
			blocks[n - 2].cost += blocks[n - 1].cost;
			blocks[n - 2].last = i;
		}
	}
	return n;
}

static size_t choose_number(const struct block *low, const struct block *high, size_t most) {
	double square = high->variance > 0 ? high->cost / low->cost * low->variance / high->variance : INFINITY;
	size_t number = 1;
	while (number < most && (double)number * ((double)number + 1) < square)
		number++;
	return number;
}

double ifr_replications_choose(const struct ifr_level *levels, size_t count, double budget, size_t most,
                               size_t *replications) {
	struct block *blocks = ifr_alloc(count * sizeof *blocks);
	double unit = 0, number = 1, variance = 0;
	for (size_t i = 0; i < count; i++)
		replications[i] = 1;
	for (size_t n = make_blocks(levels, count, blocks), i = 0; i + 1 < n; i++)
		replications[blocks[i].last] = choose_number(&blocks[i], &blocks[i + 1], most);
	for (size_t i = 0; i + 1 < count; i++)
		unit = (unit + levels[i].cost) * (double)replications[i];
	unit += levels[count - 1].cost;
	if (budget >= unit)
		replications[count - 1] = (size_t)floor(budget / unit);
	for (size_t i = count; i-- > 0;) {
		number *= (double)replications[i];
		variance += levels[i].variance / number;
	}
	free(blocks);
	return variance;
}
