/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement of an experiment with its repetition: made-up medians whose correlation is known. */
#include <math.h>

#include "tests/unit/report_read.h"

/* An experiment in which layout i takes value[i], the shipped one value[0]; three runs of each. */
static void make(struct ifr_dataset *dataset, const double *value, size_t count, const char *processor,
                 const char *libraries) {
	ifr_dataset_init(dataset);
	ifr_dataset_add_fact(dataset, "seed", "1");
	ifr_dataset_add_fact(dataset, "axes", "padding");
	ifr_dataset_add_fact(dataset, "parameters", "padding:max=64");
	ifr_dataset_add_fact(dataset, "processor", processor);
	ifr_dataset_add_fact(dataset, "libraries", libraries);
	add_counter(dataset, "cpu_time", "ns", "clock");
	for (size_t i = 0; i < count; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		variant->layout = (unsigned)i;
		variant->plan = ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
		variant->sha256 = ifr_format("%zu", i);
	}
	for (unsigned repetition = 0; repetition < 3; repetition++)
		for (size_t i = 0; i < count; i++) {
			struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
			run->variant = (unsigned)i;
			run->repetition = repetition;
			run->value[0] = value[i] * (1 + 0.001 * ((int)repetition - 1));
		}
}

/* Ranks 1 2 3 4 5 and 2 1 4 3 5: sum of squared differences 4, so Spearman's r is 1 - 6*4/(5*24) = 0.8; Pearson's of the
 * values is the same, as they are the ranks scaled. Means 3 and 3 (scaled by 10): the ratio of means is 1. */
static void test_correlation(void **state) {
	(void)state;
	static const double then[] = {25, 10, 20, 30, 40, 50}, now[] = {35, 20, 10, 40, 30, 50};
	struct ifr_dataset first, second;
	struct ifr_agreement agreement;
	struct ifr_error err = {0};
	struct ifr_buffer text = {0};
	make(&first, then, 6, "A", "libc.so.6=1111 libm.so.6=2222");
	make(&second, now, 6, "B", "libc.so.6=3333 libm.so.6=2222 libz.so.1=4444");
	free(second.variants[3].sha256);
	second.variants[3].sha256 = ifr_strdup("other");
	if (ifr_agreement_make(&first, &second, 0, NULL, &agreement, &err))
		fail_msg("%s", err.message);
	assert_int_equal(agreement.layouts, 5);
	assert_true(agreement.known);
	assert_float_equal(agreement.linear.r, 0.8, 1e-9);
	assert_float_equal(agreement.rank.r, 0.8, 1e-9);
	assert_true(agreement.comparison.paired);
	assert_int_equal(agreement.shipped_rank[0], 3);
	assert_int_equal(agreement.shipped_rank[1], 4);
	assert_int_equal(agreement.ranked[1], 6);
	assert_int_equal(agreement.other_bytes, 1);
	assert_int_equal(agreement.compared_bytes, 6);
	ifr_agreement_text(&agreement, false, &text);
	char *joined = ifr_buffer_detach(&text);
	join_lines(joined);
	says(joined, "processor: A, then B");
	says(joined, "libc.so.6: another file");
	says(joined, "libz.so.1: not loaded, then loaded");
	says_not(joined, "libm");
	says(joined, "1 of 6 files have other bytes");
	free(joined);
	ifr_agreement_release(&agreement);
	ifr_dataset_release(&first);
	ifr_dataset_release(&second);
}

/* Two benchmarks, the second of which depends on layouts, which time as a whole does not. */
static void make_benchmarks(struct ifr_dataset *dataset) {
	static const double then[] = {25, 10, 20, 30, 40, 50};
	make(dataset, then, 6, "A", "x=1");
	add_counter(dataset, "BM_Flat", "ns", "program");
	add_counter(dataset, "BM_Steep", "ns", "program");
	for (size_t i = 0; i < dataset->run_count; i++) {
		struct ifr_dataset_run *run = &dataset->runs[i];
		/* The runs were added when there was one counter. */
		run->value = ifr_realloc(run->value, dataset->counter_count, sizeof *run->value);
		run->value[2] = run->value[0];
		run->value[1] = 70 + 0.1 * (double)(i * 7 % 5);
		run->value[0] = 90 + 0.1 * (double)(i * 3 % 4);
	}
}

