/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inferences of a probe on made-up machines: sets and ways behind others, edges of noisy curves, histories of a predictor
 * of a few lines. Noise makes "not told", never another value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/probe/clock.h"
#include "harness/probe/clocked.h"
#include "harness/probe/curve.h"
#include "harness/probe/findings.h"
#include "harness/probe/history.h"
#include "harness/probe/known_cache.h"
#include "harness/probe/lru.h"
#include "harness/probe/organisation.h"
#include "harness/probe/redirect.h"
#include "harness/probe/way_tag.h"
#include "harness/probe/window_curve.h"
#include "tests/unit/depth.h"
#include "tests/unit/open_machine.h"

/* --- organisation -------------------------------------------------------------------------------------------------- */

/* A structure of sets by its definition: elements fit if no set has more than its ways. An inner structure in front hides
 * the outer one where all fit it. noise: the share of questions that are unclear, by thousand. */
struct sets {
	size_t sets, ways;
	uint64_t granule;
	const struct sets *inner;
	unsigned noise;
	uint64_t asked;
};

static bool fits(const struct sets *sets, const struct probe_places *places) {
	unsigned *used = calloc(sets->sets, sizeof *used);
	bool fit = true;
	for (size_t i = 0; i < places->count; i++)
		fit &= ++used[probe_place(places, i) / sets->granule % sets->sets] <= sets->ways;
	free(used);
	return fit || (sets->inner && fits(sets->inner, places));
}

static enum probe_answer answer(void *data, const struct probe_places *places) {
	struct sets *sets = data;
	sets->asked++;
	if (ifr_siphash(sets->noise, 0, &sets->asked, sizeof sets->asked) % 1000 < sets->noise)
		return PROBE_UNCLEAR;
	return fits(sets, places) ? PROBE_YES : PROBE_NO;
}

static struct probe_organisation find(struct sets *sets, size_t inner) {
	const struct probe_question question = {answer, sets, 1 << 16, UINT64_C(1) << 34};
	struct probe_organisation found;
	probe_find_organisation(&question, 4, inner, &found);
	return found;
}

static void assert_found(const struct probe_organisation *found, const struct sets *sets) {
	assert_int_equal(found->entries, sets->sets * sets->ways);
	assert_int_equal(found->ways, sets->ways);
	if (sets->sets > 1) {
		assert_int_equal(found->granule, sets->granule);
		assert_int_equal(found->span, sets->granule * sets->sets);
	}
}

static void test_sets_and_ways(void **state) {
	(void)state;
	static const struct sets all[] = {
		{128, 4, 16, NULL, 0, 0}, {1024, 4, 16, NULL, 0, 0}, {64, 1, 64, NULL, 0, 0},   {64, 12, 64, NULL, 0, 0},
		{1, 64, 16, NULL, 0, 0},  {1024, 7, 16, NULL, 0, 0}, {512, 24, 32, NULL, 0, 0}, {2, 3, 128, NULL, 0, 0}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct sets sets = all[i];
		const struct probe_organisation found = find(&sets, 0);
		assert_found(&found, &all[i]);
	}
}

/* The outer structure has fewer ways than the inner one, which holds as many elements as one set of the outer. */
static void test_sets_behind_others(void **state) {
	(void)state;
	const struct sets inner = {64, 8, 64, NULL, 0, 0};
	struct sets outer = {1024, 4, 64, &inner, 0, 0};
	const struct probe_organisation found = find(&outer, inner.sets * inner.ways);
	assert_found(&found, &outer);
}

/* Unclear answers: nothing, or the truth. */
static void test_unclear_answers(void **state) {
	(void)state;
	unsigned told = 0;
	for (unsigned noise = 1; noise <= 200; noise++) {
		struct sets sets = {128, 4, 16, NULL, noise, noise * 1000};
		const struct probe_organisation found = find(&sets, 0);
		assert_true(!found.ways || found.ways == 4);
		told += found.ways != 0;
	}
	assert_in_range(told, 1, 199);
}

