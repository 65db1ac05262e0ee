/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hot branches that share entries, and blocks across windows: addresses and counts by hand. P6's BTB has 512 entries in
 * four ways, indexed from bit 4 on: 128 sets, so that branches 2048 bytes apart share one (Milenković et al. 2004). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/optimize/shared_entries.h"

enum { OWNERS = 8 };

static size_t find(const char *machine_name, const struct placed_block *blocks, size_t count,
                   struct shared_pair **pairs, struct shared_counts counts[OWNERS]) {
	struct ifr_machine *machine = NULL;
	struct ifr_error err = {0};
	if (ifr_machine_open(&machine, machine_name, &err))
		fail_msg("%s", err.message);
	memset(counts, 0, OWNERS * sizeof *counts);
	const size_t found = shared_entries_find(machine, blocks, count, pairs, counts);
	ifr_machine_free(machine);
	return found;
}

/* Five branches in a set of four ways share it, four do not; a nop of 16 bytes parts the fifth (figure 6). */
static void test_btb_sets(void **state) {
	(void)state;
	struct placed_block blocks[5];
	struct shared_counts counts[OWNERS];
	struct shared_pair *pairs;
	for (size_t i = 0; i < 5; i++)
		blocks[i] = (struct placed_block){0x1000 + i * 2048, 100 - i, 16, 2, i};
	assert_int_equal(find("p6,predictor=gshare", blocks, 4, &pairs, counts), 0);
	free(pairs);
	assert_int_equal(find("p6,predictor=gshare", blocks, 5, &pairs, counts), 1);
	assert_int_equal(pairs[0].structure, SHARED_BTB);
	assert_int_equal(pairs[0].first, 0);
	assert_int_equal(pairs[0].second, 1);
	assert_int_equal(pairs[0].executions, 99);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(counts[i].shared[SHARED_BTB], 100 - i);
	free(pairs);
	blocks[4].address += 16;
	assert_int_equal(find("p6,predictor=gshare", blocks, 5, &pairs, counts), 0);
	free(pairs);
}

/* Counters by address alone: branches as far apart as there are counters share one. */
static void test_predictor_entries(void **state) {
	(void)state;
	struct placed_block blocks[] = {{0x1000, 50, 8, 2, 0}, {0x1000 + 1024, 40, 8, 2, 1}, {0x1801, 30, 8, 2, 2}};
	struct shared_counts counts[OWNERS];
	struct shared_pair *pairs;
	assert_int_equal(find("p6,predictor=bimodal,direction.counters=1024", blocks, 3, &pairs, counts), 1);
	assert_int_equal(pairs[0].structure, SHARED_PREDICTOR);
	assert_int_equal(pairs[0].executions, 40);
	assert_int_equal(counts[0].shared[SHARED_PREDICTOR], 50);
	assert_int_equal(counts[2].shared[SHARED_PREDICTOR], 0);
	free(pairs);
	assert_int_equal(find("p6,predictor=bimodal,direction.counters=2048", blocks, 3, &pairs, counts), 0);
	free(pairs);
}

/* Blocks that end with the same branch are one branch. */
static void test_one_branch(void **state) {
	(void)state;
	const struct placed_block blocks[] = {{0x1000, 50, 8, 2, 0}, {0x1004, 40, 4, 2, 0}};
	struct shared_counts counts[OWNERS];
	struct shared_pair *pairs;
	assert_int_equal(find("p6,btb1.ways=1,btb1.entries=1", blocks, 2, &pairs, counts), 0);
	free(pairs);
}

/* 64 bytes from 48 on enter two windows of 64, one more than they must; of 32 bytes, three, one more; 100 bytes need two
 * of 64. */
static void test_windows(void **state) {
	(void)state;
	const struct placed_block blocks[] = {
		{48, 7, 64, 0, 0}, {0, 7, 64, 0, 1}, {20, 7, 100, 0, 2}, {30, 7, 100, 0, 3}};
	struct shared_counts counts[OWNERS];
	struct shared_pair *pairs;
	find("goldencove", blocks, 4, &pairs, counts);
	free(pairs);
	const uint64_t of_64[] = {7, 0, 0, 7};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(counts[i].windows, of_64[i]);
	find("skylake", blocks, 4, &pairs, counts);
	free(pairs);
	const uint64_t of_32[] = {7, 0, 0, 7};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(counts[i].windows, of_32[i]);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_btb_sets),
		cmocka_unit_test(test_predictor_entries),
		cmocka_unit_test(test_one_branch),
		cmocka_unit_test(test_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
