/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiple linear regression.
 *
 * Problem: counters are nearly collinear, and the normal equations X'X square the condition.
 *
 * Idea: centre the columns and scale them to length 1, factor them by Householder reflections in extended
 * precision, and refuse a condition at which the rounding of the input alone spoils the coefficients.
 *
 * Invariant: reflections are orthogonal and keep lengths, so that the condition of r is that of the scaled
 * columns. Residuals are computed from the columns themselves, not from the factors.
 *
 * NIST's certified data sets are reproduced in tests/unit/test_regression.c.
 * Ref: Golub and Van Loan 2013, sections 5.2 and 5.3. */
#include "harness/statistics/regression.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"

/* Doubles carry 16 digits; a matrix of this condition leaves 9 of them. */
static const double condition_most = 1e7;

/* The least-squares problem: columns of length 1, centred if there is an intercept, stored one after the other. */
struct work {
	size_t n, k;
	long double *z, *reflected, *y, *qty; /* z, reflected: [k * n]; y, qty: [n] */
	long double *mean, *scale;            /* [k] */
	long double *r, *inverse, *beta;      /* [k * k], [k * k], [k]; upper triangles, by rows */
	long double mean_y;
};

static long double *alloc_long_doubles(size_t count) {
	return ifr_alloc((count ? count : 1) * sizeof(long double));
}

static void work_init(struct work *w, size_t n, size_t k) {
	*w = (struct work){n,
	                   k,
	                   alloc_long_doubles(k * n),
	                   alloc_long_doubles(k * n),
	                   alloc_long_doubles(n),
	                   alloc_long_doubles(n),
	                   alloc_long_doubles(k),
	                   alloc_long_doubles(k),
	                   alloc_long_doubles(k * k),
	                   alloc_long_doubles(k * k),
	                   alloc_long_doubles(k),
	                   0};
}

