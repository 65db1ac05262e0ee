/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code between two jumps that goes on into the next window; indirect jumps whose last four windows do not tell their
 * target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/operation.h"
#include "tests/unit/model_core_check.h"

#define MACHINE                                                                                               \
	"zen4,fetch.prediction=1,fetch.ahead=16,fetch.bubble1=0,fetch.calls=0,fetch.indirect=0,fetch.straddle=0," \
	"fetch.targets=0"

enum { ROUNDS = 400, WINDOW = 64 };

static void add(struct kernel *k, uint32_t block, unsigned line, bool straddles) {
	kernel_run(k, block, CODE / WINDOW * WINDOW + WINDOW * line + (straddles ? WINDOW - 3 : 0), k->count > 0);
}

/* A block with a branch goes to one of several, in the order of letters, which go back by another. */
static void go_around(struct kernel *k, uint8_t branch, uint8_t back, const char *order, bool straddles) {
	const uint32_t dispatch = kernel_hop(k, branch);
	uint32_t targets[3];
	for (unsigned i = 0; i < 3; i++)
		targets[i] = kernel_hop(k, back);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (const char *letter = order; *letter; letter++) {
			const unsigned target = (unsigned)(*letter - 'a');
			add(k, dispatch, 0, straddles);
			add(k, targets[target], 4 + 3 * target, false);
		}
}

static void dispatch(struct kernel *k, uint8_t branch, const char *order, bool straddles) {
	go_around(k, branch, IFR_BRANCH_JUMP, order, straddles);
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

/* Straddling code that jumps lead to and that jumps end, and code that other branches lead to or end. */
static void from_jumps_to_jumps(struct kernel *k) {
	go_around(k, IFR_BRANCH_JUMP, IFR_BRANCH_JUMP, "aab", true);
}

static void from_returns(struct kernel *k) {
	go_around(k, IFR_BRANCH_JUMP, IFR_BRANCH_RETURN, "aab", true);
}

static void from_indirect_jumps(struct kernel *k) {
	go_around(k, IFR_BRANCH_JUMP, IFR_BRANCH_INDIRECT_JUMP, "aab", true);
}

static void from_conditional_branches(struct kernel *k) {
	go_around(k, IFR_BRANCH_JUMP, IFR_BRANCH_CONDITIONAL, "aab", true);
}

static void to_calls(struct kernel *k) {
	go_around(k, IFR_BRANCH_CALL, IFR_BRANCH_JUMP, "aab", true);
}

static void to_conditional_branches(struct kernel *k) {
	go_around(k, IFR_BRANCH_CONDITIONAL, IFR_BRANCH_JUMP, "aab", true);
}

static void mispredicted(struct kernel *k) {
	three_in_a_row(k);
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.mispredicted = i > 0;
}

static const struct core_check checks[] = {
	{"a straddling block", MACHINE ",fetch.straddle=1", "fetch.straddle=0", from_jumps_to_jumps, 0},
	{"a straddling block of a slow predictor", MACHINE ",fetch.straddle=2,fetch.prediction=2", "fetch.straddle=1",
     from_jumps_to_jumps, 0},
	{"a straddling block behind a return", MACHINE ",fetch.straddle=1", NULL, from_returns, 0},
	{"a straddling block behind an indirect jump", MACHINE ",fetch.straddle=1", NULL, from_indirect_jumps, 0},
	{"a straddling block behind a conditional branch", MACHINE ",fetch.straddle=1", NULL,
     from_conditional_branches, 0},
	{"a straddling block that calls", MACHINE ",fetch.straddle=1", NULL, to_calls, 0},
	{"four windows tell the target", MACHINE ",fetch.targets=3", NULL, two_in_a_row, 0},
	{"four windows do not tell it", MACHINE ",fetch.targets=3", "fetch.targets=2", three_in_a_row, 0},
	{"they do not where a block straddles two", MACHINE ",fetch.targets=3", "fetch.targets=0",
     two_in_a_row_straddling, 0},
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
 * three cycles. Where the dispatch straddles two windows, four of them hold one target alone: of a a b two jumps are not
 * told, and a round has nine windows, not six. */
static void test_cycles(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(two_in_a_row, MACHINE ",fetch.targets=3", 6), 6, 0.01);
	assert_float_equal(core_iteration_cycles(three_in_a_row, MACHINE, 8), 8, 0.01);
	assert_float_equal(core_iteration_cycles(three_in_a_row, MACHINE ",fetch.targets=3", 8), 8 + 2 * 3, 0.01);
	assert_float_equal(core_iteration_cycles(two_in_a_row_straddling, MACHINE, 6), 9, 0.01);
	assert_float_equal(core_iteration_cycles(two_in_a_row_straddling, MACHINE ",fetch.targets=3", 6), 9 + 2 * 3,
	                   0.01);
	assert_float_equal(core_iteration_cycles(two_in_a_row_straddling, MACHINE ",fetch.straddle=1", 6), 9 + 3,
	                   0.01);
}

/* By hand: three blocks that straddle two windows and three others are nine windows; from jumps to jumps each of the
 * three loses a cycle, else none does. */
static void test_straddling(void **state) {
	static const struct {
		void (*build)(struct kernel *kernel);
		double cycles;
	} loops[] = {{two_in_a_row_straddling, 9 + 3}, {from_jumps_to_jumps, 9 + 3},   {from_returns, 9},
	             {from_indirect_jumps, 9},         {from_conditional_branches, 9}, {to_calls, 9},
	             {to_conditional_branches, 9}};
	(void)state;
	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
		assert_float_equal(core_iteration_cycles(loops[i].build, MACHINE ",fetch.straddle=1", 6), loops[i].cycles,
		                   0.01);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_straddling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
