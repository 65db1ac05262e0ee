/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that the predictor finds together, in groups of two, and blocks of code in pairs. The cycles of groups are
 * those of a Zen 4 by the clock (2026), without the fractions; of rounds in which no place begins a group for certain, of
 * those whose first one begins one. tests/bench/groups times the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/operation.h"
#include "tests/unit/model_core_check.h"

#define MACHINE                                                                              \
	"zen4,fetch.prediction=1,fetch.ahead=16,fetch.bubble1=0,fetch.calls=0,fetch.indirect=0," \
	"fetch.targets=0,fetch.branches=2"

enum { ROUNDS = 200, WINDOW = 64, BLOCK = 7, PAGE = 4096 };

/* The blocks of a loop, by their branch, and the line of the next letter. */
struct loop {
	uint32_t jump, back, seldom, indirect, call, returns;
	unsigned line;
	bool far; /* every other letter is in another page */
};

/* Runs a block behind another of its window, whose branch is known and not taken, or where a taken branch leads. */
static void run_block(struct kernel *k, uint32_t block, uint64_t address, bool passed) {
	struct cycles_step *step = kernel_run(k, block, address, !passed && k->count);
	step->outcome.known |= passed;
	step->outcome.divides = passed;
}

/* far_ and letters: every other one is in another page. t: a jump. p, q: a branch or two that are not taken, and a jump,
 * of one window. s: a jump across the end of its window. f: a jump behind an instruction across it. b, e: s behind a
 * branch that is not taken, in its first and in its second window. i: an indirect jump. c: a call, its return, and a
 * jump. */
static void run_letter(struct kernel *k, struct loop *loop, char letter) {
	const uint64_t page = loop->far && loop->line % 2 == 0 ? PAGE : 0;
	const uint64_t line = CODE / WINDOW * WINDOW + page + (uint64_t)3 * WINDOW * loop->line++;
	const unsigned before = letter == 'q' ? 2 : letter == 'p' || letter == 'b' || letter == 'e';
	uint64_t at = line + (letter == 's' || letter == 'e' ? WINDOW - 3
	                      : letter == 'f'                ? WINDOW - 1
	                      : letter == 'b'                ? WINDOW - BLOCK - 3
	                                                     : 0);
	for (unsigned i = 0; i < before; i++, at += BLOCK)
		run_block(k, loop->seldom, at, i > 0);
	run_block(k, letter == 'i' ? loop->indirect : letter == 'c' ? loop->call : loop->jump, at, before > 0);
	if (letter != 'c')
		return;
	kernel_run(k, loop->returns, line + 2 * WINDOW, true);
	kernel_run(k, loop->jump, at + BLOCK, true);
}

static void run(struct kernel *k, const char *name) {
	const bool far = !strncmp(name, "far_", 4);
	const char *letters = far ? name + 4 : name;
	struct loop loop = {.jump = kernel_hop(k, IFR_BRANCH_JUMP),
	                    .back = kernel_hop(k, IFR_BRANCH_CONDITIONAL),
	                    .seldom = kernel_hop(k, IFR_BRANCH_CONDITIONAL),
	                    .indirect = kernel_hop(k, IFR_BRANCH_INDIRECT_JUMP),
	                    .call = kernel_hop(k, IFR_BRANCH_CALL),
	                    .returns = kernel_hop(k, IFR_BRANCH_RETURN),
	                    .far = far};
	for (unsigned round = 0; round < ROUNDS; round++) {
		loop.line = 1;
		for (const char *letter = letters; *letter; letter++)
			run_letter(k, &loop, *letter);
		kernel_run(k, loop.back, CODE / WINDOW * WINDOW, true);
	}
}

static const char *letters;

static void build(struct kernel *k) {
	run(k, letters);
}

/* A loop, and the cycles of a round by the clock. */
struct timed {
	const char *letters;
	unsigned cycles;
};

