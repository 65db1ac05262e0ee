/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worth of loads' contexts: the formulas of Mowry and Luk 1997 by hand, predictions with one left out reference
 * by reference, and the choice of kind and length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/analysis/analysis.h"

static const struct ifr_latency latency = {50, 10};

/* Appendix: never m · L, always V, a single action V where m > V / L and m · L else, ideal m · V. */
static void test_appendix(void **state) {
	(void)state;
	static const struct {
		uint64_t references, misses;
		double cycles; /* by hand */
	} groups[] = {{100, 50, 1000}, {100, 10, 500}, {100, 20, 1000}, {100, 21, 1000}, {100, 0, 0}, {7, 7, 70}};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		struct ifr_miss_prediction prediction = {0};
		ifr_miss_prediction_add(&prediction, groups[i].references, groups[i].misses, latency);
		assert_true(ifr_miss_prediction_cycles(&prediction, latency) == groups[i].cycles);
	}
	/* A fifth is not above V / L: the misses stall. */
	assert_false(ifr_tolerance_pays(100, 20, latency));
	assert_true(ifr_tolerance_pays(100, 21, latency));
	/* Multiple actions: contexts of 100 % and 0 % come to the ideal of their load, 50 · V. */
	struct ifr_miss_prediction both = {0};
	ifr_miss_prediction_add(&both, 50, 50, latency);
	ifr_miss_prediction_add(&both, 50, 0, latency);
	assert_true(ifr_miss_prediction_cycles(&both, latency) == 500);
	assert_int_equal(ifr_miss_prediction_wrong(&both), 0);
}

/* Each reference is predicted by the ratio of all others. */
static void test_left_out(void **state) {
	(void)state;
	for (unsigned references = 1; references <= 12; references++)
		for (unsigned misses = 0; misses <= references; misses++)
			for (unsigned otherwise = 0; otherwise < 2; otherwise++) {
				struct ifr_miss_prediction prediction = {0}, naive = {0};
				ifr_miss_prediction_add_left_out(&prediction, references, misses, latency, otherwise);
				for (unsigned i = 0; i < references; i++) {
					const bool missed = i < misses;
					const double others = references - 1.0, others_miss = (double)misses - missed;
					const bool as_miss = others > 0 ? others_miss / others > 10.0 / 50 : otherwise;
					(*(missed    ? as_miss ? &naive.miss_as_miss : &naive.miss_as_hit
					   : as_miss ? &naive.hit_as_miss
					             : &naive.hit_as_hit))++;
				}
				assert_memory_equal(&prediction, &naive, sizeof naive);
			}
}

static void test_bins(void **state) {
	(void)state;
	assert_int_equal(ifr_miss_ratio_bin(1000, 0), 0);
	assert_int_equal(ifr_miss_ratio_bin(1000, 99), 0);
	assert_int_equal(ifr_miss_ratio_bin(1000, 100), 1);
	assert_int_equal(ifr_miss_ratio_bin(10, 3), 3);
	assert_int_equal(ifr_miss_ratio_bin(1000, 899), 8);
	assert_int_equal(ifr_miss_ratio_bin(10, 9), 9);
	assert_int_equal(ifr_miss_ratio_bin(1000, 1000), 9);
}

/* --- choice ------------------------------------------------------------------------------------------------------ */

enum { LENGTHS = 3 };

/* Every list holds the load as a whole. */
static void fill(struct ifr_profiled_load *load, struct ifr_load_context *whole) {
	*load = (struct ifr_profiled_load){.references = whole->references, .misses = whole->misses};
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
		for (unsigned i = 0; i < LENGTHS; i++)
			load->lists[kind][i] = (struct ifr_load_context_list){.items = whole, .count = 1};
}

