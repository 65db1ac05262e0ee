/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idealised causes on the core: small programs whose cycles follow by hand, and random programs in which the same is
 * idealised in the program or in the machine's description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "model/core/sites.h"
#include "model/machines/machine.h"
#include "tests/unit/model_core_check.h"
#include "tests/unit/open_machine.h"

#define ONLY(cause) (1u << IFR_CAUSE_##cause)

/* A miss of the first data cache takes 100 cycles. */
#define MISS_100 "skylake,penalty.l1d=100,penalty.l2=0,penalty.llc=0"

/* Cycles of an iteration of one step with causes idealised, in the long run. */
static double iteration(struct kernel *kernel, const char *spec, uint32_t set) {
	struct ifr_machine *machine = open_machine(spec);
	const size_t count = kernel->count;
	const int64_t whole = kernel_idealised(kernel, machine, set);
	kernel->count = count / 2;
	const int64_t half = kernel_idealised(kernel, machine, set);
	kernel->count = count;
	ifr_machine_free(machine);
	return (double)(whole - half) / (double)(count - count / 2);
}

/* --- by hand -------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 400 };

/* Executes a loop whose access is a miss of the first data cache, of another line each time. */
static void repeat_missing(struct kernel *k, uint32_t loop) {
	kernel_repeat(k, loop, CODE, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		k->addresses[i][0] = DATA + 64 * i;
		k->levels[i][0] = IFR_CORE_LEVEL(1, 0);
	}
}

/* The next round begins behind both. */
static void join(struct kernel *k) {
	kernel_instruction(k, 3, IFR_BRANCH_NONE, 0);
	kernel_op(k, IFR_OPERATION_COMPUTE, ALU, 1, RDX, RAX, RCX, false);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
}

struct expected {
	uint32_t set;
	double cycles; /* of an iteration */
};

static void assert_iterations(void (*build)(struct kernel *), const char *spec, const struct expected *expected,
                              size_t count) {
	struct kernel kernel;
	kernel_init(&kernel);
	build(&kernel);
	for (size_t i = 0; i < count; i++) {
		const double got = iteration(&kernel, spec, expected[i].set);
		struct ifr_buffer name = {0};
		ifr_causes_print(expected[i].set, &name);
		if (got < expected[i].cycles - 1e-9 || got > expected[i].cycles + 1e-9)
			fail_msg("%s: %.3f cycles, not %.3f", ifr_buffer_text(&name), got, expected[i].cycles);
		ifr_buffer_release(&name);
	}
	kernel_release(&kernel);
}

#define ASSERT_ITERATIONS(build, spec, list) assert_iterations(build, spec, list, sizeof list / sizeof *list)

/* A load of 4 + 100 cycles beside an operation of 104, and a join of one cycle. */
static void beside(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	kernel_alu(k, 4, RCX, RDX, P1, 104);
	join(k);
	repeat_missing(k, loop);
}

static void test_parallel(void **state) {
	/* Neither costs anything, both cost 100. */
	static const struct expected list[] = {
		{0, 105}, {ONLY(DMISS), 105}, {ONLY(LGALU), 105}, {ONLY(DMISS) | ONLY(LGALU), 5}};
	(void)state;
	ASSERT_ITERATIONS(beside, MISS_100, list);
}

/* A load of 4 + 100 cycles, then an operation of 100, beside 104 operations of one cycle. */
static void serial(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	kernel_alu(k, 4, RAX, RAX, P1, 100);
	for (unsigned i = 0; i < 104; i++)
		kernel_alu(k, 3, RCX, i ? RCX : RDX, P5, 1);
	join(k);
	repeat_missing(k, loop);
}

static void test_serial(void **state) {
	/* Each costs 100, and both no more: the icost is -100. Without the short operations, too, 5 cycles are left. */
	static const struct expected list[] = {
		{0, 205}, {ONLY(DMISS), 105}, {ONLY(LGALU), 105}, {ONLY(DMISS) | ONLY(LGALU), 105}, {ONLY(SHALU), 204}};
	(void)state;
	ASSERT_ITERATIONS(serial, MISS_100, list);
}

static void behind(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_load(k, 4, RAX, RDX, 8);
	kernel_alu(k, 4, RCX, RAX, P1, 100);
	join(k);
	repeat_missing(k, loop);
}

