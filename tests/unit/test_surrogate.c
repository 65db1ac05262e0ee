/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of the surrogate's features, on times that follow from one of them alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/optimize/surrogate.h"

enum { ROWS = 30 };

/* One hot function: 9 features of the program, 3 windows, 4 offsets, modelled cycles. */
static const struct hot_unit unit = {.name = "a.o:.text.f"};
static const struct hot_code code = {.units = (struct hot_unit *)&unit, .unit_count = 1};

/* Figures between 0 and 1, without a pattern: Weyl's sequence. */
static void fill(double (*rows)[FEATURES_MOST]) {
	for (int i = 0; i < ROWS; i++)
		for (size_t j = 0; j <= features_count(&code); j++)
			rows[i][j] = fmod((i + 1) * sqrt(2 + 3 * (double)j), 1);
}

static struct surrogate fit(double (*rows)[FEATURES_MOST], size_t feature, bool modelled) {
	struct surrogate surrogate;
	double y[ROWS];
	for (int i = 0; i < ROWS; i++)
		y[i] = 3 * rows[i][feature];
	assert_int_equal(
		surrogate_fit(&code, (const double(*)[FEATURES_MOST])rows, y, ROWS, modelled, &surrogate, NULL), 0);
	return surrogate;
}

/* Whether a feature is among the predictors. */
static bool uses(const struct surrogate *surrogate, size_t feature) {
	for (size_t i = 0; i < surrogate->ridge.predictors; i++)
		if (surrogate->column[i] == feature)
			return true;
	return false;
}

static void test_counts_alone(void **state) {
	(void)state;
	double rows[ROWS][FEATURES_MOST];
	fill(rows);
	struct surrogate surrogate = fit(rows, FEATURE_WINDOWS_OF_64, true);
	assert_true(uses(&surrogate, FEATURE_WINDOWS_OF_64));
	assert_false(uses(&surrogate, features_count_counts(&code)));
	assert_false(surrogate.modelled);
	surrogate_release(&surrogate);
}

static void test_offsets(void **state) {
	(void)state;
	const size_t sine = features_count_counts(&code) + 1;
	double rows[ROWS][FEATURES_MOST];
	fill(rows);
	struct surrogate surrogate = fit(rows, sine, false);
	assert_true(uses(&surrogate, sine));
	double low[FEATURES_MOST], high[FEATURES_MOST];
	memcpy(low, rows[0], sizeof low);
	memcpy(high, rows[0], sizeof high);
	low[sine] = 0.2;
	high[sine] = 0.8;
	/* 3 * 0.6, but for what the penalty takes. */
	const double change = surrogate_predict(&surrogate, high, NULL) - surrogate_predict(&surrogate, low, NULL);
	assert_true(change > 1.6 && change < 1.9);
	surrogate_release(&surrogate);
}

static void test_modelled_cycles(void **state) {
	(void)state;
	const size_t cycles = features_count(&code);
	double rows[ROWS][FEATURES_MOST];
	fill(rows);
	struct surrogate surrogate = fit(rows, cycles, true);
	assert_true(surrogate.modelled && uses(&surrogate, cycles));
	surrogate_release(&surrogate);
	/* Some layouts lack them. */
	surrogate = fit(rows, cycles, false);
	assert_false(surrogate.modelled || uses(&surrogate, cycles));
	surrogate_release(&surrogate);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts_alone), cmocka_unit_test(test_offsets),
	                                   cmocka_unit_test(test_modelled_cycles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