static const struct timed loops[] = {
	{"tttttttt", 9},     {"pttttttt", 9},     {"tptttttt", 10},     {"ttpttttt", 9},     {"tttttttp", 10},
	{"pppttttt", 9},     {"pppppppp", 13},    {"ttttpppp", 11},     {"pppptttt", 11},    {"tptptptp", 11},
	{"tttttttq", 10},    {"qqqqqqqq", 17},    {"ssssssss", 17},     {"psssssss", 16},    {"sssssssp", 17},
	{"sssspppp", 17},    {"spspspsp", 17},    {"stptssss", 14},     {"stststpp", 12},    {"bbbbbbbb", 17},
	{"bbbbbbbp", 17},    {"eeeeeeee", 17},    {"eeeeeeep", 16},     {"sssssseb", 17},    {"ttttttip", 9},
	{"tttttpit", 10},    {"tttttttip", 10},   {"sssssip", 13},      {"sssssitp", 15},    {"sctps", 10},
	{"scps", 10},        {"tpcs", 9},         {"cpss", 10},         {"ctps", 8},         {"ffffffff", 17},
	{"ftftftft", 13},    {"pfffffff", 16},    {"fffffffp", 17},     {"far_tttttttt", 9}, {"far_pppppppp", 10},
	{"far_ttttpppp", 9}, {"far_tptptptp", 9}, {"far_qqqqqqqq", 17},
};

/* Lines end with windows here: with zen5's, which go on, blocks that straddle two windows take less than by the clock
 * (docs/counters-and-model.md). */
#define BLOCKS                                                                                               \
	"zen5,fetch.prediction=1,fetch.ahead=16,fetch.bubble1=0,fetch.calls=1,fetch.indirect=0,fetch.several=0," \
	"fetch.pairs=blocks,fetch.taken=2,op_cache.reads=2,op_cache.width=12,op_cache.extent=window,op_cache.further=0"

/* The cycles of a round by the clock of a Zen 5 (2026), without the fractions. By the clock a round mostly begins with
 * the first of two blocks, so that only loops are here whose last pair is whole. */
static const struct timed blocks[] = {
	{"t", 1},         {"ttt", 2},      {"ttttt", 3},    {"s", 2},        {"ss", 3},       {"sss", 4},  {"ts", 2},
	{"e", 2},         {"eee", 4},      {"b", 2},        {"bb", 3},       {"tp", 2},       {"q", 2},    {"qqq", 5},
	{"c", 5},         {"cc", 9},       {"ct", 5},       {"ctt", 6},      {"cttt", 6},     {"tc", 5},   {"ttc", 6},
	{"tttc", 6},      {"sc", 5},       {"cs", 6},       {"sctps", 7},    {"scps", 7},     {"tpcs", 7}, {"cpss", 8},
	{"cccccccc", 33}, {"ssssssss", 9}, {"bbbbbbbb", 9}, {"eeeeeeee", 9}, {"ff", 3},       {"fff", 4},  {"ftft", 4},
	{"stst", 4},      {"ffffffff", 9}, {"ftftftft", 8}, {"stptssss", 8}, {"stststpp", 7},
};

static unsigned count_steps(void) {
	struct kernel kernel;
	kernel_init(&kernel);
	build(&kernel);
	const unsigned steps = (unsigned)(kernel.count / ROUNDS);
	kernel_release(&kernel);
	return steps;
}

static void check_timed(const struct timed *timed, size_t count, const char *machine) {
	for (size_t i = 0; i < count; i++) {
		letters = timed[i].letters;
		const double cycles = core_iteration_cycles(build, machine, count_steps());
		if (fabs(cycles - timed[i].cycles) > 0.05)
			fail_msg("%s: %.2f cycles, %u by the clock", letters, cycles, timed[i].cycles);
	}
}

static void test_by_the_clock(void **state) {
	(void)state;
	check_timed(loops, sizeof loops / sizeof *loops, MACHINE);
}

