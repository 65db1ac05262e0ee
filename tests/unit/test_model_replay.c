/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engines count exactly as the naive reference does, whatever the machine, the layouts and the chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/depth.h"
#include "tests/unit/model_naive.h"
#include "tests/unit/model_random.h"
#include "tests/unit/open_machine.h"

#define LANES 3
#define LANES_MOST 19
#define ROUND 500 /* executions */

/* Small structures, so that a short trace fills and empties them. */
#define SMALL                                                                                                   \
	",l1i.bytes=2048,l1i.ways=4,l1d.bytes=2048,l1d.ways=2,l2.bytes=8192,l2.ways=4,btb1.entries=16,btb1.ways=2," \
	"return_stack.entries=4,itlb.entries=4,itlb.ways=2,dtlb.entries=8,dtlb.ways=4"

struct setting {
	struct random_trace *trace;
	size_t count;
	enum ifr_engine engine;
	struct ifr_lane lanes[LANES_MOST];
	struct ifr_counts counters[LANES_MOST];
};

static struct setting setting_of(uint64_t seed, uint64_t shift, size_t count, enum ifr_engine engine) {
	struct setting s = {.trace = random_trace_new(seed), .count = count, .engine = engine};
	for (size_t i = 0; i < count; i++)
		s.lanes[i] = random_lane_new(s.trace, seed + i, 0x401000 + 64 * i + shift);
	return s;
}

static struct setting setting_new(uint64_t seed, uint64_t shift) {
	return setting_of(seed, shift, LANES, IFR_ENGINE_AUTO);
}

static void setting_free(struct setting *s) {
	for (size_t i = 0; i < s->count; i++)
		random_lane_free(&s->lanes[i]);
	free(s->trace);
}

static size_t blocks_until(const struct random_trace *trace, size_t executions) {
	size_t count = 0;
	for (size_t i = 0; i < executions; i++)
		if (trace->executions[i] != IFR_EXECUTION_BREAK && trace->executions[i] / 2 >= count)
			count = trace->executions[i] / 2 + 1;
	return count;
}

/* Sets the lanes with copies of their blocks up to a count; the copies lent before are freed. */
static void lend_lanes(struct ifr_replay *replay, const struct setting *s, struct ifr_lane *lent, size_t blocks) {
	struct ifr_lane lanes[LANES_MOST];
	for (size_t i = 0; i < s->count; i++) {
		struct ifr_geometry *copy = ifr_alloc(blocks * sizeof *copy);
		memcpy(copy, s->lanes[i].blocks, blocks * sizeof *copy);
		lanes[i] = s->lanes[i];
		lanes[i].blocks = copy;
	}
	for (size_t i = 0; i < s->count; i++)
		free((void *)lent[i].blocks);
	memcpy(lent, lanes, sizeof lanes);
	ifr_replay_set_lanes(replay, lent);
}

/* Replays the trace in chunks of so many executions (0: of varying length). Each chunk brings only the blocks seen
 * so far. */
static void replay(struct setting *s, const struct ifr_machine *machine, size_t chunk_steps) {
	struct ifr_replay *replay = NULL;
	struct ifr_error err = {0};
	uint64_t seed = 99;
	assert_int_equal(ifr_replay_new(&replay, machine, s->count, s->engine, &err), 0);
	struct ifr_lane lent[LANES_MOST] = {{0}};
	size_t known = 0;
	for (size_t from = 0, to; from < RANDOM_STEPS; from = to) {
		to = from + (chunk_steps ? chunk_steps : draw(&seed, 50));
		to = to > RANDOM_STEPS ? RANDOM_STEPS : to;
		struct ifr_chunk chunk = random_chunk(s->trace, from, to);
		chunk.blocks_count = blocks_until(s->trace, to);
		if (chunk.blocks_count > known || !from)
			lend_lanes(replay, s, lent, chunk.blocks_count);
		known = chunk.blocks_count;
		const uint64_t *addresses[RANDOM_GROUPS];
		for (size_t i = 0; i < RANDOM_GROUPS; i++)
			addresses[i] = s->trace->addresses[i] + s->trace->data_starts[from];
		if (ifr_replay_chunk(replay, &chunk, addresses, &err))
			fail_msg("%s", err.message);
	}
	ifr_replay_counters(replay, s->counters);
	ifr_replay_free(replay);
	for (size_t i = 0; i < s->count; i++)
		free((void *)lent[i].blocks);
}

