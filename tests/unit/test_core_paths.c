/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indirect jumps whose last windows do not tell their target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/operation.h"
#include "tests/unit/model_core_check.h"

#define MACHINE                                                                              \
	"zen4,fetch.prediction=1,fetch.ahead=16,fetch.bubble1=0,fetch.calls=0,fetch.indirect=0," \
	"fetch.targets=0"

enum { ROUNDS = 400, WINDOW = 64 };

static void add(struct kernel *k, uint32_t block, unsigned line, bool straddles) {
	kernel_run(k, block, CODE / WINDOW * WINDOW + WINDOW * line + (straddles ? WINDOW - 3 : 0), k->count > 0);
}

/* A block with a branch goes to one of several, in the order of letters, which jump back. */
static void dispatch(struct kernel *k, uint8_t branch, const char *order, bool straddles) {
	const uint32_t dispatch = kernel_hop(k, branch);
	uint32_t targets[3];
	for (unsigned i = 0; i < 3; i++)
		targets[i] = kernel_hop(k, IFR_BRANCH_JUMP);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (const char *letter = order; *letter; letter++) {
			const unsigned target = (unsigned)(*letter - 'a');
			add(k, dispatch, 0, straddles);
			add(k, targets[target], 4 + 3 * target, false);
		}
}

static void two_in_a_row(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "aab", false);
}

static void two_in_a_row_straddling(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "aab", true);
}

static void three_in_a_row(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "aaab", false);
}

static void calls(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_CALL, "aaabbc", false);
}

static void direct(struct kernel *k) {
	dispatch(k, IFR_BRANCH_CALL, "aaab", true);
}

static void one_straddling(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "aaa", true);
}

static void mispredicted(struct kernel *k) {
	three_in_a_row(k);
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.mispredicted = i > 0;
}

static const struct core_check checks[] = {
	{"four windows tell the target", MACHINE ",fetch.targets=3", NULL, two_in_a_row, 0},
	{"four windows do not tell it", MACHINE ",fetch.targets=3", "fetch.targets=2", three_in_a_row, 0},
	{"they do not where a block straddles two", MACHINE ",fetch.targets=3", "fetch.targets=0",
     two_in_a_row_straddling, 0},
	{"one target where it straddles two", MACHINE ",fetch.targets=3", NULL, one_straddling, 0},
	{"indirect calls", MACHINE ",fetch.targets=2,fetch.calls=1", "fetch.targets=0", calls, 0},
	{"direct calls have no other target", MACHINE ",fetch.targets=3", NULL, direct, 0},
	{"targets and mispredictions", MACHINE ",fetch.targets=3", "fetch.targets=0", mispredicted, 0},
	{"windows by the first byte", MACHINE ",fetch.targets=3,op_cache.byte=first", "fetch.targets=0",
     two_in_a_row_straddling, 0},
};

static void test_simulated(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
}

static void test_each_rule_matters(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
}

/* By hand; a window takes a cycle. Of targets a a b, after a, or b and a, or a and a, the last four windows tell each
 * next one. Of a a a b they do not tell the third and fourth, so that both go elsewhere than the last one did: twice
 * three cycles. Where the dispatch straddles two windows, the path is of those alone, which tell the last target: of
 * a a b two jumps are not told, of a a a none, and a round has nine windows, not six. */
static void test_cycles(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(two_in_a_row, MACHINE ",fetch.targets=3", 6), 6, 0.01);
	assert_float_equal(core_iteration_cycles(three_in_a_row, MACHINE, 8), 8, 0.01);
	assert_float_equal(core_iteration_cycles(three_in_a_row, MACHINE ",fetch.targets=3", 8), 8 + 2 * 3, 0.01);
	assert_float_equal(core_iteration_cycles(two_in_a_row_straddling, MACHINE, 6), 9, 0.01);
	assert_float_equal(core_iteration_cycles(two_in_a_row_straddling, MACHINE ",fetch.targets=3", 6), 9 + 2 * 3,
	                   0.01);
	assert_float_equal(core_iteration_cycles(one_straddling, MACHINE ",fetch.targets=3", 6), 9, 0.01);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_cycles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
