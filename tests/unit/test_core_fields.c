/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine of Fields et al. 2004: its units and latencies are table VII's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/core/operation.h"
#include "tests/unit/model_core_check.h"

struct expected {
	const char *name;
	uint8_t code[12], bytes;
	unsigned units, latency, occupancy; /* of its last computing operation or branch; units: their number */
};

static const struct expected table[] = {
	{"add rax, rbx", {0x48, 0x01, 0xd8}, 3, 6, 1, 1},
	{"lea rax, [rbx+rcx*4+8]", {0x48, 0x8d, 0x44, 0x8b, 0x08}, 5, 6, 1, 1},
	{"shl rax, 3", {0x48, 0xc1, 0xe0, 0x03}, 4, 6, 1, 1},
	{"imul rax, rbx", {0x48, 0x0f, 0xaf, 0xc3}, 4, 2, 3, 1},
	{"addsd xmm0, xmm1", {0xf2, 0x0f, 0x58, 0xc1}, 4, 2, 2, 1},
	{"mulsd xmm0, xmm1", {0xf2, 0x0f, 0x59, 0xc1}, 4, 2, 4, 1},
	{"divsd xmm0, xmm1", {0xf2, 0x0f, 0x5e, 0xc1}, 4, 2, 12, 12},
	{"jne", {0x75, 0x02}, 2, 6, 1, 1},
};

static void decode(const uint8_t *code, size_t bytes, size_t count, struct ifr_operations *operations) {
	struct ifr_decoder *decoder;
	assert_int_equal(ifr_decoder_new("fields2004", &decoder, NULL), 0);
	assert_int_equal(ifr_decoder_decode(decoder, code, bytes, count, operations), count);
	ifr_decoder_free(decoder);
}

static void test_units(void **state) {
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ifr_operations operations = {0};
		decode(table[i].code, table[i].bytes, 1, &operations);
		const struct ifr_operation *last = &operations.operations[operations.operations_count - 1];
		if (__builtin_popcount(last->ports) != (int)table[i].units || last->latency != table[i].latency ||
		    last->occupancy != table[i].occupancy)
			fail_msg("%s: %d units, latency %u, occupancy %u", table[i].name, __builtin_popcount(last->ports),
			         last->latency, last->occupancy);
		ifr_operations_release(&operations);
	}
}

/* add rax, [rbx]; cmp rax, rcx; jne: Alpha's load and add are two instructions, and a test and a branch are. */
static void test_slots(void **state) {
	static const uint8_t code[] = {0x48, 0x03, 0x03, 0x48, 0x39, 0xc8, 0x75, 0x02};
	struct ifr_operations operations = {0};
	(void)state;
	decode(code, sizeof code, 3, &operations);
	assert_int_equal(operations.instructions[0].issued, 2);
	assert_int_equal(__builtin_popcount(operations.operations[0].ports), 3);
	assert_int_equal(operations.instructions[1].issued, 1);
	assert_false(operations.instructions[1].flags & IFR_INSTRUCTION_FUSES);
	ifr_operations_release(&operations);
}

/* A chain of loads takes two cycles each, a window of 64 slots. */
static void chase(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 4; i++)
		kernel_load(k, 4, RAX, RAX, 8);
	kernel_end(k);
	for (unsigned i = 0; i < 400; i++) {
		kernel_run(k, loop, CODE, i);
		for (unsigned a = 0; a < 4; a++)
			k->addresses[i][a] = DATA + 8 * a;
	}
}

/* Blocks of two nops and a taken jump. */
static void hops(struct kernel *k) {
	const uint32_t block = kernel_block(k);
	kernel_nop(k, 3);
	kernel_nop(k, 3);
	kernel_jump(k, 2, IFR_REGISTER_NONE);
	k->program.ops[k->program.ops_count - 1].ports = ALU;
	kernel_end(k);
	for (unsigned i = 0; i < 1200; i++)
		kernel_run(k, block, CODE + 64 * (i % 3), i);
}

/* Fetch stops at the second taken branch in a cycle: two blocks of three slots a cycle. */
static void test_taken(void **state) {
	static const struct core_check checks[] = {
		{"two taken branches a cycle", "fields2004", "fetch.taken=1", hops, 0},
		{"three taken branches a cycle",
	     "fields2004,fetch.taken=3,fetch.decoders=7,pipeline.issue=16,pipeline.retire=16", "fetch.taken=2", hops,
	     0},
		{"taken branches and the op cache", "zen4,fetch.taken=2,fetch.prediction=0,op_cache.width=9",
	     "fetch.taken=1", hops, 0},
	};
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
	assert_float_equal(core_iteration_cycles(hops, "fields2004", 2), 1, 1e-9);
	assert_float_equal(core_iteration_cycles(hops, "fields2004,fetch.taken=1", 2), 2, 1e-9);
}

static void test_cycles(void **state) {
	(void)state;
	assert_float_equal(core_iteration_cycles(chase, "fields2004", 1), 8, 1e-9);
	assert_float_equal(core_iteration_cycles(chase, "fields2004,pipeline.load_latency=4", 1), 16, 1e-9);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_slots),
	                                   cmocka_unit_test(test_cycles), cmocka_unit_test(test_taken)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
