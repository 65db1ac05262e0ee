/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries of the first BTB that two blocks share: the hashes by hand, and which branches they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/replay/block_entries.h"

enum { P, X, K, Q, Y, L, BLOCKS, STEPS = 20, LANES = 6 };

static const uint8_t steps[STEPS] = {P, X, K, L, P, X, K, Q, Y, L, P, X, K, L, P, X, K, Q, Y, L};

/* By hand: 678 ^ 345 ^ 012 = 52f, and bits 36 on again from 0; bit 14 is on bits 5 and 12, that is 0 and 7; bits 15 and
 * 19 are on 6 and 10, that is 1 and 5. The long addresses are of blocks of m4 that take turns, and of the blocks before.
 */
static void test_hashes(void **state) {
	(void)state;
	assert_int_equal(ifr_block_hash(0x12345678), 0x52f);
	assert_int_equal(ifr_block_hash(UINT64_C(0x555555576bf5)), ifr_block_hash(UINT64_C(0x555555573bf0)));
	assert_int_equal(ifr_block_hash(UINT64_C(1) << 36), 1);
	assert_int_equal(ifr_block_before_hash(0x3fe0), 0x1ff);
	assert_int_equal(ifr_block_before_hash(0x1f), 0);
	assert_int_equal(ifr_block_before_hash(1 << 14), 0x81);
	assert_int_equal(ifr_block_before_hash(1 << 15), 2);
	assert_int_equal(ifr_block_before_hash(1 << 19), 0x20);
	assert_int_equal(ifr_block_before_hash(1 << 20), 0);
	assert_int_equal(ifr_block_before_hash(UINT64_C(0x555555576beb)),
	                 ifr_block_before_hash(UINT64_C(0x555555573bc0)));
}

/* P falls through to X; X, K, Q, Y and L jump. 048 ^ 010 = 038 ^ 060, and bit 20 is not in the other hash: X and Y have
 * one entry in lane 0. The other lanes move one thing each. */
static const uint64_t addresses[LANES][BLOCKS] = {
	{0x10040, 0x10048, 0x90000, 0x110040, 0x60038, 0xa0000},
	{0x10040, 0x10048, 0x90000, 0x110060, 0x60038, 0xa0000}, /* the block before, by 32 bytes */
	{0x10040, 0x10048, 0x90000, 0x110040, 0x60039, 0xa0000}, /* its own, by one */
	{0x10078, 0x10080, 0x90000, 0x110078, 0x600f0, 0xa0000}, /* X is in the next line: 080 ^ 010 = 0f0 ^ 060 */
	{0x10040, 0x10048, 0x90000, 0x110040, 0x6003c, 0xa0000}, /* Y ends in the next line, and has another hash */
	{0x10044, 0x1004c, 0x90000, 0x110047, 0x6003c, 0xa0000}, /* Y ends in the next line: 04c ^ 010 = 03c ^ 060 */
};

struct run {
	struct ifr_geometry blocks[LANES][BLOCKS];
	struct ifr_lane lanes[LANES];
	uint32_t executions[STEPS];
	uint8_t kinds[BLOCKS];
	struct ifr_machine machine;
	struct ifr_chunk chunk;
	struct ifr_pass pass;
};

static void init(struct run *run) {
	memset(run, 0, sizeof *run);
	for (unsigned lane = 0; lane < LANES; lane++) {
		for (unsigned block = 0; block < BLOCKS; block++)
			run->blocks[lane][block] =
				(struct ifr_geometry){.address = addresses[lane][block], .bytes = block == P ? 8 : 5};
		run->lanes[lane].blocks = run->blocks[lane];
	}
	for (unsigned i = 0; i < STEPS; i++)
		run->executions[i] = (uint32_t)steps[i] << 1 | (steps[i] != P);
	memset(run->kinds, IFR_BRANCH_JUMP, sizeof run->kinds);
	run->kinds[P] = IFR_BRANCH_CONDITIONAL;
	run->machine.values[IFR_FETCH_BLOCK_TAG] = 1;
	run->chunk = (struct ifr_chunk){.executions = run->executions, .executions_count = STEPS};
	run->pass = (struct ifr_pass){.machine = &run->machine,
	                              .lanes_count = LANES,
	                              .lanes = run->lanes,
	                              .chunk = &run->chunk,
	                              .kinds = run->kinds};
}

/* Follows the steps, with a cut before each execution of a block (BLOCKS: of none). */
static struct ifr_block_entries *follow(struct run *run, unsigned cut) {
	struct ifr_block_entries *entries = ifr_block_entries_new(&run->pass);
	assert_non_null(entries);
	ifr_block_entries_begin(entries);
	for (unsigned i = 1; i < STEPS; i++)
		if (steps[i] == cut)
			ifr_block_entries_cut(entries);
		else
			ifr_block_entries_follow(entries, &run->pass, run->executions[i - 1], i);
	return entries;
}

static void assert_marks(const struct ifr_block_entries *entries, size_t lane, const uint32_t *items,
                         size_t count) {
	const struct ifr_marks *marks = ifr_block_entries_marks(entries, lane);
	assert_int_equal(marks->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(marks->items[i], items[i]);
}

/* Nothing is known to be before the first X. Y takes the entry of the second one, the third X takes it back, the fourth
 * has it still, and Y takes it again. Their branches are mispredicted, which shows in the next execution. */
static void test_shared(void **state) {
	(void)state;
	static const uint32_t lost[] = {9, 12, 19};
	struct run run;
	init(&run);
	struct ifr_block_entries *entries = follow(&run, BLOCKS);
	assert_marks(entries, 0, lost, 3);
	for (size_t lane = 1; lane < LANES; lane++)
		assert_marks(entries, lane, NULL, 0);
	ifr_block_entries_begin(entries);
	assert_marks(entries, 0, NULL, 0);
	ifr_block_entries_free(entries);
}

static void assert_none_lost(struct run *run, unsigned cut) {
	struct ifr_block_entries *entries = follow(run, cut);
	assert_marks(entries, 0, NULL, 0);
	ifr_block_entries_free(entries);
}

static void test_not_shared(void **state) {
	(void)state;
	struct run run;
	init(&run);
	run.kinds[Q] = IFR_BRANCH_CALL; /* leads to Y */
	assert_none_lost(&run, BLOCKS);
	init(&run);
	run.kinds[P] = IFR_BRANCH_JUMP; /* only taken branches lead to X and Y */
	for (unsigned i = 0; i < STEPS; i++)
		run.executions[i] |= 1;
	assert_none_lost(&run, BLOCKS);
	init(&run);
	assert_none_lost(&run, Y); /* nothing is known to be before Y */
	init(&run);
	run.machine.values[IFR_FETCH_BLOCK_TAG] = 0;
	assert_null(ifr_block_entries_new(&run.pass));
	ifr_block_entries_free(NULL);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_not_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