static void test_independent(void **state) {
	static const struct expected list[] = {{0, 205},           {ONLY(DMISS), 105},
	                                       {ONLY(LGALU), 105}, {ONLY(DMISS) | ONLY(LGALU), 5},
	                                       {ONLY(DL1), 201},   {ONLY(DL1) | ONLY(DMISS), 101},
	                                       {ONLY(SHALU), 204}, {ONLY(BMISP), 205}};
	(void)state;
	ASSERT_ITERATIONS(behind, MISS_100, list);
}

/* An operation of 30 cycles, and a branch that waits for it and is mispredicted: 30, 1 for the branch, 13 to the next
 * slot's rename, of the 16 that a misprediction takes in all, and 1 to its execution. */
static void mispredicted(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_alu(k, 4, RAX, 0, P1, 30);
	kernel_jump(k, 2, RAX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++)
		k->steps[i].outcome.mispredicted = true;
}

static void test_mispredicted(void **state) {
	static const struct expected list[] = {
		{0, 45}, {ONLY(LGALU), 15}, {ONLY(SHALU), 44}, {ONLY(BMISP), 1}, {ONLY(BMISP) | ONLY(LGALU), 1}};
	(void)state;
	ASSERT_ITERATIONS(mispredicted, "skylake", list);
}

/* A chain of 8 cycles among 89 slots, four a cycle, of 269 bytes: nine windows, one a cycle. */
static void wide(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	for (unsigned i = 0; i < 8; i++)
		kernel_alu(k, 3, RAX, RAX, ALU, 1);
	for (unsigned i = 0; i < 80; i++)
		kernel_nop(k, 3);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, ROUNDS);
}

static void test_width(void **state) {
	static const struct expected list[] = {
		{0, 22.25}, {ONLY(BW), 9}, {ONLY(FETCH), 22.25}, {ONLY(BW) | ONLY(FETCH), 8}, {ONLY(SHALU), 22.25}};
	(void)state;
	ASSERT_ITERATIONS(wide, "skylake", list);
}

/* A chain through loads. */
static void chase(struct kernel *k) {
	const uint32_t loop = kernel_block(k);
	kernel_load(k, 4, RAX, RAX, 8);
	kernel_load(k, 4, RAX, RAX, 8);
	kernel_test_jump(k, 3, 2, RBX);
	kernel_end(k);
	kernel_repeat(k, loop, CODE, ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++)
		for (unsigned a = 0; a < 2; a++)
			k->addresses[i][a] = DATA + 60 * a;
}

static void test_loads(void **state) {
	/* The second load crosses a line: five cycles more. Two ports take three accesses. */
	static const struct expected list[] = {
		{0, 13}, {ONLY(DL1), 5}, {ONLY(SPLIT), 8}, {ONLY(SPLIT) | ONLY(DL1), 1}};
	(void)state;
	ASSERT_ITERATIONS(chase, "skylake", list);
}

/* --- the same by other means ---------------------------------------------------------------------------------- */

enum { BLOCKS = 7, STEPS = 3000 };

static uint64_t draw(uint64_t seed, const char *what, uint64_t i, uint64_t below) {
	return ifr_random_below(ifr_siphash(seed, i, what, strlen(what)), below);
}

static void random_block(struct kernel *k, uint64_t seed, uint64_t block) {
	kernel_block(k);
	for (uint64_t i = 0; i < 5 + draw(seed, "length", block, 12); i++) {
		const uint64_t at = 100 * block + i;
		const unsigned to = RAX + (unsigned)draw(seed, "to", at, 4),
					   from = RAX + (unsigned)draw(seed, "from", at, 4);
		const uint64_t kind = draw(seed, "kind", at, 8);
		if (kind < 2)
			kernel_load(k, 4, to, from, 4);
		else if (kind == 2)
			kernel_store(k, 4, from, to, 4);
		else if (kind == 3)
			kernel_alu(k, 4, to, from, P1, 3 + (unsigned)draw(seed, "latency", at, 20));
		else
			kernel_alu(k, 3, to, from, ALU, 1);
	}
	kernel_test_jump(k, 3, 2, RAX);
	kernel_end(k);
}

