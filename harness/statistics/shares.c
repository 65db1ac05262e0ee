/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each of several correlated predictors explains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/regression.h"

enum { SIDE = IFR_RELATIVE_IMPORTANCE_MAX + 1 };

/* Sums of products about the means; the response comes last. pick chooses observations, NULL takes all in turn. */
static void multiply(const double *const *x, size_t k, const double *y, size_t count, const uint32_t *pick,
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

/* r2 of the predictors in a set, by Cholesky; a column that follows from those before it adds nothing. */
static double explained(double products[SIDE][SIDE], size_t k, unsigned set) {
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
		/* The response's row stands at the end: its entry is what this member adds. */
		factor[k][a] = factor[a][a] > 0 ? cross / factor[a][a] : 0;
		r2 += factor[k][a] * factor[k][a] / total;
	}
	return r2;
}

/* The mean over all orders is a mean over the sets that stand before: sizes are equally likely, and so are the
 * sets of one size. */
static double divide(double products[SIDE][SIDE], size_t k, double *share) {
	double r2[1u << IFR_RELATIVE_IMPORTANCE_MAX], sets_of_size[SIDE];
	for (unsigned set = 0; set < 1u << k; set++)
		r2[set] = explained(products, k, set);
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

static bool varies(double products[SIDE][SIDE], size_t k) {
	for (size_t j = 0; j <= k; j++)
		if (!(products[j][j] > 0))
			return false;
	return true;
}

/* One resampling, by its number; redraws are bounded, as data may hardly vary. */
static bool resample(const double *const *x, size_t k, const double *y, size_t count, uint64_t seed, size_t draw,
                     uint32_t *pick, double products[SIDE][SIDE]) {
	struct ifr_random_key key = ifr_random_key_of(seed, "bootstrap");
	for (uint64_t again = 0; again < 20; again++) {
		for (size_t i = 0; i < count; i++) {
			const uint64_t name[] = {draw, again, i};
			pick[i] = (uint32_t)ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), count);
		}
		multiply(x, k, y, count, pick, products);
		if (varies(products, k))
			return true;
	}
	return false;
}

static void bootstrap(const double *const *x, size_t k, const double *y, size_t count,
                      struct ifr_relative_importance *shares) {
	double products[SIDE][SIDE], share[SIDE];
	double *drawn = ifr_alloc(k * shares->draws * sizeof *drawn);
	uint32_t *pick = ifr_alloc(count * sizeof *pick);
	size_t made = 0;
	for (size_t draw = 0; draw < shares->draws; draw++) {
		if (!resample(x, k, y, count, shares->seed, draw, pick, products))
			continue;
		divide(products, k, share);
		for (size_t j = 0; j < k; j++)
			drawn[j * shares->draws + made] = share[j];
		made++;
	}
	double tail = (1 - shares->confidence) / 2;
	for (size_t j = 0; j < k; j++) {
		struct ifr_interval *interval = &shares->interval[j];
		*interval = (struct ifr_interval){0, 1, 1};
		if (!ifr_sample_quantile(drawn + j * shares->draws, made, tail, &interval->low, NULL) &&
		    !ifr_sample_quantile(drawn + j * shares->draws, made, 1 - tail, &interval->high, NULL))
			interval->confidence = shares->confidence;
	}
	free(drawn);
	free(pick);
}

int ifr_relative_importance_estimate(const double *const *x, size_t predictors, const double *y, size_t count,
                                     struct ifr_relative_importance *shares, struct ifr_error *err) {
	double products[SIDE][SIDE];
	if (predictors < 1 || predictors > IFR_RELATIVE_IMPORTANCE_MAX)
		return ifr_fail(err, IFR_E_USAGE, "shares are found for 1 to %d predictors, not %zu",
		                IFR_RELATIVE_IMPORTANCE_MAX, predictors);
	int result = ifr_values_check(y, count, predictors + 2, err);
	for (size_t j = 0; j < predictors && !result; j++)
		result = ifr_values_check(x[j], count, predictors + 2, err);
	if (result)
		return result;
	multiply(x, predictors, y, count, NULL, products);
	for (size_t j = 0; j <= predictors; j++)
		if (!(products[j][j] > 0))
			return j < predictors
			           ? ifr_fail(err, IFR_E_USAGE, "predictor %zu is constant: leave it out", j + 1)
			           : ifr_fail(err, IFR_E_USAGE, "the response is constant: there is nothing to share");
	shares->r2 = divide(products, predictors, shares->share);
	if (shares->interval)
		bootstrap(x, predictors, y, count, shares);
	return 0;
}
