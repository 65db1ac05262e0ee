/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The period of a series, by phase dispersion minimization.
 *
 * Problem: what repeats with a layout parameter is seldom a sine; it is a spike at one address in 4096, whose power a
 * periodogram spreads over all harmonics.
 *
 * Idea: the values are folded at each trial period. Where the phases' means differ by more than values of one phase do,
 * the period fits. F ratios of unlike degrees of freedom are compared as normal deviates (Paulson 1942).
 *
 * Invariant: under independence all orders of the values are equally likely, so that the best deviate of permuted
 * values has the distribution of the observed one, whatever the values' own. Ref: Stellingwerf 1978; Linnell Nemec and
 * Nemec 1985. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/permutation.h"
#include "harness/statistics/series.h"

enum { DRAWS = 999, DRAWS_LEAST = 199, VALUES_LEAST = IFR_PERIOD_LEAST * IFR_PERIOD_REPEATS };
/* Additions of a whole test; about a second. */
static const double budget = 4e8;

/* The number of values in a phase. */
static size_t count_phase(size_t count, size_t steps, size_t phase) {
	return count / steps + (phase < count % steps);
}

/* The sum of squares between the phases of a period, of values with mean 0. sums: [steps]. */
static double fold(const double *values, size_t count, size_t steps, double *sums) {
	double between = 0;
	for (size_t i = 0; i < steps; i++)
		sums[i] = 0;
	for (size_t i = 0, phase = 0; i < count; i++) {
		sums[phase] += values[i];
		phase = phase + 1 < steps ? phase + 1 : 0;
	}
	for (size_t i = 0; i < steps; i++)
		between += sums[i] * sums[i] / (double)count_phase(count, steps, i);
	return between;
}

/* Paulson's approximation: a standard normal deviate for an F ratio. It is bounded for each number of degrees of freedom,
 * so that among periods that fit exactly the shortest is the best. */
static double deviate(double between, double all, size_t count, size_t steps) {
	const double df1 = (double)(steps - 1), df2 = (double)(count - steps), within = all - between;
	const double f = cbrt(between / df1 / fmax(within / df2, 1e-12 * all / df2));
	return ((1 - 2 / (9 * df2)) * f - (1 - 2 / (9 * df1))) / sqrt(2 / (9 * df2) * f * f + 2 / (9 * df1));
}

/* The best period and its deviate. */
static double search(const double *values, size_t count, double all, double *sums, size_t *best, double *between) {
	double highest = -INFINITY;
	for (size_t steps = IFR_PERIOD_LEAST; steps <= count / IFR_PERIOD_REPEATS; steps++) {
		const double part = fold(values, count, steps, sums), z = deviate(part, all, count, steps);
		if (z > highest + 1e-9) {
			highest = z;
			*best = steps;
			*between = part;
		}
	}
	return highest;
}

static void find_phases(const double *values, size_t count, double *sums, struct ifr_period *period) {
	fold(values, count, period->steps, sums);
	for (size_t i = 0; i < period->steps; i++) {
		sums[i] /= (double)count_phase(count, period->steps, i);
		period->lowest = sums[i] < sums[period->lowest] ? i : period->lowest;
		period->highest = sums[i] > sums[period->highest] ? i : period->highest;
	}
}

int ifr_period_find(const double *values, size_t count, uint64_t seed, struct ifr_period *period,
                    struct ifr_error *err) {
	if (count < VALUES_LEAST)
		return ifr_fail(err, IFR_E_USAGE, "there are %zu values, and a period needs at least %d", count,
		                VALUES_LEAST);
	int result = ifr_values_check_varies(values, count, "the series", err);
	if (result)
		return result;
	double *centred = ifr_alloc(2 * count * sizeof *centred), *sums = centred + count, mean = 0, all = 0, part = 0;
	const double cost = (double)count * (double)count / IFR_PERIOD_REPEATS;
	const struct ifr_random_key key = ifr_random_key_of(seed, "period");
	const size_t draws = budget / cost < DRAWS ? (size_t)fmax(DRAWS_LEAST, budget / cost) : DRAWS;
	*period = (struct ifr_period){0};
	for (size_t i = 0; i < count; i++)
		mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++) {
		centred[i] = values[i] - mean;
		all += centred[i] * centred[i];
	}
	const double observed = search(centred, count, all, sums, &period->steps, &part);
	period->share = part / all;
	find_phases(centred, count, sums, period);
	size_t as_high = 1, other;
	for (size_t draw = 0; draw < draws; draw++) {
		values_permute(centred, count, key, draw);
		as_high += search(centred, count, all, sums, &other, &part) >= observed - 1e-9;
	}
	period->p = (double)as_high / (double)(draws + 1);
	free(centred);
	return 0;
}