/* By hand: a cycle of one line more than the ways always misses; pairs hit once each. */
static void test_lru_misses(void **state) {
	(void)state;
	const uint64_t a = 0, b = 64, c = 128;
	const uint64_t cycle[] = {a, b, c}, pairs[] = {a, a, b, b, c, c}, two[] = {a, b, a, b};
	assert_int_equal(probe_lru_misses(cycle, 3, 2, 64), 3);
	assert_int_equal(probe_lru_misses(cycle, 3, 3, 64), 0);
	assert_int_equal(probe_lru_misses(pairs, 6, 2, 64), 3);
	assert_int_equal(probe_lru_misses(two, 4, 1, 64), 4);
	assert_int_equal(probe_lru_misses(two, 4, 2, 64), 0);
	/* Two sets of one way: lines 0 and 2 share one, line 1 has the other. */
	assert_int_equal(probe_lru_misses_of_sets(cycle, 3, 1, 64, 2), 2);
	assert_int_equal(probe_lru_misses_of_sets(cycle, 3, 2, 64, 2), 0);
	assert_int_equal(probe_lru_misses_of_sets(pairs, 6, 2, 64, 1), 3);
}

/* By hand: points from 4 on. */
static void test_sides(void **state) {
	(void)state;
	struct probe_point points[8];
	const struct probe_border third = {0.3, 0.7};
	for (size_t i = 0; i < 8; i++)
		points[i] = (struct probe_point){(double)i, {0.1, 0, 0.2, true}};
	points[3].y = (struct probe_estimate){0.5, 0.4, 0.6, true};
	assert_int_equal(probe_curve_side(points, 8, 4, third), 1);
	assert_int_equal(probe_curve_side(points, 8, 3, third), -1);
	assert_int_equal(probe_curve_side(points, 8, 8, third), -1);
	points[7].y.high = 0.3;
	assert_int_equal(probe_curve_side(points, 8, 4, third), -1);
	for (size_t i = 4; i < 8; i++)
		points[i].y = (struct probe_estimate){1, 0.8, 1.2, true};
	assert_int_equal(probe_curve_side(points, 8, 4, third), 0);
	points[5].y.told = false;
	assert_int_equal(probe_curve_side(points, 8, 4, third), -1);
}

/* --- curves -------------------------------------------------------------------------------------------------------- */

static const struct probe_border border = {5, 8};
enum { POINTS = 24, EDGE = 13, VALUES = 41 };

static double draw_normal(uint64_t seed, uint64_t *number) {
	double sum = -6;
	for (unsigned i = 0; i < 12; i++) {
		++*number;
		sum += ifr_random_unit(ifr_siphash(seed, 7, number, sizeof *number));
	}
	return sum;
}

/* Four cycles up to EDGE, then 14; medians of values with that standard deviation, of which some are disturbed. */
static void draw_curve(struct probe_point *points, double sd, double disturbed, uint64_t seed) {
	uint64_t number = 0;
	for (size_t i = 0; i < POINTS; i++) {
		double values[VALUES];
		for (size_t j = 0; j < VALUES; j++) {
			const double draw = ifr_random_unit(ifr_siphash(seed, 8 + i, &j, sizeof j));
			values[j] = (i <= EDGE ? 4 : 14) + sd * draw_normal(seed, &number) +
			            (draw < disturbed ? 40 * draw / disturbed : 0);
		}
		points[i] = (struct probe_point){(double)i, probe_estimate_median(values, VALUES)};
	}
}

static void test_edges(void **state) {
	(void)state;
	static const struct {
		double sd, disturbed;
		unsigned least, most; /* how many of a hundred are told */
	} cases[] = {{0, 0, 100, 100}, {0.3, 0, 100, 100}, {0.3, 0.1, 90, 100}, {3, 0.2, 0, 60}, {30, 0.5, 0, 5}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned told = 0;
		for (uint64_t seed = 1; seed <= 100; seed++) {
			struct probe_point points[POINTS];
			size_t edge;
			draw_curve(points, cases[i].sd, cases[i].disturbed, seed);
			if (!probe_curve_edge(points, POINTS - 1, border, &edge))
				continue;
			assert_int_equal(edge, EDGE);
			told++;
		}
		assert_in_range(told, cases[i].least, cases[i].most);
	}
}

