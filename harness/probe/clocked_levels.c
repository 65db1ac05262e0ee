/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of the BTB by the clock, as settings of a description: entries of each, the lowest bit of its index, and the
 * cycles that a taken branch loses by it. */
#include "harness/probe/clocked_levels.h"

#include <math.h>
#include <stdlib.h>

#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

enum {
	LEVELS = 3,
	WINDOW_BYTES = 64,
	FEWEST_OPS = 6, /* of 11 bytes at most */
	STRAIGHT_BYTES = 4096,
	WINDOWS = 16
};

static const char *const entries_keys[LEVELS] = {"btb1.entries", "btb2.entries", "btb3.entries"},
						 *const index_keys[LEVELS] = {"btb1.index_bit", "btb2.index_bit", "btb3.index_bit"},
						 *const bubble_keys[LEVELS] = {"fetch.bubble1", "fetch.bubble2", "fetch.bubble3"};

static unsigned count_levels(const struct ifr_machine *machine) {
	static const enum ifr_setting all[LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	unsigned count = 0;
	while (count < LEVELS && machine->values[all[count]])
		count++;
	return count;
}

/* --- entries ---------------------------------------------------------------------------------------------------- */

/* Whether sets, a power of two, of at most 16 ways or of a multiple have so many entries. */
static bool is_round(double count) {
	const size_t whole = (size_t)count;
	return whole && whole >> __builtin_ctzll(whole) < 16;
}

/* Counts from one on the curve that fits, through its eighths, to one that does not: the last that takes as long as
 * the first two. Returns whether it is clear. */
static bool refine(struct probe_clocked *probe, const struct probe_level *level, uint64_t distance, double *fits,
                   double *fails) {
	enum { EIGHTHS = 8, BEFORE = 2, POINTS = EIGHTHS + BEFORE };
	static const char *const no_keys[] = {NULL};
	struct probe_point points[POINTS];
	struct probe_batch batch;
	size_t edge = 0, octave = 1;
	while (2 * octave <= level->count)
		octave *= 2;
	const size_t step = octave / 4 / EIGHTHS;
	if (!step)
		return false;
	probe_batch_init(&batch, true, probe->batch_ns);
	batch.learns_slowly = true;
	for (size_t i = 0; i < POINTS; i++) {
		const size_t count = level->count + i * step - (BEFORE - 1) * step;
		points[i].x = (double)count;
		probe_branch_chain(probe_batch_add(&batch), &(struct probe_places){count, 1, distance, distance});
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_BTB, no_keys);
	for (size_t i = 0; measured && i < POINTS; i++)
		points[i].y = probe_batch_cycles(&batch, i + 1, 0);
	probe_batch_release(&batch);
	const double low = (points[0].y.value + points[1].y.value) / 2, rise = level->rise.value;
	/* One branch too many in a set moves all of the set: of a direct-mapped level two for each step. */
	const struct probe_border border = {low + 0.02 * rise, low + 0.04 * rise};
	if (!measured || !probe_curve_edge(points, POINTS - 1, border, &edge))
		return false;
	*fits = points[edge].x;
	*fails = points[edge + 1].x;
	return true;
}

static void tell_entries(struct probe_clocked *probe, unsigned number, const struct probe_level *level,
                         unsigned first_bit) {
	const uint64_t distance = UINT64_C(1) << (first_bit + level->distance);
	double fits = 0, fails = 0;
	if (!refine(probe, level, distance, &fits, &fails))
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, entries_keys[number],
		                   "taken branches take longer above some %zu, and no number is clear", level->count);
	else if (!is_round(fits))
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, entries_keys[number],
		                   "%.0f taken branches fit, which no sets and ways have", fits);
	else
		probe_tell_interval(probe->result, IFR_PROBE_BTB, entries_keys[number], "",
		                    (double[]){fits, fits, fails - 1},
		                    "taken branches that take no longer, the same number up to %llu bytes apart",
		                    (unsigned long long)distance);
	if (level->index_bit >= 0)
		probe_tell(probe->result, IFR_PROBE_BTB, index_keys[number], "", level->index_bit,
		           "the largest distance at which as many taken branches are fast; at twice that, half as many");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, index_keys[number],
		                   "at no distance surely half as many taken branches are fast");
}

