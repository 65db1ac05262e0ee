/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indirect jumps whose last groups of branches do not tell their target. */
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

enum { ROUNDS = 400, WINDOW = 64, LINES_OF_PAGE = 64 };

static void add(struct kernel *k, uint32_t block, unsigned line, bool straddles) {
	kernel_run(k, block, CODE / WINDOW * WINDOW + WINDOW * line + (straddles ? WINDOW - 3 : 0), k->count > 0);
}

/* A block with a branch, in one window or two, goes to one of several, in the order of letters, which jump back. They are
 * in its page or, in capitals, in the next one. */
static void dispatch(struct kernel *k, uint8_t branch, const char *order, bool straddles) {
	const uint32_t dispatch = kernel_hop(k, branch);
	uint32_t targets[3];
	for (unsigned i = 0; i < 3; i++)
		targets[i] = kernel_hop(k, IFR_BRANCH_JUMP);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (const char *letter = order; *letter; letter++) {
			const unsigned target = (unsigned)(*letter - 'A') % 32;
			add(k, dispatch, 0, straddles);
			add(k, targets[target], 4 + 3 * target + (*letter < 'a' ? LINES_OF_PAGE : 0), false);
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

static void to_another_page(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "AAB", false);
}

static void in_turn_to_another_page(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "AB", false);
}

static void in_turn_straddling(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "ab", true);
}

static void in_turn_to_another_page_straddling(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "AB", true);
}

/* A block with a branch leads so far away, and a return or a jump by a register back. */
static void lead_far(struct kernel *k, uint8_t branch, uint8_t back, uint64_t bytes) {
	const uint32_t there = kernel_hop(k, branch), behind = kernel_hop(k, back);
	for (unsigned round = 0; round < ROUNDS; round++) {
		kernel_run(k, there, CODE / WINDOW * WINDOW, k->count > 0);
		kernel_run(k, behind, CODE / WINDOW * WINDOW + bytes + 3 * WINDOW, true);
	}
}

static void calls_far(struct kernel *k) {
	lead_far(k, IFR_BRANCH_INDIRECT_CALL, IFR_BRANCH_RETURN, UINT64_C(1) << 37);
}

static void calls_near(struct kernel *k) {
	lead_far(k, IFR_BRANCH_INDIRECT_CALL, IFR_BRANCH_RETURN, UINT64_C(1) << 36);
}

static void jumps_far(struct kernel *k) {
	lead_far(k, IFR_BRANCH_INDIRECT_JUMP, IFR_BRANCH_INDIRECT_JUMP, UINT64_C(1) << 37);
}

static void one_straddling(struct kernel *k) {
	dispatch(k, IFR_BRANCH_INDIRECT_JUMP, "aaa", true);
}

static void mispredicted(struct kernel *k) {
	three_in_a_row(k);
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.mispredicted = i > 0;
}

static void to_several(struct kernel *k) {
	three_in_a_row(k);
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.several = i % 3 > 0;
}

static const struct core_check checks[] = {
	{"two groups tell the target", MACHINE ",fetch.targets=3", NULL, two_in_a_row, 0},
	{"two groups do not tell it", MACHINE ",fetch.targets=3", "fetch.targets=2", three_in_a_row, 0},
	{"they do not where a block straddles two windows", MACHINE ",fetch.targets=3", "fetch.targets=0",
     two_in_a_row_straddling, 0},
	{"one target where it straddles two", MACHINE ",fetch.targets=3", NULL, one_straddling, 0},
	{"targets of another page", MACHINE ",fetch.targets=3", "fetch.targets=0", to_another_page, 0},
	{"targets of another page in turn", MACHINE ",fetch.targets=3", NULL, in_turn_to_another_page, 0},
	{"targets of another page, where it straddles two", MACHINE ",fetch.targets=3", "core.page_bytes=1048576",
     in_turn_to_another_page_straddling, 0},
	{"indirect calls", MACHINE ",fetch.targets=2,fetch.calls=1", "fetch.targets=0", calls, 0},
	{"direct calls have no other target", MACHINE ",fetch.targets=3", NULL, direct, 0},
	{"targets and mispredictions", MACHINE ",fetch.targets=3", "fetch.targets=0", mispredicted, 0},
	{"jumps to several targets", MACHINE ",fetch.several=2", "fetch.several=0", to_several, 0},
	{"calls to a library", MACHINE ",fetch.far=3", "fetch.far=0", calls_far, 0},
	{"calls in a library", MACHINE ",fetch.far=3", NULL, calls_near, 0},
	{"jumps there and back", MACHINE ",fetch.far=3,fetch.targets=3", "fetch.far=0", jumps_far, 0},
	{"each window a group", MACHINE ",fetch.targets=3,fetch.branches=0", "fetch.targets=0", two_in_a_row, 0},
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

/* By hand; a window takes a cycle, and a target that is not told three more. A group is a target's jump and the dispatch
 * behind it, so that the last two groups tell two targets: all next ones of a a b, and of a a a b not the third and
 * fourth. They tell one where the dispatch straddles two windows, or where the jump to it leaves its page: of a a b two
 * are not told, of a b all are. They tell none where it does both. */
static void test_cycles(void **state) {
	static const struct {
		void (*build)(struct kernel *k);
		unsigned steps, windows, untold;
	} loops[] = {
		{two_in_a_row, 6, 6, 0},
		{three_in_a_row, 8, 8, 2},
		{two_in_a_row_straddling, 6, 9, 2},
		{one_straddling, 6, 9, 0},
		{to_another_page, 6, 6, 2},
		{in_turn_to_another_page, 4, 4, 0},
		{in_turn_straddling, 4, 6, 0},
		{in_turn_to_another_page_straddling, 4, 6, 2},
	};
	(void)state;
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		assert_float_equal(core_iteration_cycles(loops[i].build, MACHINE, loops[i].steps), loops[i].windows, 0.01);
		assert_float_equal(core_iteration_cycles(loops[i].build, MACHINE ",fetch.targets=3", loops[i].steps),
		                   loops[i].windows + 3 * loops[i].untold, 0.01);
	}
}

/* By the clock (tests/bench/far): a call 2^37 bytes away takes three cycles more than one 2^36 bytes away, its return
 * does not; of two jumps, there and back, each does. */
static void test_far(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(calls_near, MACHINE ",fetch.far=3", 2), 2, 0.01);
	assert_float_equal(core_iteration_cycles(calls_far, MACHINE ",fetch.far=3", 2), 2 + 3, 0.01);
	assert_float_equal(core_iteration_cycles(jumps_far, MACHINE ",fetch.far=3", 2), 2 + 2 * 3, 0.01);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_far),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
