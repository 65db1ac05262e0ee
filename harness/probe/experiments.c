/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/experiments.h"

#include <stdlib.h>

#include "common/random.h"

enum { ROUNDS_MOST = 1 << 20, ITEMS_MOST = 1 << 22 /* outcomes of a kernel */ };
#define CODE_MOST (UINT64_C(1) << 30)
#define DATA_MOST (UINT64_C(1) << 31)

static const char too_far[] = "the places lie too far apart: fewer of them, or nearer ones";
static const char too_many[] = "too many branches for so many rounds: fewer of either";

static uint8_t *make_outcomes(size_t rounds) {
	return ifr_alloc(rounds);
}

/* 1...10: not taken once in `period` rounds. */
static uint8_t *make_pattern(size_t period, size_t rounds) {
	uint8_t *outcomes = make_outcomes(rounds);
	for (size_t i = 0; i < rounds; i++)
		outcomes[i] = (i + 1) % period != 0;
	return outcomes;
}

static uint8_t *draw_below(uint64_t seed, uint64_t draw, unsigned below, size_t rounds) {
	uint8_t *drawn = make_outcomes(rounds);
	for (size_t i = 0; i < rounds; i++)
		drawn[i] = (uint8_t)(ifr_siphash(seed, draw, &i, sizeof i) % below);
	return drawn;
}

static size_t round_up(size_t least, size_t period) {
	return (least + period - 1) / period * period;
}

static const char *build_branches(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const struct probe_places places = {values[0], values[2], values[3], values[1]};
	(void)seed;
	if (values[2] > values[0])
		return "there are more groups than branches";
	if (probe_places_span(&places) > CODE_MOST)
		return too_far;
	if (values[2] > 1 && values[3] < 8)
		return "branches of groups lie 8 bytes apart at least: a larger granule";
	probe_branch_chain(kernel, &places);
	return NULL;
}

static const char *build_calls(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	(void)seed;
	probe_call_nest(kernel, values[0]);
	return NULL;
}

static const char *build_chase(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const struct probe_places places = {values[0], values[2], values[3], values[1]};
	if (values[2] > values[0])
		return "there are more groups than loads";
	if (probe_places_span(&places) > DATA_MOST)
		return too_far;
	probe_chase(kernel, &places, values[4] ? seed : 0);
	return NULL;
}

/* A spy of a pattern behind dummies that are never taken, and branches with random outcomes. */
static const char *build_pattern(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const size_t period = values[0], dummies = values[1], random = values[2], count = dummies + random + 1,
				 rounds = round_up(values[5], period);
	if (count * rounds > ITEMS_MOST)
		return too_many;
	struct probe_item *items = ifr_alloc(count * sizeof *items);
	uint8_t *pattern = make_pattern(period, rounds);
	uint8_t **drawn = ifr_alloc((random + 1) * sizeof *drawn);
	for (size_t i = 0; i < random; i++)
		items[dummies + i].outcomes = drawn[i] = draw_below(seed, i, 2, rounds);
	items[count - 1].outcomes = pattern;
	probe_pattern_loop(kernel, items, count, rounds, (unsigned)values[3], values[4]);
	for (size_t i = 0; i < random; i++)
		free(drawn[i]);
	free(drawn);
	free(pattern);
	free(items);
	return NULL;
}

/* Two branches of periods l1 and l2, dummies, and a third that is not taken when both are not. */
static const char *build_two_patterns(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const size_t dummies = values[2], count = dummies + 3, rounds = round_up(values[5], values[0] * values[1]);
	(void)seed;
	if (count * rounds > ITEMS_MOST)
		return too_many;
	uint8_t *first = make_pattern(values[0], rounds), *second = make_pattern(values[1], rounds),
			*spy = make_outcomes(rounds);
	struct probe_item *items = ifr_alloc(count * sizeof *items);
	for (size_t i = 0; i < rounds; i++)
		spy[i] = first[i] | second[i];
	items[0].outcomes = first;
	items[1].outcomes = second;
	items[count - 1].outcomes = spy;
	probe_pattern_loop(kernel, items, count, rounds, (unsigned)values[3], values[4]);
	free(items);
	free(spy);
	free(second);
	free(first);
	return NULL;
}