/* --- op caches -------------------------------------------------------------------------------------------------- */

enum verdict { UNCLEAR, OF_BRANCHES, OF_CODE };

/* An op cache, too, may hold as many branches at several distances: a line ends at a taken branch. But straight code
 * takes its lines as well, and no entries of a BTB. So of branches that a level has, behind straight code of zeroed
 * registers of more lines than are left, some more take as long as without it, or they take longer: then the level is of
 * code. Two counts are compared, so that it does not matter what the straight code takes. */
static enum verdict judge(struct probe_clocked *probe, const struct probe_level *level, unsigned first_bit) {
	static const char *const no_keys[] = {NULL};
	enum { LINES_MOST = 1024, OF_LINE = 8, CHAIN = 1, BEHIND = 3 };
	const size_t half = level->count / 2, lines = half < LINES_MOST ? half : LINES_MOST;
	const size_t counts[] = {level->count - lines / 2, level->count};
	const uint64_t distance = UINT64_C(1) << (first_bit + level->nearest);
	struct probe_batch batch;
	enum verdict verdict = UNCLEAR;
	probe_batch_init(&batch, true, probe->batch_ns);
	batch.learns_slowly = true;
	for (unsigned i = 0; i < 4; i++)
		probe_branch_chain_behind(probe_batch_add(&batch),
		                          &(struct probe_places){counts[i % 2], 1, distance, distance},
		                          i / 2 * lines * OF_LINE);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_BTB, no_keys)) {
		const double fewer = (double)counts[0], all = (double)counts[1], more = all - fewer,
					 limit = level->rise.value / 4;
		const struct probe_estimate chain = probe_batch_difference(&batch, CHAIN + 1, all, CHAIN, fewer),
									behind = probe_batch_difference(&batch, BEHIND + 1, all, BEHIND, fewer);
		if (chain.told && behind.told && behind.high - chain.low < limit * more)
			verdict = OF_BRANCHES;
		else if (chain.told && behind.told && behind.low - chain.high > limit * more)
			verdict = OF_CODE;
	}
	probe_batch_release(&batch);
	return verdict;
}

/* Leaves levels of code out. Returns false where one is not clear. */
static bool keep_branches(struct probe_clocked *probe, struct probe_levels *levels, unsigned first_bit) {
	size_t kept = 0;
	for (size_t i = 0; i < levels->count; i++) {
		const enum verdict verdict = judge(probe, &levels->levels[i], first_bit);
		if (verdict == UNCLEAR)
			return false;
		if (verdict == OF_BRANCHES)
			levels->levels[kept++] = levels->levels[i];
	}
	levels->count = kept;
	return true;
}

/* --- bubbles ---------------------------------------------------------------------------------------------------- */

/* Straight code, by its 64 bytes, and taken branches each at the end of 64 bytes: few long nops. */
struct straight {
	struct probe_estimate code, windows;
};

static bool measure_straight(struct probe_clocked *probe, struct straight *straight) {
	static const char *const no_keys[] = {NULL};
	const struct probe_windows windows = {
		.count = WINDOWS, .distance = 2 * WINDOW_BYTES, .bytes = WINDOW_BYTES, .ops = FEWEST_OPS};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_long_nops(probe_batch_add(&batch), STRAIGHT_BYTES, 0);
	probe_windows(probe_batch_add(&batch), &windows);
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_BTB, no_keys);
	if (measured) {
		const double parts = (double)STRAIGHT_BYTES / WINDOW_BYTES;
		const struct probe_estimate code = probe_batch_cycles(&batch, 1, 0);
		straight->code =
			(struct probe_estimate){code.value / parts, code.low / parts, code.high / parts, code.told};
		straight->windows = probe_batch_cycles(&batch, 2, 0);
	}
	probe_batch_release(&batch);
	return measured;
}

