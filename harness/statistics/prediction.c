/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prediction of a layout's next measurement, by best linear unbiased prediction. */
#include <math.h>

#include "harness/statistics/distributions.h"
#include "harness/statistics/components.h"

double ifr_reliability(double between_variance, double noise_variance) {
	double total = between_variance + noise_variance;
	return total > 0 ? between_variance / total : 0;
}

int ifr_shrinkage_predict(const struct ifr_shrinkage *s, double confidence, struct ifr_prediction *prediction,
                          struct ifr_error *err) {
	const double given[] = {s->measured,         s->noise_variance,         s->centre, s->centre_variance,
	                        s->between_variance, s->remeasurement_variance, s->df};
	int result = ifr_values_check(given, sizeof given / sizeof *given, 1, err);
	if (result)
		return result;
	if (s->df < 1)
		return ifr_fail(err, IFR_E_USAGE, "a prediction needs at least two layouts");
	double kept = ifr_reliability(s->between_variance, s->noise_variance), lost = 1 - kept;
	/* Variance of the layout effect about its prediction, of the centre, and of the next measurement. */
	double variance = s->between_variance * lost + lost * lost * s->centre_variance + s->remeasurement_variance;
	prediction->reliability = kept;
	prediction->expected = s->centre + kept * (s->measured - s->centre);
	prediction->again = ifr_t_interval(prediction->expected, sqrt(variance), s->df, confidence, 1);
	return 0;
}
