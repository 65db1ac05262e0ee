/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interim analyses: tests of the same data while they grow.
 *
 * Problem: a test that is repeated at every analysis errs more often than its level says.
 *
 * Idea: spend the level alpha by a function of the information collected. The score S = Z sqrt(information) is a
 * Brownian motion. The density of S among the experiments that have not stopped is carried from analysis to
 * analysis on a grid; the bound of an analysis is where just the level to spend lies beyond it.
 *
 * Invariant: the levels spent at all analyses add up to alpha, for any increasing information fractions.
 * Ref: Armitage, McPherson and Rowe 1969 (the recursion); Lan and DeMets 1983 (spending). */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/inference.h"

enum { GRID = 801 };

double ifr_alpha_spent(double alpha, double information) {
	if (!(information > 0))
		return 0;
	if (information >= 1)
		return alpha;
	return 4 * gsl_cdf_ugaussian_Q(gsl_cdf_ugaussian_Qinv(alpha / 4) / sqrt(information));
}

/* The density of the score among the experiments that have not stopped, on a grid from -edge to edge. */
struct density {
	double edge, value[GRID];
};

/* Simpson's weight of a grid point. */
static double simpson_weight(int i) {
	return i == 0 || i == GRID - 1 ? 1 : i % 2 ? 4 : 2;
}

static double grid_point(const struct density *density, int i) {
	return density->edge * (2.0 * i / (GRID - 1) - 1);
}

/* The probability of a score beyond -+bound after a further step of that standard deviation. */
static double stopping_probability(const struct density *before, double step, double bound) {
	double sum = 0, width = 2 * before->edge / (GRID - 1);
	for (int i = 0; i < GRID; i++) {
		double x = grid_point(before, i);
		sum += simpson_weight(i) * before->value[i] *
		       (gsl_cdf_ugaussian_Q((bound - x) / step) + gsl_cdf_ugaussian_P((-bound - x) / step));
	}
	return sum * width / 3;
}

/* Carries the density over a further step, cut at -+bound. */
static void advance_density(const struct density *before, double step, double bound, struct density *after) {
	double width = 2 * before->edge / (GRID - 1);
	after->edge = bound;
	for (int i = 0; i < GRID; i++) {
		double sum = 0, to = grid_point(after, i);
		for (int j = 0; j < GRID; j++)
			sum += simpson_weight(j) * before->value[j] * gsl_ran_gaussian_pdf(to - grid_point(before, j), step);
		after->value[i] = sum * width / 3;
	}
}

/* The bound at which the stopping probability equals the level to spend. */
static double find_bound(const struct density *before, double step, double spend) {
	double low = 0, high = before->edge + 10 * step;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;
		*(stopping_probability(before, step, middle) > spend ? &low : &high) = middle;
	}
	return high;
}

static int check_fractions(double alpha, const double *information, size_t analyses, struct ifr_error *err) {
	if (analyses < 1 || analyses > IFR_INTERIM_MAX || !(alpha > 0 && alpha < 1))
		return ifr_fail(err, IFR_E_USAGE,
		                "there can be 1 to %d interim analyses (looks), with a level between 0 and 1",
		                IFR_INTERIM_MAX);
	for (size_t i = 0; i < analyses; i++)
		if (!(information[i] > (i ? information[i - 1] : 0) && information[i] <= 1))
			return ifr_fail(err, IFR_E_USAGE,
			                "interim analyses need growing fractions of the plan, above 0 and up to 1");
	return 0;
}

int ifr_interim_bounds(double alpha, const double *information, size_t analyses, double *z,
                       struct ifr_error *err) {
	int result = check_fractions(alpha, information, analyses, err);
	if (result)
		return result;
	struct density *now = ifr_alloc(sizeof *now), *next = ifr_alloc(sizeof *next);
	z[0] = gsl_cdf_ugaussian_Qinv(ifr_alpha_spent(alpha, information[0]) / 2);
	double root = sqrt(information[0]);
	/* A bound beyond ten standard deviations stops nothing: ten hold all of the density. */
	now->edge = fmin(z[0], 10) * root;
	for (int i = 0; i < GRID; i++)
		now->value[i] = gsl_ran_gaussian_pdf(grid_point(now, i), root);
	for (size_t i = 1; i < analyses; i++) {
		double step = sqrt(information[i] - information[i - 1]);
		double spend = ifr_alpha_spent(alpha, information[i]) - ifr_alpha_spent(alpha, information[i - 1]);
		double bound = find_bound(now, step, spend);
		z[i] = bound / sqrt(information[i]);
		if (i + 1 < analyses) {
			advance_density(now, step, bound, next);
			struct density *swap = now;
			now = next;
			next = swap;
		}
	}
	free(now);
	free(next);
	return 0;
}

double ifr_interim_confidence(double z) {
	return 1 - 2 * gsl_cdf_ugaussian_Q(z);
}

double ifr_interim_conditional_power(double z, double information, double bound) {
	if (!(information > 0 && information < 1))
		return fabs(z) > bound;
	/* The score is z sqrt(information) so far; its drift is the score per information. */
	double drift = fabs(z) / sqrt(information), left = sqrt(1 - information);
	return gsl_cdf_ugaussian_Q((bound - drift) / left);
}

double ifr_interim_equivalence_power(double estimate, double se, double information, double bound, double margin) {
	if (!(information > 0 && information < 1))
		return fabs(estimate) + bound * se < margin;
	/* The final estimate varies about the present one by what the rest of the information adds. */
	double final_se = se * sqrt(information), reach = margin - bound * final_se,
		   sd = final_se * sqrt(1 - information);
	if (!(reach > 0))
		return 0;
	return gsl_cdf_ugaussian_P((reach - estimate) / sd) - gsl_cdf_ugaussian_P((-reach - estimate) / sd);
}