static void random_step(struct kernel *k, uint64_t seed, uint64_t i, uint32_t block, uint64_t address,
                        bool taken) {
	struct cycles_step *step = kernel_run(k, block, address, taken);
	step->outcome.mispredicted = !draw(seed, "mispredicted", i, 12);
	step->outcome.btb = taken ? (uint8_t)draw(seed, "btb", i, 4) : 0;
	step->outcome.fetch_wait = draw(seed, "line", i, 20) ? 0 : 12;
	step->outcome.page_wait = draw(seed, "page", i, 50) ? 0 : 7;
	for (unsigned a = 0; a < KERNEL_ACCESSES; a++) {
		const uint64_t at = KERNEL_ACCESSES * i + a;
		k->addresses[i][a] = DATA + draw(seed, "address", at, 5000) / 4 * 4 + 4096 * draw(seed, "far", at, 3);
		k->levels[i][a] = draw(seed, "level", at, 8)
		                      ? 0
		                      : IFR_CORE_LEVEL(draw(seed, "depth", at, 4), draw(seed, "pages", at, 3));
	}
}

static void random_kernel(struct kernel *k, uint64_t seed) {
	uint64_t addresses[BLOCKS], next = CODE;
	uint32_t block = 0;
	kernel_init(k);
	for (unsigned i = 0; i < BLOCKS; i++) {
		random_block(k, seed, i);
		/* The jump of every other block begins a line. */
		while (i % 2 && (next + k->program.jump_offsets[i]) % 64)
			next++;
		addresses[i] = next;
		next += k->block_bytes[i];
	}
	for (uint64_t i = 0; i < STEPS; i++) {
		const uint32_t last = block;
		/* Loops of a few blocks, and jumps to others. */
		block = draw(seed, "jump", i / 8, 3) ? (uint32_t)(i % 3) : (uint32_t)draw(seed, "block", i, BLOCKS);
		random_step(k, seed, i, block, addresses[block], block != last + 1);
	}
}

/* The same idealised otherwise: a machine, or a changed program. */
struct equal {
	uint32_t set;
	const char *machine, *other;
	void (*change)(struct kernel *k);
};

static void no_misses(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		for (unsigned a = 0; a < KERNEL_ACCESSES; a++)
			k->levels[i][a] &= IFR_CORE_LEVEL(0, 3);
}

static void no_page_misses(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		for (unsigned a = 0; a < KERNEL_ACCESSES; a++)
			k->levels[i][a] &= IFR_CORE_LEVEL(3, 0);
}

static void no_mispredictions(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.mispredicted = false;
}

static void known_branches(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.btb = 0;
}

static void no_code_misses(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.fetch_wait = 0;
}

static void no_code_page_misses(struct kernel *k) {
	for (size_t i = 0; i < k->count; i++)
		k->steps[i].outcome.page_wait = 0;
}

static void no_long_operations(struct kernel *k) {
	for (size_t i = 0; i < k->program.ops_count; i++)
		if (k->program.ops[i].kind == IFR_OPERATION_COMPUTE && k->program.ops[i].latency > 1)
			k->program.ops[i].latency = 0;
}

#define NARROW "skylake,pipeline.window=40,pipeline.scheduler=12,pipeline.loads=20,pipeline.stores=10"
#define WIDE                                                                                            \
	"skylake,pipeline.issue=65535,pipeline.retire=65535,pipeline.units=unlimited,fetch.decoders=65535," \
	"fetch.predecode=65535,fetch.bytes=65535,op_cache.width=65535"
#define ROOMY "skylake,pipeline.window=800,pipeline.scheduler=240,pipeline.loads=400,pipeline.stores=200"
/* An op cache that holds little, and code that begins within a line. */
#define CODE_MISSES "skylake,op_cache.sets=1,op_cache.ways=2"

