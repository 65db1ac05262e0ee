/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/design/schedule.h"

enum { VARIANTS = 17, PASSES = 3, SLOTS = VARIANTS * PASSES };

static void test_each_slot_once_a_round(void **state) {
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct ifr_slot slots[SLOTS];
		char seen[VARIANTS][PASSES] = {{0}};
		ifr_schedule_repetition(round % 3, round, VARIANTS, PASSES, NULL, slots);
		for (int i = 0; i < SLOTS; i++) {
			assert_in_range(slots[i].variant, 0, VARIANTS - 1);
			assert_in_range(slots[i].pass, 0, PASSES - 1);
			assert_false(seen[slots[i].variant][slots[i].pass]++);
		}
	}
}

/* Two random orders of 51 agree in one place on average, in more than ten with probability 1e-8. */
static void differ(uint64_t seed_a, unsigned round_a, uint64_t seed_b, unsigned round_b) {
	struct ifr_slot a[SLOTS], b[SLOTS];
	int same = 0;
	ifr_schedule_repetition(seed_a, round_a, VARIANTS, PASSES, NULL, a);
	ifr_schedule_repetition(seed_b, round_b, VARIANTS, PASSES, NULL, b);
	for (int i = 0; i < SLOTS; i++)
		same += a[i].variant == b[i].variant && a[i].pass == b[i].pass;
	assert_in_range(same, 0, 10);
}

static void test_rounds_and_seeds_differ(void **state) {
	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		differ(7, round, 7, round + 1);
		differ(7, round, 8, round);
	}
	struct ifr_slot a[SLOTS], b[SLOTS];
	ifr_schedule_repetition(7, 3, VARIANTS, PASSES, NULL, a);
	ifr_schedule_repetition(7, 3, VARIANTS, PASSES, NULL, b);
	for (int i = 0; i < SLOTS; i++)
		assert_true(a[i].variant == b[i].variant && a[i].pass == b[i].pass);
}

/* A larger experiment runs the old slots in the old order, with the new ones between them. */
static void test_growing_keeps_the_order(void **state) {
	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct ifr_slot old[SLOTS], new[2 * VARIANTS * (PASSES + 1)];
		ifr_schedule_repetition(3, round, VARIANTS, PASSES, NULL, old);
		ifr_schedule_repetition(3, round, 2 * VARIANTS, PASSES + 1, NULL, new);
		int at = 0;
		for (size_t i = 0; i < sizeof new / sizeof *new; i++)
			if (new[i].variant < VARIANTS &&new[i].pass < PASSES) {
				assert_int_equal(new[i].variant, old[at].variant);
				assert_int_equal(new[i].pass, old[at].pass);
				at++;
			}
		assert_int_equal(at, SLOTS);
	}
}

/* A variant with a twin runs twice in every pass, the twin later; the others keep their order. The distance is any:
 * of 2 of 18 slots the mean distance is (18 + 1) / 3, its standard deviation over 4000 rounds 4.1 / sqrt(4000). */
static void test_twins(void **state) {
	(void)state;
	bool twinned[VARIANTS] = {[5] = true};
	double distance = 0;
	for (unsigned round = 0; round < 4000; round++) {
		struct ifr_slot slots[VARIANTS + 1], plain[VARIANTS + 1] = {0};
		int at = 0, twin = -1, sibling = -1;
		assert_int_equal(ifr_schedule_repetition(3, round, VARIANTS, 1, twinned, slots), VARIANTS + 1);
		assert_int_equal(ifr_schedule_repetition(3, round, VARIANTS, 1, NULL, plain), VARIANTS);
		for (int i = 0; i <= VARIANTS; i++) {
			if (slots[i].twin) {
				assert_int_equal(slots[i].variant, 5);
				assert_int_equal(twin, -1);
				twin = i;
			} else {
				sibling = slots[i].variant == 5 ? i : sibling;
			}
			at += plain[at].variant == 5;
			if (slots[i].variant != 5)
				assert_int_equal(slots[i].variant, plain[at++].variant);
		}
		assert_true(sibling < twin);
		distance += (twin - sibling) / 4000.0;
	}
	assert_true(distance > 19 / 3.0 - 4 * 4.1 / 63.2 && distance < 19 / 3.0 + 4 * 4.1 / 63.2);
}

/* One of each two layouts, with even odds: of 2000 pairs 1000 -+ 4 sqrt(500). */
static void test_half_of_the_layouts_have_twins(void **state) {
	(void)state;
	unsigned first = 0, other_seed = 0;
	for (unsigned layout = 0; layout < 4000; layout += 2) {
		assert_true(ifr_schedule_has_twin(7, layout) != ifr_schedule_has_twin(7, layout + 1));
		first += ifr_schedule_has_twin(7, layout);
		other_seed += ifr_schedule_has_twin(7, layout) != ifr_schedule_has_twin(8, layout);
	}
	assert_in_range(first, 911, 1089);
	assert_in_range(other_seed, 911, 1089);
}

/* Ten variants, 5000 rounds: 500 times at each position. NIST/SEMATECH e-Handbook, table 1.3.6.7.4: 9 degrees of
 * freedom, 27.877 at 0.001. Also for which variant follows which: 8 degrees, 26.124. */
static void test_positions_are_uniform(void **state) {
	(void)state;
	unsigned at[10][10] = {{0}}, behind[10][10] = {{0}};
	for (unsigned round = 0; round < 5000; round++) {
		struct ifr_slot slots[10];
		ifr_schedule_repetition(1, round, 10, 1, NULL, slots);
		for (int i = 0; i < 10; i++) {
			at[slots[i].variant][i]++;
			if (i)
				behind[slots[i - 1].variant][slots[i].variant]++;
		}
	}
	for (int i = 0; i < 10; i++) {
		double positions = 0, followers = 0, expected = 0;
		for (int j = 0; j < 10; j++) {
			positions += (at[i][j] - 500.0) * (at[i][j] - 500.0) / 500.0;
			expected += behind[i][j] / 9.0;
		}
		for (int j = 0; j < 10; j++)
			if (j != i)
				followers += (behind[i][j] - expected) * (behind[i][j] - expected) / expected;
		assert_true(positions < 27.877);
		assert_true(followers < 26.124);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_slot_once_a_round),         cmocka_unit_test(test_rounds_and_seeds_differ),
		cmocka_unit_test(test_growing_keeps_the_order),        cmocka_unit_test(test_twins),
		cmocka_unit_test(test_half_of_the_layouts_have_twins), cmocka_unit_test(test_positions_are_uniform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
