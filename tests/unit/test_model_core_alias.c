/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads that look like loads of a younger store's bytes: by the low 12 bits of the address. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/unit/model_core_check.h"
#include "tests/unit/model_kernel_code.h"
#include "tests/unit/model_random.h"

enum { PAGE = 4096, ROUNDS = 600 };

/* A value that goes through memory from one iteration to the next, with two additions, and a store elsewhere in between:
 *     local = RBX; RAX = hot; RAX += 2 additions; hot = RAX */
static void chain_past(struct kernel *k, uint64_t local) {
	const uint32_t loop = kernel_block(k);
	kernel_store(k, 4, RDX, RBX, 4);
	for (unsigned i = 0; i < 8; i++)
		kernel_nop(k, 2);
	kernel_load(k, 4, RAX, RDX, 4);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_alu(k, 3, RAX, RAX, ALU, 1);
	kernel_store(k, 4, RDX, RAX, 4);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < ROUNDS; i++) {
		kernel_run(k, loop, CODE, i + 1 < ROUNDS);
		k->addresses[i][0] = local;
		k->addresses[i][1] = k->addresses[i][2] = DATA;
	}
}

static void calm_chain(struct kernel *k) {
	chain_past(k, DATA + 5 * PAGE + 64);
}

static void spike_chain(struct kernel *k) {
	chain_past(k, DATA + 5 * PAGE);
}

/* A load whose address is what the last one loaded, behind a store elsewhere: RAX = *RAX. */
static void chase_past(struct kernel *k, uint64_t local) {
	const uint32_t loop = kernel_block(k);
	kernel_store(k, 4, RDX, RBX, 4);
	kernel_load(k, 4, RAX, RAX, 4);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	for (unsigned i = 0; i < ROUNDS; i++) {
		kernel_run(k, loop, CODE, i + 1 < ROUNDS);
		k->addresses[i][0] = local;
		k->addresses[i][1] = DATA;
	}
}

static void calm_chase(struct kernel *k) {
	chase_past(k, DATA + 5 * PAGE + 64);
}

static void spike_chase(struct kernel *k) {
	chase_past(k, DATA + 5 * PAGE);
}

static void expect(const char *what, void (*build)(struct kernel *), const char *spec, double cycles) {
	const double found = core_iteration_cycles(build, spec, 1);
	if (fabs(found - cycles) > 0.05)
		fail_msg("%s: %.2f cycles an iteration, by hand %.2f", what, found, cycles);
}

/* By hand, with `forward` 5, `load_latency` 4 and `alias` 5. A load is issued when its address is there, and done 4
 * cycles later. Of the stores that look like its own, that of its iteration is in the queue, as it retires behind the
 * load before; the one before that has left. So the load is issued once more, 5 cycles later. Through memory, the datum
 * is there at 0, the load has it at 5, the additions are done at 7, the next datum is there at 8: the load was issued
 * long before, and is again meanwhile. */
static void test_by_hand(void **state) {
	(void)state;
	expect("calm", calm_chase, "skylake", 4);
	expect("no alias rule", spike_chase, "skylake,pipeline.alias=0", 4);
	expect("alias", spike_chase, "skylake", 9);
	expect("a longer alias", spike_chase, "skylake,pipeline.alias=7", 11);
	expect("through memory, calm", calm_chain, "skylake", 8);
	expect("through memory, alias", spike_chain, "skylake", 8);
}

/* for (i = 0; i < n; i++) { local[0] = i; s += hot; hot = s & 7; }, as GCC 12 makes it at -O2. */
static void hot_loop(struct kernel *k, const char *core, uint64_t local) {
	static const uint8_t code[] = {0x89, 0x44, 0x24, 0xe8, 0x48, 0x63, 0x15, 0x3d, 0x56, 0,    0,    0x48,
	                               0x83, 0xc0, 0x01, 0x48, 0x01, 0xd1, 0x89, 0xca, 0x83, 0xe2, 0x07, 0x89,
	                               0x15, 0x2b, 0x56, 0,    0,    0x48, 0x39, 0xc7, 0x75, 0xde};
	static const struct ifr_trace_access accesses[] = {{.end = 4, .bytes = 4, .kind = IFR_ACCESS_STORE},
	                                                   {.end = 11, .bytes = 4, .kind = IFR_ACCESS_LOAD},
	                                                   {.end = 29, .bytes = 4, .kind = IFR_ACCESS_STORE}};
	kernel_code(k, core, code, sizeof code, 9, accesses, 3);
	kernel_repeat(k, 0, 0x5555555551b8, ROUNDS);
	for (size_t i = 0; i < k->count; i++)
		memcpy(k->addresses[i], (uint64_t[]){local, 0x55555555a800, 0x55555555a800}, 3 * sizeof(uint64_t));
}