static void work_release(struct work *w) {
	long double *all[] = {w->z, w->reflected, w->y, w->qty, w->mean, w->scale, w->r, w->inverse, w->beta};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

static long double mean_of(const double *values, size_t n) {
	long double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (long double)n;
}

/* Fills z and y. Refuses a column whose variation is below the rounding of its values. */
static int scale_columns(const double *const *x, const double *y, bool intercept, struct work *w,
                         struct ifr_error *err) {
	w->mean_y = intercept ? mean_of(y, w->n) : 0;
	for (size_t i = 0; i < w->n; i++)
		w->y[i] = w->qty[i] = y[i] - w->mean_y;
	for (size_t j = 0; j < w->k; j++) {
		int result = ifr_values_check(x[j], w->n, w->k + 1 + intercept, err);
		if (result)
			return result;
		long double sum = 0, size = 0, *z = w->z + j * w->n;
		w->mean[j] = intercept ? mean_of(x[j], w->n) : 0;
		for (size_t i = 0; i < w->n; i++) {
			z[i] = x[j][i] - w->mean[j];
			sum += z[i] * z[i];
			size += (long double)x[j][i] * x[j][i];
		}
		w->scale[j] = sqrtl(sum);
		if (sum <= size * DBL_EPSILON * DBL_EPSILON)
			return ifr_fail(err, IFR_E_USAGE, "predictor %zu is the same in all %zu observations: leave it out",
			                j + 1, w->n);
		for (size_t i = 0; i < w->n; i++)
			w->reflected[j * w->n + i] = z[i] /= w->scale[j];
	}
	return 0;
}

/* Applies the Householder reflection of v to the rows of a column from `step` on; vv is the squared length of v. */
static void reflect_column(const long double *v, long double *column, size_t step, size_t n, long double vv) {
	long double dot = 0;
	for (size_t i = step; i < n; i++)
		dot += v[i] * column[i];
	for (size_t i = step; i < n; i++)
		column[i] -= 2 * dot / vv * v[i];
}

/* Factors z into Q and r, and replaces qty by Q'y. */
static void factor_columns(struct work *w) {
	for (size_t j = 0; j < w->k; j++) {
		long double *v = w->reflected + j * w->n, norm = 0, vv = 0;
		for (size_t i = 0; i < j; i++)
			w->r[i * w->k + j] = v[i];
		for (size_t i = j; i < w->n; i++)
			norm += v[i] * v[i];
		norm = v[j] > 0 ? -sqrtl(norm) : sqrtl(norm);
		w->r[j * w->k + j] = norm;
		v[j] -= norm;
		for (size_t i = j; i < w->n; i++)
			vv += v[i] * v[i];
		for (size_t l = j + 1; l < w->k && vv > 0; l++)
			reflect_column(v, w->reflected + l * w->n, j, w->n, vv);
		if (vv > 0)
			reflect_column(v, w->qty, j, w->n, vv);
	}
}

/* Returns the condition of r; culprit gets the column with the largest part in its smallest singular vector. */
static double condition_of(const struct work *w, size_t *culprit) {
	gsl_matrix *a = gsl_matrix_alloc(w->k, w->k), *v = gsl_matrix_alloc(w->k, w->k);
	gsl_vector *s = gsl_vector_alloc(w->k);
	for (size_t i = 0; i < w->k; i++)
		for (size_t j = 0; j < w->k; j++)
			gsl_matrix_set(a, i, j, (double)w->r[i * w->k + j]);
	gsl_linalg_SV_decomp_jacobi(a, v, s);
	double least = gsl_vector_get(s, w->k - 1), most = gsl_vector_get(s, 0);
	*culprit = 0;
	for (size_t j = 1; j < w->k; j++)
		if (fabs(gsl_matrix_get(v, j, w->k - 1)) > fabs(gsl_matrix_get(v, *culprit, w->k - 1)))
			*culprit = j;
	gsl_matrix_free(a);
	gsl_matrix_free(v);
	gsl_vector_free(s);
	return least > 0 ? most / least : INFINITY;
}

/* Solves r beta = qty by back substitution, and inverts r. */
static void solve_triangle(struct work *w) {
	size_t k = w->k;
	for (size_t j = k; j-- > 0;) {
		long double sum = w->qty[j];
		for (size_t l = j + 1; l < k; l++)
			sum -= w->r[j * k + l] * w->beta[l];
		w->beta[j] = sum / w->r[j * k + j];
		w->inverse[j * k + j] = 1 / w->r[j * k + j];
		for (size_t l = j + 1; l < k; l++) {
			long double part = 0;
			for (size_t m = j + 1; m <= l; m++)
				part += w->r[j * k + m] * w->inverse[m * k + l];
			w->inverse[j * k + l] = -part / w->r[j * k + j];
		}
	}
}

/* x (X'X)^-1 x' of a row x in scaled columns: the squared length of x times the inverse of r. */
static long double quadratic_form(const struct work *w, const long double *row) {
	long double total = 0;
	for (size_t l = 0; l < w->k; l++) {
		long double sum = 0;
		for (size_t j = 0; j <= l; j++)
			sum += row[j] * w->inverse[j * w->k + l];
		total += sum * sum;
	}
	return total;
}

static void compute_residuals(const struct work *w, struct ifr_multiple_regression *fit) {
	long double left = 0, total = 0, *row = alloc_long_doubles(w->k);
	for (size_t i = 0; i < w->n; i++) {
		long double fitted = 0;
		for (size_t j = 0; j < w->k; j++) {
			row[j] = w->z[j * w->n + i];
			fitted += row[j] * w->beta[j];
		}
		long double residual = w->y[i] - fitted;
		left += residual * residual;
		total += w->y[i] * w->y[i];
		fit->residual[i] = (double)residual;
		fit->leverage[i] = (double)(quadratic_form(w, row) + (fit->intercept ? 1 / (long double)w->n : 0));
	}
	free(row);
	fit->ss_residual = (double)left;
	fit->ss_model = (double)(total - left);
	fit->r2 = total > 0 ? (double)(1 - left / total) : 0;
}

static void test_fit(struct ifr_multiple_regression *m) {
	double n = (double)m->count - m->intercept;
	m->df_model = (double)m->predictors;
	m->df_residual = n - m->df_model;
	double mean_square = m->ss_residual / m->df_residual;
	m->residual_sd = sqrt(mean_square);
	m->r2_adjusted = 1 - (1 - m->r2) * n / m->df_residual;
	m->f = mean_square > 0 ? m->ss_model / m->df_model / mean_square : 0;
	m->f_p = mean_square > 0 ? gsl_cdf_fdist_Q(m->f, m->df_model, m->df_residual) : 0;
}

static void store_coefficient(struct ifr_multiple_regression *m, size_t at, long double value,
                              long double spread) {
	m->coefficient[at] = (double)value;
	m->se[at] = m->residual_sd * (double)sqrtl(spread);
	m->t[at] = m->se[at] > 0 ? m->coefficient[at] / m->se[at] : 0;
	m->p[at] = m->se[at] > 0 ? 2 * gsl_cdf_tdist_Q(fabs(m->t[at]), m->df_residual) : 0;
}

static void compute_coefficients(const struct work *w, struct ifr_multiple_regression *m) {
	long double centre = w->mean_y, *unit = alloc_long_doubles(w->k), *row = alloc_long_doubles(w->k);
	for (size_t j = 0; j < w->k; j++) {
		long double b = w->beta[j] / w->scale[j];
		unit[j] = 1;
		long double inflation = quadratic_form(w, unit);
		unit[j] = 0;
		m->inflation[j] = (double)inflation;
		m->mean[j] = (double)w->mean[j];
		m->scale[j] = (double)w->scale[j];
		store_coefficient(m, j + 1, b, inflation / (w->scale[j] * w->scale[j]));
		centre -= b * w->mean[j];
		row[j] = w->mean[j] / w->scale[j];
	}
	for (size_t i = 0; i < w->k * w->k; i++)
		m->basis[i] = (double)w->inverse[i];
	if (m->intercept)
		store_coefficient(m, 0, centre, 1 / (long double)w->n + quadratic_form(w, row));
	free(unit);
	free(row);
}

static void regression_init(struct ifr_multiple_regression *m, const struct work *w, bool intercept,
                            double condition) {
	size_t k = w->k;
	*m = (struct ifr_multiple_regression){
		.count = w->n, .predictors = k, .intercept = intercept, .condition = condition};
	double **const arrays[] = {&m->coefficient, &m->se,       &m->t,     &m->p,    &m->inflation,
	                           &m->residual,    &m->leverage, &m->basis, &m->mean, &m->scale};
	const size_t sizes[] = {k + 1, k + 1, k + 1, k + 1, k, w->n, w->n, k * k, k, k};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		*arrays[i] = ifr_alloc(sizes[i] * sizeof **arrays[i]);
}

int ifr_multiple_regression_fit(const double *const *x, size_t predictors, const double *y, size_t count,
                                bool intercept, struct ifr_multiple_regression *fit, struct ifr_error *err) {
	if (predictors < 1 || predictors > IFR_PREDICTORS_MAX)
		return ifr_fail(err, IFR_E_USAGE, "a regression has 1 to %d predictors, not %zu", IFR_PREDICTORS_MAX,
		                predictors);
	int result = ifr_values_check(y, count, predictors + 1 + intercept, err);
	if (result)
		return result;
	struct work w;
	size_t culprit = 0;
	work_init(&w, count, predictors);
	result = scale_columns(x, y, intercept, &w, err);
	if (!result) {
		factor_columns(&w);
		double condition = condition_of(&w, &culprit);
		if (!(condition <= condition_most)) {
			result =
				ifr_fail(err, IFR_E_USAGE,
			             "the predictors nearly determine one another (condition %.1e): double precision cannot "
			             "part them; leave out predictor %zu",
			             condition, culprit + 1);
		} else {
			solve_triangle(&w);
			regression_init(fit, &w, intercept, condition);
			compute_residuals(&w, fit);
			test_fit(fit);
			compute_coefficients(&w, fit);
		}
	}
	work_release(&w);
	return result;
}

void ifr_multiple_regression_release(struct ifr_multiple_regression *m) {
	double *const arrays[] = {m->coefficient, m->se,       m->t,     m->p,    m->inflation,
	                          m->residual,    m->leverage, m->basis, m->mean, m->scale};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	*m = (struct ifr_multiple_regression){0};
}

double ifr_multiple_regression_predict(const struct ifr_multiple_regression *m, const double *point,
                                       double confidence, struct ifr_interval *mean,
                                       struct ifr_interval *further) {
	double y = m->coefficient[0], spread = m->intercept ? 1 / (double)m->count : 0;
	for (size_t j = 0; j < m->predictors; j++)
		y += m->coefficient[j + 1] * point[j];
	for (size_t l = 0; l < m->predictors; l++) {
		double sum = 0;
		for (size_t j = 0; j <= l; j++)
			sum += (point[j] - m->mean[j]) / m->scale[j] * m->basis[j * m->predictors + l];
		spread += sum * sum;
	}
	*mean = ifr_t_interval(y, m->residual_sd * sqrt(spread), m->df_residual, confidence, 1);
	*further = ifr_t_interval(y, m->residual_sd * sqrt(1 + spread), m->df_residual, confidence, 1);
	return y;
}
