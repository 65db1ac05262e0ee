/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ridge regression.
 *
 * Problem: there are as many predictors as values, or more, and they are nearly collinear.
 *
 * Idea: centre and scale the columns, and decompose the n × n matrix of their inner products, K = V diag(e) V'. For every
 * penalty q the coefficients are Z' V diag(1 / (e + q)) V' y, and the residual of a value left out of the fit is its
 * residual / (1 - leverage): the penalty with the least of their squares is taken, without a second decomposition.
 *
 * Ref: Hoerl and Kennard 1970; Golub, Heath and Wahba 1979, section 2 (leave-one-out); Saunders, Gammerman and Vovk 1998
 * (the dual form). */
#include "harness/statistics/ridge.h"

#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* Penalties that are tried, in units of the predictors' number of values: 2^-10 … 2^10. */
enum { PENALTIES_BELOW = 10, PENALTIES = 21 };

/* The decomposed problem; z: the scaled columns by rows, [n * k]; projected: V' y. */
struct dual {
	size_t n, k;
	double *z;
	gsl_matrix *vectors;
	gsl_vector *values;
	double *projected;
};

static void scale_columns(const double *x, struct ifr_ridge *ridge, struct dual *d) {
	for (size_t j = 0; j < d->k; j++) {
		double mean = 0, squares = 0;
		for (size_t i = 0; i < d->n; i++)
			mean += x[i * d->k + j] / (double)d->n;
		for (size_t i = 0; i < d->n; i++)
			squares += pow(x[i * d->k + j] - mean, 2);
		ridge->mean[j] = mean;
		/* A constant column says nothing, and gets a coefficient of 0. */
		ridge->scale[j] = squares > 1e-24 * mean * mean * (double)d->n ? sqrt(squares / (double)d->n) : INFINITY;
		for (size_t i = 0; i < d->n; i++)
			d->z[i * d->k + j] = (x[i * d->k + j] - mean) / ridge->scale[j];
	}
}

static double inner_product(const double *a, const double *b, size_t k) {
	double sum = 0;
	for (size_t j = 0; j < k; j++)
		sum += a[j] * b[j];
	return sum;
}

static void decompose(struct dual *d, const double *y, double mean_y) {
	gsl_matrix *inner = gsl_matrix_alloc(d->n, d->n);
	gsl_eigen_symmv_workspace *space = gsl_eigen_symmv_alloc(d->n);
	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j < d->n; j++)
			gsl_matrix_set(inner, i, j, inner_product(d->z + i * d->k, d->z + j * d->k, d->k));
	gsl_eigen_symmv(inner, d->values, d->vectors, space);
	for (size_t m = 0; m < d->n; m++)
		for (size_t i = 0; i < d->n; i++)
			d->projected[m] += gsl_matrix_get(d->vectors, i, m) * (y[i] - mean_y);
	gsl_eigen_symmv_free(space);
	gsl_matrix_free(inner);
}

/* Stores what a penalty predicts for each value by the others. Returns the sum of the squared errors; *df receives the
 * degrees of freedom of the fit. */
static double leave_one_out(const struct dual *d, const double *y, double mean_y, double penalty,
                            double *predicted, double *df) {
	double squares = 0;
	*df = 1;
	for (size_t i = 0; i < d->n; i++) {
		double fitted = 0, leverage = 1 / (double)d->n;
		for (size_t m = 0; m < d->n; m++) {
			const double e = fmax(0, gsl_vector_get(d->values, m)), v = gsl_matrix_get(d->vectors, i, m);
			fitted += v * e / (e + penalty) * d->projected[m];
			leverage += v * v * e / (e + penalty);
		}
		*df += leverage - 1 / (double)d->n;
		predicted[i] = y[i] - (y[i] - mean_y - fitted) / fmax(1 - leverage, 1e-9);
		squares += pow(y[i] - predicted[i], 2);
	}
	return squares;
}

static void choose_penalty(const struct dual *d, const double *y, struct ifr_ridge *ridge, double *df) {
	double least = INFINITY, *predicted = ifr_alloc((d->n + 1) * sizeof *predicted);
	for (int i = 0; i < PENALTIES; i++) {
		const double penalty = (double)d->n * exp2(i - PENALTIES_BELOW);
		double used, squares = leave_one_out(d, y, ridge->mean_y, penalty, predicted, &used);
		if (squares >= least)
			continue;
		least = squares;
		ridge->penalty = penalty;
		*df = used;
		memcpy(ridge->left_out, predicted, d->n * sizeof *predicted);
	}
	free(predicted);
}