static const struct equal equals[] = {
	{ONLY(DMISS), "skylake", "skylake", no_misses},
	{ONLY(DMISS), "zen4", "zen4", no_misses},
	{ONLY(DTLB), "skylake", "skylake,penalty.dtlb=0,penalty.stlb=0", NULL},
	{ONLY(DTLB), "skylake", "skylake", no_page_misses},
	{ONLY(BMISP), "skylake", "skylake", no_mispredictions},
	{ONLY(BMISP), "zen3", "zen3", no_mispredictions},
	{ONLY(BTB), "skylake", "skylake", known_branches},
	{ONLY(BTB), "zen4", "zen4", known_branches},
	{ONLY(IMISS), CODE_MISSES, CODE_MISSES, no_code_misses},
	{ONLY(IMISS),
     "zen2,"
     "op_cache.ways=1",
     "zen2,op_cache.ways=1", no_code_misses},
	{ONLY(ITLB), CODE_MISSES, CODE_MISSES, no_code_page_misses},
	{ONLY(LGALU), "skylake", "skylake", no_long_operations},
	{ONLY(LGALU), "skylake", "skylake,pipeline.longest=0", NULL},
	{ONLY(SHALU), "skylake", "skylake,pipeline.wakeup=0", NULL},
	{ONLY(SHALU) | ONLY(LGALU), "zen4,pipeline.wakeup=2", "zen4,pipeline.wakeup=0,pipeline.longest=0", NULL},
	{ONLY(DL1), "skylake", "skylake,pipeline.load_latency=0,pipeline.forward=0", NULL},
	{ONLY(BW), "skylake", WIDE, NULL},
	{ONLY(BW) | ONLY(DL1), "skylake", WIDE ",pipeline.load_latency=0,pipeline.forward=0", NULL},
	{ONLY(ALIAS4K), "skylake", "skylake,pipeline.alias=0", NULL},
	{ONLY(FUSION), "skylake", "skylake,fetch.fusion=anywhere", NULL},
	{ONLY(WIN), NARROW, ROOMY, NULL},
	{ONLY(LSD), "haswell,loop_buffer.ops=8",
     "haswell,loop_buffer.ops=1000,loop_buffer.windows=64,loop_buffer.branches=64", NULL},
	{ONLY(WIN) | ONLY(DMISS) | ONLY(BTB), NARROW, ROOMY ",penalty.btb=0", no_misses},
};

static void test_equal(void **state) {
	(void)state;
	for (size_t i = 0; i < sizeof equals / sizeof *equals; i++) {
		const struct equal *equal = &equals[i];
		struct ifr_machine *machine = open_machine(equal->machine), *other = open_machine(equal->other);
		int64_t saved = 0;
		for (uint64_t seed = 1; seed <= 4; seed++) {
			struct kernel kernel;
			random_kernel(&kernel, seed);
			const int64_t plain = kernel_idealised(&kernel, machine, 0);
			const int64_t ideal = kernel_idealised(&kernel, machine, equal->set);
			if (equal->change)
				equal->change(&kernel);
			const int64_t changed = kernel_idealised(&kernel, other, 0);
			if (ideal != changed)
				fail_msg("%s against %s, %zu: %ld and %ld of %ld cycles", equal->machine, equal->other, i,
				         (long)ideal, (long)changed, (long)plain);
			saved += llabs((long long)(plain - ideal));
			kernel_release(&kernel);
		}
		if (!saved)
			fail_msg("nothing is idealised in %s, %zu", equal->machine, i);
		ifr_machine_free(machine);
		ifr_machine_free(other);
	}
}

/* All code comes from the op cache, and lines of code miss as before. */
static void test_op_cache(void **state) {
	(void)state;
	struct ifr_machine *small = open_machine(CODE_MISSES);
	struct ifr_machine *large = open_machine("skylake,op_cache.lines=16,op_cache.jump_boundary=0");
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct kernel kernel;
		random_kernel(&kernel, seed);
		const int64_t misses = kernel_idealised(&kernel, small, ONLY(DSB));
		assert_true(misses < kernel_idealised(&kernel, small, 0));
		no_code_misses(&kernel);
		no_code_page_misses(&kernel);
		const int64_t ideal = kernel_idealised(&kernel, small, ONLY(DSB));
		assert_true(ideal < misses);
		assert_int_equal(ideal, kernel_idealised(&kernel, small, ONLY(DSB) | ONLY(IMISS) | ONLY(ITLB)));
		/* A large op cache decodes each window once. */
		const double cached = (double)kernel_idealised(&kernel, large, 0);
		if ((double)ideal > 1.01 * cached || (double)ideal < 0.99 * cached)
			fail_msg("%ld cycles ideally, %.0f with a large op cache", (long)ideal, cached);
		kernel_release(&kernel);
	}
	ifr_machine_free(small);
	ifr_machine_free(large);
}

/* The cycles of a run are those by which its instructions retire later than what is before them. */
static void test_retirement(void **state) {
	static const uint32_t sets[] = {0, ONLY(DMISS), ONLY(WIN) | ONLY(BMISP), ONLY(DSB)};
	struct ifr_machine *machine = open_machine("skylake");
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct kernel kernel;
		random_kernel(&kernel, seed);
		uint64_t *cycles = ifr_alloc((kernel.program.instructions_count + 1) * sizeof *cycles), sum = 0;
		const int64_t all = kernel_retirement(&kernel, machine, sets[seed % 4], cycles);
		for (size_t i = 0; i < kernel.program.instructions_count; i++)
			sum += cycles[i];
		assert_int_equal(sum, all);
		free(cycles);
		kernel_release(&kernel);
	}
	/* In a chain of a load of 104 cycles and an operation of 100, each has its latency. Behind the five instructions of
	 * the block are those of its form with a fused jump. */
	struct kernel kernel;
	kernel_init(&kernel);
	behind(&kernel);
	uint64_t cycles[16] = {0};
	struct ifr_machine *slow = open_machine(MISS_100);
	kernel_retirement(&kernel, slow, 0, cycles);
	assert_in_range(cycles[0] + cycles[5], 104 * (ROUNDS - 2), 104 * (ROUNDS + 2));
	assert_in_range(cycles[1] + cycles[6], 100 * (ROUNDS - 2), 100 * (ROUNDS + 2));
	kernel_release(&kernel);
	ifr_machine_free(slow);
	ifr_machine_free(machine);
}