static void assert_counters(const char *what, const struct ifr_counts *got, const struct ifr_counts *expected) {
	for (unsigned i = 0; i < IFR_EVENT_COUNT; i++)
		if (got->value[i] != expected->value[i])
			fail_msg("%s: %s is %llu and should be %llu", what, ifr_event_name(i),
			         (unsigned long long)got->value[i], (unsigned long long)expected->value[i]);
}

static void assert_with_naive(const struct setting *s, const struct ifr_machine *machine, const char *spec) {
	for (size_t i = 0; i < s->count; i++) {
		struct naive *naive = naive_new(machine);
		const struct ifr_chunk chunk = random_chunk(s->trace, 0, RANDOM_STEPS);
		naive_replay(naive, &chunk, &s->lanes[i], s->trace->addresses[s->lanes[i].data_group]);
		const struct ifr_counts expected = naive_counters(naive);
		assert_counters(spec, &s->counters[i], &expected);
		naive_free(naive);
	}
}

static void compare_with_naive(const char *spec, uint64_t seed) {
	struct ifr_machine *machine = open_machine(spec);
	struct setting s = setting_new(seed, 0);
	replay(&s, machine, 1000);
	assert_with_naive(&s, machine, spec);
	setting_free(&s);
	ifr_machine_free(machine);
}

/* Software prefetches, by the naive reference and by all engines. */
static void test_prefetches(void **state) {
	static const char *const specs[] = {"skylake" SMALL, "zen4", "cachegrind", "zen5" SMALL ",l1d.policy=plru",
	                                    "p6,l1d.bytes=0"};
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (enum ifr_engine engine = IFR_ENGINE_SCALAR; engine <= IFR_ENGINE_AVX512; engine++) {
			if (!ifr_engine_runs(engine))
				continue;
			struct ifr_machine *machine = open_machine(specs[i]);
			struct setting s = setting_of(7 + i, 0, LANES_MOST, engine);
			random_prefetches(s.trace);
			replay(&s, machine, 1000);
			assert_with_naive(&s, machine, specs[i]);
			assert_true(s.counters[0].value[IFR_EVENT_PREFETCHES] > 500);
			setting_free(&s);
			ifr_machine_free(machine);
		}
}

static void with_groups(struct setting *s, bool shared) {
	for (size_t i = 0; i < s->count && shared; i++)
		s->lanes[i].data_group = s->lanes[i].line_group = 0;
}

/* A loop without data accesses; its indirect branches are few, and depend on all of a long history. */
static void with_rounds(struct setting *s, bool rounds) {
	struct random_trace *trace = s->trace;
	for (size_t i = 0; i < RANDOM_BLOCKS && rounds; i++) {
		uint8_t *branch = &trace->blocks[i].branch;
		trace->blocks[i].accesses = 0;
		if (i % 4 && (*branch == IFR_BRANCH_INDIRECT_JUMP || *branch == IFR_BRANCH_INDIRECT_CALL))
			*branch = IFR_BRANCH_JUMP;
	}
	for (size_t i = ROUND; i < RANDOM_STEPS && rounds; i++)
		trace->executions[i] = trace->executions[i - ROUND];
	if (rounds)
		memset(trace->data_starts, 0, sizeof trace->data_starts);
}

/* Every engine that this processor runs counts as the scalar engine does, with chunks of all lengths, and (by
 * seed) one lane, a whole vector of sixteen, a few lanes, or more than sixteen. */
