/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aliasing pairs of blocks, counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/heap/heap.h"

static struct ifr_log_event event(enum ifr_log_call call, uint64_t size, uint64_t address, uint64_t old) {
	static uint64_t sequence;
	return (struct ifr_log_event){
		.process = 1, .call = call, .sequence = ++sequence, .size = size, .address = address, .old = old};
}

static void test_by_hand(void **state) {
	(void)state;
	const struct ifr_log_event events[] = {
		event(IFR_LOG_MALLOC, 100000, 0x10010, 0),
		event(IFR_LOG_MALLOC, 100, 0x20010, 0),    /* small */
		event(IFR_LOG_MALLOC, 4096, 0x21010, 0),   /* just as small */
		event(IFR_LOG_CALLOC, 4097, 0x30010, 0),   /* a pair, an alias */
		event(IFR_LOG_ALIGNED, 50000, 0x40000, 0), /* two pairs, two aliases: 16 bytes apart */
		event(IFR_LOG_FREE, 0, 0x10010, 0),        /* leaves 0x30010 and 0x40000 */
		event(IFR_LOG_FREE, 0, 0x20010, 0),
		event(IFR_LOG_MALLOC, 70000, 0x50010, 0),        /* two pairs, two aliases */
		event(IFR_LOG_REALLOC, 90000, 0x60000, 0x50010), /* two pairs, two aliases */
		event(IFR_LOG_REALLOC, 10, 0x30010, 0x30010),    /* no longer large */
		event(IFR_LOG_REALLOC, 90001, 0x60000, 0x60000), /* stays: one pair, one alias */
	};
	struct ifr_aliasing found;
	ifr_aliasing_count(events, sizeof events / sizeof *events, &found);
	assert_int_equal(found.blocks, 6);
	assert_int_equal(found.pairs, 1 + 2 + 2 + 2 + 1);
	assert_int_equal(found.aliases, 1 + 2 + 2 + 2 + 1);
	assert_true(found.common[0] == 0x000 && found.seen[0] == 3);
	assert_true(found.common[1] == 0x010 && found.seen[1] == 3);
	assert_int_equal(found.seen[2], 0);
}

/* n live blocks at one page offset form n(n-1)/2 pairs, all of them aliases. */
static void test_many(void **state) {
	(void)state;
	enum { COUNT = 5000 };
	struct ifr_log_event *events = ifr_alloc(3 * COUNT * sizeof *events);
	for (int i = 0; i < COUNT; i++) {
		events[i] = event(IFR_LOG_MALLOC, 40000, 0x100000000 + (uint64_t)i * 0x10000, 0);
		events[COUNT + i] = event(IFR_LOG_FREE, 0, 0x100000000 + (uint64_t)((i * 7) % COUNT) * 0x10000, 0);
		events[2 * COUNT + i] = event(IFR_LOG_MALLOC, 40000, 0x200000040 + (uint64_t)i * 0x10000, 0);
	}
	struct ifr_aliasing found;
	ifr_aliasing_count(events, 3 * COUNT, &found);
	assert_int_equal(found.blocks, 2 * COUNT);
	assert_int_equal(found.pairs, (uint64_t)COUNT * (COUNT - 1));
	assert_int_equal(found.aliases, found.pairs);
	free(events);
}

/* Melhus 2013: table 4.5 (two arrays of 4660 floats), and table 5.3 (A, x and y of gemv, the slowest first). Then two
 * blocks 63 and 64 bytes apart, below and above the end of a page. */
static void test_thesis(void **state) {
	(void)state;
	static const struct {
		uint64_t size, address[3];
		uint64_t pairs, aliases;
	} cases[] = {
		{18640, {0x603010, 0x6078f0, 0}, 1, 0},
		{18640, {0x69d000, 0x6a2000, 0}, 1, 1},
		{65536, {0x2aaaac292010, 0x607010, 0x617020}, 3, 3},
		{65536, {0x2aaaac292010, 0x607010, 0x6170b0}, 3, 1},
		{65536, {0x2aaaac292010, 0x6073d0, 0x6173e0}, 3, 1},
		{65536, {0x10fe0, 0x2001f, 0}, 1, 1},
		{65536, {0x10fe0, 0x20020, 0}, 1, 0},
		{65536, {0x1001f, 0x20fe0, 0}, 1, 1},
		{65536, {0x10020, 0x20fe0, 0}, 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_log_event events[3];
		struct ifr_aliasing found;
		size_t count = 0;
		for (; count < 3 && cases[i].address[count]; count++)
			events[count] = event(IFR_LOG_MALLOC, cases[i].size, cases[i].address[count], 0);
		ifr_aliasing_count(events, count, &found);
		if (found.pairs != cases[i].pairs || found.aliases != cases[i].aliases)
			fail_msg("case %zu: %llu aliases of %llu pairs", i, (unsigned long long)found.aliases,
			         (unsigned long long)found.pairs);
	}
}

static void test_nothing(void **state) {
	(void)state;
	struct ifr_aliasing found;
	ifr_aliasing_count(NULL, 0, &found);
	assert_int_equal(found.blocks, 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_thesis),
		cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