/* The cycles of a window, at least one: what straight code takes. Where a taken branch at the end of 64 bytes takes
 * more than one alone, windows have 32 bytes, and the first of two takes the rest. Returns 0 where it is not clear. */
static double find_window_cycles(const struct probe_estimate *few, const struct straight *straight) {
	const struct probe_estimate more = {straight->windows.value - few->value, straight->windows.low - few->high,
	                                    straight->windows.high - few->low, straight->windows.told && few->told};
	double whole;
	if (!probe_estimate_whole(&more, 1, &whole))
		return 0;
	if (whole > 0)
		return whole;
	return probe_estimate_whole(&straight->code, 1, &whole) ? fmax(whole, 1) : 0;
}

static void tell_bubbles(struct probe_clocked *probe, const struct probe_levels *levels, unsigned count) {
	double bubble = 0, whole, window = 1;
	struct straight straight = {.code = {.told = false}};
	const bool is_whole = probe_estimate_whole(&levels->few, 1, &whole);
	/* Nothing is lost in one cycle. */
	if (is_whole && whole > 1 && measure_straight(probe, &straight))
		window = find_window_cycles(&levels->few, &straight);
	else if (is_whole && whole > 1)
		window = 0;
	const bool is_told = is_whole && window > 0 && whole >= window;
	if (is_told) {
		bubble = whole - window;
		const double values[] = {bubble, levels->few.low - window, levels->few.high - window};
		probe_tell_interval(probe->result, IFR_PROBE_BTB, bubble_keys[0], "cycles", values,
		                    "a taken branch of few, less those of a window of straight code");
	} else {
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, bubble_keys[0],
		                   "%.3g to %.3g cycles of a taken branch of few, of which straight code takes %.3g",
		                   levels->few.low, levels->few.high, straight.code.value);
	}
	for (unsigned level = 1; level < count; level++) {
		const struct probe_level *inner = &levels->levels[level - 1];
		const bool is_clear = is_told && inner->is_rise_told && probe_estimate_whole(&inner->rise, 1, &whole);
		if (is_clear) {
			const double values[] = {bubble + whole, bubble + inner->rise.low, bubble + inner->rise.high};
			probe_tell_interval(probe->result, IFR_PROBE_BTB, bubble_keys[level], "cycles", values,
			                    "a taken branch of this level, less one of the first, and its bubble");
			bubble += whole;
			continue;
		}
		for (; level < count; level++)
			probe_tell_nothing(
				probe->result, IFR_PROBE_BTB, bubble_keys[level],
				"a taken branch takes %.3g to %.3g cycles more than one of the level before, or not "
				"the same at two distances",
				inner->rise.low, inner->rise.high);
	}
}

void probe_clocked_levels(struct probe_clocked *probe,
                          const struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS],
                          unsigned first_bit) {
	struct probe_levels levels = {.count = 0}, others;
	const unsigned count = count_levels(probe->near);
	if (!count)
		return;
	const bool is_clear =
		probe_levels_find(curves, first_bit, 0, &levels) && keep_branches(probe, &levels, first_bit);
	if (is_clear && levels.count != count && probe_levels_find(curves, first_bit, 1, &others) &&
	    keep_branches(probe, &others, first_bit) && others.count == count)
		levels = others;
	/* The first level may have fewer entries than the curves have branches. */
	if (!is_clear || levels.count != count) {
		for (unsigned i = 0; i < 2 * count; i++)
			probe_tell_nothing(
				probe->result, IFR_PROBE_BTB, i % 2 ? bubble_keys[i / 2] : entries_keys[i / 2],
				"%zu levels show, which end at as many taken branches at two distances, and the near "
				"description has %u",
				levels.count, count);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		tell_entries(probe, i, &levels.levels[i], first_bit);
	tell_bubbles(probe, &levels, count);
}