static const char *build_equal_patterns(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const size_t rounds = round_up(values[3], values[0]);
	uint8_t *pattern = make_pattern(values[0], rounds);
	const struct probe_item items[] = {{.outcomes = pattern}, {.outcomes = pattern}};
	(void)seed;
	probe_pattern_loop(kernel, items, 2, rounds, (unsigned)values[1], values[2]);
	free(pattern);
	return NULL;
}

static const char *build_correlation(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	const size_t between = values[0], count = between + 2, rounds = values[5];
	if (count * rounds > ITEMS_MOST)
		return too_many;
	struct probe_item *items = ifr_alloc(count * sizeof *items);
	uint8_t *random = draw_below(seed, 0, 2, rounds);
	for (size_t i = 1; i <= between; i++)
		items[i].kind = values[1] ? PROBE_ITEM_JUMP : PROBE_ITEM_PATTERN;
	items[0].outcomes = random;
	items[count - 1].outcomes = values[2] ? random : NULL;
	probe_pattern_loop(kernel, items, count, rounds, (unsigned)values[3], values[4]);
	free(random);
	free(items);
	return NULL;
}

static const char *build_indirect(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	struct probe_indirect indirect = {
		.targets = (unsigned)values[0], .between = (unsigned)values[1], .rounds = values[4]};
	if (values[1] * values[4] > ITEMS_MOST)
		return too_many;
	uint8_t *random = draw_below(seed, 0, indirect.targets, indirect.rounds);
	if (values[2])
		for (size_t i = 0; i < indirect.rounds; i++)
			random[i] = (uint8_t)(i % values[2] % indirect.targets);
	indirect.which[0] = random;
	indirect.which[1] = values[3] ? random : NULL;
	probe_indirect_loop(kernel, &indirect);
	free(random);
	return NULL;
}

static const char *build_nops(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	(void)seed;
	if (values[0] * values[1] > UINT16_MAX / 2)
		return "straight code has at most 32767 bytes";
	probe_nops(kernel, values[0], (unsigned)values[1]);
	return NULL;
}

/* Whether the instructions of a segment of so many bytes have 1 to 11 bytes each behind those of 4. */
static bool fits_segment(const struct probe_windows *windows, unsigned bytes) {
	enum { FIRST = 4, LONGEST = 11 };
	const unsigned first = windows->stalls ? windows->stalls : 1,
				   others = windows->ops > first ? windows->ops - first : 0, left = bytes - FIRST * first;
	return bytes >= FIRST * first && (!others || (others <= left && (left + others - 1) / others <= LONGEST));
}

static const char *build_windows(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	enum { JUMP = 5, SHORT_JUMP = 2, PAIR = 9, LONGEST_BLOCK = 32767 };
	const struct probe_windows windows = {.count = values[0],
	                                      .distance = values[1],
	                                      .bytes = (unsigned)values[2],
	                                      .ops = (unsigned)values[3],
	                                      .segments = (unsigned)values[4],
	                                      .jump_end = (unsigned)values[5],
	                                      .stalls = (unsigned)values[6],
	                                      .offset = (unsigned)values[7]};
	const unsigned parts = windows.segments ? windows.segments : 1,
				   bytes = windows.bytes - (windows.distance > windows.bytes ? JUMP : 0);
	(void)seed;
	if (windows.distance < windows.bytes)
		return "windows overlap: a larger distance";
	if (windows.count * windows.bytes > LONGEST_BLOCK)
		return "code has at most 32767 bytes: fewer windows";
	if (!fits_segment(&windows, bytes / parts - (windows.segments ? SHORT_JUMP : 0)) || bytes / parts < PAIR)
		return "a window's instructions have 1 to 11 bytes each: more of them, or fewer";
	if (windows.jump_end &&
	    (windows.jump_end < PAIR || windows.jump_end > bytes || windows.segments || windows.stalls))
		return "a jump ends at 9 or above, within a window, without segments and stalls";
	probe_windows(kernel, &windows);
	return NULL;
}

static const char *build_store_load(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	(void)seed;
	probe_store_load(kernel, values[0], values[1]);
	return NULL;
}

/* The store's data is a product with what the load before loaded: where the load waits for the store, a round takes the
 * latency of both. */