static void test_choice(void **state) {
	(void)state;
	struct ifr_load_context whole = {.references = 1000, .misses = 500};
	struct ifr_load_context exact[] = {{.references = 500, .misses = 500}, {.references = 500}};
	struct ifr_load_context nearly[] = {{.references = 501, .misses = 499}, {.references = 499, .misses = 1}};
	struct ifr_profiled_load loads[3];
	struct ifr_judged_loads judged;
	for (unsigned i = 0; i < 3; i++)
		fill(&loads[i], &whole);
	/* Nothing tells: the summary. Self tells from the second length on, nearly, which suffices: 499 + 2 references at V
	 * and a miss of L are within a hundredth of the summary's 10,000 cycles of 5,000. Where control flow tells, too, it
	 * comes first. */
	for (unsigned load = 1; load < 3; load++) {
		loads[load].lists[IFR_LOAD_CONTEXT_SELF][1] = (struct ifr_load_context_list){nearly, 2, false};
		loads[load].lists[IFR_LOAD_CONTEXT_SELF][2] = (struct ifr_load_context_list){exact, 2, false};
	}
	loads[2].lists[IFR_LOAD_CONTEXT_CONTROL_FLOW][2] = (struct ifr_load_context_list){exact, 2, false};
	ifr_load_contexts_judge(loads, 3, LENGTHS, latency, &judged);
	assert_int_equal(judged.items[0].kind, -1);
	assert_int_equal(judged.items[1].kind, IFR_LOAD_CONTEXT_SELF);
	assert_int_equal(judged.items[1].lengths[IFR_LOAD_CONTEXT_SELF], 1);
	assert_int_equal(judged.items[1].lengths[IFR_LOAD_CONTEXT_GLOBAL], 0);
	assert_int_equal(judged.items[2].kind, IFR_LOAD_CONTEXT_CONTROL_FLOW);
	assert_int_equal(judged.items[2].lengths[IFR_LOAD_CONTEXT_CONTROL_FLOW], 2);
	/* Sums: 10,000 + 10,000 + 10,000 by the summary; 10,000 + 5,060 + 5,000 by the best. */
	assert_true(ifr_miss_prediction_cycles(&judged.schemes[IFR_SCHEME_SUMMARY].predicted, latency) == 30000);
	assert_true(ifr_miss_prediction_cycles(&judged.schemes[IFR_SCHEME_BEST].predicted, latency) == 20060);
	assert_true(ifr_scheme_cycles(&judged, loads, IFR_SCHEME_BEST, latency) == 20060);
	assert_true(ifr_scheme_cycles(&judged, loads, IFR_SCHEME_SUMMARY, (struct ifr_latency){50, 0.001}) == 3);
	assert_int_equal(judged.schemes[IFR_SCHEME_BEST].bins[5], 1000);
	assert_int_equal(judged.schemes[IFR_SCHEME_BEST].bins[9], 501 + 500);
	assert_int_equal(judged.references, 3000);
	assert_int_equal(judged.misses, 1500);
	ifr_judged_loads_release(&judged);
}

/* Contexts that occur once predict themselves, and prove nothing; a length that was given up is not chosen. */
static void test_no_false_proof(void **state) {
	(void)state;
	enum { MANY = 1000 };
	static struct ifr_load_context single[MANY];
	struct ifr_load_context whole = {.references = MANY, .misses = MANY / 2};
	struct ifr_profiled_load load;
	struct ifr_judged_loads judged;
	for (unsigned i = 0; i < MANY; i++)
		single[i] = (struct ifr_load_context){.references = 1, .misses = i % 2};
	fill(&load, &whole);
	load.lists[IFR_LOAD_CONTEXT_SELF][2] = (struct ifr_load_context_list){single, MANY, false};
	for (unsigned i = 0; i < LENGTHS; i++)
		load.lists[IFR_LOAD_CONTEXT_GLOBAL][i] = (struct ifr_load_context_list){.too_many = true};
	ifr_load_contexts_judge(&load, 1, LENGTHS, latency, &judged);
	const struct ifr_judged *long_self = &judged.items[0].contexts[IFR_LOAD_CONTEXT_SELF][2];
	assert_int_equal(ifr_miss_prediction_wrong(&long_self->predicted), 0);
	assert_int_equal(ifr_miss_prediction_wrong(&long_self->left_out), MANY / 2);
	assert_int_equal(judged.items[0].kind, -1);
	assert_int_equal(judged.items[0].lengths[IFR_LOAD_CONTEXT_SELF], 0);
	assert_int_equal(judged.items[0].lengths[IFR_LOAD_CONTEXT_GLOBAL], -1);
	assert_ptr_equal(ifr_judged_of(&judged.items[0], IFR_SCHEME_GLOBAL), &judged.items[0].summary);
	ifr_judged_loads_release(&judged);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_appendix), cmocka_unit_test(test_left_out),
	                                   cmocka_unit_test(test_bins), cmocka_unit_test(test_choice),
	                                   cmocka_unit_test(test_no_false_proof)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
