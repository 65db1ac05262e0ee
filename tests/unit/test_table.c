/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash tables against lists: few keys in small tables, so that searches meet other keys and wrap around the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "common/table.h"

enum { KEYS = 40, MOST = 200, OPERATIONS = 50000 };

/* The oracle: how often each value was added to each key and not removed. */
struct naive {
	unsigned char entries[KEYS][4];
	size_t count;
};

static uint64_t key_of(unsigned number) {
	return number % 2 ? number : UINT64_MAX - number;
}

static void check_key(const struct ifr_table *table, const struct naive *naive, unsigned number) {
	unsigned char found[4] = {0};
	uint32_t value;
	for (size_t probe = 0; (value = ifr_table_next(table, key_of(number), &probe)) != IFR_TABLE_NONE;)
		found[value]++;
	assert_memory_equal(found, naive->entries[number], sizeof found);
	value = ifr_table_find(table, key_of(number));
	assert_true(value == IFR_TABLE_NONE ? !memcmp(found, "\0\0\0\0", 4) : found[value] > 0);
}

/* Removes from both the entry that a search finds. */
static void remove_entry(struct ifr_table *table, struct naive *naive, unsigned number) {
	const uint32_t before = ifr_table_find(table, key_of(number));
	assert_int_equal(ifr_table_remove(table, key_of(number)), before != IFR_TABLE_NONE);
	if (before == IFR_TABLE_NONE)
		return;
	naive->entries[number][before]--;
	naive->count--;
}

static void test_against_lists(void **state) {
	(void)state;
	struct ifr_table table = {0};
	struct naive naive = {.count = 0};
	for (unsigned i = 0; i < OPERATIONS; i++) {
		const uint64_t bits = ifr_siphash(0, 1, &i, sizeof i);
		const unsigned number = (unsigned)(bits % KEYS), value = (unsigned)(bits >> 32 & 3);
		/* The table grows and shrinks in turn. */
		if ((bits >> 40) % 8 < (i / 500 % 2 ? 2 : 6) && naive.count < MOST) {
			ifr_table_add(&table, key_of(number), value);
			naive.entries[number][value]++;
			naive.count++;
		} else {
			remove_entry(&table, &naive, number);
		}
		assert_int_equal(table.count, naive.count);
		check_key(&table, &naive, number);
		check_key(&table, &naive, (unsigned)(bits >> 50) % KEYS);
	}
	ifr_table_release(&table);
}

/* Removals do not use up slots: keys of a short life leave the table small. */
static void test_short_lives(void **state) {
	(void)state;
	struct ifr_table table = {0};
	for (uint32_t i = 0; i < 10000; i++) {
		ifr_table_add(&table, i, i);
		if (i >= 20)
			assert_true(ifr_table_remove(&table, i - 20));
	}
	assert_int_equal(table.count, 20);
	assert_int_equal(table.slots, 64);
	ifr_table_release(&table);
}

static void test_numbers(void **state) {
	(void)state;
	struct ifr_table table = {0};
	assert_int_equal(ifr_table_find(&table, 0), IFR_TABLE_NONE);
	assert_false(ifr_table_remove(&table, 0));
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < 5000; i++)
			assert_int_equal(ifr_table_number(&table, (uint64_t)i << 32), i);
	assert_int_equal(table.count, 5000);
	assert_int_equal(ifr_table_find(&table, (uint64_t)4999 << 32), 4999);
	assert_int_equal(ifr_table_find(&table, 1), IFR_TABLE_NONE);
	ifr_table_release(&table);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_lists),
		cmocka_unit_test(test_short_lives),
		cmocka_unit_test(test_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
