/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worst cases over contexts, and weighted means over workloads, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "harness/optimize/search.h"

static void near(double got, double expected, double tolerance) {
	if (!(fabs(got - expected) <= tolerance))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* Two layouts in two contexts. The squares around the means of the cells are 0.02 each, 0.08 in all with 5 degrees of
 * freedom, so that a run has the variance 0.016. The median of two has half of it, that of three 0.4487 of it. Student's
 * quantile of four intervals and 5 degrees of freedom is 3.81 (Dunn 1961, table 1).
 *
 *     layout  context  median  interval
 *     0       0        1.1
 *     0       1        2.1     1.759 to 2.441
 *     1       0        1.6     1.277 to 1.923
 *     1       1        1.5     1.159 to 1.841 */
static void test_two_contexts(void **state) {
	(void)state;
	static const double values[] = {1.0, 1.2, 2.0, 2.2, 1.5, 1.6, 1.7, 1.4, 1.6};
	static const size_t cell[] = {0, 0, 1, 1, 2, 2, 2, 3, 3};
	struct context_cells cells;
	context_cells_make(values, cell, 9, 2, 2, &cells);
	const struct ifr_worst_case worst = worst_case_compare(&(struct context_table){&cells, 1}, 1);
	near(log(worst.ratio), 1.6 - 2.1, 1e-12);
	near(log(worst.interval.low), 1.277 - 2.441, 0.002);
	near(log(worst.interval.high), 1.923 - 1.759, 0.002);
	assert_int_equal(worst.contexts, 2);
	assert_false(worst.better);
	near(context_cells_mean_change(&cells, 0, 1), (0.5 - 0.6) / 2, 1e-12);
	context_cells_release(&cells);
}

/* Without noise the interval is the ratio; the workload that gains least is the worst. A context that one layout lacks
 * does not count. */
static void test_workloads(void **state) {
	(void)state;
	static const double first[] = {2, 2, 5, 5, 1, 1, 9, 9, 4, 4}, second[] = {3, 3, 2, 2, 2.5, 2.5, 2.9, 2.9};
	static const size_t of_first[] = {0, 0, 1, 1, 3, 3, 2, 2, 4, 4}, of_second[] = {0, 0, 1, 1, 2, 2, 3, 3};
	struct context_cells cells[2];
	context_cells_make(first, of_first, 10, 2, 3, &cells[0]);
	context_cells_make(second, of_second, 8, 2, 2, &cells[1]);
	cells[1].workload = 1;
	const struct ifr_worst_case alone = worst_case_compare(&(struct context_table){cells, 1}, 1),
								worst = worst_case_compare(&(struct context_table){cells, 2}, 1);
	near(log(alone.ratio), 4 - 5, 1e-12);
	assert_int_equal(alone.contexts, 2);
	near(log(worst.ratio), 2.9 - 3, 1e-12);
	near(log(worst.interval.low), 2.9 - 3, 1e-12);
	near(log(worst.interval.high), 2.9 - 3, 1e-12);
	assert_int_equal(worst.workload, 1);
	assert_true(worst.better);
	context_cells_release(&cells[0]);
	context_cells_release(&cells[1]);
}

/* A second kind of processors takes three times as long for all, and gains less: 0.1 there, 1 on the first. */
static void test_kinds(void **state) {
	(void)state;
	static const double change[2] = {1, 0.1};
	struct ifr_dataset dataset;
	struct context_table table = {0};
	ifr_dataset_init(&dataset);
	ifr_dataset_add_fact(&dataset, "processor", "first");
	snprintf(ifr_dataset_add_counter(&dataset)->name, sizeof dataset.counters->name, "cost");
	for (unsigned i = 0; i < 4; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(&dataset);
		variant->program = i / 2;
		variant->layout = 1 + i % 2;
	}
	struct ifr_dataset_node *node = ifr_dataset_add_node(&dataset);
	node->host = ifr_strdup("n");
	node->processor = ifr_strdup("second");
	for (unsigned i = 0; i < 16; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		run->variant = i % 4;
		run->node = i / 4 % 2;
		run->value[0] = exp(2 + log(3) * run->node + 0.5 * (i % 2) - (i % 4 / 2 ? change[run->node] : 0));
	}
	assert_int_equal(context_table_add(&table, 0, &dataset, "cost", 2, 2, NULL), 0);
	assert_int_equal(table.count, 2);
	const struct ifr_worst_case worst = worst_case_compare(&table, 1);
	near(log(worst.ratio), -0.1, 1e-12);
	near(log(worst.interval.high), -0.1, 1e-9);
	assert_int_equal(worst.processors, 2);
	assert_string_equal(worst.processor, "second");
	near(context_table_mean_change(&table, 0, 0, 1), -(1 + 0.1) / 2, 1e-12);
	assert_true(context_table_add(&table, 0, &dataset, "none", 2, 2, NULL) < 0);
	context_table_release(&table);
	ifr_dataset_release(&dataset);
}

/* A single run of each cell does not tell the noise. */
static void test_no_repeats(void **state) {
	(void)state;
	static const double values[] = {2, 2, 1, 1};
	static const size_t cell[] = {0, 1, 2, 3};
	struct context_cells cells;
	context_cells_make(values, cell, 4, 2, 2, &cells);
	const struct ifr_worst_case worst = worst_case_compare(&(struct context_table){&cells, 1}, 1);
	near(log(worst.ratio), -1, 1e-12);
	assert_true(isinf(worst.interval.high));
	assert_false(worst.better);
	context_cells_release(&cells);
}

/* The greatest of 59 values bounds 95 % of all with 95 % confidence, that of 58 does not (Wilks 1941). */
static void test_covered(void **state) {
	(void)state;
	for (size_t contexts = 58; contexts <= 59; contexts++) {
		double values[118];
		size_t cell[118];
		struct context_cells cells;
		for (size_t i = 0; i < 2 * contexts; i++) {
			values[i] = 1;
			cell[i] = i;
		}
		context_cells_make(values, cell, 2 * contexts, 2, contexts, &cells);
		assert_int_equal(worst_case_compare(&(struct context_table){&cells, 1}, 1).covered >= 0.95,
		                 contexts == 59);
		context_cells_release(&cells);
	}
}

/* Half of -6 to 6 and half of -8 to 8 are -3 to 3 and -4 to 4, whose sum is -5 to 5 (3, 4, 5). */
static void test_weighted_mean(void **state) {
	(void)state;
	struct ifr_confirmed confirmed[2] = {{.weight = 0.5}, {.weight = 0.5}};
	confirmed[0].comparison.ratio = 1;
	confirmed[0].comparison.interval = (struct ifr_interval){exp(-6), exp(6), 0.95};
	confirmed[1].comparison.ratio = exp(-2);
	confirmed[1].comparison.interval = (struct ifr_interval){exp(-10), exp(6), 0.95};
	struct weighted_ratio mean = confirmed_mean(confirmed, 2);
	near(log(mean.ratio), -1, 1e-12);
	near(log(mean.interval.low), -1 - 5, 1e-12);
	near(log(mean.interval.high), -1 + 5, 1e-12);
	assert_false(mean.faster);
	/* Without a workload that is faster by itself, the mean is not. */
	confirmed[0].comparison.interval = (struct ifr_interval){1, 1, 0.95};
	confirmed[1].comparison.interval = (struct ifr_interval){exp(-3), exp(-1), 0.95};
	assert_false(confirmed_mean(confirmed, 2).faster);
	confirmed[1].faster = true;
	assert_true(confirmed_mean(confirmed, 2).faster);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_contexts), cmocka_unit_test(test_workloads),
	                                   cmocka_unit_test(test_no_repeats),   cmocka_unit_test(test_kinds),
	                                   cmocka_unit_test(test_covered),      cmocka_unit_test(test_weighted_mean)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
