/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches and BTBs: sequences worked out by hand, inclusion properties, and measurements of Milenković et al. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/machines/machine.h"
#include "model/memory/store_buffer.h"
#include "tests/unit/model_random.h"

/* Touches the keys of a word, a letter each. The answer has + for a hit, - for a miss. */
static void assert_touches(struct ifr_cache_shape shape, const char *keys, const char *expected) {
	struct ifr_cache cache;
	char got[64] = "";
	ifr_cache_init(&cache, shape);
	for (size_t i = 0; keys[i]; i++)
		got[i] = ifr_cache_touch(&cache, (uint64_t)keys[i]) ? '+' : '-';
	assert_string_equal(got, expected);
	ifr_cache_release(&cache);
}

static void test_by_hand(void **state) {
	(void)state;
	/* LRU of two: c pushes b out, then b pushes a out, then a pushes c out. */
	assert_touches((struct ifr_cache_shape){1, 2, 0, IFR_POLICY_LRU, 0, false}, "abacbac", "--+----");
	/* LRU of four: after abcda the oldest is b. */
	assert_touches((struct ifr_cache_shape){1, 4, 0, IFR_POLICY_LRU, 0, false}, "abcdaecb", "----+-+-");
	/* The tree: d leaves the root pointing to a and b, a turns it to c and d, of which d was the last: e takes the
	 * place of c, and b stays. */
	assert_touches((struct ifr_cache_shape){1, 4, 0, IFR_POLICY_PLRU, 0, false}, "abcdaebc", "----+-+-");
	/* Eight ways, filled, then a again: the root points to e-h, there to e f (h was last), there to e (f was
	 * last): i takes its place. The root turns to a-d, there to c d (a was last), there to c: e takes that. The
	 * root turns to e-h, there to g h (i was last), there to g: j takes it, and b is still there. Now the root
	 * points to e-h, there to e f (j was last), there to f: c takes that, so f misses. */
	assert_touches((struct ifr_cache_shape){1, 8, 0, IFR_POLICY_PLRU, 0, false}, "abcdefghaiejbcf",
	               "--------+---+--");
	/* Two sets by the lowest bit: a, c, e are odd, b and d even. */
	assert_touches((struct ifr_cache_shape){2, 1, 0, IFR_POLICY_LRU, 0, false}, "abacbda", "--+-+--");
	/* Two sets by bit 1: b c f are 0x62 0x63 0x66, in one set; d e are 0x64 0x65, in the other. */
	assert_touches((struct ifr_cache_shape){2, 2, 1, IFR_POLICY_LRU, 0, false}, "bcfbdedbc", "------++-");
}

/* Whether two lines in turn push each other out of a cache of 32 KiB that knows its ways by a hash. */
static bool push_out(enum ifr_policy policy, bool high, uint64_t first, uint64_t second) {
	struct ifr_cache cache;
	unsigned hits = 0;
	ifr_cache_init(&cache, (struct ifr_cache_shape){64, 8, 0, policy, 12 - 6, high});
	for (unsigned i = 0; i < 20; i++)
		hits += ifr_cache_touch(&cache, (i % 2 ? second : first) >> 6);
	ifr_cache_release(&cache);
	assert_true(hits == 0 || hits == 18);
	return !hits;
}

/* By the clock of a Zen 4 (tests/bench/ways): of lines of a set that differ in one bit of the address, those push each
 * other out that differ in bit 28 or above; of those that differ in two bits of 12 to 27, eight pairs. By the clock of a
 * Zen 5 these eight alone do, and not where bit 28 or 29 differs, too. */
static void test_hashed(void **state) {
	static const unsigned partner[] = {27, 26, 25, 20, 21, 22, 23, 24};
	const uint64_t line = UINT64_C(0x100000000340);
	(void)state;
	for (unsigned policy = IFR_POLICY_LRU; policy <= IFR_POLICY_PLRU; policy++)
		for (unsigned a = 12; a < 44; a++) {
			assert_int_equal(push_out(policy, false, line, line ^ UINT64_C(1) << a), a > 27);
			assert_false(push_out(policy, true, line, line ^ UINT64_C(1) << a));
			for (unsigned b = a + 1; b < 28; b++)
				for (unsigned high = 0; high < 2; high++) {
					const uint64_t other = line ^ UINT64_C(1) << a ^ UINT64_C(1) << b;
					const bool pair = a < 20 && b == partner[a - 12];
					assert_int_equal(push_out(policy, high, line, other), pair);
					assert_int_equal(push_out(policy, high, line, other ^ UINT64_C(1) << 29), pair && !high);
				}
		}
	/* Lines of two sets do not. */
	assert_false(push_out(IFR_POLICY_PLRU, false, line, line ^ UINT64_C(1) << 40 ^ 64));
}

/* A hit in a cache is a hit in one of twice the ways, or of twice the sets (Mattson et al. 1970; Hill and Smith
 * 1989). */
static void test_inclusion(void **state) {
	(void)state;
	uint64_t seed = 4;
	struct ifr_cache small, ways, sets;
	ifr_cache_init(&small, (struct ifr_cache_shape){8, 4, 0, IFR_POLICY_LRU, 0, false});
	ifr_cache_init(&ways, (struct ifr_cache_shape){8, 8, 0, IFR_POLICY_LRU, 0, false});
	ifr_cache_init(&sets, (struct ifr_cache_shape){16, 4, 0, IFR_POLICY_LRU, 0, false});
	unsigned hits = 0;
	for (size_t i = 0; i < 50000; i++) {
		const uint64_t key = draw(&seed, 2) ? draw(&seed, 30) : draw(&seed, 100);
		const bool hit = ifr_cache_touch(&small, key);
		hits += hit;
		assert_true(ifr_cache_touch(&ways, key) || !hit);
		assert_true(ifr_cache_touch(&sets, key) || !hit);
	}
	assert_in_range(hits, 10000, 40000);
	ifr_cache_release(&small);
	ifr_cache_release(&ways);
	ifr_cache_release(&sets);
}