#define SITE(n) (1u << (IFR_CAUSES + (n)))

/* Cycles of an iteration with sites idealised, of a program whose instructions are marked. */
static void assert_site(struct kernel *kernel, const char *spec, uint32_t set, double cycles) {
	const double got = iteration(kernel, spec, set);
	if (got < cycles - 1e-9 || got > cycles + 1e-9)
		fail_msg("set 0x%x: %.3f cycles, not %.3f", set, got, cycles);
}

/* A chain of a load of 104 cycles and an operation of 100, and a join of one: each site takes its own away. The fused
 * form of the block has the same instructions from the sixth on. */
static void test_sites(void **state) {
	static const uint16_t of[] = {1, 2 | 4 | 8, 0, 0, 0, 1, 2 | 4 | 8, 0, 0};
	const struct ifr_site_marks marks = {.of = of, .count = 9, .loads = 4, .delayed = 8};
	struct kernel kernel;
	(void)state;
	kernel_init(&kernel);
	behind(&kernel);
	assert_site(&kernel, MISS_100, SITE(0), 205);
	ifr_core_program_mark(&kernel.program, &marks);
	assert_site(&kernel, MISS_100, 0, 205);
	assert_site(&kernel, MISS_100, SITE(0), 101);
	assert_site(&kernel, MISS_100, SITE(1), 105);
	assert_site(&kernel, MISS_100, SITE(0) | SITE(1), 1);
	/* The operation is no load; a cycle later it delays the chain by a cycle. */
	assert_site(&kernel, MISS_100, SITE(2), 205);
	assert_site(&kernel, MISS_100, SITE(3), 206);
	/* The load alone is dl1 and dmiss. */
	assert_site(&kernel, MISS_100, ONLY(DL1) | ONLY(DMISS), 101);
	kernel_release(&kernel);
}

static void test_branch_site(void **state) {
	static const uint16_t of[] = {2, 1};
	const struct ifr_site_marks marks = {.of = of, .count = 2, .branches = 1 | 2};
	struct kernel kernel;
	(void)state;
	kernel_init(&kernel);
	mispredicted(&kernel);
	ifr_core_program_mark(&kernel.program, &marks);
	assert_site(&kernel, "skylake", 0, 45);
	assert_site(&kernel, "skylake", SITE(0), 1);
	/* No branch. */
	assert_site(&kernel, "skylake", SITE(1), 45);
	kernel_release(&kernel);
}

static void test_machines(void **state) {
	(void)state;
	struct ifr_machine *skylake = open_machine("skylake"), *zen = open_machine("zen5");
	assert_null(ifr_cause_missing(IFR_CAUSE_ALIAS4K, skylake));
	assert_string_equal(ifr_cause_missing(IFR_CAUSE_LSD, skylake), "it has no loop buffer");
	assert_int_equal(ifr_causes_of_machine(skylake), ((1u << IFR_CAUSES) - 1) & ~ONLY(LSD));
	assert_int_equal(ifr_causes_of_machine(zen),
	                 ((1u << IFR_CAUSES) - 1) & ~(ONLY(LSD) | ONLY(ALIAS4K) | ONLY(FUSION)));
	ifr_machine_free(skylake);
	ifr_machine_free(zen);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parallel),     cmocka_unit_test(test_serial),   cmocka_unit_test(test_independent),
		cmocka_unit_test(test_mispredicted), cmocka_unit_test(test_width),    cmocka_unit_test(test_loads),
		cmocka_unit_test(test_equal),        cmocka_unit_test(test_op_cache), cmocka_unit_test(test_machines),
		cmocka_unit_test(test_retirement),   cmocka_unit_test(test_sites),    cmocka_unit_test(test_branch_site),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
