/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of the usual distributions (GSL's, which by default end the process when they do not converge; these
 * give the best value reached instead), and the checks that all of the statistics share. Private to this folder.
 */
#ifndef IFR_HARNESS_STATISTICS_DISTRIBUTIONS_H
#define IFR_HARNESS_STATISTICS_DISTRIBUTIONS_H

#include <stddef.h>

#include "common/error.h"

/* The value below which a share p (0 < p < 1) lies. */
double ifr_t_quantile(double p, double df);
double ifr_chi2_quantile(double p, double df);
double ifr_f_quantile(double p, double df1, double df2);
double ifr_beta_quantile(double p, double a, double b);

/* Refuses fewer than needed values, and any that is not finite. */
int ifr_values_check(const double *values, size_t count, size_t needed, struct ifr_error *err);
/* A sorted copy; the caller frees. */
double *ifr_values_sorted(const double *values, size_t count);

#endif
