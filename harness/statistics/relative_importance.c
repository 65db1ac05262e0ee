/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative importance of correlated predictors (LMG).
 *
 * Problem: a predictor's gain in r2 depends on the predictors that entered before it, and there are k! orders.
 *
 * Idea: the mean over all orders is a mean over the sets of predictors that entered before. The set sizes 0 … k -
 * 1 are equally likely, and so are the sets of one size. 2^k values of r2 suffice.
 *
 * Invariant: in each order the gains add up to r2 of all predictors; so do their means. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/regression.h"

enum { SIDE = IFR_RELATIVE_IMPORTANCE_MAX + 1 };

/* Sums of products about the means; the response is the last column. pick[count] selects observations; NULL takes
 * each once. */
static void sum_products(const double *const *x, size_t k, const double *y, size_t count, const uint32_t *pick,
                         double products[SIDE][SIDE]) {
	double mean[SIDE] = {0};
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j <= k; j++)
			mean[j] += (j < k ? x[j] : y)[pick ? pick[i] : i] / (double)count;
	memset(products, 0, sizeof(double[SIDE][SIDE]));
	for (size_t i = 0; i < count; i++) {
		double row[SIDE];
		for (size_t j = 0; j <= k; j++)
			row[j] = (j < k ? x[j] : y)[pick ? pick[i] : i] - mean[j];
		for (size_t j = 0; j <= k; j++)
			for (size_t l = 0; l <= j; l++)
				products[j][l] += row[j] * row[l];
	}
}

/* r2 of the predictors in a set, by Cholesky factorisation; a predictor that depends linearly on earlier ones adds
 * nothing. */
static double r2_of_set(double products[SIDE][SIDE], size_t k, unsigned set) {
	double factor[SIDE][SIDE] = {{0}}, total = products[k][k], r2 = 0;
	size_t members[SIDE], count = 0;
	for (size_t j = 0; j < k; j++)
		if (set & 1u << j)
			members[count++] = j;
	for (size_t a = 0; a < count; a++) {
		size_t j = members[a];
		double pivot = products[j][j], cross = products[k][j];
		for (size_t b = 0; b < a; b++) {
			double sum = products[j][members[b]];
			for (size_t c = 0; c < b; c++)
				sum -= factor[a][c] * factor[b][c];
			factor[a][b] = factor[b][b] > 0 ? sum / factor[b][b] : 0;
			pivot -= factor[a][b] * factor[a][b];
			cross -= factor[a][b] * factor[k][b];
		}
		factor[a][a] = pivot > 1e-12 * products[j][j] ? sqrt(pivot) : 0;
		/* The response is the last row: the square of its entry is the gain of this member. */
		factor[k][a] = factor[a][a] > 0 ? cross / factor[a][a] : 0;
		r2 += factor[k][a] * factor[k][a] / total;
	}
	return r2;
}

/* Stores the importance and returns r2 of all predictors. */
static double divide_r2(double products[SIDE][SIDE], size_t k, double *share) {
	double r2[1u << IFR_RELATIVE_IMPORTANCE_MAX], sets_of_size[SIDE];
	for (unsigned set = 0; set < 1u << k; set++)
		r2[set] = r2_of_set(products, k, set);
	sets_of_size[0] = 1;
	for (size_t size = 1; size < k; size++)
		sets_of_size[size] = sets_of_size[size - 1] * (double)(k - size) / (double)size;
	for (size_t j = 0; j < k; j++) {
		share[j] = 0;
		for (unsigned set = 0; set < 1u << k; set++)
			if (!(set & 1u << j))
				share[j] += (r2[set | 1u << j] - r2[set]) / sets_of_size[__builtin_popcount(set)] / (double)k;
	}
	return r2[(1u << k) - 1];
}

static bool all_vary(double products[SIDE][SIDE], size_t k) {
	for (size_t j = 0; j <= k; j++)
		if (!(products[j][j] > 0))
			return false;
	return true;
}

/* Draws resample number `draw`; gives up after 20 attempts without variation. */
static bool draw_resample(const double *const *x, size_t k, const double *y, size_t count, uint64_t seed,
                          size_t draw, uint32_t *pick, double products[SIDE][SIDE]) {
	struct ifr_random_key key = ifr_random_key_of(seed, "bootstrap");
	for (uint64_t attempt = 0; attempt < 20; attempt++) {
		for (size_t i = 0; i < count; i++) {
			const uint64_t name[] = {draw, attempt, i};
			pick[i] = (uint32_t)ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), count);
		}
		sum_products(x, k, y, count, pick, products);
		if (all_vary(products, k))
			return true;
	}
	return false;
}

/* Percentile intervals; [0, 1] with confidence 1 where no resample varies. */
static void bootstrap_intervals(const double *const *x, size_t k, const double *y, size_t count,
                                struct ifr_relative_importance *importance) {
	double products[SIDE][SIDE], share[SIDE];
	double *drawn = ifr_alloc(k * importance->draws * sizeof *drawn);
	uint32_t *pick = ifr_alloc(count * sizeof *pick);
	size_t made = 0;
	for (size_t draw = 0; draw < importance->draws; draw++) {
		if (!draw_resample(x, k, y, count, importance->seed, draw, pick, products))
			continue;
		divide_r2(products, k, share);
		for (size_t j = 0; j < k; j++)
			drawn[j * importance->draws + made] = share[j];
		made++;
	}
	double tail = (1 - importance->confidence) / 2;
	for (size_t j = 0; j < k; j++) {
		struct ifr_interval *interval = &importance->interval[j];
		*interval = (struct ifr_interval){0, 1, 1};
		if (!ifr_sample_quantile(drawn + j * importance->draws, made, tail, &interval->low, NULL) &&
		    !ifr_sample_quantile(drawn + j * importance->draws, made, 1 - tail, &interval->high, NULL))
			interval->confidence = importance->confidence;
	}
	free(drawn);
	free(pick);
}

int ifr_relative_importance_estimate(const double *const *x, size_t predictors, const double *y, size_t count,
                                     struct ifr_relative_importance *importance, struct ifr_error *err) {
	double products[SIDE][SIDE];
	if (predictors < 1 || predictors > IFR_RELATIVE_IMPORTANCE_MAX)
		return ifr_fail(err, IFR_E_USAGE, "relative importance needs 1 to %d predictors, not %zu",
		                IFR_RELATIVE_IMPORTANCE_MAX, predictors);
	int result = ifr_values_check(y, count, predictors + 2, err);
	for (size_t j = 0; j < predictors && !result; j++)
		result = ifr_values_check(x[j], count, predictors + 2, err);
	if (result)
		return result;
	sum_products(x, predictors, y, count, NULL, products);
	for (size_t j = 0; j <= predictors; j++)
		if (!(products[j][j] > 0))
			return j < predictors
			           ? ifr_fail(err, IFR_E_USAGE, "predictor %zu is constant: leave it out", j + 1)
			           : ifr_fail(err, IFR_E_USAGE, "the response is constant: there is no variance to divide");
	importance->r2 = divide_r2(products, predictors, importance->share);
	if (importance->interval)
		bootstrap_intervals(x, predictors, y, count, importance);
	return 0;
}