static void compare_engines_on(const char *spec, uint64_t seed, bool rounds) {
	static const size_t counts[] = {1, 5, 16, LANES_MOST};
	struct ifr_machine *machine = open_machine(spec);
	for (size_t n = seed % 2; n < sizeof counts / sizeof *counts; n += 2) {
		struct setting expected = setting_of(seed + n, 0, counts[n], IFR_ENGINE_SCALAR);
		with_groups(&expected, n == 2);
		with_rounds(&expected, rounds);
		replay(&expected, machine, RANDOM_STEPS);
		for (enum ifr_engine engine = IFR_ENGINE_AVX2; engine <= IFR_ENGINE_AVX512; engine++) {
			char what[600];
			if (!ifr_engine_runs(engine))
				continue;
			struct setting s = setting_of(seed + n, 0, counts[n], engine);
			with_groups(&s, n == 2);
			with_rounds(&s, rounds);
			replay(&s, machine, n % 2 ? 1000 : 0);
			for (size_t lane = 0; lane < s.count; lane++) {
				snprintf(what, sizeof what, "%s, engine %d, lane %zu of %zu", spec, engine, lane, s.count);
				assert_counters(what, &s.counters[lane], &expected.counters[lane]);
			}
			setting_free(&s);
		}
		setting_free(&expected);
	}
	ifr_machine_free(machine);
}

static void compare_engines(const char *spec, uint64_t seed) {
	compare_engines_on(spec, seed, false);
}

static void test_machines(void **state) {
	(void)state;
	struct ifr_buffer names = {0};
	unsigned which = 0;
	ifr_machine_print_names(&names);
	char *rest = names.data;
	for (const char *name; (name = strsep(&rest, " "));) {
		char small[512];
		snprintf(small, sizeof small, "%s%s", name, strcmp(name, "cachegrind") ? SMALL : "");
		/* NetBurst's and Fields's lines and levels differ from the others: values that would not fit together
		 * stay. */
		compare_with_naive(name, 1);
		/* At quick depth small caches are met by every other machine. */
		if (at_depth(which++ % 2, 0))
			continue;
		/* test_predictors compares the engines at full size, too. */
		if (at_depth(0, 1))
			compare_engines(name, 20);
		compare_engines(small, 31);
		for (uint64_t seed = 2; seed < at_depth(3, 4); seed++)
			compare_with_naive(small, seed);
	}
	ifr_buffer_release(&names);
}

static void test_predictors(void **state) {
	(void)state;
	struct ifr_buffer names = {0};
	unsigned which = 0;
	ifr_predictor_print_names(&names);
	char *rest = names.data;
	for (const char *name; (name = strsep(&rest, " "));) {
		char spec[512];
		snprintf(spec, sizeof spec, "skylake,predictor=%s", name);
		compare_with_naive(spec, 7);
		/* Half of the numbers of lanes for each predictor in turn, or all. */
		for (uint64_t seed = 40; seed < 42; seed++)
			if (at_depth(seed == 40 + which % 2, 1))
				compare_engines(spec, seed);
		which++;
	}
	static const char *const others[] = {
		"skylake,predictor=gshare-1k,direction.history=5,direction.start=2",
		"haswell,predictor=gas-1k,direction.history=0,indirect=last-target",
		"zen2,indirect=target-cache,core.branch_byte=first",
		"skylake,indirect=perfect,predictor=bimodal-1k",
		"goldencove,btb1.entries=4,btb1.ways=2,btb2.entries=8,btb2.ways=2,btb3.entries="
		"16,btb3.ways=4,l3.bytes=16384,l3.ways=4" SMALL,
		"skylake,direction.ways=3,direction.pc_bits=16,direction.length2=57,direction.base=16",
		"skylake,direction.pc_bits=17,indirect.length1=33,indirect.base=1,predictor=path,direction.length1=16",
		"skylake,direction.ways=3,direction.pc_bits=16,direction.length1=446,direction.sets=1024,"
		"indirect.length2=446",
		"skylake,direction.length1=16,direction.length2=18,direction.length3=20,indirect.length1=20,"
		"indirect.length2=16,indirect.length3=18,indirect.entries=1024",
		"skylake,predictor=gshare,direction.counters=4,direction.history=0,indirect.entries=1024" SMALL,
		"skylake,predictor=bimodal,direction.counters=8,btb1.entries=4,btb1.ways=4,l1i.bytes=1024,l1i.ways=16",
		"haswell,predictor=l-tage,direction.loop=0,core.branch_byte=first,l1d.bytes=65536,l1d.ways=1",
		"goldencove,btb1.entries=256,btb1.ways=64,btb1.index_bit=9,btb2.entries=8,btb2.ways=2,btb3.entries=16,"
		"btb3.ways=4",
		"skylake,l1d.policy=lru,l1i.policy=plru,l2.policy=plru,stlb.entries=16,"
		"stlb.ways=4,l3.bytes=16384,l3.ways=8" SMALL};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		compare_with_naive(others[i], 8 + i);
		compare_engines(others[i], 60 + i);
	}
	ifr_buffer_release(&names);
}

