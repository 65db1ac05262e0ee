/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ridge regression, for predictors that are nearly collinear or more than the values. The rules of statistics.h hold.
 * Ref: Hoerl and Kennard 1970. */
#ifndef IFR_HARNESS_RIDGE_H
#define IFR_HARNESS_RIDGE_H

#include <stddef.h>

#include "common/error.h"

/* y = mean_y + sum of coefficient[j] (x[j] - mean[j]) / scale[j], with a penalty on the coefficients' squares that
 * leave-one-out validation chooses. */
struct ifr_ridge {
	size_t count, predictors;
	double mean_y, penalty;
	double *mean, *scale; /* [predictors]; the scale of a constant predictor is infinite */
	double *coefficient;  /* [predictors], of the scaled predictors */
	double *left_out;     /* [count] what the others predict for each value */
	double residual_sd;   /* of the fit, with its effective degrees of freedom */
	double *z, *inverse;  /* of the fit, for standard errors */
};

/* Fits x[count * predictors], by rows, to y[count]; there may be more predictors than values. The caller releases the
 * regression. Errors: IFR_E_USAGE for fewer than four values, no predictor, values that are not finite. */
int ifr_ridge_fit(const double *x, const double *y, size_t count, size_t predictors, struct ifr_ridge *ridge,
                  struct ifr_error *err);

/* The value expected at x[predictors]; se (NULL: not wanted) receives the standard error of that expectation, where the
 * coefficients are drawn from a normal distribution of the penalty's variance. */
double ifr_ridge_predict(const struct ifr_ridge *ridge, const double *x, double *se);
void ifr_ridge_release(struct ifr_ridge *ridge);

#endif