/* A flat curve and a slope have no edge; nor has a curve with a point on the wrong side. */
static void test_no_edges(void **state) {
	(void)state;
	struct probe_point points[POINTS];
	size_t edge;
	for (size_t i = 0; i < POINTS; i++)
		points[i] = (struct probe_point){(double)i, {4, 3.9, 4.1, true}};
	assert_false(probe_curve_edge(points, POINTS - 1, border, &edge));
	for (size_t i = 0; i < POINTS; i++)
		points[i].y = (struct probe_estimate){4 + (double)i / 4, 3 + (double)i / 4, 5 + (double)i / 4, true};
	assert_false(probe_curve_edge(points, POINTS - 1, border, &edge));
	draw_curve(points, 0, 0, 1);
	assert_true(probe_curve_edge(points, POINTS - 1, border, &edge));
	points[EDGE + 5].y = points[0].y;
	assert_false(probe_curve_edge(points, POINTS - 1, border, &edge));
}

/* A lone point that is far off goes, by hand; the edge stays where it is, and two such points in a row do not go. */
static void test_lone_points(void **state) {
	(void)state;
	for (size_t lone = 2; lone + 1 < POINTS; lone++) {
		struct probe_point points[POINTS];
		size_t edge = 0;
		draw_curve(points, 0, 0, 1);
		if (lone >= EDGE - 1 && lone <= EDGE + 2)
			continue;
		points[lone].y = (struct probe_estimate){60, 59, 61, true};
		if (lone > EDGE)
			points[lone].y = points[0].y;
		assert_false(probe_curve_edge(points, POINTS - 1, border, &edge));
		probe_curve_smooth(points, POINTS);
		assert_true(probe_curve_edge(points, POINTS - 1, border, &edge));
		assert_int_equal(edge, EDGE);
	}
	struct probe_point two[POINTS];
	size_t edge;
	draw_curve(two, 0, 0, 1);
	two[2].y = two[3].y = (struct probe_estimate){60, 59, 61, true};
	probe_curve_smooth(two, POINTS);
	assert_false(probe_curve_edge(two, POINTS - 1, border, &edge));
}

/* Of 40 repetitions, 25 are as they should be: 1 tick an exclusive or, 0.25 a nop, 3 of the kernel. In 5 the nops take
 * longer, as beside another thread; in 10 the exclusive ors were disturbed, and the kernel would seem fast. */
static void test_disturbed_repetitions(void **state) {
	(void)state;
	enum { GOOD = 25, SHARED = 5, ALL = 40, KERNELS = PROBE_REFERENCES + 1 };
	struct probe_batch batch = {.count = KERNELS, .repetitions = ALL};
	batch.ticks = malloc(ALL * KERNELS * sizeof *batch.ticks);
	for (size_t i = 0; i < ALL; i++) {
		const size_t kind = i * 7 % ALL;
		double *ticks = batch.ticks + i * KERNELS;
		ticks[0] = kind < GOOD + SHARED ? 1 : 2.5;
		ticks[1] = kind < GOOD ? 0.25 : kind < GOOD + SHARED ? 0.4 : 0.26;
		ticks[2] = 3;
	}
	const double best = probe_batch_best_nop(&batch);
	assert_true(best > 0.2499 && best < 0.2501);
	assert_int_equal(probe_batch_select(&batch, 1.1 * best, NULL), 0);
	assert_int_equal(batch.repetitions, GOOD);
	const struct probe_estimate cycles = probe_batch_cycles(&batch, 1, 0);
	assert_true(cycles.told && cycles.low >= 3 && cycles.high <= 3);
	probe_batch_release(&batch);
}

/* The share of misses in a cache of 8 ways and 32 page colours whose pages lie at random, as in arithmetic: lines of a
 * colour that has more than 8 all miss. Regions in eighths of the cache, four an octave. */
static void draw_random_pages(struct probe_point *points, size_t count, double next, uint64_t seed) {
	enum { COLOURS = 32, WAYS = 8 };
	static const unsigned pages[] = {32,  40,  48,  56,  64,  80,  96,  112, 128, 160,  192,
	                                 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280};
	uint64_t number = 0;
	for (size_t i = 0; i < count; i++) {
		double values[VALUES];
		for (size_t j = 0; j < VALUES; j++) {
			unsigned of[COLOURS] = {0}, missing = 0;
			for (unsigned page = 0; page < pages[i]; page++, number++)
				of[ifr_siphash(seed, 9, &number, sizeof number) % COLOURS]++;
			for (unsigned c = 0; c < COLOURS; c++)
				missing += of[c] > WAYS ? of[c] : 0;
			values[j] = 14 + (next - 14) * missing / pages[i];
		}
		points[i] = (struct probe_point){pages[i], probe_estimate_median(values, VALUES)};
	}
}

