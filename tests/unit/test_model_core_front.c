/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core's front end: small programs whose cycles a cycle-by-cycle simulator counts, too; each rule has one that is
 * slower or faster without it; and the loops of Melhus 2013. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/model_core_check.h"

/* A block of nops of so many bytes each, and a test of test_bytes with its jump. */
static uint32_t nops_and_jump(struct kernel *k, unsigned nops, unsigned bytes, unsigned test_bytes) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 0; i < nops; i++)
		kernel_nop(k, bytes);
	kernel_test_jump(k, test_bytes, 2, RBX);
	kernel_end(k);
	return block;
}

static void independent(struct kernel *k) {
	kernel_repeat(k, nops_and_jump(k, 15, 3, 3), CODE, 300);
}

static void short_loop(struct kernel *k) {
	kernel_repeat(k, nops_and_jump(k, 4, 3, 3), CODE, 300);
}

static void mispredicted(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 3; i++)
		kernel_alu(k, 4, RAX, RAX, P1, 3);
	kernel_test_jump(k, 3, 2, RAX);
	kernel_end(k);
	for (unsigned i = 0; i < 400; i++)
		kernel_run(k, loop, CODE, i)->outcome.mispredicted = i % 5 == 4;
}

static void long_windows(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 0; i < 6; i++)
		kernel_alu(k, 3, RCX, RBX, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, block, CODE, 400);
}

static void unknown_branch(struct kernel *k) {
	independent(k);
	for (unsigned i = 0; i < k->count; i++)
		k->steps[i].outcome.btb = i % 3 ? 0 : IFR_CORE_BTB_NONE;
}

static void second_btb(struct kernel *k) {
	independent(k);
	for (unsigned i = 0; i < k->count; i++)
		k->steps[i].outcome.btb = 1;
}

/* Blocks of `bytes`, each a jump over the rest of it, `windows` of them, and a tail that jumps back (Melhus 2013, listing
 * 4.4). */
static void jumps(struct kernel *k, unsigned windows, uint64_t start) {
	const uint32_t block = kernel_block(k);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	const uint32_t tail = kernel_block(k);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_test_jump(k, 3, 6, RAX);
	kernel_end(k);
	for (unsigned i = 0; i < 200; i++)
		for (unsigned w = 0; w < windows; w++)
			kernel_run(k, w + 1 < windows ? block : tail, start + 32 * w, i || w);
}

static void windows12(struct kernel *k) {
	jumps(k, 12, CODE);
}

static void windows13(struct kernel *k) {
	jumps(k, 13, CODE);
}

/* The loop of Melhus 2013, listing 4.7: eleven times a load, a test and a jump over the rest of 32 bytes, then a tail of
 * 27 bytes: load, lea, compare, store, jump. */
static void link_order(struct kernel *k, uint64_t start) {
	const uint32_t block = kernel_block(k);
	kernel_load(k, 6, RAX, 0, 4);
	kernel_test_jump(k, 2, 2, RAX);
	kernel_end(k);
	const uint32_t tail = kernel_block(k);
	kernel_load(k, 6, RAX, 0, 4);
	kernel_alu(k, 3, RCX, RAX, P1 | P5, 1);
	kernel_alu(k, 5, IFR_REGISTER_FLAGS, RAX, P0 | P1 | P5, 1);
	kernel_store(k, 6, 0, RCX, 4);
	kernel_jump(k, 7, IFR_REGISTER_FLAGS);
	kernel_end(k);
	/* Ivy Bridge has three ports for arithmetic, and jumps go to the last of them. */
	for (size_t i = 0; i < k->program.ops_count; i++)
		if (k->program.ops[i].ports & P6)
			k->program.ops[i].ports = k->program.ops[i].kind == IFR_OPERATION_BRANCH ? P5 : P0 | P1 | P5;
	for (unsigned i = 0; i < 200; i++)
		for (unsigned w = 0; w < 12; w++) {
			kernel_run(k, w < 11 ? block : tail, start + 32 * w, i || w);
			for (unsigned a = 0; a < 2; a++)
				k->addresses[k->count - 1][a] = DATA;
		}
}

static void link_order_fast(struct kernel *k) {
	link_order(k, 0x4005a0);
}

