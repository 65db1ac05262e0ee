/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiple regression against NIST's certified values; relative importance and diagnostics against published ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/statistics/regression.h"
#include "tests/unit/strd.h"
#include "tests/unit/swiss.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { POWERS = 10, POINTS = 82 };

static void near(double got, double expected, double relative) {
	if (!(fabs(got - expected) <= relative * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* x, x^2, ... in columns. */
static const double *const *raise(const double *x, size_t count, size_t powers) {
	static double values[POWERS][POINTS];
	static const double *columns[POWERS];
	for (size_t j = 0; j < powers; j++) {
		columns[j] = values[j];
		for (size_t i = 0; i < count; i++)
			values[j][i] = j ? values[j - 1][i] * x[i] : x[i];
	}
	return columns;
}

static struct ifr_multiple_regression fitted(const double *const *x, size_t k, const double *y, size_t count,
                                             bool intercept) {
	struct ifr_multiple_regression model;
	struct ifr_error err = {0};
	if (ifr_multiple_regression_fit(x, k, y, count, intercept, &model, &err))
		fail_msg("%s", err.message);
	return model;
}

static void check_model(const struct ifr_multiple_regression *m, const double *b, const double *se,
                        double relative) {
	for (size_t j = m->intercept ? 0 : 1; j <= m->predictors; j++) {
		near(m->coefficient[j], b[j], relative);
		near(m->se[j], se[j], relative);
	}
}

static void test_pontius(void **state) {
	(void)state;
	double x[40];
	for (int i = 0; i < 40; i++)
		x[i] = 150000.0 * (i % 20 + 1);
	struct ifr_multiple_regression m = fitted(raise(x, 40, 2), 2, pontius_y, 40, true);
	const double b[] = {0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14};
	const double se[] = {0.107938612033077E-03, 0.157817399981659E-09, 0.486652849992036E-16};
	check_model(&m, b, se, 1e-10);
	near(m.residual_sd, 0.205177424076185E-03, 1e-10);
	near(m.r2, 0.999999900178537, 1e-14);
	near(m.f, 185330865.995752, 1e-9);
	near(m.ss_residual, 0.155761768796992E-05, 1e-9);
	ifr_multiple_regression_release(&m);
}

static void test_no_intercept(void **state) {
	(void)state;
	double x[11], y[11];
	for (int i = 0; i < 11; i++) {
		x[i] = 60 + i;
		y[i] = 130 + i;
	}
	const double *column = x;
	struct ifr_multiple_regression m = fitted(&column, 1, y, 11, false);
	near(m.coefficient[1], 2.07438016528926, 1e-13);
	near(m.se[1], 0.165289256198347E-01, 1e-12);
	near(m.residual_sd, 3.56753034006338, 1e-13);
	near(m.r2, 0.999365492298663, 1e-14);
	near(m.f, 15750.2500000000, 1e-12);
	near(m.ss_model, 200457.727272727, 1e-13);
	assert_true(m.coefficient[0] == 0);
	ifr_multiple_regression_release(&m);
	const double x2[] = {4, 5, 6}, y2[] = {3, 4, 4};
	column = x2;
	m = fitted(&column, 1, y2, 3, false);
	near(m.coefficient[1], 0.727272727272727, 1e-13);
	near(m.se[1], 0.420827318078432E-01, 1e-13);
	near(m.r2, 0.993348115299335, 1e-13);
	near(m.f, 298.6666666666667, 1e-12);
	ifr_multiple_regression_release(&m);
}

static void test_longley(void **state) {
	(void)state;
	const double *x[6];
	for (int j = 0; j < 6; j++)
		x[j] = longley_x[j];
	struct ifr_multiple_regression m = fitted(x, 6, longley_y, 16, true);
	const double b[] = {-3482258.63459582, 15.0618722713733,       -0.358191792925910E-01, -2.02022980381683,
	                    -1.03322686717359, -0.511041056535807E-01, 1829.15146461355};
	const double se[] = {890420.383607373,  84.9149257747669,  0.334910077722432E-01, 0.488399681651699,
	                     0.214274163161675, 0.226073200069370, 455.478499142212};
	check_model(&m, b, se, 1e-11);
	near(m.residual_sd, 304.854073561965, 1e-12);
	near(m.r2, 0.995479004577296, 1e-13);
	near(m.f, 330.285339234588, 1e-11);
	/* Variance inflation. Ref: Belsley, Kuh and Welsch 1980; as in any text: 135.5, 1788.5, 33.6, 3.6, 399.2, 759.
	 */
	const double inflation[] = {135.532, 1788.513, 33.619, 3.589, 399.151, 758.981};
	for (int j = 0; j < 6; j++)
		near(m.inflation[j], inflation[j], 2e-4);
	ifr_multiple_regression_release(&m);
}

static void wampler(int factor, double y[21], double x[21]) {
	for (int i = 0; i <= 20; i++) {
		x[i] = i;
		y[i] = 1 + i * (1 + i * (1 + i * (1 + i * (1 + (double)i)))) + factor * wampler_errors[i];
	}
}

static void test_wampler(void **state) {
	(void)state;
	double x[21], y[21], ones[] = {1, 1, 1, 1, 1, 1};
	const double se[] = {2152.32624678170, 2363.55173469681, 779.343524331583,
	                     101.475507550350, 5.64566512170752, 0.112324854679312};
	const int factors[] = {1, 100, 10000};
	const double f[] = {675524.458240122, 67.5524458240122, 6.7552445824012241E-03};
	const double r2[] = {0.999995559025820, 0.957478440825662, 0.224668921574940E-02};
	for (int set = 0; set < 3; set++) {
		double scaled[6];
		for (int j = 0; j < 6; j++)
			scaled[j] = se[j] * factors[set];
		wampler(factors[set], y, x);
		struct ifr_multiple_regression m = fitted(raise(x, 21, 5), 5, y, 21, true);
		check_model(&m, ones, scaled, 1e-9);
		near(m.residual_sd, 2360.14502379268 * factors[set], 1e-12);
		near(m.f, f[set], 1e-11);
		near(m.r2, r2[set], 1e-12);
		ifr_multiple_regression_release(&m);
	}
}

/* Data sets 1 and 2 have no errors: coefficients to nine digits, standard errors close to 0. */
static void test_wampler_exact(void **state) {
	(void)state;
	double x[21], y[21];
	wampler(0, y, x);
	struct ifr_multiple_regression m = fitted(raise(x, 21, 5), 5, y, 21, true);
	for (int j = 0; j < 6; j++) {
		near(m.coefficient[j], 1, 1e-9);
		assert_true(m.se[j] < 1e-9);
	}
	near(m.ss_model, 18814317208116.7, 1e-13);
	struct ifr_residual_check check;
	assert_int_equal(ifr_residual_check(&m, raise(x, 21, 5), y, &check, NULL), -IFR_E_USAGE);
	ifr_multiple_regression_release(&m);
	for (int i = 0; i <= 20; i++)
		y[i] = 1 + i / 10.0 * (1 + i / 10.0 * (1 + i / 10.0 * (1 + i / 10.0 * (1 + i / 10.0))));
	m = fitted(raise(x, 21, 5), 5, y, 21, true);
	for (int j = 0; j < 6; j++)
		near(m.coefficient[j], pow(10, -j), 1e-9);
	near(m.ss_model, 6602.91858365167, 1e-12);
	ifr_multiple_regression_release(&m);
}

/* Powers of these x up to the tenth, rounded to doubles, do not determine nine digits of the coefficients: refused
 * with a message. Powers up to the fourth are accepted. */
static void test_filip(void **state) {
	(void)state;
	struct ifr_multiple_regression m;
	struct ifr_error err = {0};
	assert_int_equal(ifr_multiple_regression_fit(raise(filip_x, 82, 10), 10, filip_y, 82, true, &m, &err),
	                 -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "double precision"));
	assert_int_equal(ifr_multiple_regression_fit(raise(filip_x, 82, 4), 4, filip_y, 82, true, &m, &err), 0);
	ifr_multiple_regression_release(&m);
}

static void test_refusals(void **state) {
	(void)state;
	const double a[] = {1, 2, 3, 4, 5}, b[] = {2, 4, 6, 8, 10}, c[] = {7, 7, 7, 7, 7}, y[] = {1, 3, 2, 5, 4};
	const double hole[] = {1, 2, NAN, 4, 5};
	const double *twice[] = {a, b}, *constant[] = {a, c}, *broken[] = {a, hole};
	struct ifr_multiple_regression m;
	struct ifr_error err = {0};
	assert_int_equal(ifr_multiple_regression_fit(twice, 2, y, 5, true, &m, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "determine one another"));
	assert_int_equal(ifr_multiple_regression_fit(constant, 2, y, 5, true, &m, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "predictor 2 is the same"));
	assert_int_equal(ifr_multiple_regression_fit(broken, 2, y, 5, true, &m, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_multiple_regression_fit(twice, 1, y, 2, true, &m, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_multiple_regression_fit(twice, 0, y, 5, true, &m, &err), -IFR_E_USAGE);
}

static const double *const *swiss(void) {
	static const double *x[5];
	for (int j = 0; j < 5; j++)
		x[j] = swiss_x[j];
	return x;
}

/* R 4.2.2: lm, predict, cooks.distance, hatvalues, rstudent, and the squared fit as one more predictor. */
static void test_swiss(void **state) {
	(void)state;
	struct ifr_multiple_regression m = fitted(swiss(), 5, swiss_fertility, 47, true);
	const double b[] = {66.9151816790, -0.1721139709, -0.2580082398, -0.8709400629, 0.1041153307, 1.0770481407};
	const double se[] = {10.7060375853, 0.0703039232, 0.2538782009, 0.1830286016, 0.0352578525, 0.3817196509};
	check_model(&m, b, se, 1e-8);
	near(m.r2_adjusted, 0.670970977, 1e-8);
	near(m.f_p, 5.59379854e-10, 1e-7);
	near(m.p[1], 0.0187272, 1e-5);
	const double inflation[] = {2.28412937760, 3.67541957554, 2.77494278113, 1.93716038026, 1.10754222556};
	for (int j = 0; j < 5; j++)
		near(m.inflation[j], inflation[j], 1e-10);
	const double point[] = {50, 16, 10, 40, 20};
	struct ifr_interval mean, further;
	near(ifr_multiple_regression_predict(&m, point, 0.95, &mean, &further), 71.1775267087, 1e-11);
	near(mean.low, 69.0366773638, 1e-9);
	near(mean.high, 73.3183760536, 1e-9);
	near(further.low, 56.5492659459, 1e-9);
	near(further.high, 85.8057874716, 1e-9);
	struct ifr_residual_check check;
	assert_int_equal(ifr_residual_check(&m, swiss(), swiss_fertility, &check, NULL), 0);
	near(check.cook, 0.207734289116, 1e-10);
	assert_int_equal(check.influential, 5);
	assert_false(check.is_influential);
	near(check.leverage, 0.455836311488, 1e-10);
	assert_int_equal(check.far, 44);
	assert_true(check.is_far);
	assert_int_equal(check.outlier, 36);
	assert_true(check.has_curvature);
	near(check.curvature_p, 0.78705841479528, 1e-7);
	ifr_multiple_regression_release(&m);
}

/* y = x^2 is curved; and one distant point determines the line. */
static void test_checks_warn(void **state) {
	(void)state;
	double x[20], y[20];
	for (int i = 0; i < 20; i++) {
		x[i] = i;
		y[i] = i * i + (i * 7 % 5);
	}
	const double *column = x;
	struct ifr_residual_check check;
	struct ifr_multiple_regression m = fitted(&column, 1, y, 20, true);
	assert_int_equal(ifr_residual_check(&m, &column, y, &check, NULL), 0);
	assert_true(check.curvature_p < 1e-6);
	ifr_multiple_regression_release(&m);
	for (int i = 0; i < 20; i++)
		y[i] = i * 7 % 5;
	x[19] = 200;
	y[19] = 60;
	m = fitted(&column, 1, y, 20, true);
	assert_int_equal(ifr_residual_check(&m, &column, y, &check, NULL), 0);
	assert_true(check.is_influential && check.is_far);
	assert_int_equal(check.influential, 19);
	assert_int_equal(check.far, 19);
	ifr_multiple_regression_release(&m);
}

/* The swiss data, all 120 orders of entering with lm in R 4.2.2; the same figures are relaimpo's example. */
static void test_relative_importance(void **state) {
	(void)state;
	const double expected[] = {0.0570912207681, 0.1711730289002, 0.2601346786244, 0.1055701503735,
	                           0.1127659229265};
	double share[5];
	struct ifr_interval interval[5];
	struct ifr_relative_importance shares = {share, interval, 0.95, 300, 42, 0};
	assert_int_equal(ifr_relative_importance_estimate(swiss(), 5, swiss_fertility, 47, &shares, NULL), 0);
	near(shares.r2, 0.706735001593, 1e-11);
	for (int j = 0; j < 5; j++) {
		near(share[j], expected[j], 1e-10);
		assert_true(interval[j].low < share[j] && share[j] < interval[j].high);
	}
	struct ifr_interval again[5];
	shares.interval = again;
	assert_int_equal(ifr_relative_importance_estimate(swiss(), 5, swiss_fertility, 47, &shares, NULL), 0);
	assert_memory_equal(interval, again, sizeof again);
	const double constant[47] = {0};
	shares.interval = NULL;
	assert_int_equal(ifr_relative_importance_estimate(swiss(), 5, constant, 47, &shares, NULL), -IFR_E_USAGE);
}

/* Wang and Jiménez 2011, sections 1.4 and 4.5: CPI = 0.02799 MPKI + 0.51667 at an average of 6.50 MPKI. */
static void test_perlbench(void **state) {
	(void)state;
	const struct ifr_regression_line line = {.intercept = 0.51667, .slope = 0.02799};
	double cpi = line.intercept + line.slope * 6.5;
	assert_true(fabs(cpi - 0.70) < 0.005);
	assert_true(fabs(line.intercept - 0.517) < 0.0005);
	assert_true(fabs(ifr_regression_line_change(&line, 6.5, 0) + 0.260) < 0.0005);
	assert_true(fabs(ifr_regression_line_change(&line, 6.5, 3.25) + 0.130) < 0.0005);
	assert_true(fabs(line.intercept + line.slope * 3.25 - 0.61) < 0.005);
	assert_true(fabs(ifr_regression_line_needed_fall(&line, 6.5, 0.10) - 0.38) < 0.005);
	/* The intervals are printed for both: +-0.029 of CPI is +-4.2 % of the improvement. */
	assert_true(fabs(0.029 / cpi - 0.042) < 0.0006);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pontius),       cmocka_unit_test(test_no_intercept),
		cmocka_unit_test(test_longley),       cmocka_unit_test(test_wampler),
		cmocka_unit_test(test_wampler_exact), cmocka_unit_test(test_filip),
		cmocka_unit_test(test_refusals),      cmocka_unit_test(test_swiss),
		cmocka_unit_test(test_checks_warn),   cmocka_unit_test(test_relative_importance),
		cmocka_unit_test(test_perlbench),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
