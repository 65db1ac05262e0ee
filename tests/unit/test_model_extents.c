/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges that never overlap: after any run of insertions and clearings, what lies at an address is what a table of
 * single addresses says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/record/extents.h"
#include "tests/unit/model_random.h"

enum { SPACE = 400, REGIONS = 1000 };

struct naive {
	uint32_t region_at[SPACE]; /* 0: nothing lies there */
	size_t gone_count;
};

static void note_gone(void *owner, struct span *span) {
	struct naive *naive = owner;
	assert_int_equal(span->bytes, 0);
	naive->gone_count++;
}

static void assert_same(const struct spans *spans, const struct naive *naive) {
	for (uint64_t address = 0; address < SPACE; address++) {
		const struct span *span = extents_at(spans, address);
		assert_int_equal(span ? span->region : 0, naive->region_at[address]);
		if (span)
			assert_int_equal(address + span->delta, 10 * span->region * (uint64_t)SPACE + address);
	}
}

/* Regions that have an address left, and say so. */
static void assert_regions(const struct spans *spans, const struct naive *naive, uint32_t last) {
	for (uint32_t region = 1; region <= last; region++) {
		bool there = false;
		for (size_t i = 0; i < SPACE; i++)
			there |= naive->region_at[i] == region;
		assert_int_equal(extents_have_mapping(spans, region), there);
	}
}

/* How many spans lie wholly in a range: these are told of when it is cleared. */
static size_t whole_spans(const struct spans *spans, uint64_t start, uint64_t end) {
	size_t count = 0;
	for (uint64_t at = start; at < end; at++) {
		const struct span *span = extents_at(spans, at);
		count += span && span->start == at && span->start + span->bytes <= end;
	}
	return count;
}

static void test_random(void **state) {
	(void)state;
	uint64_t seed = 7;
	struct spans spans = {0};
	struct naive naive = {0};
	for (uint32_t region = 1; region <= REGIONS; region++) {
		const uint64_t start = draw(&seed, SPACE), bytes = 1 + draw(&seed, draw(&seed, 2) ? 8 : SPACE - start);
		const uint64_t end = start + bytes < SPACE ? start + bytes : SPACE;
		const size_t whole = whole_spans(&spans, start, end);
		naive.gone_count = 0;
		extents_clear(&spans, start, end - start, note_gone, &naive);
		assert_int_equal(naive.gone_count, whole);
		const bool fills = draw(&seed, 3);
		if (fills)
			extents_insert(&spans, &(struct span){.start = start,
			                                      .bytes = end - start,
			                                      .delta = 10 * region * (uint64_t)SPACE,
			                                      .region = region});
		for (uint64_t i = start; i < end; i++)
			naive.region_at[i] = fills ? region : 0;
		assert_same(&spans, &naive);
		if (region % 50 == 0)
			assert_regions(&spans, &naive, region);
	}
	extents_release(&spans);
}

/* Whoever remembers a span that is renewed sees that it holds nothing any more. */
static void test_renewed(void **state) {
	(void)state;
	struct spans spans = {0};
	struct span *old = extents_insert(&spans, &(struct span){.start = 16, .bytes = 32, .region = 1});
	extents_insert(&spans, &(struct span){.start = 48, .bytes = 16, .region = 2});
	struct span *renewed = extents_replace(&spans, old);
	assert_ptr_not_equal(old, renewed);
	assert_int_equal(old->bytes, 0);
	assert_ptr_equal(extents_at(&spans, 47), renewed);
	assert_int_equal(renewed->bytes, 32);
	assert_int_equal(extents_at(&spans, 48)->region, 2);
	assert_null(extents_at(&spans, 15));
	assert_null(extents_at(&spans, 64));
	extents_release(&spans);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_renewed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
