/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: quantiles of the usual distributions, and checks of arguments. GSL's quantiles end the
 * process by default when they do not converge; these return the best value reached instead. */
#ifndef IFR_HARNESS_STATISTICS_DISTRIBUTIONS_H
#define IFR_HARNESS_STATISTICS_DISTRIBUTIONS_H

#include <stddef.h>

#include "common/error.h"

/* The quantile p, 0 < p < 1. */
double ifr_t_quantile(double p, double df);
double ifr_chi2_quantile(double p, double df);
double ifr_f_quantile(double p, double df1, double df2);
double ifr_beta_quantile(double p, double a, double b);

/* Refuses fewer than needed values, and values that are not finite: IFR_E_USAGE. */
int ifr_values_check(const double *values, size_t count, size_t needed, struct ifr_error *err);
/* Checks three values or more, of which not all are equal; what names them in the error. */
int ifr_values_check_varies(const double *values, size_t count, const char *what, struct ifr_error *err);
/* A sorted copy; the caller frees. */
double *ifr_values_sorted(const double *values, size_t count);

/* Stores the ranks of values, from 1; equal ones share their mean rank. */
void ifr_values_rank(const double *values, size_t count, double *rank);

#endif
