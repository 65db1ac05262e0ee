/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents against a table of single addresses, after random insertions and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/record/extents.h"
#include "tests/unit/model_random.h"

enum { SPACE = 400, REGIONS = 1000 };

struct naive {
	uint32_t region_at[SPACE]; /* 0: in no extent */
	size_t gone_count;
};

static void note_gone(void *owner, struct extent *extent) {
	struct naive *naive = owner;
	assert_int_equal(extent->bytes, 0);
	naive->gone_count++;
}

static void assert_same(const struct extents *extents, const struct naive *naive) {
	for (uint64_t address = 0; address < SPACE; address++) {
		const struct extent *extent = extents_at(extents, address);
		assert_int_equal(extent ? extent->mapping : 0, naive->region_at[address]);
		if (extent)
			assert_int_equal(address + extent->delta, 10 * extent->mapping * (uint64_t)SPACE + address);
	}
}

/* Compares which mappings still have an extent. */
static void assert_regions(const struct extents *extents, const struct naive *naive, uint32_t last) {
	for (uint32_t region = 1; region <= last; region++) {
		bool there = false;
		for (size_t i = 0; i < SPACE; i++)
			there |= naive->region_at[i] == region;
		assert_int_equal(extents_have_mapping(extents, region), there);
	}
}

/* Counts the extents wholly inside a range: a removal reports these. */
static size_t whole_spans(const struct extents *extents, uint64_t start, uint64_t end) {
	size_t count = 0;
	for (uint64_t at = start; at < end; at++) {
		const struct extent *extent = extents_at(extents, at);
		count += extent && extent->start == at && extent->start + extent->bytes <= end;
	}
	return count;
}

static void test_random(void **state) {
	(void)state;
	uint64_t seed = 7;
	struct extents extents = {0};
	struct naive naive = {0};
	for (uint32_t region = 1; region <= REGIONS; region++) {
		const uint64_t start = draw(&seed, SPACE), bytes = 1 + draw(&seed, draw(&seed, 2) ? 8 : SPACE - start);
		const uint64_t end = start + bytes < SPACE ? start + bytes : SPACE;
		const size_t whole = whole_spans(&extents, start, end);
		naive.gone_count = 0;
		extents_clear(&extents, start, end - start, note_gone, &naive);
		assert_int_equal(naive.gone_count, whole);
		const bool fills = draw(&seed, 3);
		if (fills)
			extents_insert(&extents, &(struct extent){.start = start,
			                                          .bytes = end - start,
			                                          .delta = 10 * region * (uint64_t)SPACE,
			                                          .mapping = region});
		for (uint64_t i = start; i < end; i++)
			naive.region_at[i] = fills ? region : 0;
		assert_same(&extents, &naive);
		if (region % 50 == 0)
			assert_regions(&extents, &naive, region);
	}
	extents_release(&extents);
}

/* A remembered extent that was replaced has no bytes. */
static void test_renewed(void **state) {
	(void)state;
	struct extents extents = {0};
	struct extent *old = extents_insert(&extents, &(struct extent){.start = 16, .bytes = 32, .mapping = 1});
	extents_insert(&extents, &(struct extent){.start = 48, .bytes = 16, .mapping = 2});
	struct extent *renewed = extents_replace(&extents, old);
	assert_ptr_not_equal(old, renewed);
	assert_int_equal(old->bytes, 0);
	assert_ptr_equal(extents_at(&extents, 47), renewed);
	assert_int_equal(renewed->bytes, 32);
	assert_int_equal(extents_at(&extents, 48)->mapping, 2);
	assert_null(extents_at(&extents, 15));
	assert_null(extents_at(&extents, 64));
	extents_release(&extents);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_renewed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