static void test_rounds(void **state) {
	(void)state;
	static const char *const specs[] = {
		"skylake", "goldencove",
		"skylake,direction.length1=16,direction.length2=18,direction.length3=20,indirect.length1=16,"
		"indirect.length2=16,indirect.length3=18"};
	for (size_t m = 0; m < sizeof specs / sizeof *specs; m++)
		for (uint64_t seed = 70; seed < at_depth(72, 80); seed++)
			compare_engines_on(specs[m], seed, true);
}

static void test_cuts(void **state) {
	(void)state;
	static const size_t cuts[] = {1, 7, 999, 0};
	static const char *const specs[] = {"skylake" SMALL, "zen2" SMALL, "p6" SMALL};
	for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
		struct ifr_machine *machine = open_machine(specs[m]);
		struct setting whole = setting_new(3, 0), cut = setting_new(3, 0);
		replay(&whole, machine, RANDOM_STEPS);
		for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
			replay(&cut, machine, cuts[i]);
			for (size_t lane = 0; lane < LANES; lane++)
				assert_counters("cut otherwise", &cut.counters[lane], &whole.counters[lane]);
		}
		setting_free(&whole);
		setting_free(&cut);
		ifr_machine_free(machine);
	}
}

/* Text moved by 2^20: predictors of low address bits count the same. */
static void test_shift(void **state) {
	(void)state;
	static const char *const specs[] = {"skylake",
	                                    "haswell",
	                                    "ivybridge",
	                                    "goldencove",
	                                    "skylake,predictor=l-tage",
	                                    "skylake,predictor=tage-sc-l"};
	static const enum ifr_event same[] = {IFR_EVENT_CONDITIONAL_MISSES, IFR_EVENT_INDIRECT_MISSES,
	                                      IFR_EVENT_RETURN_MISSES, IFR_EVENT_BTB_MISSES, IFR_EVENT_L1I_MISSES};
	for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
		struct ifr_machine *machine = open_machine(specs[m]);
		struct setting here = setting_new(5, 0), there = setting_new(5, 1 << 20), odd = setting_new(5, 52);
		replay(&here, machine, 1000);
		replay(&there, machine, 1000);
		replay(&odd, machine, 1000);
		for (size_t lane = 0; lane < LANES; lane++)
			for (size_t i = 0; i < sizeof same / sizeof *same; i++)
				assert_int_equal(here.counters[lane].value[same[i]], there.counters[lane].value[same[i]]);
		/* Text moved by low bits: they do not. */
		bool seen = false;
		for (size_t lane = 0; lane < LANES; lane++)
			for (size_t i = 0; i < sizeof same / sizeof *same; i++)
				seen |= here.counters[lane].value[same[i]] != odd.counters[lane].value[same[i]];
		assert_true(seen);
		setting_free(&here);
		setting_free(&there);
		setting_free(&odd);
		ifr_machine_free(machine);
	}
}

