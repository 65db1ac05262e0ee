/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop predictors and histories of indirect predictors of described machines: what comes back is what the description
 * says, also with changed values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/probe/clocked.h"
#include "harness/probe/described.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "tests/unit/depth.h"
#include "tests/unit/open_machine.h"

static void run(const char *spec, void (*experiment)(struct probe_described *probe),
                struct ifr_probe_result *result) {
	struct ifr_machine *machine = open_machine(spec);
	struct probe_described probe = {.model = {.machine = machine}, .result = result, .seed = 1};
	*result = (struct ifr_probe_result){.source = IFR_PROBE_BY_MODEL};
	experiment(&probe);
	assert_int_equal(probe.model.err.code, 0);
	ifr_machine_free(machine);
}

/* L-TAGE has a loop predictor, or not; TAGE-SC-L has one; a history of 16 outcomes, and tables by path, have none. */
static void test_loop_predictors(void **state) {
	(void)state;
	static const struct {
		const char *spec, *word;
		int setting; /* -1: of a kind that has none */
	} all[] = {{"p6,predictor=l-tage", "yes", 1},
	           {"p6,predictor=l-tage,direction.loop=0", "no", 0},
	           {"p6,predictor=tage-sc-l", "yes", -1},
	           {"p6,predictor=local,direction.history=16", "no", -1},
	           {"skylake", "no", -1},
	           {"zen4", "yes", 1},
	           {"zen4,direction.loop=0", "no", 0}};
	for (size_t i = 0; i < at_depth(5, sizeof all / sizeof *all); i++) {
		struct ifr_probe_result result;
		run(all[i].spec, probe_described_loops, &result);
		const struct ifr_probe_finding *found = ifr_probe_find(&result, "loop-predictor"),
									   *setting = ifr_probe_find(&result, "direction.loop");
		assert_true(found && found->told);
		assert_string_equal(found->word, all[i].word);
		assert_int_equal(setting ? (int)setting->value : -1, all[i].setting);
		ifr_probe_release(&result);
	}
}

/* Two bits of path history for each taken branch (Li, Yavarzadeh and Tullsen 2024): half of the longest table's bits.
 * */
static void test_histories_of_targets(void **state) {
	(void)state;
	static const struct {
		const char *spec;
		unsigned length; /* 0: of a kind without history */
	} all[] = {{"skylake", 186},
	           {"skylake,indirect.length3=100", 100},
	           {"p6", 0},
	           {"zen4", 186},
	           {"skylake,indirect.length3=132", 132},
	           {"skylake,indirect.length3=80", 80},
	           {"zen4,indirect.length3=250", 250},
	           {"goldencove", 388},
	           {"p6,indirect=target-cache", 0}};
	for (size_t i = 0; i < at_depth(3, sizeof all / sizeof *all); i++) {
		struct ifr_probe_result result;
		run(all[i].spec, probe_described_targets, &result);
		const struct ifr_probe_finding *found = ifr_probe_find(&result, "correlation-indirect"),
									   *setting = ifr_probe_find(&result, "indirect.length3");
		if (all[i].length) {
			assert_true(found && found->told && setting && setting->told);
			assert_int_equal((unsigned)found->value, all[i].length / 2);
			assert_int_equal((unsigned)setting->value, all[i].length);
		} else {
			assert_true(!setting && (!found->told || found->value == 0));
		}
		ifr_probe_release(&result);
	}
}

/* The misprediction that a pattern 1...10 makes in each period, by its event. */
static bool is_missed(const struct ifr_machine *machine, size_t length) {
	struct probe_modelled model = {.machine = machine};
	struct probe_kernel kernel;
	uint8_t *outcomes = ifr_alloc(length);
	memset(outcomes, 1, length - 1);
	outcomes[length - 1] = 0;
	probe_kernel_init(&kernel, 0);
	probe_pattern_loop(&kernel, &(struct probe_item){.outcomes = outcomes}, 1, length, 64, 0);
	const double missed = probe_modelled_rate(&model, &kernel, IFR_EVENT_CONDITIONAL_MISSES);
	free(outcomes);
	return missed * (double)length > 0.5;
}

/* By the cycles of a described core, which stands for the clock: the longest pattern is the last one of those that make
 * no mispredictions. That there is no loop predictor is not told. */
static void test_patterns_by_cycles(void **state) {
	(void)state;
	static const struct {
		const char *spec;
		bool is_told; /* the longest pattern */
	} all[] = {{"skylake,predictor=local,direction.history=8", true}, {"zen4", false}};
	for (size_t i = 0; i < at_depth(2, sizeof all / sizeof *all); i++) {
		struct ifr_machine *machine = open_machine(all[i].spec);
		struct ifr_probe_result result = {0};
		struct probe_clocked probe = {
			.result = &result, .seed = 1, .batch_ns = INT64_C(1000000000), .near = machine, .machine = machine};
		probe_clocked_pattern(&probe);
		const struct ifr_probe_finding *longest = ifr_probe_find(&result, "longest-pattern"),
									   *loops = ifr_probe_find(&result, "loop-predictor");
		if (longest->told) {
			assert_false(is_missed(machine, (size_t)longest->value));
			assert_true(is_missed(machine, (size_t)longest->high + 1));
		}
		assert_true(longest->told || !all[i].is_told);
		assert_true(!loops->told || !strcmp(loops->word, "yes"));
		ifr_probe_release(&result);
		ifr_machine_free(machine);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns_by_cycles),
		cmocka_unit_test(test_loop_predictors),
		cmocka_unit_test(test_histories_of_targets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