enum { SIZES = 22, OCTAVE = 4, CACHE = 256 };

/* Each point takes so many cycles more than the one before, from 320 pages on: the next level is shared. */
static void raise_behind(struct probe_point *points, double cycles) {
	for (size_t i = 13; i < SIZES; i++) {
		const double more = cycles * (double)(i - 12);
		points[i].y.value += more;
		points[i].y.low += more;
		points[i].y.high += more;
	}
}

static void test_middle_of_random_pages(void **state) {
	(void)state;
	for (unsigned more = 0; more <= 3; more += 3) {
		unsigned told = 0;
		for (uint64_t seed = 1; seed <= 100; seed++) {
			struct probe_point points[SIZES];
			size_t below, above;
			draw_random_pages(points, SIZES, 50, seed);
			raise_behind(points, more);
			/* Other work disturbs one of the first three points. */
			points[seed % 3].y.value += 10 * more;
			points[seed % 3].y.high += 20 * more;
			if (!probe_curve_middle(points, SIZES, OCTAVE, &below, &above))
				continue;
			assert_true(points[below].x <= CACHE && 1.05 * points[above].x >= CACHE);
			assert_in_range(above - below, 1, 2);
			told++;
		}
		assert_in_range(told, 80, 100);
	}
}

/* A slope that does not become flatter has no level, nor has a curve whose points are all of one. */
static void test_no_middle(void **state) {
	(void)state;
	struct probe_point points[SIZES];
	size_t below, above;
	for (size_t i = 0; i < SIZES; i++) {
		const double y = i < 4 ? 14 : 14 + 10 * (double)(i - 3);
		points[i] = (struct probe_point){pow(2, (double)i / OCTAVE), {y, y - 0.1, y + 0.1, true}};
	}
	assert_false(probe_curve_middle(points, SIZES, OCTAVE, &below, &above));
	draw_random_pages(points, SIZES, 14, 1);
	assert_false(probe_curve_middle(points, SIZES, OCTAVE, &below, &above));
}

/* Reads a file of one number of the kernel's own reading of CPUID; -1: it has none. */
static long read_number(unsigned cache, const char *file, char *unit) {
	char path[128];
	long number = -1;
	*unit = 0;
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", cache, file);
	FILE *stream = fopen(path, "r");
	if (stream) {
		if (fscanf(stream, "%ld%c", &number, unit) < 1)
			number = -1;
		fclose(stream);
	}
	return number;
}

static void test_known_caches(void **state) {
	(void)state;
	unsigned compared = 0;
	char unit;
	for (unsigned i = 0; i < 8; i++) {
		char path[128], type[16] = "";
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/type", i);
		FILE *stream = fopen(path, "r");
		if (!stream)
			continue;
		assert_int_equal(fscanf(stream, "%15s", type), 1);
		fclose(stream);
		const long level = read_number(i, "level", &unit), ways = read_number(i, "ways_of_associativity", &unit),
				   size = read_number(i, "size", &unit);
		if (level < 1 || size < 0 || unit != 'K')
			continue;
		const struct probe_known_cache cache = strcmp(type, "Instruction")
		                                           ? probe_known_data_cache((unsigned)level)
		                                           : probe_known_code_cache((unsigned)level);
		assert_int_equal(cache.bytes, size * 1024);
		if (ways > 0)
			assert_int_equal(cache.ways, ways);
		compared++;
	}
	if (!compared)
		skip();
	assert_int_equal(probe_known_data_cache(9).bytes, 0);
}

/* Two mixtures of instructions that end one entry apart tell the window, by an interval; of a Zen 4, whose window of 320
 * has entries for two, they end at 363 and 381 and tell nothing. */