static void link_order_slow(struct kernel *k) {
	link_order(k, 0x400590);
}

/* A loop of so many additions, and a fused jump (Melhus 2013, listing 4.5). */
static void additions(struct kernel *k, unsigned count) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < count; i++)
		kernel_alu(k, 2, i % 2 ? RAX : RCX, 0, ALU, 1);
	kernel_alu(k, 3, RBX, RBX, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 200);
}

static void slots56(struct kernel *k) {
	additions(k, 54);
}

static void slots57(struct kernel *k) {
	additions(k, 55);
}

static void boundary(struct kernel *k, uint64_t start) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 6; i++)
		kernel_alu(k, 4, i % 2 ? RAX : RCX, 0, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, start, 300);
}

static void jump_crosses(struct kernel *k) {
	boundary(k, CODE + 6);
}

static void jump_ends(struct kernel *k) {
	boundary(k, CODE + 3);
}

static void jump_inside(struct kernel *k) {
	boundary(k, CODE);
}

/* A jump across the end of its window, alone in the next if it belongs where it ends. */
static void last_crosses(struct kernel *k) {
	boundary(k, CODE + 64 - 28);
}

static void six_lines(struct kernel *k) {
	jumps(k, 6, CODE);
}

static void large_loop(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 0; i < 20; i++)
		kernel_alu(k, 5, i % 2 ? RAX : RCX, 0, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 12; i++)
		for (unsigned b = 0; b < 100; b++)
			kernel_run(k, block, CODE + 128 * b, i || b);
}

/* More slots in a window than its lines take. */
static void dense(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 26; i++)
		kernel_nop(k, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 200);
}

/* A window from the op cache, and then one that is too dense for it. */
static void half_dense(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_nop(k, 8);
	for (unsigned i = 0; i < 27; i++)
		kernel_nop(k, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 200);
}

/* Four jumps in a window, not taken, and work. */
static void many_branches(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	kernel_nop(k, 1);
	kernel_jump(k, 2, RBX);
	k->program.ops[k->program.ops_count - 1].ports = ALU;
	kernel_end(k);
	for (unsigned i = 0; i < 100; i++)
		for (unsigned b = 0; b < 8; b++)
			kernel_run(k, block, CODE + 3 * b, !b && i);
}

static void decoded(struct kernel *k, unsigned bytes, unsigned flags, bool complex) {
	dense(k);
	k->count = 0;
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 27; i++)
		kernel_nop(k, 1);
	for (unsigned i = 0; i < 12; i++) {
		kernel_alu(k, bytes, RAX, 0, ALU, 1);
		k->program.instructions[k->program.instructions_count - 1].flags |= (uint16_t)flags;
		if (complex)
			kernel_op(k, IFR_OPERATION_COMPUTE, ALU, 1, RCX, 0, 0, false);
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 200);
}

static void predecode(struct kernel *k) {
	decoded(k, 8, 0, false);
}

static void length_change(struct kernel *k) {
	decoded(k, 5, IFR_INSTRUCTION_LENGTH_CHANGING, false);
}

static void complex_first(struct kernel *k) {
	decoded(k, 3, 0, true);
}

static void fused(struct kernel *k, uint64_t start) {
	const uint32_t loop = kernel_block(k);
	kernel_nop(k, 5);
	for (unsigned i = 0; i < 6; i++)
		kernel_nop(k, 4);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, start, 300);
}

static void fused_at_line(struct kernel *k) {
	fused(k, CODE + 32);
}

static void fused_in_line(struct kernel *k) {
	fused(k, CODE + 64);
}

static void code_misses(struct kernel *k) {
	large_loop(k);
	for (size_t i = 0; i < k->count; i += 7)
		k->steps[i].outcome.fetch_wait = 12;
}

/* Slow operations fill the queue, so that the predictor gets ahead of code that misses. */
static void distant_misses(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 0; i < 12; i++)
		kernel_alu(k, 4, RAX, RAX, P1, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 3000; i++) {
		struct cycles_step *step = kernel_run(k, block, CODE + 128 * (uint64_t)(i % 1500), i > 0);
		step->outcome.fetch_wait = i % 2 ? 0 : 30;
	}
}