static const char *build_late_store(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	enum { NEAR = 1024, WIDTHS = 3 };
	static const struct {
		unsigned bytes;
		struct probe_step multiply, store, load;
	} widths[WIDTHS] = {
		{8, /* imul rdx, rax; mov [rcx + …], rdx; mov rax, [rcx + …] */
	     {{0x48, 0x0f, 0xaf, 0xd0}, 4, 0, false, false, 0, 0},
	     {{0x48, 0x89, 0x91, 0, 0, 0, 0}, 7, 8, true, false, NEAR, 1},
	     {{0x48, 0x8b, 0x81, 0, 0, 0, 0}, 7, 8, false, false, NEAR, 1}},
		{16, /* mulps xmm0, xmm1; movaps [rcx + …], xmm0; movaps xmm1, [rcx + …] */
	     {{0x0f, 0x59, 0xc1}, 3, 0, false, false, 0, 0},
	     {{0x0f, 0x29, 0x81, 0, 0, 0, 0}, 7, 16, true, false, NEAR, 1},
	     {{0x0f, 0x28, 0x89, 0, 0, 0, 0}, 7, 16, false, false, NEAR, 1}},
		{32, /* the same of ymm, by AVX */
	     {{0xc5, 0xfc, 0x59, 0xc1}, 4, 0, false, false, 0, 0},
	     {{0xc5, 0xfc, 0x29, 0x81, 0, 0, 0, 0}, 8, 32, true, false, NEAR, 1},
	     {{0xc5, 0xfc, 0x28, 0x89, 0, 0, 0, 0}, 8, 32, false, false, NEAR, 1}},
	};
	size_t width = 0;
	(void)seed;
	while (width < WIDTHS && widths[width].bytes != values[1])
		width++;
	if (width == WIDTHS)
		return "accesses have 8, 16 or 32 bytes";
	if (values[0] % values[1])
		return "distances are multiples of the access";
	struct probe_run runs[] = {
		{widths[width].multiply, values[2]}, {widths[width].store, 1}, {widths[width].load, 1}};
	runs[2].step.offset += (uint32_t)values[0];
	probe_steps(kernel, runs, 3, 1);
	return NULL;
}

static const char *build_split(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	(void)seed;
	probe_chase_self(kernel, values[0]);
	return NULL;
}

static const char *build_chain(struct probe_kernel *kernel, const uint64_t *values, uint64_t seed) {
	(void)values;
	(void)seed;
	probe_unit_chain(kernel);
	return NULL;
}

#define NONE IFR_EVENT_COUNT
#define SPACING                                                \
	{"spacing", 9, 4096, 17, "bytes from branch to branch"}, { \
		"offset", 0, 1 << 20, 0, "bytes before the loop"       \
	}
#define ROUNDS(initial) \
	{ "rounds", 1, ROUNDS_MOST, initial, "of a period, at least" }

