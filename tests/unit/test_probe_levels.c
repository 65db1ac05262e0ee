/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of a BTB by the clock: of made-up curves beside caches of code, with noise; and of described machines whose
 * core stands for the clock, also with changed values. What is told is what the description says, and carries to the
 * model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/probe/clocked_levels.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"
#include "model/machines/parts.h"
#include "tests/unit/depth.h"
#include "tests/unit/open_machine.h"

enum { FIRST_BIT = 3, OCTAVE = 5, QUARTERS = 4 };

static size_t count_at(size_t i) {
	return ((size_t)1 << (OCTAVE + i / QUARTERS)) / QUARTERS * (QUARTERS + i % QUARTERS);
}

/* --- made-up curves --- */

/* Levels end at a number of branches, up to a distance; a cache of code ends at a number of bytes. */
struct made {
	double ends[3], cycles[3]; /* of taken branches; and further out */
	unsigned index_bit;
	double cache_bytes, cache_cycles; /* more */
};

static void make_curves(const struct made *made, double noise, uint64_t seed,
                        struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS]) {
	for (size_t d = 0; d < PROBE_LEVEL_DISTANCES; d++)
		for (size_t i = 0; i < PROBE_LEVEL_COUNTS; i++) {
			enum { VALUES = 21 };
			const double count = (double)count_at(i), bytes = count * (double)(1u << (FIRST_BIT + d));
			const unsigned bit = FIRST_BIT + (unsigned)d,
						   halves = bit > made->index_bit ? bit - made->index_bit : 0;
			double cycles = made->cycles[0], values[VALUES];
			for (unsigned level = 0; level < 2; level++)
				if (count * (double)(1u << halves) > made->ends[level])
					cycles = made->cycles[level + 1];
			if (bytes > made->cache_bytes)
				cycles += made->cache_cycles;
			for (size_t j = 0; j < VALUES; j++) {
				const uint64_t key[] = {d, i, j};
				values[j] =
					cycles * (1 + noise * (2 * ifr_random_unit(ifr_siphash(seed, 3, key, sizeof key)) - 1));
			}
			curves[d][i] = (struct probe_point){count, probe_estimate_median(values, VALUES)};
		}
}

static void test_made_up_levels(void **state) {
	(void)state;
	static const struct made all[] = {
		{{1024, 4096, 0}, {1, 2, 9}, 4, 1 << 15, 3},
		{{512, 4096, 0}, {1, 3, 12}, 5, 1 << 16, 2},
		{{1536, 7168, 0}, {1, 2, 10}, 4, 1 << 18, 1},
		{{2048, 8192, 0}, {2, 4, 14}, 6, 1 << 20, 1},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (unsigned noise = 0; noise <= 2; noise++) {
			struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS];
			struct probe_levels levels;
			make_curves(&all[i], 0.01 * noise, i, curves);
			assert_true(probe_levels_find(curves, FIRST_BIT, 0, &levels));
			assert_int_equal(levels.count, 2);
			for (size_t level = 0; level < 2; level++) {
				const struct probe_level *found = &levels.levels[level];
				assert_int_equal(found->count, (size_t)all[i].ends[level]);
				assert_true(found->is_rise_told);
				assert_true(found->rise.low <= all[i].cycles[level + 1] - all[i].cycles[level] &&
				            found->rise.high >= all[i].cycles[level + 1] - all[i].cycles[level]);
				assert_true(found->index_bit < 0 || found->index_bit == (int)all[i].index_bit);
			}
		}
}