/* Four windows of ten slots each, of which the last ends with a jump back. */
static void windows_of_ten(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	for (unsigned window = 0; window < 4; window++)
		for (unsigned i = 0; i < 10; i++)
			if (window == 3 && i == 9)
				kernel_jump(k, 10, RBX);
			else
				kernel_alu(k, i < 9 ? 6 : 10, RAX, 0, ALU, 1);
	kernel_end(k);
	kernel_repeat(k, block, CODE / 64 * 64, 400);
}

#define IN_A_ROW "zen4,pipeline.issue=9,pipeline.units=unlimited,fetch.bubble1=0,op_cache.ends=branch"

/* Twelve windows of sixteen instructions, of three lines each where they end with the window. */
static void straight(struct kernel *k) {
	kernel_repeat(k, nops_and_jump(k, 191, 4, 2), CODE / 64 * 64, 200);
}

/* Six such windows, into which every other round enters behind the first instruction. */
static void straight_from_two(struct kernel *k) {
	const uint32_t first = kernel_block(k);
	kernel_nop(k, 4);
	kernel_end(k);
	const uint32_t rest = nops_and_jump(k, 95, 4, 2);
	for (unsigned i = 0; i < 200; i++) {
		if (i % 2)
			kernel_run(k, first, CODE / 64 * 64, true);
		kernel_run(k, rest, CODE / 64 * 64 + 4, i % 2 == 0);
	}
}

/* A block of so many instructions of two bytes, the last of which is a jump. */
static uint32_t block_of(struct kernel *k, unsigned instructions) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 1; i < instructions; i++)
		kernel_nop(k, 2);
	kernel_jump(k, 2, RBX);
	kernel_end(k);
	return block;
}

/* Windows of so many instructions with a jump. */
static void window_of(struct kernel *k, unsigned instructions) {
	const uint32_t block = block_of(k, instructions);
	for (unsigned i = 0; i < 800; i++)
		kernel_run(k, block, CODE / 64 * 64 + 64 * (i % 2), true);
}

static void window_of_12(struct kernel *k) {
	window_of(k, 12);
}

static void window_of_13(struct kernel *k) {
	window_of(k, 13);
}

static void window_of_24(struct kernel *k) {
	window_of(k, 24);
}

static void window_of_27(struct kernel *k) {
	window_of(k, 27);
}

/* Blocks of two instructions: 64 of one set, eight to a window, so that each misses, and behind each of them so many of
 * the other sets of a page, which hit. */
static void missing_before(struct kernel *k, unsigned hits) {
	const uint64_t at = CODE / 4096 * 4096;
	const uint32_t block = block_of(k, 2);
	for (unsigned round = 0; round < 60 / (1 + hits); round++)
		for (unsigned i = 0; i < 64; i++) {
			kernel_run(k, block, at + 4096 * (i / 8) + 8 * (i % 8), true);
			for (unsigned hit = i * hits; hit < (i + 1) * hits; hit++)
				kernel_run(k, block, at + 128 + 16 * (hit % 240), true);
		}
}

static void missing(struct kernel *k) {
	missing_before(k, 0);
}

static void missing_before_one(struct kernel *k) {
	missing_before(k, 1);
}

static void missing_before_two(struct kernel *k) {
	missing_before(k, 2);
}

static void missing_before_four(struct kernel *k) {
	missing_before(k, 4);
}

static void two_constants(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	for (unsigned i = 0; i < 4; i++) {
		kernel_instruction(k, 7, IFR_BRANCH_NONE, IFR_INSTRUCTION_NOP | IFR_INSTRUCTION_TWO_CONSTANTS);
		kernel_op(k, IFR_OPERATION_NOP, 0, 0, 0, 0, 0, false);
	}
	kernel_jump(k, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, block, CODE / 64 * 64, 400);
}