static void test_blocks_by_the_clock(void **state) {
	(void)state;
	check_timed(blocks, sizeof blocks / sizeof *blocks, BLOCKS);
}

static void test_simulated(void **state) {
	static const char *const machines[] = {MACHINE,
	                                       MACHINE ",fetch.prediction=2",
	                                       MACHINE ",fetch.branches=3",
	                                       MACHINE ",fetch.pairs=jumps",
	                                       MACHINE ",fetch.calls=1,fetch.targets=4",
	                                       BLOCKS,
	                                       BLOCKS ",fetch.ahead=2,fetch.prediction=2"};
	(void)state;
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		for (size_t k = 0; k < sizeof machines / sizeof *machines; k++) {
			const struct core_check check = {loops[i].letters, machines[k], NULL, build, 0};
			letters = loops[i].letters;
			core_check_each(&check, 1, core_check_simulated);
		}
}

static void mispredicted(struct kernel *k) {
	run(k, "ptptspqp");
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.mispredicted = i > 0;
}

static void test_mispredicted(void **state) {
	static const struct core_check check = {"mispredicted branches", MACHINE, "fetch.branches=0", mispredicted, 0};
	(void)state;
	core_check_each(&check, 1, core_check_simulated);
	core_check_each(&check, 1, core_check_rule);
}

/* A mispredicted branch that is not taken, two more instructions, and back. */
static void run_resumed(struct kernel *k, unsigned offset, unsigned next) {
	const uint32_t hop = kernel_hop(k, IFR_BRANCH_CONDITIONAL), back = kernel_hop(k, IFR_BRANCH_JUMP);
	const uint64_t line = CODE / WINDOW * WINDOW + WINDOW;
	for (unsigned round = 0; round < ROUNDS; round++) {
		kernel_run(k, hop, line + offset, round > 0);
		kernel_run(k, hop, line + offset + BLOCK, false)->outcome.mispredicted = true;
		kernel_run(k, back, line + next, false);
	}
}

static void resumed_within(struct kernel *k) {
	run_resumed(k, 0, 2 * BLOCK);
}

static void resumed_before_end(struct kernel *k) {
	run_resumed(k, WINDOW - 2 * BLOCK, WINDOW);
}

static void resumed_behind_end(struct kernel *k) {
	run_resumed(k, WINDOW - BLOCK, WINDOW + BLOCK);
}

/* By hand: behind a misprediction each window costs a cycle, also that of the branch, if execution goes on in it. By the
 * clock (tests/bench/offsets, skip_add) the next window takes 1.2 cycles more, and where it is the first one none. */
static void test_resumed(void **state) {
	static const struct core_check checks[] = {
		{"resumed within a window", MACHINE, "fetch.redirect=3", resumed_within, 0},
		{"resumed before its end", MACHINE, "fetch.prediction=0", resumed_before_end, 0},
		{"resumed behind its end", MACHINE ",fetch.redirect=7", "fetch.redirect=0", resumed_behind_end, 0},
		{"resumed without groups", MACHINE ",fetch.branches=0", NULL, resumed_before_end, 0},
	};
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
	const double within = core_iteration_cycles(resumed_within, MACHINE, 3);
	assert_float_equal(core_iteration_cycles(resumed_before_end, MACHINE, 3), within + 1, 0.01);
	assert_float_equal(core_iteration_cycles(resumed_behind_end, MACHINE, 3), within, 0.01);
	assert_float_equal(core_iteration_cycles(resumed_within, MACHINE ",fetch.redirect=7", 3) -
	                       core_iteration_cycles(resumed_within, MACHINE ",fetch.redirect=12", 3),
	                   7 - 12, 0.01);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_the_clock),
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_blocks_by_the_clock),
		cmocka_unit_test(test_mispredicted),
		cmocka_unit_test(test_resumed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