/* Chunks and lanes that do not fit together are refused, and nothing is counted. */
static void test_refusals(void **state) {
	(void)state;
	struct ifr_machine *machine = open_machine("skylake");
	struct ifr_replay *replay = NULL;
	struct ifr_error err = {0};
	struct ifr_block blocks[] = {{0, 1, IFR_BRANCH_JUMP}, {1, 0, IFR_BRANCH_NONE}};
	const struct ifr_access accesses[] = {{.bytes = 8}};
	struct ifr_geometry places[] = {{0x1000, 4, 1, 2, false}, {0x2000, 4, 1, 0, false}};
	const uint16_t ends[] = {2};
	const uint64_t data[] = {0x7000, 0x7008};
	const uint64_t *addresses[] = {data};
	const struct ifr_lane lane = {places, ends, 0, 0};
	struct ifr_counts counters;
	uint32_t executions[] = {1, 3};
	struct ifr_chunk chunk = {blocks, accesses, 2, 1, executions, 2, 1};
	assert_int_equal(ifr_replay_new(&replay, machine, 0, IFR_ENGINE_AUTO, &err), -IFR_E_BUG);
	assert_int_equal(ifr_replay_new(&replay, machine, 1, IFR_ENGINE_AUTO, &err), 0);
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), -IFR_E_BUG);
	ifr_replay_set_lanes(replay, &lane);
	chunk.data_count = 2;
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "2 addresses for 1 accesses"));
	chunk.data_count = 1;
	executions[1] = 4;
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "runs block 2 of 2"));
	executions[1] = 3;
	ifr_replay_counters(replay, &counters);
	assert_int_equal(counters.value[IFR_EVENT_INSTRUCTIONS], 0);
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), 0);
	ifr_replay_counters(replay, &counters);
	assert_int_equal(counters.value[IFR_EVENT_INSTRUCTIONS], 2);
	assert_int_equal(counters.value[IFR_EVENT_BRANCHES], 1);
	ifr_replay_free(replay);
	/* Blocks are checked when they are new. */
	blocks[1].first_access = 2;
	assert_int_equal(ifr_replay_new(&replay, machine, 1, IFR_ENGINE_SCALAR, &err), 0);
	ifr_replay_set_lanes(replay, &lane);
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), -IFR_E_ENVIRONMENT);
	blocks[1].first_access = 1;
	places[0].bytes = 0;
	assert_int_equal(ifr_replay_chunk(replay, &chunk, addresses, &err), -IFR_E_BUG);
	ifr_replay_free(replay);
	ifr_machine_free(machine);
}

/* Each engine says its name, or that the processor lacks its instructions; AUTO takes the scalar engine for one
 * lane. */
static void test_engines(void **state) {
	(void)state;
	static const char *const names[] = {
		[IFR_ENGINE_SCALAR] = "scalar", [IFR_ENGINE_AVX2] = "avx2", [IFR_ENGINE_AVX512] = "avx512"};
	struct ifr_machine *machine = open_machine("skylake");
	struct ifr_replay *replay = NULL;
	struct ifr_error err = {0};
	for (enum ifr_engine engine = IFR_ENGINE_SCALAR; engine <= IFR_ENGINE_AVX512; engine++) {
		const int rc = ifr_replay_new(&replay, machine, 16, engine, &err);
		assert_int_equal(rc, ifr_engine_runs(engine) ? 0 : -IFR_E_ENVIRONMENT);
		if (rc) {
			assert_non_null(strstr(err.message, "this processor has no AVX"));
			continue;
		}
		assert_string_equal(ifr_replay_engine(replay), names[engine]);
		ifr_replay_free(replay);
	}
	assert_int_equal(ifr_replay_new(&replay, machine, 1, IFR_ENGINE_AUTO, &err), 0);
	assert_string_equal(ifr_replay_engine(replay), "scalar");
	ifr_replay_free(replay);
	ifr_machine_free(machine);
}

/* A chain of depth calls, then all returns. Block k < depth calls from 0x1000 + 64 k; block depth + k begins right
 * after that call and returns; the last block is the innermost function. elsewhere moves the block where the
 * innermost function arrives. Counts what an engine counts for all lanes. */