const struct probe_experiment probe_experiments[] = {
	{"branches",
     "branches that are always taken, each to the next, at distances (Milenkovic et al. 2004, figures 7 to 9)",
     "branch",
     {{"branches", 2, 1 << 17, 512, "with the loop's own"},
      {"distance", 2, 1 << 28, 16, "bytes from branch to branch, of groups from group to group"},
      {"groups", 1, 1 << 16, 1, "of branches side by side at each distance"},
      {"granule", 2, 1 << 20, 16, "bytes between branches of a group"}},
     build_branches,
     {IFR_EVENT_BTB_MISSES, IFR_EVENT_L1I_MISSES, IFR_EVENT_ITLB_MISSES}},
	{"pattern",
     "a branch of pattern 1...10 behind others (steps 1, 2 and 6 of the paper; with random ones, a loop predictor)",
     "round",
     {{"period", 2, 1 << 16, 6, "length of the pattern: the trips of a loop"},
      {"dummies", 0, 1 << 14, 0, "branches before it that are never taken"},
      {"random", 0, 64, 0, "branches before it with random outcomes"},
      SPACING,
      ROUNDS(840)},
     build_pattern,
     {IFR_EVENT_CONDITIONAL_MISSES, IFR_EVENT_BTB_MISSES, NONE}},
	{"two-patterns",
     "branches of two periods, and one that depends on both (steps 3 and 4)",
     "round",
     {{"period1", 2, 256, 5, "of the first"},
      {"period2", 2, 256, 2, "of the second"},
      {"dummies", 0, 1 << 14, 0, "branches before the third that are never taken"},
      SPACING,
      ROUNDS(840)},
     build_two_patterns,
     {IFR_EVENT_CONDITIONAL_MISSES, NONE, NONE}},
	{"equal-patterns",
     "two branches of one pattern (step 5)",
     "round",
     {{"period", 2, 1 << 16, 6, "length of the pattern"}, SPACING, ROUNDS(840)},
     build_equal_patterns,
     {IFR_EVENT_CONDITIONAL_MISSES, NONE, NONE}},
	{"correlation",
     "a branch with random outcomes, others, and one that does the same as the first",
     "round",
     {{"between", 0, 1 << 14, 8, "branches between the two"},
      {"taken", 0, 1, 1, "1: these are jumps; 0: they are never taken"},
      {"equal", 0, 1, 1, "0: the last one is never taken, for comparison"},
      SPACING,
      ROUNDS(1024)},
     build_correlation,
     {IFR_EVENT_CONDITIONAL_MISSES, NONE, NONE}},
	{"indirect",
     "two indirect jumps, of which the second goes where the first went",
     "round",
     {{"targets", 1, PROBE_TARGETS_MOST, 4, "of each"},
      {"between", 0, 1 << 10, 0, "jumps between the two"},
      {"period", 0, 1 << 12, 0, "length of a pattern of the first's targets; 0: random"},
      {"equal", 0, 1, 1, "0: the second always goes to one target, for comparison"},
      ROUNDS(1024)},
     build_indirect,
     {IFR_EVENT_INDIRECT_MISSES, NONE, NONE}},
	{"calls",
     "nested calls and their returns",
     "call",
     {{"depth", 1, 2048, 16, "calls"}},
     build_calls,
     {IFR_EVENT_RETURN_MISSES, NONE, NONE}},
	{"chase",
     "a chase over pointers at distances",
     "load",
     {{"loads", 1, 1 << 22, 512, "in a round"},
      {"distance", 8, 1 << 28, 64, "bytes from load to load, of groups from group to group"},
      {"groups", 1, 1 << 16, 1, "of loads side by side at each distance"},
      {"granule", 8, 1 << 20, 64, "bytes between loads of a group"},
      {"shuffled", 0, 1, 1, "1: in a random order; 0: upwards"}},
     build_chase,
     {IFR_EVENT_L1D_LOAD_MISSES, IFR_EVENT_L2_MISSES, IFR_EVENT_DTLB_LOAD_MISSES}},
	{"straight",
     "straight code of nops",
     "nop",
     {{"nops", 1, 32767, 1024, "in a round"}, {"bytes", 1, 8, 1, "of each"}},
     build_nops,
     {IFR_EVENT_L1I_MISSES, NONE, NONE}},
	{"windows",
     "a loop over windows of code",
     "window",
     {{"windows", 1, 1024, 16, "in a round"},
      {"distance", 12, 1 << 16, 64, "bytes from window to window, with a jump where it is more than their bytes"},
      {"bytes", 12, 4096, 64, "of a window"},
      {"ops", 0, 4096, 0, "instructions of a segment; 0: few"},
      {"segments", 0, 64, 0, "parts of a window, each ended by a taken jump"},
      {"jump_end", 0, 4096, 0, "where a jump that is not taken ends; 0: none"},
      {"stalls", 0, 64, 0, "instructions whose prefix changes the length of their immediate"},
      {"offset", 0, 4095, 0, "of the first window in its page"}},
     build_windows,
     {IFR_EVENT_L1I_MISSES, NONE, NONE}},
	{"store-load",
     "a store, others elsewhere, and a load above the first one",
     "load",
     {{"between", 0, 1024, 0, "stores between"},
      {"distance", 0, 1 << 20, 4096, "bytes of the load above the store"}},
     build_store_load,
     {IFR_EVENT_ADDRESS_ALIAS, NONE, NONE}},
	{"late-store",
     "a store of a product with what was loaded before, and a load above it",
     "round",
     {{"distance", 0, 8192, 4096, "bytes of the load above the store"},
      {"bytes", 8, 32, 8, "of each access: 8, 16 or 32"},
      {"products", 1, 16, 1, "multiplications, each of which waits for the one before"}},
     build_late_store,
     {NONE, NONE, NONE}},
	{"split",
     "a chase over one pointer",
     "load",
     {{"offset", 0, 1 << 16, 60, "of the pointer in its page"}},
     build_split,
     {IFR_EVENT_SPLIT_LOADS, IFR_EVENT_PAGE_SPLIT_LOADS, NONE}},
	{"chain", "128 dependent exclusive ors", "exclusive or", {{0}}, build_chain, {NONE, NONE, NONE}},
	{0},
};
