/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The surrogate: a ridge regression of measured times on features of layouts. Private to this room.
 *
 * Several sets of features are tried: counts alone, or with offsets; and each of these also with modelled cycles, where
 * all measured layouts have them. The set with the least leave-one-out error is taken, so that features that say nothing
 * on this machine do not disturb the others. */
#ifndef IFR_HARNESS_SURROGATE_H
#define IFR_HARNESS_SURROGATE_H

#include "harness/optimize/features.h"
#include "harness/statistics/statistics.h"

struct surrogate {
	struct ifr_ridge ridge;
	size_t column[FEATURES_MOST]; /* the feature of each predictor */
	bool modelled;                /* modelled cycles are among them */
};

/* Fits y[count], logarithms of times, to rows of features. modelled: whether modelled cycles may be used, which all rows
 * then have. The caller releases the surrogate. Errors: those of ifr_ridge_fit. */
int surrogate_fit(const struct hot_code *code, const double (*rows)[FEATURES_MOST], const double *y, size_t count,
                  bool modelled, struct surrogate *surrogate, struct ifr_error *err);
/* The expected logarithm of the time; se (NULL: not wanted) receives its standard error. */
double surrogate_predict(const struct surrogate *surrogate, const double *features, double *se);
void surrogate_release(struct surrogate *surrogate);

#endif
