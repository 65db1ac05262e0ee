/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts crossed with kinds of machines, against published results of a mixed model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/statistics/statistics.h"

enum { WORKERS = 6, MACHINES = 3, RUNS = 3 };

/* Productivity of workers on machines (Milliken and Johnson 1992, table 23.1). Pinheiro and Bates 2000, section 1.3.2,
 * give for score ~ Machine + (1|Worker) + (1|Worker:Machine), by REML: 4.7811, 3.7295 and 0.9616. */
static const double scores[WORKERS][MACHINES][RUNS] = {
	{{52.0, 52.8, 53.1}, {62.1, 62.6, 64.0}, {67.5, 67.2, 66.9}},
	{{51.8, 52.8, 53.1}, {59.7, 60.0, 59.0}, {61.5, 61.7, 62.3}},
	{{60.0, 60.2, 58.4}, {68.6, 65.8, 69.7}, {70.8, 70.6, 71.0}},
	{{51.1, 52.3, 50.3}, {63.2, 62.8, 62.2}, {64.1, 66.2, 64.0}},
	{{50.9, 51.8, 51.4}, {64.8, 65.0, 65.4}, {72.1, 72.0, 71.1}},
	{{46.4, 44.8, 49.2}, {43.7, 44.2, 43.0}, {62.0, 61.4, 60.5}},
};

static void group(const double values[][MACHINES][RUNS], size_t rows, struct ifr_group *cells) {
	for (size_t i = 0; i < rows * MACHINES; i++)
		cells[i] = (struct ifr_group){values[i / MACHINES][i % MACHINES], RUNS};
}

static void test_published_components(void **state) {
	(void)state;
	struct ifr_group cells[WORKERS * MACHINES];
	struct ifr_crossed c;
	group(scores, WORKERS, cells);
	assert_int_equal(ifr_crossed_estimate(cells, WORKERS, MACHINES, &c, NULL), 0);
	assert_true(fabs(c.row_sd - 4.7811) < 1e-4);
	assert_true(fabs(c.cell_sd - 3.7295) < 1e-4);
	assert_true(fabs(c.run_sd - 0.9616) < 1e-4);
	assert_true(c.p < 1e-9);
	assert_int_equal(c.rows, WORKERS);
	assert_int_equal(c.left_out, 0);
}

/* A machine that is faster by any amount is a column's level, and no effect of a row or a cell. */
static void test_levels_are_fixed(void **state) {
	(void)state;
	double shifted[WORKERS][MACHINES][RUNS];
	struct ifr_group cells[WORKERS * MACHINES];
	struct ifr_crossed c;
	memcpy(shifted, scores, sizeof shifted);
	for (int i = 0; i < WORKERS; i++)
		for (int k = 0; k < RUNS; k++)
			shifted[i][1][k] += 1000;
	group((const double(*)[MACHINES][RUNS])shifted, WORKERS, cells);
	assert_int_equal(ifr_crossed_estimate(cells, WORKERS, MACHINES, &c, NULL), 0);
	assert_true(fabs(c.row_sd - 4.7811) < 1e-4 && fabs(c.cell_sd - 3.7295) < 1e-4);
}

/* Cells 0, 2; 1, 3; 10, 12; 11, 13 have no effect of their own: by hand MS(cells) = 0 with 1 degree of freedom, within
 * 8 with 4, pooled 8 / 5; MS(rows) = 2 * 2 * 50 = 200, so the rows' variance is (200 - 1.6) / 4 = 49.6. */
static void test_nothing_of_its_own(void **state) {
	(void)state;
	static const double values[4][2] = {{0, 2}, {1, 3}, {10, 12}, {11, 13}};
	struct ifr_group cells[4];
	struct ifr_crossed c;
	for (int i = 0; i < 4; i++)
		cells[i] = (struct ifr_group){values[i], 2};
	assert_int_equal(ifr_crossed_estimate(cells, 2, 2, &c, NULL), 0);
	assert_true(c.cell_sd == 0 && fabs(c.correlation - 1) < 1e-12);
	assert_true(fabs(c.row_sd * c.row_sd - 49.6) < 1e-9);
	assert_true(fabs(c.run_sd * c.run_sd - 1.6) < 1e-9);
}

static void test_rows_without_a_column(void **state) {
	(void)state;
	struct ifr_group cells[WORKERS * MACHINES];
	struct ifr_crossed c, four;
	struct ifr_error err = {0};
	group(scores, WORKERS, cells);
	assert_int_equal(ifr_crossed_estimate(cells, 4, MACHINES, &four, NULL), 0);
	cells[4 * MACHINES].count = cells[5 * MACHINES + 2].count = 0;
	assert_int_equal(ifr_crossed_estimate(cells, WORKERS, MACHINES, &c, NULL), 0);
	assert_int_equal(c.left_out, 2);
	assert_true(c.row_sd == four.row_sd && c.cell_sd == four.cell_sd && c.run_sd == four.run_sd);
	assert_true(ifr_crossed_estimate(cells + 3 * MACHINES, 3, MACHINES, &c, &err) < 0 || err.code);
	assert_non_null(strstr(err.message, "two layouts"));
	for (size_t i = 0; i < WORKERS * MACHINES; i++)
		cells[i].count = 1;
	assert_int_not_equal(ifr_crossed_estimate(cells, WORKERS, MACHINES, &c, &err), 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_components),
		cmocka_unit_test(test_levels_are_fixed),
		cmocka_unit_test(test_nothing_of_its_own),
		cmocka_unit_test(test_rows_without_a_column),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
