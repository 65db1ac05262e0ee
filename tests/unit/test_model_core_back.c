/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core's back end: small programs whose cycles a cycle-by-cycle simulator counts, too; each rule has one that is
 * slower or faster without it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/model_core_check.h"

static void chain(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 8; i++)
		kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

/* Chains through the second source, whose values take two cycles more, and through the first. */
static void late_source(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 8; i++) {
		kernel_alu(k, 3, i % 4 ? RCX : RAX, i % 4 ? RCX : RDX, ALU, 1);
		struct ifr_core_op *op = &k->program.ops[k->program.ops_count - 1];
		op->sources[1] = i % 4 ? RDX : RAX;
		op->late = 2;
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

static void multiply(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_alu(k, 4, RAX, RAX, P1, 3);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

static void one_port(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 6; i++)
		kernel_alu(k, 4, 0, 0, i % 2 ? P1 : P1 | P5, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

static void mixed_ports(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 9; i++)
		kernel_alu(k, 3, i % 3 ? 0 : RAX, i % 3 ? RAX : RCX, i % 2 ? P0 | P6 : ALU, 1);
	kernel_alu(k, 4, RCX, RCX, P1 | P5, 3);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

enum { BRANCHES = 1 << 9 }; /* a port of branches alone */

/* Four additions, and a branch of two ports, or of one of the additions if it is taken. */
static void run_branches(struct kernel *k, bool taken) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_alu(k, 4, 0, 0, ALU, 1);
	kernel_instruction(k, 2, IFR_BRANCH_CONDITIONAL, 0);
	kernel_op(k, IFR_OPERATION_BRANCH, P6 | BRANCHES, 1, 0, IFR_REGISTER_NONE, 0, false)->taken_ports = P6;
	kernel_end(k);
	for (unsigned i = 0; i < 300; i++)
		kernel_run(k, loop, CODE, i > 0);
	for (unsigned i = 0; i < 300; i++)
		k->steps[i].outcome.leaves = taken;
}

static void taken_branch(struct kernel *k) {
	run_branches(k, true);
}

static void other_branch(struct kernel *k) {
	run_branches(k, false);
}

static void divide(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 3, 0, 0, P0, 20);
	k->program.ops[k->program.ops_count - 1].unit = IFR_UNIT_DIVIDER;
	k->program.ops[k->program.ops_count - 1].occupancy = 6;
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

static void eliminated(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_alu(k, 3, RCX, RAX, ALU, 1);
	k->program.ops[k->program.ops_count - 1].flags |= IFR_CORE_OP_ELIMINATED;
	k->program.ops[k->program.ops_count - 1].entries = 0;
	kernel_alu(k, 3, RAX, RCX, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

/* A move that is eliminated, and what changes the register that it wrote, in one slot; more of them than slots. */
static void joined(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 6; i++) {
		kernel_alu(k, 3, RCX, RAX, ALU, 1);
		k->program.ops[k->program.ops_count - 1].flags |= IFR_CORE_OP_ELIMINATED;
		k->program.ops[k->program.ops_count - 1].entries = 0;
		kernel_instruction(k, 3, IFR_BRANCH_NONE, 0);
		kernel_op(k, IFR_OPERATION_COMPUTE, ALU, 1, RCX, RCX, 0, true);
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, 300);
}

/* A load that misses every so often, and work behind it that does not need it. */
static void behind_miss(struct kernel *k, unsigned level, unsigned every, bool dependent, unsigned work) {
	const uint32_t loop = kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	for (unsigned i = 0; i < work; i++)
		kernel_alu(k, 3, RCX, dependent ? RAX : 0, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 400; i++) {
		kernel_run(k, loop, CODE, i);
		k->addresses[i][0] = DATA + 64 * (i / every);
		k->levels[i][0] = i % every ? 0 : IFR_CORE_LEVEL(level, 0);
	}
}

static void window(struct kernel *k) {
	behind_miss(k, 3, 40, false, 10);
}

static void scheduler(struct kernel *k) {
	behind_miss(k, 3, 10, true, 14);
}

static void same_line(struct kernel *k) {
	behind_miss(k, 2, 8, true, 2);
}

static void fills(struct kernel *k) {
	behind_miss(k, 3, 1, false, 1);
}

static void pages(struct kernel *k) {
	behind_miss(k, 0, 1, true, 2);
	k->program.ops[0].sources[0] = RAX;
	for (unsigned i = 0; i < k->count; i += 3)
		k->levels[i][0] = IFR_CORE_LEVEL(0, 1 + i % 2);
}

static void load_queue(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 6; i++)
		kernel_load(k, 4, RAX, RDX, 8);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 300; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 6; a++)
			k->addresses[i][a] = DATA + 64 * i + 8 * a;
		k->levels[i][0] = i % 25 ? 0 : IFR_CORE_LEVEL(3, 0);
	}
}