static void test_window(void **state) {
	(void)state;
	static const struct {
		double mixed, tests; /* 0: not told */
		bool told;
	} cases[] = {{255, 254, true}, {224, 224, true}, {363, 381, false}, {255, 0, false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_probe_result result = {0};
		probe_tell(&result, IFR_PROBE_CORE, "window-mixed", "", cases[i].mixed, "one");
		if (cases[i].tests > 0)
			probe_tell(&result, IFR_PROBE_CORE, "window-tests", "", cases[i].tests, "another");
		else
			probe_tell_nothing(&result, IFR_PROBE_CORE, "window-tests", "disturbed");
		probe_tell_window(&result);
		const struct ifr_probe_finding *window = ifr_probe_find(&result, "pipeline.window");
		assert_non_null(window);
		assert_int_equal(window->told, cases[i].told);
		if (window->told) {
			assert_int_equal(window->value, cases[i].mixed);
			assert_int_equal(window->low, cases[i].tests);
			assert_int_equal(window->high, cases[i].mixed);
		}
		ifr_probe_release(&result);
	}
}

static void test_whole_cycles(void **state) {
	(void)state;
	double whole;
	assert_true(probe_estimate_whole(&(struct probe_estimate){10.1, 9.8, 10.3, true}, 1, &whole));
	assert_true(whole == 10);
	assert_false(probe_estimate_whole(&(struct probe_estimate){10.4, 10.1, 10.7, true}, 1, &whole));
	assert_false(probe_estimate_whole(&(struct probe_estimate){10, 9.9, 10.1, false}, 1, &whole));
	assert_false(probe_estimate_median((double[]){1, 1, 1, 1}, 4).told);
}

/* Twice the same is told, with both intervals; anything else is not. */
static void test_agreement(void **state) {
	(void)state;
	struct ifr_probe_result one = {0}, other = {0}, agreed = {0};
	probe_tell(&one, IFR_PROBE_CACHES, "l1d.ways", "", 8, "x");
	probe_tell(&other, IFR_PROBE_CACHES, "l1d.ways", "", 8, "x");
	probe_tell(&one, IFR_PROBE_CACHES, "l2.ways", "", 20, "x");
	probe_tell(&other, IFR_PROBE_CACHES, "l2.ways", "", 20.5, "x");
	probe_tell_interval(&one, IFR_PROBE_CACHES, "near", "", (double[]){10, 9.9, 10.1}, "x");
	probe_tell_interval(&other, IFR_PROBE_CACHES, "near", "", (double[]){10.3, 10.2, 10.4}, "x");
	probe_tell_interval(&one, IFR_PROBE_CACHES, "far", "", (double[]){10, 9.9, 10.1}, "x");
	probe_tell_interval(&other, IFR_PROBE_CACHES, "far", "", (double[]){15, 14, 16}, "x");
	probe_tell(&one, IFR_PROBE_CACHES, "once", "", 1, "x");
	probe_tell_nothing(&other, IFR_PROBE_CACHES, "once", "noise");
	probe_tell_agreed(&agreed, &one, &other);
	assert_true(ifr_probe_find(&agreed, "l1d.ways")->told);
	assert_false(ifr_probe_find(&agreed, "l2.ways")->told);
	assert_true(ifr_probe_find(&agreed, "near")->told);
	assert_true(ifr_probe_find(&agreed, "near")->low < 9.95 && ifr_probe_find(&agreed, "near")->high > 10.35);
	assert_false(ifr_probe_find(&agreed, "far")->told);
	assert_false(ifr_probe_find(&agreed, "once")->told);
	assert_string_equal(ifr_probe_find(&agreed, "once")->experiment, "noise");
	ifr_probe_release(&one);
	ifr_probe_release(&other);
	ifr_probe_release(&agreed);
}

/* --- histories ----------------------------------------------------------------------------------------------------- */

/* A predictor by definition: a two-bit counter, weakly taken at the start, for each branch, local and global history side
 * by side. */
struct memory {
	unsigned local, global; /* bits */
};
enum { ENTRIES = 1 << 20 };

static double count_missed(void *data, const struct probe_item *items, size_t count, size_t rounds) {
	const struct memory *memory = data;
	uint8_t *table = memset(calloc(ENTRIES, 1), 2, ENTRIES);
	uint64_t *local = calloc(count, sizeof *local), global = 0, missed = 0;
	for (size_t round = 0; round < 8 * rounds; round++)
		for (size_t j = 0; j <= count; j++) { /* the last is the loop's */
			const bool taken = j == count || (items[j].outcomes && items[j].outcomes[round % rounds]);
			const uint64_t key[] = {j, j < count ? local[j] & ((1ull << memory->local) - 1) : 0,
			                        global & ((1ull << memory->global) - 1)};
			uint8_t *entry = &table[ifr_siphash(0, 0, key, sizeof key) % ENTRIES];
			missed += round >= 4 * rounds && (*entry > 1) != taken;
			*entry = (uint8_t)(taken ? *entry + (*entry < 3) : *entry - (*entry > 0));
			if (j < count)
				local[j] = local[j] << 1 | taken;
			global = global << 1 | taken;
		}
	free(local);
	free(table);
	return (double)missed / (double)(4 * rounds);
}

static void test_flow(void **state) {
	(void)state;
	static const struct {
		struct memory memory;
		unsigned local, global;
	} cases[] = {{{4, 0}, 4, 0}, {{7, 0}, 7, 0}, {{0, 16}, 0, 16}, {{0, 8}, 0, 8}, {{4, 1}, 4, 1}, {{4, 6}, 4, 6}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct memory memory = cases[i].memory;
		const struct probe_outcomes outcomes = {count_missed, NULL, &memory, 1};
		struct probe_histories found;
		probe_histories_find(&outcomes, &found);
		if (found.local_bits != cases[i].local || found.global_bits != cases[i].global)
			fail_msg("%u local and %u global bits: found %u and %u", memory.local, memory.global, found.local_bits,
			         found.global_bits);
	}
}

static void test_correlation(void **state) {
	(void)state;
	for (unsigned bits = 0; bits <= at_depth(6, 12); bits += 2) {
		struct memory memory = {0, bits};
		const struct probe_outcomes outcomes = {count_missed, NULL, &memory, 1};
		assert_int_equal(probe_correlation_find(&outcomes, PROBE_ITEM_PATTERN, 0), bits);
	}
}

/* The core of zen4 takes 24 cycles of a round, and of a misprediction 3 behind the next slot where a jump follows, else
 * 2. */
static void test_redirect(void **state) {
	(void)state;
	static const struct {
		bool jumps;
		double equal, whole, around;
		double told; /* 0: it is not */
	} rows[] = {{true, 24, 17, 0.1, 14},   {false, 24, 17, 0.1, 15}, {true, 24.2, 15.1, 0.2, 12},
	            {true, 24, 17.5, 0.1, 0},  {true, 24, 17, 0.5, 0},   {true, 25, 17, 0.1, 0},
	            {false, 22.5, 17, 0.1, 0}, {false, 24, 1, 0.1, 0}};
	struct ifr_machine *zen4 = open_machine("zen4");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ifr_probe_result result = {0};
		struct probe_clocked probe = {.result = &result, .near = zen4};
		const struct probe_late_loop loop = {"fetch.redirect", "made up", rows[i].jumps};
		const struct probe_estimate equal = {rows[i].equal, rows[i].equal, rows[i].equal, true},
									whole = {rows[i].whole, rows[i].whole - rows[i].around,
		                                     rows[i].whole + rows[i].around, true};
		probe_tell_redirect(&probe, &loop, &equal, &whole);
		const struct ifr_probe_finding *finding = ifr_probe_find(&result, loop.key);
		if (finding->told != (rows[i].told > 0) || finding->value < rows[i].told || finding->value > rows[i].told)
			fail_msg("row %zu: %g: %s", i, finding->value, finding->experiment);
		ifr_probe_release(&result);
	}
	ifr_machine_free(zen4);
}

