/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Permutation test of a regression whose predictors were chosen by the data.
 *
 * Problem: of 20 predictors without any relation, the six strongest are significant together in half of the cases,
 * because the F test does not know of the choice.
 *
 * Idea: without a relation all orders of the response are equally likely. The response is permuted, the choice is
 * repeated, and r2 is compared.
 *
 * Invariant: the predictors stay as they are, so that their products are computed once. A draw costs one product of
 * all predictors with the response and one factorisation of the chosen few. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/regression.h"

/* Multiplications of a whole test; a second of a processor. */
static const double budget = 1e9;
enum { DRAWS_LEAST = 199, CHOSEN_MAX = IFR_RELATIVE_IMPORTANCE_MAX };

struct candidates {
	size_t count, observations, most;
	double *z;        /* [count * observations] columns, centred, of length 1 */
	double *products; /* [count * count] of these columns */
	double *along;    /* [count] products with the response */
	size_t *order;    /* [count] the strongest first, as far as they are chosen */
};

static double dot(const double *a, const double *b, size_t n) {
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Centres values and scales them to length 1. */
static void standardise(const double *values, size_t n, double *z) {
	double mean = 0;
	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		z[i] = values[i] - mean;
	double length = sqrt(dot(z, z, n));
	for (size_t i = 0; i < n; i++)
		z[i] /= length;
}

static void candidates_init(struct candidates *c, const double *const *x, size_t count, size_t n, size_t most) {
	*c = (struct candidates){count,
	                         n,
	                         most < CHOSEN_MAX ? most : CHOSEN_MAX,
	                         ifr_alloc(count * n * sizeof *c->z),
	                         ifr_alloc(count * count * sizeof *c->products),
	                         ifr_alloc(count * sizeof *c->along),
	                         ifr_alloc(count * sizeof *c->order)};
	for (size_t j = 0; j < count; j++)
		standardise(x[j], n, c->z + j * n);
	for (size_t j = 0; j < count; j++)
		for (size_t l = 0; l <= j; l++)
			c->products[j * count + l] = c->products[l * count + j] = dot(c->z + j * n, c->z + l * n, n);
}

static void candidates_release(struct candidates *c) {
	free(c->z);
	free(c->products);
	free(c->along);
	free(c->order);
}

/* Puts the strongest candidates first. */
static size_t choose(struct candidates *c) {
	size_t chosen = c->most < c->count ? c->most : c->count;
	for (size_t j = 0; j < c->count; j++)
		c->order[j] = j;
	for (size_t i = 0; i < chosen; i++)
		for (size_t j = i + 1; j < c->count; j++)
			if (fabs(c->along[c->order[j]]) > fabs(c->along[c->order[i]])) {
				size_t kept = c->order[i];
				c->order[i] = c->order[j];
				c->order[j] = kept;
			}
	return chosen;
}

/* r2 of a response of length 1 on the strongest candidates, by Cholesky factorisation; one that depends linearly on
 * stronger ones adds nothing. */
static double best_r2(struct candidates *c, const double *y) {
	double factor[CHOSEN_MAX][CHOSEN_MAX], part[CHOSEN_MAX], r2 = 0;
	size_t used[CHOSEN_MAX], count = 0;
	for (size_t j = 0; j < c->count; j++)
		c->along[j] = dot(c->z + j * c->observations, y, c->observations);
	size_t chosen = choose(c);
	for (size_t i = 0; i < chosen; i++) {
		size_t j = c->order[i];
		double pivot = 1, along = c->along[j];
		for (size_t a = 0; a < count; a++) {
			double sum = c->products[j * c->count + used[a]];
			for (size_t b = 0; b < a; b++)
				sum -= factor[count][b] * factor[a][b];
			factor[count][a] = sum / factor[a][a];
			pivot -= factor[count][a] * factor[count][a];
			along -= factor[count][a] * part[a];
		}
		if (pivot < 1e-10)
			continue;
		factor[count][count] = sqrt(pivot);
		part[count] = along / factor[count][count];
		r2 += part[count] * part[count];
		used[count++] = j;
	}
	return r2;
}

/* Stores permutation number draw of the response (Fisher and Yates). */
static void permute(const double *y, size_t n, struct ifr_random_key key, uint64_t draw, double *permuted) {
	for (size_t i = 0; i < n; i++) {
		const uint64_t name[] = {draw, i};
		size_t at = ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), i + 1);
		permuted[i] = permuted[at];
		permuted[at] = y[i];
	}
}

static int check(const double *const *x, size_t candidates, const double *y, size_t count, struct ifr_error *err) {
	int result = ifr_values_check_varies(y, count, "the response", err);
	for (size_t j = 0; j < candidates && !result; j++)
		result = ifr_values_check_varies(x[j], count, "a predictor", err);
	return result;
}

int ifr_selection_test(const double *const *x, size_t candidates, size_t most, const double *y, size_t count,
                       size_t draws, uint64_t seed, double *p, struct ifr_error *err) {
	int result = check(x, candidates, y, count, err);
	if (result)
		return result;
	struct candidates c;
	double *response = ifr_alloc(2 * count * sizeof *response), *permuted = response + count;
	struct ifr_random_key key = ifr_random_key_of(seed, "permutation");
	double affordable = fmax(DRAWS_LEAST, budget / ((double)candidates * (double)count));
	draws = affordable < (double)draws ? (size_t)affordable : draws;
	candidates_init(&c, x, candidates, count, most);
	standardise(y, count, response);
	double observed = best_r2(&c, response);
	size_t as_large = 1;
	for (size_t draw = 0; draw < draws; draw++) {
		permute(response, count, key, draw, permuted);
		as_large += best_r2(&c, permuted) >= observed - 1e-12;
	}
	*p = (double)as_large / (double)(draws + 1);
	candidates_release(&c);
	free(response);
	return 0;
}