static const struct core_check checks[] = {
	{"independent operations", "skylake", "pipeline.issue=6,pipeline.retire=8", independent, 0},
	{"independent operations", "skylake", "fetch.queue=4", independent, 0},
	{"independent operations", "skylake", "op_cache.width=3", independent, 0},
	{"mispredictions", "skylake", "penalty.conditional=0", mispredicted, 0},
	{"unknown branches", "skylake", "penalty.btb=0", unknown_branch, 0},
	{"the second BTB", "zen3", "fetch.bubble2=0", second_btb, 0},
	{"12 windows", "ivybridge", "loop_buffer.windows=11", windows12, 0},
	{"13 windows", "ivybridge", "fetch.bubble1=0", windows13, 0},
	{"56 slots", "ivybridge", "loop_buffer.ops=55", slots56, 0},
	{"57 slots", "ivybridge", NULL, slots57, 0},
	{"unrolling", "haswell", "loop_buffer.unroll=1", short_loop, 0},
	{"a jump across the boundary", "skylake", "op_cache.jump_boundary=0", jump_crosses, 0},
	{"a jump that ends at the boundary", "skylake", "op_cache.jump_boundary=0", jump_ends, 0},
	{"a jump inside", "skylake", NULL, jump_inside, 0},
	{"a large loop", "skylake", "op_cache.sets=128", large_loop, 0},
	{"more lines in turn than a set has", "zen5,op_cache.sets=1,op_cache.ways=4", "op_cache.policy=lru", six_lines,
     0},
	{"lines that go on into the next window", "zen5", "op_cache.extent=window", straight, 0},
	{"lines from two entries", "zen5,op_cache.sets=2,op_cache.ways=12", "op_cache.ways=40", straight_from_two, 0},
	{"further lines of a window", "zen5", "op_cache.further=0", window_of_27, 0},
	{"further lines of windows in a row", "zen5", "op_cache.further=0", straight, 0},
	{"missing lines", "zen5", "op_cache.ways=64", missing, 0},
	{"missing lines among others", "zen5", "op_cache.switch=1", missing_before_two, 0},
	{"slots of one constant", "zen5,op_cache.reads=1,fetch.taken=1", "op_cache.constants=2", two_constants, 0},
	{"two lines a cycle", "zen5,fetch.taken=1", "op_cache.reads=1", long_windows, 0},
	{"a large loop by starts", "zen3", "op_cache.width=2", large_loop, 0},
	{"a dense window", "skylake", "op_cache.lines=6", dense, 0},
	{"a window too dense behind another", "skylake", "op_cache.switch=0", half_dense, 0},
	{"branches of a window", "zen4", "op_cache.branches=8", many_branches, 0},
	{"branches of a window", "skylake", "op_cache.branches=4", many_branches, 0},
	{"a jump across its window's end", "zen4", "op_cache.byte=first", last_crosses, 0},
	{"a jump across its window's end", "haswell,loop_buffer.ops=1,op_cache.byte=last", "op_cache.byte=first",
     jump_crosses, 0},
	{"a line's slots", "zen4,op_cache.ends=window", "op_cache.ops=3", independent, 0},
	{"windows in a row", IN_A_ROW, "op_cache.ends=window", windows_of_ten, 0},
	{"branches of windows in a row", IN_A_ROW, "op_cache.branches=8", many_branches, 0},
	{"12 branches", "ivybridge", "loop_buffer.branches=11", windows12, 0},
	{"predecoding", "skylake", "fetch.bytes=64", predecode, 0},
	{"predecoding", "skylake", "fetch.predecode=1", predecode, 0},
	{"prefixes that change lengths", "skylake", "fetch.length_change=0", length_change, 0},
	{"complex instructions", "skylake", "fetch.decoders=1", complex_first, 0},
	{"a pair at a line's begin", "skylake", "fetch.fusion=anywhere", fused_at_line, 0},
	{"a pair inside a line", "skylake", NULL, fused_in_line, 0},
	{"misses of code", "skylake", NULL, code_misses, 0},
	{"prediction by windows", "zen3,fetch.prediction=2,fetch.ahead=16", "fetch.prediction=1", windows13, 0},
	{"prediction ahead of code that misses", "zen3,fetch.prediction=1,fetch.ahead=16", "fetch.ahead=1",
     distant_misses, 0},
	{"prediction and the decoders", "haswell,fetch.prediction=3,fetch.ahead=4", "fetch.prediction=9", jump_crosses,
     0},
	{"prediction behind the second BTB", "zen3,fetch.prediction=1,fetch.ahead=8", "fetch.bubble2=0", second_btb,
     0},
	{"prediction and mispredictions", "zen3,fetch.prediction=4,fetch.ahead=8", "penalty.conditional=0",
     mispredicted, 0},
	{"prediction and a large loop", "skylake,fetch.prediction=2,fetch.ahead=24", "fetch.prediction=7", large_loop,
     0},
	{"prediction and the loop buffer", "ivybridge,fetch.prediction=6,fetch.ahead=4", "loop_buffer.windows=11",
     windows12, 0},
};

