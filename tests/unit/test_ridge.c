/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ridge regression against R 4.2.2: the penalised normal equations, solved once for each value that is left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/statistics/statistics.h"
#include "tests/unit/swiss.h"

enum { VALUES = 47, PREDICTORS = 5 };

static void near(double got, double expected) {
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* The swiss data by rows. */
static const double *rows(void) {
	static double x[VALUES * PREDICTORS];
	for (int i = 0; i < VALUES; i++)
		for (int j = 0; j < PREDICTORS; j++)
			x[i * PREDICTORS + j] = swiss_x[j][i];
	return x;
}

static void check(const struct ifr_ridge *ridge, double penalty, const double *coefficients,
                  const double *left_out, size_t some) {
	near(ridge->penalty, penalty);
	for (int j = 0; j < PREDICTORS; j++)
		near(ridge->coefficient[j], coefficients[j]);
	for (size_t i = 0; i < some; i++)
		near(ridge->left_out[i], left_out[i]);
}

static void test_swiss(void **state) {
	(void)state;
	static const double coefficients[] = {-3.34085998911, -2.32613723089, -7.56623584024, 3.90002853711,
	                                      3.14507281847};
	static const double left_out[] = {73.2885562734, 82.1160957392, 83.7118381213};
	struct ifr_ridge ridge;
	double se;
	assert_int_equal(ifr_ridge_fit(rows(), swiss_fertility, VALUES, PREDICTORS, &ridge, NULL), 0);
	check(&ridge, 1.46875, coefficients, left_out, 3);
	near(ridge.residual_sd, 7.15672265457);
	near(ifr_ridge_predict(&ridge, rows() + 6 * PREDICTORS, &se), 79.4254377585);
	near(se, 2.60143920179);
	ifr_ridge_release(&ridge);
}

static void test_more_predictors_than_values(void **state) {
	(void)state;
	static const double coefficients[] = {-0.254937040578, -0.778514142430, -1.398752501574, 0.792288644724,
	                                      -1.522228614795};
	static const double left_out[] = {80.2326909268, 88.5148810194, 85.9487420557, 87.5865774913};
	struct ifr_ridge ridge;
	assert_int_equal(ifr_ridge_fit(rows(), swiss_fertility, 4, PREDICTORS, &ridge, NULL), 0);
	check(&ridge, 2, coefficients, left_out, 4);
	ifr_ridge_release(&ridge);
}

/* A constant predictor gets no weight, whatever value it has where a prediction is wanted. */
static void test_constant_predictor(void **state) {
	(void)state;
	static const double x[] = {1, 7, 2, 7, 3, 7, 4, 7, 5, 7}, y[] = {2, 4, 6, 8, 10}, far[] = {3, 700};
	struct ifr_ridge ridge;
	assert_int_equal(ifr_ridge_fit(x, y, 5, 2, &ridge, NULL), 0);
	assert_true(ridge.coefficient[1] == 0);
	near(ifr_ridge_predict(&ridge, far, NULL), 6);
	ifr_ridge_release(&ridge);
}

static void test_refusals(void **state) {
	(void)state;
	static const double x[] = {1, 2, NAN, 4}, y[] = {1, 2, 3, 4};
	struct ifr_ridge ridge;
	assert_int_equal(ifr_ridge_fit(y, y, 3, 1, &ridge, NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_ridge_fit(y, y, 4, 0, &ridge, NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_ridge_fit(x, y, 4, 1, &ridge, NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_ridge_fit(y, x, 4, 1, &ridge, NULL), -IFR_E_USAGE);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_swiss),
	                                   cmocka_unit_test(test_more_predictors_than_values),
	                                   cmocka_unit_test(test_constant_predictor), cmocka_unit_test(test_refusals)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