static void store_queue(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_store(k, 4, RDX, RCX, 8);
	kernel_nop(k, 3);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 400; i++) {
		kernel_run(k, loop, CODE, i);
		k->addresses[i][0] = DATA + 8 * i;
		k->levels[i][0] = i % 50 ? 0 : IFR_CORE_LEVEL(3, 0);
	}
}

static void many_stores(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 6; i++) {
		kernel_store(k, 4, RDX, 0, 8);
		k->program.ops[k->program.ops_count - 1].ports = P4 | P5;
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 300; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 6; a++)
			k->addresses[i][a] = DATA + 8 * a;
	}
}

/* Each round prefetches a line that a load needs so many rounds later, and which the first cache lacks till then. */
static void prefetch(struct kernel *k, unsigned rounds, unsigned chain, bool loaded) {
	const uint32_t loop = kernel_block(k);
	kernel_prefetch(k, 4, RDX);
	if (loaded)
		kernel_load(k, 4, RAX, RAX, 8);
	for (unsigned i = 0; i < chain; i++)
		kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 400; i++) {
		kernel_run(k, loop, CODE, i);
		k->addresses[i][0] = DATA + 64 * i;
		k->levels[i][0] = IFR_CORE_LEVEL(3, 0);
		k->addresses[i][1] = DATA + (i < rounds ? 0 : 64 * (i - rounds));
	}
}

/* In time but for what remains of the miss. */
static void prefetch_late(struct kernel *k) {
	prefetch(k, 2, 20, true);
}

/* Of lines that no load needs, more than there are fill buffers, beside loads that miss. */
static void prefetch_fills(struct kernel *k) {
	prefetch(k, 1, 0, true);
	k->program.ops[1].sources[0] = RDX;
	for (unsigned i = 0; i < k->count; i++) {
		k->addresses[i][1] = DATA + 0x100000 + 64 * i;
		k->levels[i][1] = IFR_CORE_LEVEL(2, 0);
	}
}

/* Retirement waits for none of these. */
static void prefetch_alone(struct kernel *k) {
	prefetch(k, 1, 0, false);
}

static void prefetch_page(struct kernel *k) {
	prefetch(k, 2, 20, true);
	for (unsigned i = 0; i < k->count; i++)
		k->levels[i][0] = IFR_CORE_LEVEL(3, 2);
}

/* A store and a load of it, in a chain through memory. */
static void through_memory(struct kernel *k, unsigned stored, unsigned loaded, uint64_t apart) {
	const uint32_t loop = kernel_block(k);
	kernel_store(k, 4, RDX, RAX, stored);
	for (unsigned i = 0; i < 12; i++)
		kernel_nop(k, 2);
	kernel_load(k, 4, RAX, RDX, loaded);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 3000; i++) {
		kernel_run(k, loop, CODE, i);
		k->addresses[i][0] = DATA;
		k->addresses[i][1] = DATA + apart;
	}
}

static void forward(struct kernel *k) {
	through_memory(k, 8, 4, 4);
}

/* As AMD's stores: the datum takes no port. */
static void forward_portless(struct kernel *k) {
	through_memory(k, 8, 4, 4);
	k->program.ops[1].ports = 0;
	k->program.ops[0].entries = 1;
}

/* A datum that takes a port, and is there for loads in the cycle in which it does. */
static void forward_at_once(struct kernel *k) {
	through_memory(k, 8, 4, 4);
	k->program.ops[1].latency = 0;
}

static void set_name(struct ifr_core_op *op, unsigned base, int displacement, int stack) {
	op->name = (uint8_t)base;
	op->name_bytes = 8;
	op->displacement = displacement;
	op->stack = (int16_t)stack;
}

/* Two chains through memory, of four additions and of one. The second one's base register is written in between, and in
 * a few rounds the first load's bytes are another store's. */
