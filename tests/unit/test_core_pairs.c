/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows that the branch predictor finds together, and what calls, returns and indirect jumps cost it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/operation.h"
#include "tests/unit/model_core_check.h"

#define MACHINE                                                                                                \
	"zen5,fetch.prediction=1,fetch.taken=2,fetch.ahead=16,fetch.bubble1=0,op_cache.width=12,fetch.pairs=none," \
	"fetch.calls=0,fetch.several=0,op_cache.reads=1"
#define IN_PAIRS MACHINE ",fetch.pairs=jumps"

enum { ROUNDS = 600, WINDOW = 64 };

/* Runs blocks in turn, each in a line of its own: 't' in one window, 's' across its end, with a nop on each side. */
static void run(struct kernel *k, const char *places, const uint8_t *branches) {
	uint32_t blocks[8];
	size_t count = 0;
	for (; places[count]; count++)
		blocks[count] = kernel_hop(k, branches[count]);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++)
			kernel_run(k, blocks[i], CODE / WINDOW * WINDOW + 3 * WINDOW * i + (places[i] == 's' ? WINDOW - 3 : 0),
			           round || i);
}

static const uint8_t direct[] = {IFR_BRANCH_JUMP, IFR_BRANCH_CONDITIONAL, IFR_BRANCH_JUMP, IFR_BRANCH_JUMP};

static void jumps(struct kernel *k) {
	run(k, "tt", direct);
}

static void straddling(struct kernel *k) {
	run(k, "ss", direct);
}

static void one_straddles(struct kernel *k) {
	run(k, "ts", direct);
}

static void one_of_three_straddles(struct kernel *k) {
	run(k, "tts", direct);
}

static void call_and_return(struct kernel *k) {
	run(k, "tt", (const uint8_t[]){IFR_BRANCH_CALL, IFR_BRANCH_RETURN});
}

static void dispatch(struct kernel *k) {
	run(k, "tt", (const uint8_t[]){IFR_BRANCH_JUMP, IFR_BRANCH_INDIRECT_JUMP});
}

static void dispatch_straddles(struct kernel *k) {
	run(k, "ts", (const uint8_t[]){IFR_BRANCH_JUMP, IFR_BRANCH_INDIRECT_JUMP});
}

static void second_btb(struct kernel *k) {
	jumps(k);
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.btb = i % 3 == 0;
}

static void mispredicted(struct kernel *k) {
	one_of_three_straddles(k);
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.mispredicted = i > 0;
}

static const struct core_check checks[] = {
	{"jumps in pairs", IN_PAIRS, "fetch.pairs=none", jumps, 0},
	{"pairs of straddling blocks", IN_PAIRS, NULL, straddling, 0},
	{"a straddling block between jumps", IN_PAIRS, "fetch.pairs=none", one_of_three_straddles, 0},
	{"windows of two cycles in pairs", IN_PAIRS ",fetch.prediction=2", "fetch.pairs=none", jumps, 0},
	{"pairs and the second BTB", IN_PAIRS ",fetch.bubble2=2", "fetch.bubble2=0", second_btb, 0},
	{"pairs and mispredictions", IN_PAIRS, "fetch.pairs=none", mispredicted, 0},
	{"pairs and few windows ahead", IN_PAIRS ",fetch.ahead=1", NULL, one_of_three_straddles, 0},
	{"calls and returns that cost nothing are no pairs", IN_PAIRS, NULL, call_and_return, 0},
	{"calls and returns", IN_PAIRS ",fetch.calls=2", "fetch.calls=0", call_and_return, 0},
	{"calls and returns without prediction ahead", "haswell,loop_buffer.ops=1,fetch.calls=3", "fetch.calls=0",
     call_and_return, 0},
	{"an indirect jump", IN_PAIRS ",fetch.indirect=2", "fetch.indirect=1", dispatch, 0},
};

static void test_simulated(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
}

static void test_each_rule_matters(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
}

/* By hand. Jumps: two windows a cycle. A straddling block: its first window goes on into its second one, so that it is
 * not found with the one before it, and each takes a cycle. A jump to a block that an indirect jump ends, which takes two
 * cycles more: together and two, or, where that block straddles, three and two. */
static void test_cycles(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(jumps, IN_PAIRS, 2), 1, 0.01);
	assert_float_equal(core_iteration_cycles(jumps, MACHINE, 2), 2, 0.01);
	assert_float_equal(core_iteration_cycles(straddling, IN_PAIRS, 2), 4, 0.01);
	assert_float_equal(core_iteration_cycles(one_straddles, MACHINE, 2), 3, 0.01);
	assert_float_equal(core_iteration_cycles(dispatch, IN_PAIRS ",fetch.indirect=2", 2), 3, 0.01);
	assert_float_equal(core_iteration_cycles(dispatch_straddles, IN_PAIRS ",fetch.indirect=2", 2), 5, 0.01);
	assert_float_equal(core_iteration_cycles(call_and_return, IN_PAIRS ",fetch.calls=2", 2), 6, 0.01);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_cycles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