/* Keeps the coefficients, and V diag(1 / (e + q)) V' Z for standard errors. */
static void keep_solution(const struct dual *d, const double *y, double df, struct ifr_ridge *ridge) {
	double *weights = ifr_alloc(d->n * sizeof *weights), squares = 0;
	ridge->z = ifr_alloc(d->n * d->k * sizeof *ridge->z);
	memcpy(ridge->z, d->z, d->n * d->k * sizeof *ridge->z);
	ridge->inverse = ifr_alloc(d->n * d->n * sizeof *ridge->inverse);
	for (size_t m = 0; m < d->n; m++) {
		const double part = 1 / (fmax(0, gsl_vector_get(d->values, m)) + ridge->penalty);
		for (size_t i = 0; i < d->n; i++) {
			const double v = gsl_matrix_get(d->vectors, i, m);
			weights[i] += v * part * d->projected[m];
			for (size_t j = 0; j < d->n; j++)
				ridge->inverse[i * d->n + j] += v * part * gsl_matrix_get(d->vectors, j, m);
		}
	}
	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j < d->k; j++)
			ridge->coefficient[j] += weights[i] * d->z[i * d->k + j];
	for (size_t i = 0; i < d->n; i++)
		squares += pow(y[i] - ridge->mean_y - inner_product(ridge->coefficient, d->z + i * d->k, d->k), 2);
	ridge->residual_sd = sqrt(squares / fmax(1, (double)d->n - df));
	free(weights);
}

int ifr_ridge_fit(const double *x, const double *y, size_t count, size_t predictors, struct ifr_ridge *ridge,
                  struct ifr_error *err) {
	if (count < 4 || !predictors)
		return ifr_fail(err, IFR_E_USAGE, "a ridge regression needs four values or more, and a predictor");
	for (size_t i = 0; i < count * predictors; i++)
		if (!isfinite(x[i]) || !isfinite(y[i / predictors]))
			return ifr_fail(err, IFR_E_USAGE, "a ridge regression needs finite values");
	struct dual d = {.n = count,
	                 .k = predictors,
	                 .z = ifr_alloc(count * predictors * sizeof *d.z),
	                 .vectors = gsl_matrix_alloc(count, count),
	                 .values = gsl_vector_alloc(count),
	                 .projected = ifr_alloc(count * sizeof *d.projected)};
	double df = 1;
	*ridge = (struct ifr_ridge){.count = count,
	                            .predictors = predictors,
	                            .mean = ifr_alloc(predictors * sizeof *ridge->mean),
	                            .scale = ifr_alloc(predictors * sizeof *ridge->scale),
	                            .coefficient = ifr_alloc(predictors * sizeof *ridge->coefficient),
	                            .left_out = ifr_alloc(count * sizeof *ridge->left_out)};
	for (size_t i = 0; i < count; i++)
		ridge->mean_y += y[i] / (double)count;
	scale_columns(x, ridge, &d);
	decompose(&d, y, ridge->mean_y);
	choose_penalty(&d, y, ridge, &df);
	keep_solution(&d, y, df, ridge);
	free(d.z);
	free(d.projected);
	gsl_matrix_free(d.vectors);
	gsl_vector_free(d.values);
	return 0;
}

double ifr_ridge_predict(const struct ifr_ridge *ridge, const double *x, double *se) {
	const size_t n = ridge->count, k = ridge->predictors;
	double *z = ifr_alloc(k * sizeof *z), *inner = ifr_alloc(n * sizeof *inner), explained = 0;
	for (size_t j = 0; j < k; j++)
		z[j] = (x[j] - ridge->mean[j]) / ridge->scale[j];
	const double value = ridge->mean_y + inner_product(ridge->coefficient, z, k);
	if (se) {
		for (size_t i = 0; i < n; i++)
			inner[i] = inner_product(ridge->z + i * k, z, k);
		for (size_t i = 0; i < n; i++)
			explained += inner[i] * inner_product(ridge->inverse + i * n, inner, n);
		const double unknown = fmax(0, inner_product(z, z, k) - explained) / ridge->penalty;
		*se = ridge->residual_sd * sqrt(1 / (double)n + unknown);
	}
	free(inner);
	free(z);
	return value;
}

void ifr_ridge_release(struct ifr_ridge *ridge) {
	free(ridge->mean);
	free(ridge->scale);
	free(ridge->coefficient);
	free(ridge->left_out);
	free(ridge->z);
	free(ridge->inverse);
	*ridge = (struct ifr_ridge){0};
}
