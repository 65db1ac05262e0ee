/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restricted maximum likelihood of layouts crossed with kinds, for cells of any sizes.
 *
 * Problem: with cells of unequal sizes, and where a component is zero, mean squares do not give the estimates of greatest
 * likelihood.
 *
 * Idea: the means of cells and the squares within them are sufficient, and rows are independent: the covariance of a
 * row's means is a diagonal plus a constant, whose inverse and determinant are sums. Relative to the noise of a run, two
 * numbers remain, as in lme4: the standard deviations of rows and of cells. The deviance is even in both, so that a
 * simplex needs no bounds, and zero is a minimum like others.
 *
 * Ref: Bates, Maechler, Bolker and Walker 2015, section 3 (profiled REML criterion); Nelder and Mead 1965. */
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>
#include <math.h>

#include "common/buffer.h"
#include "harness/statistics/crossed_reml.h"

enum { STEPS = 2000 };
static const double size_of_simplex = 1e-9, no_worse = 1e-8;

struct work {
	const struct ifr_crossed_cells *cells;
	gsl_matrix *information; /* X' V^-1 X */
	gsl_vector *moment;      /* X' V^-1 y */
	gsl_vector *fit;
	double noise; /* variance of a run, of the last deviance */
};

/* Adds a row's share of the information, the moment and the squares; returns the logarithm of its determinant. */
static double add_row(const struct work *work, size_t row, double of_rows, double of_cells, double *squares) {
	const struct ifr_crossed_cells *cells = work->cells;
	const double *mean = cells->means + row * cells->columns, *count = cells->counts + row * cells->columns;
	double weights = 0, moments = 0, determinant = 0;
	for (size_t j = 0; j < cells->columns; j++) {
		const double weight = 1 / (of_cells + 1 / count[j]);
		weights += weight;
		moments += weight * mean[j];
		determinant -= log(weight);
		*squares += weight * mean[j] * mean[j];
	}
	const double shared = of_rows / (1 + of_rows * weights);
	*squares -= shared * moments * moments;
	for (size_t j = 0; j < cells->columns; j++) {
		const double weight = 1 / (of_cells + 1 / count[j]);
		*gsl_vector_ptr(work->moment, j) += weight * (mean[j] - shared * moments);
		*gsl_matrix_ptr(work->information, j, j) += weight;
		for (size_t k = 0; k < cells->columns; k++)
			*gsl_matrix_ptr(work->information, j, k) -= shared * weight / (of_cells + 1 / count[k]);
	}
	return determinant + log1p(of_rows * weights);
}

/* -2 log L at the best levels of columns and the best noise, up to a constant. at: standard deviations of rows and of
 * cells, relative to a run's. */
static double find_deviance(const gsl_vector *at, void *data) {
	struct work *work = data;
	const double rows = gsl_vector_get(at, 0), of_cells = gsl_vector_get(at, 1);
	const double df = work->cells->values - (double)work->cells->columns;
	double squares = work->cells->within, deviance = 0, explained = 0;
	gsl_matrix_set_zero(work->information);
	gsl_vector_set_zero(work->moment);
	for (size_t i = 0; i < work->cells->rows; i++)
		deviance += add_row(work, i, rows * rows, of_cells * of_cells, &squares);
	gsl_linalg_cholesky_decomp1(work->information);
	gsl_linalg_cholesky_solve(work->information, work->moment, work->fit);
	for (size_t j = 0; j < work->cells->columns; j++) {
		explained += gsl_vector_get(work->fit, j) * gsl_vector_get(work->moment, j);
		deviance += 2 * log(gsl_matrix_get(work->information, j, j));
	}
	work->noise = (squares - explained) / df;
	return deviance + df * log(work->noise);
}

static void minimise(gsl_multimin_function *function, gsl_vector *at) {
	gsl_multimin_fminimizer *simplex = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 2);
	gsl_vector *step = gsl_vector_alloc(2);
	for (size_t i = 0; i < 2; i++)
		gsl_vector_set(step, i, 0.1 + gsl_vector_get(at, i) / 4);
	gsl_multimin_fminimizer_set(simplex, function, at, step);
	for (int i = 0; i < STEPS; i++)
		if (gsl_multimin_fminimizer_iterate(simplex) ||
		    gsl_multimin_test_size(gsl_multimin_fminimizer_size(simplex), size_of_simplex) == GSL_SUCCESS)
			break;
	gsl_vector_memcpy(at, gsl_multimin_fminimizer_x(simplex));
	gsl_vector_free(step);
	gsl_multimin_fminimizer_free(simplex);
}

/* A component that is as good at zero is zero. */
static void settle_zeros(gsl_multimin_function *function, gsl_vector *at) {
	for (size_t i = 0; i < 2; i++) {
		const double found = gsl_vector_get(at, i), least = find_deviance(at, function->params);
		gsl_vector_set(at, i, 0);
		if (find_deviance(at, function->params) > least + no_worse)
			gsl_vector_set(at, i, fabs(found));
	}
}

void ifr_crossed_reml(const struct ifr_crossed_cells *cells, struct ifr_crossed *crossed) {
	struct work work = {.cells = cells,
	                    .information = gsl_matrix_alloc(cells->columns, cells->columns),
	                    .moment = gsl_vector_alloc(cells->columns),
	                    .fit = gsl_vector_alloc(cells->columns)};
	gsl_multimin_function function = {.f = find_deviance, .n = 2, .params = &work};
	gsl_vector *at = gsl_vector_alloc(2);
	const double noise = crossed->run_sd > 0 ? crossed->run_sd : 1;
	gsl_vector_set(at, 0, crossed->row_sd / noise);
	gsl_vector_set(at, 1, crossed->cell_sd / noise);
	/* Twice: a simplex that shrank too early begins anew. */
	minimise(&function, at);
	minimise(&function, at);
	settle_zeros(&function, at);
	find_deviance(at, &work);
	crossed->run_sd = sqrt(work.noise);
	crossed->row_sd = gsl_vector_get(at, 0) * crossed->run_sd;
	crossed->cell_sd = gsl_vector_get(at, 1) * crossed->run_sd;
	gsl_vector_free(at);
	gsl_vector_free(work.fit);
	gsl_vector_free(work.moment);
	gsl_matrix_free(work.information);
}