static void count_chain(const char *spec, unsigned depth, bool elsewhere, enum ifr_engine engine,
                        struct ifr_counts *counts) {
	enum { DEPTH_MOST = 40, CHAIN_LANES = 16 };
	struct ifr_machine *machine = open_machine(spec);
	struct ifr_replay *replay = NULL;
	struct ifr_error err = {0};
	struct ifr_block blocks[2 * DEPTH_MOST + 1] = {0};
	struct ifr_geometry geometry[2 * DEPTH_MOST + 1];
	uint32_t executions[2 * DEPTH_MOST + 2];
	struct ifr_lane lanes[CHAIN_LANES];
	struct ifr_counts all[CHAIN_LANES];
	size_t count = 0;
	for (unsigned k = 0; k < depth; k++) {
		blocks[k].branch = IFR_BRANCH_CALL;
		blocks[depth + k].branch = IFR_BRANCH_RETURN;
		geometry[k] = (struct ifr_geometry){0x1000 + 64 * k, 5, 1, 5, false};
		geometry[depth + k] = (struct ifr_geometry){0x1005 + 64 * k, 1, 1, 1, false};
	}
	blocks[2 * depth].branch = IFR_BRANCH_RETURN;
	geometry[2 * depth] = (struct ifr_geometry){0x9000, 1, 1, 1, false};
	if (elsewhere)
		geometry[2 * depth - 1].address += 16;
	for (unsigned k = 0; k < depth; k++)
		executions[count++] = 2 * k + 1;
	executions[count++] = 2 * (2 * depth) + 1;
	for (unsigned k = depth; k-- > 0;)
		executions[count++] = 2 * (depth + k) + 1;
	executions[count++] = 1; /* the last return waits for its successor: some block */
	const struct ifr_chunk chunk = {
		.blocks = blocks, .blocks_count = 2 * depth + 1, .executions = executions, .executions_count = count - 1};
	const uint64_t *addresses[CHAIN_LANES] = {0};
	for (size_t i = 0; i < CHAIN_LANES; i++)
		lanes[i] = (struct ifr_lane){.blocks = geometry};
	if (ifr_replay_new(&replay, machine, CHAIN_LANES, engine, &err))
		fail_msg("%s", err.message);
	ifr_replay_set_lanes(replay, lanes);
	if (ifr_replay_chunk(replay, &chunk, addresses, &err))
		fail_msg("%s", err.message);
	ifr_replay_counters(replay, all);
	for (size_t i = 1; i < CHAIN_LANES; i++)
		assert_memory_equal(&all[i], &all[0], sizeof *all);
	*counts = all[0];
	ifr_replay_free(replay);
	ifr_machine_free(machine);
}

/* A return stack of N entries predicts the innermost N of a chain of calls, and misses the rest. 16 entries on
 * Skylake (Fog, section 3.8), 31 on Zen 2 (AMD's optimization guide, section 2.8). */
static void test_return_stack(void **state) {
	(void)state;
	static const struct {
		const char *spec;
		unsigned depth, misses;
		bool elsewhere;
	} cases[] = {{"skylake", 3, 0, false},  {"skylake", 16, 0, false}, {"skylake", 17, 1, false},
	             {"skylake", 20, 4, false}, {"zen2", 31, 0, false},    {"zen2", 34, 3, false},
	             {"skylake", 3, 1, true}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (enum ifr_engine engine = IFR_ENGINE_SCALAR; engine <= IFR_ENGINE_AVX512; engine++) {
			struct ifr_counts counts;
			if (!ifr_engine_runs(engine))
				continue;
			count_chain(cases[i].spec, cases[i].depth, cases[i].elsewhere, engine, &counts);
			/* The outermost return has not arrived anywhere yet: it is counted, and neither right nor wrong. */
			assert_int_equal(counts.value[IFR_EVENT_RETURNS], cases[i].depth + 1);
			assert_int_equal(counts.value[IFR_EVENT_RETURN_MISSES], cases[i].misses);
		}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines), cmocka_unit_test(test_prefetches), cmocka_unit_test(test_predictors),
		cmocka_unit_test(test_rounds),   cmocka_unit_test(test_cuts),       cmocka_unit_test(test_shift),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_engines),    cmocka_unit_test(test_return_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
