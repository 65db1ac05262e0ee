/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many tests at once, and looks at data that still grow. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/statistics/inference.h"

enum { GRID = 801 };

void ifr_p_adjust_fdr(double *p, size_t count) {
	size_t *order = ifr_alloc((count ? count : 1) * sizeof *order);
	gsl_sort_index(order, p, 1, count);
	double least = 1;
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, p[order[i]] * (double)count / (double)(i + 1));
		p[order[i]] = least;
	}
	free(order);
}

double ifr_alpha_spent(double alpha, double information) {
	if (!(information > 0))
		return 0;
	if (information >= 1)
		return alpha;
	return 4 * gsl_cdf_ugaussian_Q(gsl_cdf_ugaussian_Qinv(alpha / 4) / sqrt(information));
}

/* The density of the score (Z times the root of the information) among those that have not been stopped, on a grid
 * from -edge to edge. */
struct density {
	double edge, value[GRID];
};

static double weight(int i) {
	return i == 0 || i == GRID - 1 ? 1 : i % 2 ? 4 : 2;
}

static double place(const struct density *density, int i) {
	return density->edge * (2.0 * i / (GRID - 1) - 1);
}

/* Probability to lie beyond -+bound after a further step of that standard deviation. */
static double beyond(const struct density *before, double step, double bound) {
	double sum = 0, width = 2 * before->edge / (GRID - 1);
	for (int i = 0; i < GRID; i++) {
		double x = place(before, i);
		sum += weight(i) * before->value[i] *
		       (gsl_cdf_ugaussian_Q((bound - x) / step) + gsl_cdf_ugaussian_P((-bound - x) / step));
	}
	return sum * width / 3;
}

static void advance(const struct density *before, double step, double bound, struct density *after) {
	double width = 2 * before->edge / (GRID - 1);
	after->edge = bound;
	for (int i = 0; i < GRID; i++) {
		double sum = 0, to = place(after, i);
		for (int j = 0; j < GRID; j++)
			sum += weight(j) * before->value[j] * gsl_ran_gaussian_pdf(to - place(before, j), step);
		after->value[i] = sum * width / 3;
	}
}

/* The bound beyond which what may be spent lies. */
static double find_bound(const struct density *before, double step, double spend) {
	double low = 0, high = before->edge + 10 * step;
	for (int i = 0; i < 80; i++) {
		double middle = (low + high) / 2;
		*(beyond(before, step, middle) > spend ? &low : &high) = middle;
	}
	return high;
}

static int check_looks(double alpha, const double *information, size_t looks, struct ifr_error *err) {
	if (looks < 1 || looks > IFR_INTERIM_MAX || !(alpha > 0 && alpha < 1))
		return ifr_fail(err, IFR_E_USAGE, "there can be 1 to %d looks, with a level between 0 and 1",
		                IFR_INTERIM_MAX);
	for (size_t i = 0; i < looks; i++)
		if (!(information[i] > (i ? information[i - 1] : 0) && information[i] <= 1))
			return ifr_fail(err, IFR_E_USAGE, "looks need growing shares of the plan, above 0 and up to 1");
	return 0;
}

int ifr_interim_bounds(double alpha, const double *information, size_t looks, double *z, struct ifr_error *err) {
	int result = check_looks(alpha, information, looks, err);
	if (result)
		return result;
	struct density *now = ifr_alloc(sizeof *now), *next = ifr_alloc(sizeof *next);
	z[0] = gsl_cdf_ugaussian_Qinv(ifr_alpha_spent(alpha, information[0]) / 2);
	double root = sqrt(information[0]);
	/* Where nothing worth mentioning is spent, ten standard deviations hold all of it. */
	now->edge = fmin(z[0], 10) * root;
	for (int i = 0; i < GRID; i++)
		now->value[i] = gsl_ran_gaussian_pdf(place(now, i), root);
	for (size_t look = 1; look < looks; look++) {
		double step = sqrt(information[look] - information[look - 1]);
		double spend = ifr_alpha_spent(alpha, information[look]) - ifr_alpha_spent(alpha, information[look - 1]);
		double bound = find_bound(now, step, spend);
		z[look] = bound / sqrt(information[look]);
		if (look + 1 < looks) {
			advance(now, step, bound, next);
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
	/* The score so far is z sqrt(information), and goes on with the drift that this shows. */
	double drift = fabs(z) / sqrt(information), left = sqrt(1 - information);
	return gsl_cdf_ugaussian_Q((bound - drift) / left);
}