/* A cache of code alone, whose end moves with the distance, is no level; nor are curves without flat parts. */
static void test_no_levels(void **state) {
	(void)state;
	static const struct made cache = {{1e9, 1e9, 0}, {1, 1, 1}, 6, 1 << 15, 2};
	struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS];
	struct probe_levels levels;
	make_curves(&cache, 0, 1, curves);
	assert_true(probe_levels_find(curves, FIRST_BIT, 0, &levels));
	assert_int_equal(levels.count, 0);
	static const struct made level = {{1024, 4096, 0}, {1, 2, 9}, 4, 1 << 15, 3};
	for (unsigned seed = 0; seed < at_depth(20, 200); seed++) {
		make_curves(&level, 0.5, seed, curves);
		if (!probe_levels_find(curves, FIRST_BIT, 0, &levels))
			continue;
		for (size_t i = 0; i < levels.count; i++)
			assert_true(levels.levels[i].count == 1024 || levels.levels[i].count == 4096);
	}
}

/* --- described machines --- */

/* Whether a setting is told; then it is the machine's. */
static bool is_right(const struct ifr_machine *machine, const struct ifr_probe_result *result, const char *key) {
	const struct ifr_probe_finding *finding = ifr_probe_find(result, key);
	struct ifr_setting_slot slot;
	char *group = ifr_strdup(key), *dot = strchr(group, '.');
	*dot = 0;
	assert_true(ifr_setting_slot_find((struct ifr_machine *)machine, group, dot + 1, &slot));
	free(group);
	if (!finding || !finding->told)
		return false;
	if ((unsigned)finding->value != *slot.value)
		fail_msg("%s is %u, and %g is told", key, *slot.value, finding->value);
	return true;
}

static const char *const settings[] = {"btb1.entries",   "btb2.entries",  "btb1.index_bit",
                                       "btb2.index_bit", "fetch.bubble1", "fetch.bubble2"};
/* Caches of code may hide where half of a level ends. */
enum { SETTINGS = sizeof settings / sizeof *settings, ALL_BUT_ONE = SETTINGS - 1 };

/* Curves up to a number of branches, from where on they are level: many branches take long in the model. */
static unsigned tell_levels(const char *spec, const char *near_spec, size_t most,
                            struct ifr_probe_result *result) {
	struct ifr_machine *machine = open_machine(spec), *near = open_machine(near_spec);
	struct probe_clocked probe = {
		.result = result, .seed = 1, .batch_ns = INT64_C(1000000000), .near = near, .machine = machine};
	struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS];
	unsigned told = 0;
	*result = (struct ifr_probe_result){0};
	for (size_t d = 0; d < PROBE_LEVEL_DISTANCES; d++)
		for (size_t i = 0; i < PROBE_LEVEL_COUNTS; i++) {
			const uint64_t distance = UINT64_C(1) << (FIRST_BIT + d);
			struct probe_kernel kernel;
			double cycles = i ? curves[d][i - 1].y.value : 0;
			probe_kernel_init(&kernel, 0);
			if (count_at(i) <= most) {
				probe_branch_chain(&kernel, &(struct probe_places){count_at(i), 1, distance, distance});
				assert_int_equal(probe_modelled_cycles(machine, &kernel, &cycles, NULL), 0);
			}
			probe_kernel_release(&kernel);
			curves[d][i] = (struct probe_point){(double)count_at(i), {cycles, cycles, cycles, true}};
		}
	probe_clocked_levels(&probe, curves, FIRST_BIT);
	for (size_t i = 0; i < SETTINGS; i++)
		told += is_right(machine, result, settings[i]);
	ifr_machine_free(machine);
	ifr_machine_free(near);
	return told;
}

#define TWO_LEVELS \
	"skylake,btb1.entries=256,btb2.entries=1024,btb2.ways=4,btb2.index_bit=4,fetch.bubble2=2,op_cache.sets=64"

