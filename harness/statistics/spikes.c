/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels that stand out from the typical one, with the family-wise error rate controlled.
 *
 * Problem: of 257 values the slowest is slow by chance, and run times have long tails.
 *
 * Idea: without any effect, runs belong to their levels at random. They are dealt anew, and the largest deviation of a
 * level's median is compared with the largest observed one. A few slow levels hardly show in dealt medians, because a
 * median of five forgives two strangers; so that more of them do not hide each other, a level that stands out is set
 * aside, and the rest is tested again (step-down).
 *
 * Invariant: a step is reached only where all levels before stood out. The first level without an effect to be tested
 * is tested among levels that all are in the deal, at the level of the whole test. */
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/permutation.h"
#include "harness/statistics/sample.h"
#include "harness/statistics/series.h"

enum { DRAWS = 1999, DRAWS_LATER = 499, DRAWS_LEAST = 199, LEVELS_LEAST = 3, STEPS_MOST = 24 };
static const double level_of_test = 0.05;
static const double budget = 1e8; /* comparisons, about a second */

/* The medians of levels whose runs stand one behind the other. The next deal does not mind that they are sorted. */
static void find_medians(double *runs, const size_t *counts, size_t count, double *medians) {
	for (size_t i = 0; i < count; runs += counts[i++]) {
		for (size_t a = 1; a < counts[i]; a++)
			for (size_t b = a; b > 0 && runs[b - 1] > runs[b]; b--) {
				const double kept = runs[b];
				runs[b] = runs[b - 1];
				runs[b - 1] = kept;
			}
		medians[i] = (runs[(counts[i] - 1) / 2] + runs[counts[i] / 2]) / 2;
	}
}

/* The largest distance of a level's median from the median of all; deviations, unless NULL, gets each. */
static double find_largest(double *runs, const size_t *counts, size_t count, double *medians, double *deviations) {
	double centre, largest = 0;
	find_medians(runs, counts, count, medians);
	ifr_sample_median(medians, count, &centre, NULL);
	for (size_t i = 0; i < count; i++) {
		const double deviation = fabs(medians[i] - centre);
		largest = deviation > largest ? deviation : largest;
		if (deviations)
			deviations[i] = deviation;
	}
	return largest;
}

static int check(const size_t *counts, size_t count, size_t *all, struct ifr_error *err) {
	*all = 0;
	if (count < LEVELS_LEAST)
		return ifr_fail(err, IFR_E_USAGE, "there are %zu values, and one stands out among %d at least", count,
		                LEVELS_LEAST);
	for (size_t i = 0; i < count; i++) {
		*all += counts[i];
		if (counts[i] < 2)
			return ifr_fail(err, IFR_E_USAGE,
			                "every value needs two runs at least, so that its effect can be told from noise");
	}
	return 0;
}

/* The levels that are still dealt, in their order. */
struct remaining {
	const double *const *levels;
	size_t *which, *counts; /* [count] */
	size_t count;
	double *runs, *medians, *deviations;
};

static size_t gather_runs(const struct remaining *left) {
	size_t at = 0;
	for (size_t i = 0; i < left->count; i++)
		for (size_t j = 0; j < left->counts[i]; j++)
			left->runs[at++] = left->levels[left->which[i]][j];
	return at;
}

/* Stores the p of each remaining level in one step; the least is that of the largest deviation. */
static void test_step(const struct remaining *left, size_t draws, struct ifr_random_key key, double *p) {
	const size_t all = gather_runs(left);
	const double affordable = budget / ((double)all * 20);
	draws = affordable < (double)draws ? (size_t)fmax(DRAWS_LEAST, affordable) : draws;
	find_largest(left->runs, left->counts, left->count, left->medians, left->deviations);
	for (size_t i = 0; i < left->count; i++)
		p[i] = 1;
	for (size_t draw = 0; draw < draws; draw++) {
		values_permute(left->runs, all, key, draw);
		const double largest = find_largest(left->runs, left->counts, left->count, left->medians, NULL);
		for (size_t i = 0; i < left->count; i++)
			p[i] += largest >= left->deviations[i];
	}
	for (size_t i = 0; i < left->count; i++)
		p[i] /= (double)(draws + 1);
}

/* Sets the level of the largest deviation aside. */
static void set_aside(struct remaining *left, size_t at) {
	left->count--;
	for (size_t i = at; i < left->count; i++) {
		left->which[i] = left->which[i + 1];
		left->counts[i] = left->counts[i + 1];
	}
}

/* Adjusted p never falls from one step to the next. */
static void step_down(struct remaining *left, struct ifr_random_key key, double *step_p, double *p) {
	double least = 0;
	for (size_t step = 0; left->count >= LEVELS_LEAST; step++) {
		size_t first = 0;
		test_step(left, step ? DRAWS_LATER : DRAWS, key, step_p);
		for (size_t i = 0; i < left->count; i++) {
			first = left->deviations[i] > left->deviations[first] ? i : first;
			p[left->which[i]] = fmax(step_p[i], least);
		}
		least = p[left->which[first]];
		if (least >= level_of_test || step + 1 == STEPS_MOST)
			return;
		set_aside(left, first);
	}
}

int ifr_spikes_test(const double *const *levels, const size_t *counts, size_t count, uint64_t seed, double *p,
                    struct ifr_error *err) {
	size_t all;
	int result = check(counts, count, &all, err);
	if (result)
		return result;
	double *numbers = ifr_alloc((all + 3 * count) * sizeof *numbers);
	size_t *sizes = ifr_alloc(2 * count * sizeof *sizes);
	struct remaining left = {levels, sizes, sizes + count, count, numbers, numbers + all, numbers + all + count};
	for (size_t i = 0; i < count; i++) {
		left.which[i] = i;
		left.counts[i] = counts[i];
	}
	step_down(&left, ifr_random_key_of(seed, "spikes"), numbers + all + 2 * count, p);
	free(sizes);
	free(numbers);
	return 0;
}