static void test_simulated(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
}

static void test_each_rule_matters(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
}

/* Ref: Melhus 2013, tables 4.6 to 4.8: 12.00 and 25.00 cycles an iteration, a factor of 2.08. */
static void test_thesis(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(windows12, "ivybridge", 12), 12.00, 0.005);
	assert_float_equal(core_iteration_cycles(link_order_fast, "ivybridge", 12), 12.00, 0.005);
	assert_float_equal(core_iteration_cycles(link_order_slow, "ivybridge", 12), 25.00, 0.005);
	/* The loop of 56 slots comes from the buffer, that of 57 does not. */
	struct kernel kernel;
	struct cycles_result result;
	for (unsigned i = 0; i < 2; i++) {
		kernel_init(&kernel);
		(i ? slots57 : slots56)(&kernel);
		core_graph_cycles(&kernel, "ivybridge", &result);
		assert_int_equal(!result.slots[IFR_SOURCE_LOOP_BUFFER], i);
		kernel_release(&kernel);
	}
}

/* Ref: Intel 2019, "Mitigations for Jump Conditional Code Erratum", section 2: a jump that crosses or ends at 32 bytes
 * is not cached. */
static void test_erratum(void **state) {
	static void (*const builds[])(struct kernel *) = {jump_crosses, jump_ends, jump_inside};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct kernel kernel;
		struct cycles_result result;
		kernel_init(&kernel);
		builds[i](&kernel);
		core_graph_cycles(&kernel, "skylake", &result);
		assert_int_equal(result.slots[IFR_SOURCE_OP_CACHE] > result.slots[IFR_SOURCE_DECODERS], i == 2);
		core_graph_cycles(&kernel, "haswell,loop_buffer.ops=1", &result);
		assert_true(result.slots[IFR_SOURCE_OP_CACHE] > result.slots[IFR_SOURCE_DECODERS]);
		kernel_release(&kernel);
	}
}

/* By hand, nine slots a cycle: 40 in a row take 40 / 9, so five cycles; by windows, ten are nine and another one. */
static void test_in_a_row(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(windows_of_ten, IN_A_ROW, 1), 5, 0.01);
	assert_float_equal(core_iteration_cycles(windows_of_ten, IN_A_ROW ",op_cache.ends=window", 1), 8, 0.01);
}

/* As a Zen 5 takes by the clock, in chains of such windows: rename takes 8 a cycle, and each two lines of six behind the
 * first two of a window arrive two cycles later. */
static void test_windows_zen5(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(window_of_12, "zen5", 1), 1.5, 0.05);
	assert_float_equal(core_iteration_cycles(window_of_13, "zen5", 1), 3, 0.05);
	assert_float_equal(core_iteration_cycles(window_of_24, "zen5", 1), 3, 0.05);
	assert_float_equal(core_iteration_cycles(window_of_27, "zen5", 1), 5, 0.05);
	/* Of three windows in a row, eight lines, two begin three lines each and one two. */
	assert_float_equal(core_iteration_cycles(straight, "zen5", 1), 4 * (3 + 3 + 1), 1);
}

/* By hand: a cycle each; three and one for the line that is missing and each two behind it. A Zen 5 takes 1.09, 4.0, 4.0
 * and 5.8 by the clock. */
static void test_missing_zen5(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(missing, "zen5", 1), 1, 0.1);
	assert_float_equal(core_iteration_cycles(missing_before_one, "zen5", 2), 4, 0.1);
	assert_float_equal(core_iteration_cycles(missing_before_two, "zen5", 3), 4, 0.1);
	assert_float_equal(core_iteration_cycles(missing_before_four, "zen5", 5), 5, 0.1);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing_zen5), cmocka_unit_test(test_windows_zen5),
		cmocka_unit_test(test_simulated),    cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_thesis),       cmocka_unit_test(test_erratum),
		cmocka_unit_test(test_in_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