/* Ref: Lipp et al. 2020: each bit of the hash is the sum of two bits of the address. */
static unsigned hash_of_way(uint64_t address) {
	static const unsigned both[][2] = {{12, 27}, {13, 26}, {14, 25}, {15, 20},
	                                   {16, 21}, {17, 22}, {18, 23}, {19, 24}};
	unsigned hash = 0;
	for (unsigned i = 0; i < sizeof both / sizeof *both; i++)
		hash |= (unsigned)((address >> both[i][0] ^ address >> both[i][1]) & 1) << i;
	return hash;
}

static void assert_way_tag(const enum probe_answer conflicts[PROBE_WAY_PAIRS], const char *word) {
	struct ifr_probe_result result = {0};
	probe_tell_way_tag(&result, conflicts);
	const struct ifr_probe_finding *finding = ifr_probe_find(&result, "pipeline.way_tag");
	assert_int_equal(finding->told, word != NULL);
	if (word)
		assert_string_equal(finding->word, word);
	ifr_probe_release(&result);
}

/* Pairs of lines of one set. Caches by hashes, one by whole addresses; and all that is none of these is not told. */
static void test_way_tag(void **state) {
	(void)state;
	enum { WHOLE, HASHED, HASHED_HIGH, WAYS };
	static const char *const words[WAYS] = {"whole", "hashed", "hashed-high"};
	enum probe_answer all[WAYS][PROBE_WAY_PAIRS];
	unsigned equal = 0;
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 2);
		probe_way_pair(&kernel, i);
		assert_int_equal(kernel.addresses_count, 2 * PROBE_WAY_LOADS);
		const uint64_t *lines = kernel.addresses, one = lines[0], other = lines[PROBE_WAY_LOADS];
		for (size_t k = 0; k < kernel.addresses_count; k++)
			assert_int_equal(lines[k] / 64, (k < PROBE_WAY_LOADS ? one : other) / 64);
		assert_int_equal(one % 4096, other % 4096);
		assert_int_not_equal(one, other);
		const bool alike = hash_of_way(one) == hash_of_way(other);
		equal += alike;
		all[WHOLE][i] = PROBE_NO;
		all[HASHED][i] = alike ? PROBE_YES : PROBE_NO;
		all[HASHED_HIGH][i] = alike && one >> 28 == other >> 28 ? PROBE_YES : PROBE_NO;
		probe_kernel_release(&kernel);
	}
	assert_in_range(equal, 8, PROBE_WAY_PAIRS - 4);
	for (unsigned way = 0; way < WAYS; way++) {
		enum probe_answer *answers = all[way];
		assert_way_tag(answers, words[way]);
		for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
			const enum probe_answer was = answers[i];
			answers[i] = was == PROBE_YES ? PROBE_NO : PROBE_YES;
			assert_way_tag(answers, NULL);
			answers[i] = PROBE_UNCLEAR;
			assert_way_tag(answers, NULL);
			answers[i] = was;
		}
	}
}