static void named(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_alu(k, 3, RCX, RCX, ALU, 1);
	for (unsigned i = 0; i < 3; i++) {
		kernel_store(k, 4, RDX, i == 1 ? RCX : i ? 0 : RAX, 8);
		set_name(&k->program.ops[k->program.ops_count - 2], RDX, (int)(8 * i), 0);
	}
	kernel_load(k, 4, RAX, RDX, 8);
	set_name(&k->program.ops[k->program.ops_count - 1], RDX, 0, 0);
	kernel_alu(k, 3, RDX, RDX, ALU, 1);
	kernel_load(k, 4, RCX, RDX, 8);
	set_name(&k->program.ops[k->program.ops_count - 1], RDX, 8, 0);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 1000; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 3; a++)
			k->addresses[i][a] = DATA + 8 * a;
		if (i % 200 == 99)
			k->addresses[i][2] = DATA;
		k->addresses[i][3] = DATA;
		k->addresses[i][4] = DATA + 8;
	}
}

/* A chain through a push and a pop, between which rsp moves by another push and pop. */
static void pushed(struct kernel *k) {
	enum { RSP = IFR_REGISTER_STACK_POINTER };
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	for (unsigned i = 0; i < 2; i++) {
		kernel_store(k, 1, RSP, i ? 0 : RAX, 8);
		set_name(&k->program.ops[k->program.ops_count - 2], RSP, -8, -8);
	}
	for (unsigned i = 0; i < 2; i++) {
		kernel_load(k, 1, i ? RAX : 0, RSP, 8);
		set_name(&k->program.ops[k->program.ops_count - 1], RSP, 0, 8);
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 1000; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 4; a++)
			k->addresses[i][a] = DATA + (a % 3 ? 0 : 8);
	}
}

static void partial(struct kernel *k) {
	through_memory(k, 4, 8, 0);
}

static void alias(struct kernel *k) {
	through_memory(k, 4, 4, 4096);
}

static void no_alias(struct kernel *k) {
	through_memory(k, 4, 4, 4100);
}

static void split(struct kernel *k, uint64_t address) {
	behind_miss(k, 0, 1, true, 1);
	k->program.ops[0].sources[0] = RAX;
	for (unsigned i = 0; i < k->count; i++)
		k->addresses[i][0] = address;
}

static void line_split(struct kernel *k) {
	split(k, DATA + 60);
}

static void page_split(struct kernel *k) {
	split(k, DATA + 4092);
}

static void split_port(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_load(k, 4, RAX, RDX, 8);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 300; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 4; a++)
			k->addresses[i][a] = DATA + 60 + 64 * a;
	}
}

/* A store whose address comes late, and a load that conflicts with it now and then. */
static void late_address(struct kernel *k, unsigned every) {
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 4, RDX, RDX, P1, 3);
	kernel_alu(k, 4, RCX, RDX, P1, 12);
	kernel_store(k, 4, RCX, RBX, 8);
	kernel_load(k, 4, RAX, 0, 8);
	kernel_alu(k, 4, RBX + 1, RAX, P1, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 3000; i++) {
		kernel_run(k, loop, CODE, i);
		k->addresses[i][0] = DATA + 8 * (i % 4);
		k->addresses[i][1] = every && i % every == 0 ? k->addresses[i][0] : DATA + 256;
	}
}

static void disambiguation(struct kernel *k) {
	late_address(k, 0);
}

static void clear(struct kernel *k) {
	late_address(k, 200);
}

static void micro_fused(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++) {
		kernel_load(k, 4, IFR_REGISTER_TEMPORARY, RDX, 8);
		kernel_op(k, IFR_OPERATION_COMPUTE, ALU, 1, RAX, IFR_REGISTER_TEMPORARY, RAX, true);
	}
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 300; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 4; a++)
			k->addresses[i][a] = DATA + 8 * a;
	}
}

/* Bursts that retire at once behind a chain. */
static void retirement(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 4, RAX, RAX, P1, 40);
	for (unsigned i = 0; i < 90; i++)
		kernel_nop(k, 3);
	kernel_alu(k, 4, RAX, RAX, P1, 1);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < 100; i++)
		kernel_run(k, loop, CODE, i)->outcome.mispredicted = i % 4 == 3;
}

