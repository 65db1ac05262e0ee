/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variance of the median of normal values, by numerical integration. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "harness/statistics/sample.h"

/* The integrands are smooth and vanish with all their derivatives at both ends, so that the trapezoidal rule
 * converges faster than any power of the step. Ref: Trefethen and Weideman 2014, section 5. */
enum { STEPS = 256, GAP_STEPS = 1024, GAPS_A_STEP = 2 * GAP_STEPS / STEPS, ASYMPTOTIC_FROM = 500 };

/* The limit of integration: ten standard deviations of the median, at most 8.5 of a single value. */
static double integration_reach(double count) {
	return fmin(8.5, 10 * sqrt(M_PI_2 / count));
}

static double log_lower(double x) {
	return log(gsl_cdf_ugaussian_P(x));
}

static double log_upper(double x) {
	return log(gsl_cdf_ugaussian_Q(x));
}

/* The variance of the middle one of 2k+1 values. */
static double integrate_odd(unsigned k) {
	double reach = integration_reach(2.0 * k + 1), step = 2 * reach / STEPS, sum = 0;
	double constant = gsl_sf_lngamma(2.0 * k + 2) - 2 * gsl_sf_lngamma(k + 1.0);
	for (int i = 0; i <= STEPS; i++) {
		double x = -reach + i * step;
		sum += x * x * gsl_ran_ugaussian_pdf(x) * exp(constant + k * (log_lower(x) + log_upper(x)));
	}
	return sum * step;
}

/* The variance of the mean of the two middle ones of 2k values, x and x + gap. Simpson's rule over the gap, as its
 * integrand does not vanish at gap 0. */
static double integrate_even(unsigned k) {
	double reach = integration_reach(2.0 * k), step = 2 * reach / STEPS, gap_step = reach / GAP_STEPS, sum = 0;
	double constant = gsl_sf_lngamma(2.0 * k + 1) - 2 * gsl_sf_lngamma(k);
	/* Of the upper one, at all of its places. */
	double inner[STEPS * GAPS_A_STEP + GAP_STEPS + 1];
	for (int i = 0; i <= STEPS * GAPS_A_STEP + GAP_STEPS; i++) {
		double y = -reach + i * gap_step;
		inner[i] = gsl_ran_ugaussian_pdf(y) * exp((k - 1) * log_upper(y));
	}
	for (int i = 0; i <= STEPS; i++) {
		double x = -reach + i * step;
		double outer = gsl_ran_ugaussian_pdf(x) * exp(constant + (k - 1) * log_lower(x));
		for (int j = 0; outer > 1e-300 && j <= GAP_STEPS; j++) {
			double middle = x + j * gap_step / 2;
			double weight = j == 0 || j == GAP_STEPS ? 1 : j % 2 ? 4 : 2;
			sum += weight / 3 * middle * middle * outer * inner[i * GAPS_A_STEP + j];
		}
	}
	return sum * step * gap_step;
}

double ifr_median_variance(size_t count) {
	if (count == 0)
		return 0;
	if (count >= ASYMPTOTIC_FROM)
		return M_PI_2 / (double)count;
	return count % 2 ? integrate_odd((unsigned)count / 2) : integrate_even((unsigned)count / 2);
}