static void test_two_levels(void **state) {
	(void)state;
	static const struct {
		const char *change;
		unsigned least; /* settings that are told */
	} all[] = {{",btb1.entries=128", ALL_BUT_ONE},
	           {"", ALL_BUT_ONE},
	           {",btb2.entries=768,btb2.ways=3", 0},
	           {",fetch.bubble2=1", ALL_BUT_ONE},
	           {",btb2.entries=2048", ALL_BUT_ONE},
	           {",btb1.index_bit=5", 1},
	           {",btb2.index_bit=3", 0},
	           {",fetch.bubble1=1,fetch.bubble2=2", 1}};
	for (size_t i = 0; i < at_depth(1, sizeof all / sizeof *all); i++) {
		char *spec = ifr_format("%s%s", TWO_LEVELS, all[i].change);
		struct ifr_probe_result result;
		const unsigned told = tell_levels(spec, TWO_LEVELS, 4096, &result);
		if (told < all[i].least)
			fail_msg("%s: %u settings are told", spec, told);
		ifr_probe_release(&result);
		free(spec);
	}
}

/* One level by a near description of two, and the other way round: nothing is told. */
static void test_other_numbers_of_levels(void **state) {
	(void)state;
	struct ifr_probe_result result;
	assert_int_equal(tell_levels("skylake,btb1.entries=256,op_cache.sets=64", TWO_LEVELS, 1024, &result), 0);
	assert_true(strlen(ifr_probe_find(&result, "btb2.entries")->experiment) > 0);
	ifr_probe_release(&result);
}

/* The description that is written has the values, each with its standing, interval and experiment. */
static void test_description(void **state) {
	(void)state;
	struct ifr_probe_result result;
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	tell_levels(TWO_LEVELS, TWO_LEVELS, 4096, &result);
	result.is_described = true;
	result.machine = ifr_strdup("skylake,btb2.entries=8192,btb2.ways=4,btb2.index_bit=4");
	if (ifr_probe_description(&result, &text, &err))
		fail_msg("%s", err.message);
	const char *written = ifr_buffer_text(&text);
	assert_non_null(strstr(written, "entries = (256, \"reverse-engineered\", \"measured, 256 (256 to "));
	assert_non_null(strstr(written, "entries = (1024, \"reverse-engineered\", \"measured, 1024 (1024 to "));
	assert_non_null(
		strstr(written, "bubble2 = (2, \"reverse-engineered\", \"measured: a taken branch of this level"));
	ifr_buffer_release(&text);
	ifr_probe_release(&result);
}

/* The whole experiment, as it runs by the clock, on descriptions as they are. */
static void test_shipped_descriptions(void **state) {
	(void)state;
	static const struct {
		const char *name;
		unsigned least;
	} all[] = {{"zen4", SETTINGS},
	           {"zen3", SETTINGS},
	           {"skylake", 3},
	           {"haswell", 3},
	           {"ivybridge", 3},
	           {"zen2", 0},
	           {"goldencove", 0},
	           {"icelake-server", 0},
	           {"zen5", 0},
	           {"zen4,btb1.entries=768", SETTINGS},
	           {"zen4,fetch.bubble2=2", SETTINGS},
	           {"zen4,fetch.prediction=1,fetch.bubble1=1,fetch.bubble2=3", SETTINGS},
	           {"zen4,btb2.entries=3584", SETTINGS},
	           {"zen4,btb1.ways=3", 0}};
	if (!is_full_depth())
		skip();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ifr_machine *machine = open_machine(all[i].name);
		struct ifr_probe_result result = {0};
		struct probe_clocked probe = {
			.result = &result, .seed = 1, .batch_ns = INT64_C(1000000000), .near = machine, .machine = machine};
		unsigned told = 0;
		probe_clocked_btb(&probe);
		for (size_t j = 0; j < SETTINGS; j++)
			told += is_right(machine, &result, settings[j]);
		if (told < all[i].least)
			fail_msg("%s: %u settings are told", all[i].name, told);
		ifr_probe_release(&result);
		ifr_machine_free(machine);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_up_levels), cmocka_unit_test(test_no_levels),
		cmocka_unit_test(test_two_levels),     cmocka_unit_test(test_other_numbers_of_levels),
		cmocka_unit_test(test_description),    cmocka_unit_test(test_shipped_descriptions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