static const struct core_check checks[] = {
	{"a chain", "skylake", NULL, chain, 0},
	{"multiplications", "skylake", NULL, multiply, 0},
	{"late sources", "skylake", NULL, late_source, 0},
	{"one port", "skylake", NULL, one_port, 0},
	{"mixed ports", "skylake", NULL, mixed_ports, 2},
	{"ports of taken branches", "icelake-server", NULL, taken_branch, 0},
	{"ports of other branches", "icelake-server", NULL, other_branch, 0},
	{"a divider", "skylake", NULL, divide, 0},
	{"eliminated moves", "skylake", NULL, eliminated, 0},
	{"moves in one slot with what follows", "skylake", NULL, joined, 0},
	{"the window", "skylake", "pipeline.window=1000", window, 0},
	{"the scheduler", "skylake", "pipeline.scheduler=250", scheduler, 0},
	{"a line under way", "skylake", "penalty.l2=0", same_line, 0},
	{"fill buffers", "skylake", "pipeline.fills=64", fills, 0},
	{"a load of a line that a prefetch has under way", "skylake", "penalty.llc=0", prefetch_late, 0},
	{"prefetches in fill buffers", "skylake", "prefetch.fill=own", prefetch_fills, 0},
	{"prefetches beside fill buffers", "skylake,prefetch.fill=own", "prefetch.fill=shared", prefetch_fills, 0},
	{"prefetches of no use", "skylake", NULL, prefetch_alone, 0},
	{"a prefetch's page", "skylake,penalty.stlb=300", "penalty.stlb=0", prefetch_page, 0},
	{"pages", "skylake", "penalty.stlb=0,penalty.dtlb=0", pages, 0},
	{"the load queue", "skylake", "pipeline.loads=512", load_queue, 0},
	{"the store queue", "skylake", "pipeline.stores=255", store_queue, 0},
	{"forwarding", "skylake", "pipeline.forward=9", forward, 2},
	{"forwarding of a datum without a port", "skylake", "pipeline.forward=9", forward_portless, 2},
	{"forwarding of a datum at once", "skylake", "pipeline.forward=9", forward_at_once, 2},
	{"values by name", "skylake,pipeline.renamed=5", "pipeline.renamed=0", named, 2},
	{"names of too few stores", "skylake,pipeline.renamed=2", "pipeline.renamed=5", named, 2},
	{"values pushed and popped", "skylake,pipeline.renamed=5", "pipeline.renamed=0", pushed, 2},
	{"stores that leave two a cycle", "skylake,pipeline.commit=2,pipeline.stores=8", "pipeline.commit=1",
     many_stores, 0},
	{"partial forwarding", "skylake", "pipeline.blocked=0", partial, 2},
	{"equal low 12 bits", "skylake", "pipeline.alias=60", alias, 2},
	{"unequal low 12 bits", "skylake", NULL, no_alias, 0},
	{"a line split", "skylake", "pipeline.line_split=0", line_split, 0},
	{"a page split", "skylake", "pipeline.page_split=0", page_split, 0},
	{"splits' ports", "skylake", NULL, split_port, 2},
	{"disambiguation", "skylake", NULL, disambiguation, 2},
	{"perfect disambiguation", "skylake,pipeline.counters=0", "pipeline.counters=256", clear, 2},
	{"memory-order clears", "skylake", "pipeline.clear=0", clear, 2},
	{"a chain of loads", "skylake", "pipeline.load_latency=8", same_line, 2},
	{"micro-fused operations", "skylake", NULL, micro_fused, 2},
	{"retirement", "skylake", "pipeline.retire=1", retirement, 0},
	{"issue and wakeup of a chain", "skylake,pipeline.wakeup=2", "pipeline.wakeup=1", chain, 0},
	{"a chain that wakes at once", "skylake,pipeline.wakeup=0", "pipeline.wakeup=1", chain, 0},
	{"wakeup and multiplications", "skylake,pipeline.wakeup=7", "pipeline.wakeup=1", multiply, 0},
	{"wakeup and branches", "skylake,pipeline.wakeup=2", NULL, retirement, 0},
	{"short multiplications", "skylake,pipeline.longest=1", "pipeline.longest=1000", multiply, 0},
	{"no multiplications", "skylake,pipeline.longest=0,pipeline.wakeup=0", "pipeline.longest=1000", multiply, 0},
	{"unlimited ports", "skylake,pipeline.units=unlimited", "pipeline.units=limited", one_port, 0},
	{"an unlimited divider", "skylake,pipeline.units=unlimited", "pipeline.units=limited", divide, 0},
	{"loads of no cycles", "skylake,pipeline.load_latency=0,pipeline.forward=0", "pipeline.load_latency=4",
     same_line, 2},
};

static void test_simulated(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
}

static void test_each_rule_matters(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
}

/* By hand, and by the clock of a Zen 4: four additions and a taken branch take five places of four ports; one that is
 * not taken has a port of its own. */
static void test_branch_ports(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(taken_branch, "icelake-server", 4), 4 * 1.25, 0.02);
	assert_float_equal(core_iteration_cycles(other_branch, "icelake-server", 4), 4 * 1.0, 0.02);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
		cmocka_unit_test(test_branch_ports),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