#define MOST 8192
#define ROUNDS 10

/* Returns the BTB misses of a loop over so many taken branches at a distance, run ROUNDS times. */
static uint64_t loop_misses(const char *spec, size_t branches, uint64_t distance) {
	static struct ifr_block blocks[MOST];
	static struct ifr_geometry places[MOST];
	static uint32_t executions[MOST];
	struct ifr_machine *machine;
	struct ifr_replay *replay;
	struct ifr_error err;
	struct ifr_counts counters;
	for (size_t i = 0; i < branches; i++) {
		blocks[i].branch = IFR_BRANCH_CONDITIONAL;
		places[i] = (struct ifr_geometry){0x400000 + i * distance, 2, 1, 2, false};
		executions[i] = (uint32_t)(2 * i + 1);
	}
	assert_int_equal(ifr_machine_open(&machine, spec, &err), 0);
	assert_int_equal(ifr_replay_new(&replay, machine, 1, IFR_ENGINE_AUTO, &err), 0);
	ifr_replay_set_lanes(replay, &(struct ifr_lane){places, NULL, 0, 0});
	const struct ifr_chunk chunk = {blocks, NULL, branches, 0, executions, branches, 0};
	for (size_t i = 0; i < ROUNDS; i++)
		assert_int_equal(ifr_replay_chunk(replay, &chunk, NULL, &err), 0);
	/* The last branch has no successor yet. */
	assert_int_equal(
		ifr_replay_chunk(replay, &(struct ifr_chunk){blocks, NULL, branches, 0, executions, 1, 0}, NULL, &err), 0);
	ifr_replay_counters(replay, &counters);
	ifr_replay_free(replay);
	ifr_machine_free(machine);
	return counters.value[IFR_EVENT_BTB_MISSES];
}

/* Figure 18: as many branches as the BTB has entries fit at distances 4, 8 and 16: each misses once. At others
 * every one misses every time, for LRU sees its set's branches in turn. Tables II and III, the same for other
 * numbers. */
static void test_milenkovic(void **state) {
	(void)state;
	static const struct {
		const char *machine;
		size_t branches, distance;
		bool fits;
	} cases[] = {
		{"p6", 512, 4, true},         {"p6", 512, 8, true},          {"p6", 512, 16, true},
		{"p6", 512, 2, false},        {"p6", 512, 32, false},        {"p6", 512, 64, false},
		{"p6", 16, 512, true},        {"p6", 16, 1024, false},       {"p6", 8, 1024, true},
		{"p6", 8, 2048, false},       {"p6", 4, 2048, true},         {"p6", 4, 4096, true},
		{"p6", 1024, 4, false},       {"p6", 1024, 8, false},        {"p6", 1024, 16, false},
		{"netburst", 4096, 4, true},  {"netburst", 4096, 8, true},   {"netburst", 4096, 16, true},
		{"netburst", 4096, 2, false}, {"netburst", 4096, 32, false}, {"netburst", 8192, 16, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(loop_misses(cases[i].machine, cases[i].branches, cases[i].distance),
		                 cases[i].branches * (cases[i].fits ? 1 : ROUNDS));
}

/* The thesis' section 4.1: a store to 0x601010 and a load from 0x604010 differ by a multiple of 4096; 8 bytes each. */
static void test_aliases(void **state) {
	(void)state;
	static const struct {
		uint64_t store, load;
		unsigned store_bytes, load_bytes, stores_between;
		int expected; /* 0: they do not meet, 1: an alias, 2: the same bytes */
	} cases[] = {
		{0x601010, 0x604010, 8, 8, 0, 1},  {0x601010, 0x601010, 8, 8, 0, 2},  {0x601010, 0x604018, 8, 8, 0, 0},
		{0x601010, 0x60400c, 8, 8, 0, 1},  {0x601010, 0x604008, 8, 8, 0, 0},  {0x601010, 0x601014, 8, 4, 0, 2},
		{0x601010, 0x604010, 8, 8, 35, 1}, {0x601010, 0x604010, 8, 8, 36, 0}, {0x601010, 0x601010, 8, 8, 36, 0},
		{0x601ffc, 0x605000, 8, 4, 0, 1},  {0x601ffc, 0x602000, 8, 4, 0, 2},  {0x602000, 0x604ffe, 4, 4, 0, 1},
		{0x601000, 0x604f00, 64, 64, 0, 0}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_store_buffer *buffer = ifr_alloc(sizeof *buffer);
		buffer->entries = 36;
		ifr_store_buffer_add(buffer, cases[i].store, cases[i].store_bytes, 7);
		for (unsigned j = 0; j < cases[i].stores_between; j++)
			ifr_store_buffer_add(buffer, 0x700800 + 8 * j, 8, 0);
		const struct ifr_store *met = ifr_store_buffer_find(buffer, cases[i].load, cases[i].load_bytes);
		const int got = !met ? 0 : ifr_store_is_alias(met, cases[i].load, cases[i].load_bytes) ? 1 : 2;
		if (got != cases[i].expected || (met && met->tag != 7))
			fail_msg("case %zu: %d and not %d", i, got, cases[i].expected);
		free(buffer);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),   cmocka_unit_test(test_by_hand),    cmocka_unit_test(test_hashed),
		cmocka_unit_test(test_inclusion), cmocka_unit_test(test_milenkovic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