/* A report is about the benchmark where layout matters, and a repetition is judged by the same; -m names another. */
static void test_benchmarks(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_agreement agreement;
	struct ifr_analysis *analysis;
	struct ifr_buffer text = {0};
	make_benchmarks(&dataset);
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	assert_string_equal(analysis->metric->name, "BM_Steep");
	ifr_report_text(analysis, false, &text);
	char *joined = ifr_buffer_detach(&text);
	join_lines(joined);
	says(joined, "The rest of this report is about BM_Steep, which has the smallest p-value; --metric");
	free(joined);
	ifr_analysis_free(analysis);
	assert_int_equal(ifr_agreement_make(&dataset, &dataset, 0, NULL, &agreement, NULL), 0);
	assert_string_equal(agreement.metric.name, "BM_Steep");
	assert_true(agreement.known);
	ifr_agreement_release(&agreement);
	assert_int_equal(ifr_agreement_make(&dataset, &dataset, 0, "BM_Flat", &agreement, NULL), 0);
	assert_string_equal(agreement.metric.name, "BM_Flat");
	ifr_agreement_release(&agreement);
	/* The same without an effect: the first one. */
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[2] = dataset.runs[i].value[1];
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	assert_string_equal(analysis->metric->name, "BM_Flat");
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Layouts in an order drawn anew for each repetition, on a machine that slows slowly down by a fifth. */
static void make_disturbed(struct ifr_dataset *dataset, unsigned long seed) {
	enum { LAYOUTS = 17, RUNS = 3 };
	double none[LAYOUTS] = {0};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned order[LAYOUTS];
	gsl_rng_set(rng, seed);
	make(dataset, none, LAYOUTS, "A", "x=1");
	for (unsigned i = 0; i < LAYOUTS; i++)
		order[i] = i;
	for (unsigned i = 0; i < LAYOUTS * RUNS; i++) {
		if (i % LAYOUTS == 0)
			gsl_ran_shuffle(rng, order, LAYOUTS, sizeof *order);
		struct ifr_dataset_run *run = &dataset->runs[i];
		run->variant = order[i % LAYOUTS];
		run->repetition = i / LAYOUTS;
		run->started_ns = 1 + i;
		run->value[0] = 100 * (1 + 0.2 * i / (LAYOUTS * RUNS) + gsl_ran_gaussian(rng, 0.01));
	}
	gsl_rng_free(rng);
}

/* The rank of the shipped layout is the one that the experiment's report gives, also where runs are detrended. */
static void test_rank(void **state) {
	(void)state;
	for (unsigned long seed = 1; seed <= 10; seed++) {
		struct ifr_dataset dataset;
		struct ifr_agreement agreement;
		struct ifr_analysis *analysis;
		make_disturbed(&dataset, seed);
		assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
		assert_true(analysis->disturbances.found);
		assert_int_equal(ifr_agreement_make(&dataset, &dataset, 0, NULL, &agreement, NULL), 0);
		assert_int_equal(agreement.shipped_rank[0], analysis->faster + 1);
		assert_int_equal(agreement.ranked[1], analysis->layout_count);
		struct ifr_buffer text = {0};
		ifr_report_text(analysis, false, &text);
		char *joined = ifr_buffer_detach(&text);
		join_lines(joined);
		says(joined, "the value of a layout is the median of its detrended runs.");
		free(joined);
		ifr_agreement_release(&agreement);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* The same experiment twice agrees; in the reverse order of its layouts it disagrees. */
static void test_verdicts(void **state) {
	(void)state;
	double then[12], back[12];
	for (int i = 0; i < 12; i++) {
		then[i] = 100 + 3 * i;
		back[i] = i ? 100 + 3 * (12 - i) : 100;
	}
	struct ifr_dataset first, second;
	struct ifr_agreement agreement;
	struct ifr_buffer text = {0};
	make(&first, then, 12, "A", "x=1");
	make(&second, back, 12, "A", "x=1");
	assert_int_equal(ifr_agreement_make(&first, &first, 0, NULL, &agreement, NULL), 0);
	ifr_agreement_text(&agreement, false, &text);
	says(ifr_buffer_text(&text), "The layouts agree");
	says(ifr_buffer_text(&text), "are the same");
	ifr_buffer_clear(&text);
	ifr_agreement_release(&agreement);
	assert_int_equal(ifr_agreement_make(&first, &second, 0, NULL, &agreement, NULL), 0);
	assert_float_equal(agreement.rank.r, -1, 1e-9);
	ifr_agreement_text(&agreement, false, &text);
	says(ifr_buffer_text(&text), "disagree");
	ifr_buffer_release(&text);
	ifr_agreement_release(&agreement);
	ifr_dataset_release(&first);
	ifr_dataset_release(&second);
}

/* 11 random layouts in steps of 3 and of 0.3: a standard deviation of sqrt(11) steps. Three runs, 0.1 apart around 118:
 * a median has 0.4487 of their variance 0.01 (Hojo 1931: 1.3463/3). */
static void test_spread(void **state) {
	(void)state;
	double then[12], now[12];
	for (int i = 0; i < 12; i++) {
		then[i] = 100 + 3 * i;
		now[i] = 116.2 + 0.3 * i;
	}
	struct ifr_dataset first, second;
	struct ifr_agreement agreement;
	struct ifr_buffer text = {0};
	make(&first, then, 12, "A", "x=1");
	make(&second, now, 12, "A", "x=1");
	assert_int_equal(ifr_agreement_make(&first, &second, 0, NULL, &agreement, NULL), 0);
	assert_true(agreement.has_spread);
	assert_float_equal(agreement.sd[0], 3 * sqrt(11) / 118, 1e-4);
	assert_float_equal(agreement.sd[1], 0.3 * sqrt(11) / 118, 1e-4);
	const double effect = 0.09 * 11, noise = 0.4487 * 0.118 * 0.118;
	assert_float_equal(agreement.expected_r, sqrt(effect / (effect + noise)), 1e-4);
	ifr_agreement_text(&agreement, false, &text);
	char *joined = ifr_buffer_detach(&text);
	join_lines(joined);
	says(joined, "between layouts: 8.4 % (95 % interval");
	says(joined, "equal layout effects give r = 1.00");
	says(joined, "exclude each other");
	free(joined);
	ifr_agreement_release(&agreement);
	assert_int_equal(ifr_agreement_make(&first, &first, 0, NULL, &agreement, NULL), 0);
	ifr_agreement_text(&agreement, false, &text);
	says_not(ifr_buffer_text(&text), "exclude");
	ifr_buffer_release(&text);
	ifr_agreement_release(&agreement);
	ifr_dataset_release(&first);
	ifr_dataset_release(&second);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_correlation), cmocka_unit_test(test_benchmarks),
	                                   cmocka_unit_test(test_rank), cmocka_unit_test(test_verdicts),
	                                   cmocka_unit_test(test_spread)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