static int64_t hot_loop_cycles(const char *core, const char *spec, uint64_t local) {
	struct kernel kernel;
	struct cycles_result result;
	kernel_init(&kernel);
	hot_loop(&kernel, core, local);
	core_graph_cycles(&kernel, spec, &result);
	kernel_release(&kernel);
	return result.cycle;
}

/* A layout removes no dependence: that where local looks like hot is never the faster one. */
static void test_never_faster(void **state) {
	static const char *const machines[][2] = {
		{"skylake", "skylake"},     {"skylake-server", "skylake-avx512"}, {"haswell", "haswell"},
		{"ivybridge", "ivybridge"}, {"icelake-server", "icelake"},        {"goldencove", "goldencove"},
		{"zen2", "zen2"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		const int64_t calm = hot_loop_cycles(machines[i][1], machines[i][0], 0x7fffffffe870);
		const int64_t spike = hot_loop_cycles(machines[i][1], machines[i][0], 0x7fffffffe800);
		if (spike < calm)
			fail_msg("%s: %ld cycles with aliases, %ld without", machines[i][0], (long)spike, (long)calm);
	}
}

/* Loads and stores of 1 … 8 bytes at a few places of a few pages, some of the loads missing. */
static void crowd(struct kernel *k) {
	enum { BLOCKS = 4, PLACES = 12, PAGES = 3 };
	uint32_t blocks[BLOCKS];
	uint64_t seed = 7;
	for (unsigned b = 0; b < BLOCKS; b++) {
		blocks[b] = kernel_block(k);
		kernel_store(k, 4, RDX, RAX, 4 + 4 * (b % 2));
		kernel_load(k, 4, RAX, RDX, 4);
		kernel_alu(k, 3, RCX, b % 2 ? RAX : RCX, P1, 3);
		kernel_store(k, 4, RDX, RCX, 8);
		kernel_load(k, 4, RCX, RDX, 8 >> b % 3);
		kernel_nop(k, 3);
		kernel_end(k);
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint32_t b = (uint32_t)draw(&seed, BLOCKS);
		kernel_run(k, blocks[b], CODE + 64 * b, false);
		for (unsigned a = 0; a < 4; a++) {
			k->addresses[i][a] = DATA + PAGE * draw(&seed, PAGES) + 4 * draw(&seed, PLACES);
			k->levels[i][a] = a % 2 && !draw(&seed, 40) ? IFR_CORE_LEVEL(2, 0) : 0;
		}
	}
}

static const struct core_check checks[] = {
	{"a chain past another store", "skylake", "pipeline.forward=9", calm_chain, 1},
	{"a chain past a store that looks alike", "skylake", "pipeline.forward=9", spike_chain, 1},
	{"a chase past a store that looks alike", "skylake", "pipeline.alias=0", spike_chase, 1},
	{"the same without the rule", "skylake,pipeline.alias=0", "pipeline.forward=9", spike_chain, 1},
	{"a crowd of loads and stores", "skylake", "pipeline.alias=40", crowd, 5},
	{"a crowd with perfect disambiguation", "skylake,pipeline.counters=0", "pipeline.alias=40", crowd, 1},
	{"a crowd on ports without limits", "skylake,pipeline.counters=0,pipeline.units=unlimited",
     "pipeline.alias=40", crowd, 0},
	{"a crowd on few counters", "ivybridge,pipeline.counters=1", "pipeline.forward=9", crowd, 2},
};

static void test_simulated(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_simulated);
}

static void test_each_rule_matters(void **state) {
	(void)state;
	core_check_each(checks, sizeof checks / sizeof *checks, core_check_rule);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_never_faster),
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_each_rule_matters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
