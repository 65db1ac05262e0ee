/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Power of t tests, and the layouts and runs that a comparison needs. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"

enum { STEPS = 400 };

/* P(T > t) of the noncentral t distribution, by Simpson's rule: the normal tail, averaged over s, the ratio of
 * estimated to true standard deviation; s sqrt(df) has a chi distribution. */
static double upper_tail(double t, double df, double shift) {
	double sd = 1 / sqrt(2 * df), low = fmax(1e-9, 1 - 12 * sd), high = 1 + 14 * sd + 4 / df, sum = 0;
	double constant = log(2) + df / 2 * log(df / 2) - gsl_sf_lngamma(df / 2);
	double step = (high - low) / STEPS;
	for (int i = 0; i <= STEPS; i++) {
		double s = low + i * step;
		double density = exp(constant + (df - 1) * log(s) - df * s * s / 2);
		sum += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * density * gsl_cdf_ugaussian_Q(t * s - shift);
	}
	return sum * step / 3;
}

double ifr_t_power(double shift, double df, double level) {
	double t = ifr_t_quantile(1 - level / 2, df);
	return fmin(1, upper_tail(t, df, shift) + upper_tail(t, df, -shift));
}

double ifr_t_detectable(double power, double df, double level) {
	double low = 0, high = 1;
	while (ifr_t_power(high, df, level) < power && high < 1e6)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		*(ifr_t_power(middle, df, level) < power ? &low : &high) = middle;
	}
	return high;
}

/* With effects, mean squares have the F distribution times 1 + runs * ratio^2. */
double ifr_f_detectable(double power, size_t groups, size_t runs, double level) {
	const double n = (double)runs, df_between = (double)groups - 1, df_within = (double)groups * (n - 1);
	const double least = ifr_f_quantile(1 - level, df_between, df_within),
				 usual = ifr_f_quantile(1 - power, df_between, df_within);
	return sqrt(fmax(0, least / usual - 1) / n);
}

double ifr_detectable_effect(struct ifr_noise noise, size_t layouts, size_t runs, double power, double level) {
	double n = (double)layouts, se = sqrt((noise.between + noise.within / (double)runs) / n);
	return se * ifr_t_detectable(power, n - 1, level);
}

static bool is_detected(struct ifr_noise noise, size_t layouts, size_t runs, double effect, double power,
                        double level) {
	double n = (double)layouts, se = sqrt((noise.between + noise.within / (double)runs) / n);
	return !(se > 0) || ifr_t_power(effect / se, n - 1, level) >= power;
}

size_t ifr_layouts_needed(struct ifr_noise noise, size_t runs, double effect, double power, double level,
                          size_t limit) {
	size_t low = 2, high = limit * 10 / 11;
	if (high < 2 || !is_detected(noise, high, runs, effect, power, level))
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_detected(noise, middle, runs, effect, power, level))
			high = middle;
		else
			low = middle + 1;
	}
	return high + (high + 9) / 10;
}

size_t ifr_runs_optimal(struct ifr_noise noise, double cost, size_t most) {
	double best = noise.between > 0 ? sqrt(fmax(cost, 1) * noise.within / noise.between) : INFINITY;
	return best >= (double)most ? most : best <= 1 ? 1 : (size_t)lround(best);
}