/* Returns the period of 32 points of which the last `slow` of each `period` take two cycles, others one. */
static size_t period_of(unsigned period, unsigned slow) {
	static struct probe_window_curve curve;
	double least, most;
	curve.count = 32;
	for (unsigned i = 0; i < curve.count; i++) {
		const double cycles = i % period < period - slow ? 1 : 2;
		curve.points[i].y = (struct probe_estimate){cycles, cycles, cycles, true};
	}
	return probe_curve_find_period(&curve, &least, &most);
}

/* By hand: points half a period apart differ as those of no other distance do. Neighbours are alike where as many are
 * slow as fast, and that is no period. */
static void test_periods(void **state) {
	(void)state;
	assert_int_equal(period_of(16, 8), 16);
	assert_int_equal(period_of(16, 1), 16);
	assert_int_equal(period_of(8, 4), 8);
	assert_int_equal(period_of(2, 1), 2);
	assert_int_equal(period_of(32, 32), 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets_and_ways),
		cmocka_unit_test(test_sets_behind_others),
		cmocka_unit_test(test_unclear_answers),
		cmocka_unit_test(test_lru_misses),
		cmocka_unit_test(test_middle_of_random_pages),
		cmocka_unit_test(test_no_middle),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_no_edges),
		cmocka_unit_test(test_lone_points),
		cmocka_unit_test(test_disturbed_repetitions),
		cmocka_unit_test(test_known_caches),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_whole_cycles),
		cmocka_unit_test(test_redirect),
		cmocka_unit_test(test_way_tag),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_correlation),
		cmocka_unit_test(test_agreement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
