/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of the BTB of a described core, by the cycles of a taken branch in each: no event tells their hits apart.
 *
 * Idea: as many branches as a level has take as long as few of them; of more, in all sets, each is found one level
 * further out.
 * Invariant: the machine has a large op cache here, of windows by the first byte of an instruction, and neither an
 * instruction cache nor an ITLB, so that branches differ in their level alone. Levels that take as long as another are
 * not told apart. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <math.h>

enum { BRANCHES_MOST = 1 << 16, CODE_MOST = 1 << 30, NEAREST = 8, FEW = 2, LEVELS = 3, SETS = 4096, WAYS = 64 };

/* Branches that take at most so many cycles fit. */
struct limit {
	struct probe_described *probe;
	struct ifr_machine machine;
	double cycles, loop; /* and those of the loop */
};

static double count(struct limit *limit, const struct probe_places *places, enum ifr_event event) {
	struct probe_kernel kernel;
	double events[IFR_EVENT_COUNT] = {0};
	probe_kernel_init(&kernel, 0);
	probe_branch_chain(&kernel, places);
	if (!limit->probe->model.err.code)
		probe_modelled_core(&limit->machine, &kernel, events, &limit->probe->model.err);
	probe_kernel_release(&kernel);
	return events[event];
}

static double measure(struct limit *limit, const struct probe_places *places) {
	return count(limit, places, IFR_EVENT_CYCLES);
}

/* A branch that is found further out takes a cycle more, and so do all others of its set. */
static enum probe_answer take_as_few(void *data, const struct probe_places *places) {
	struct limit *limit = data;
	const double more = measure(limit, places) - limit->cycles;
	return more * (double)places->count < limit->loop + 1.5 ? PROBE_YES : PROBE_NO;
}

/* Branches one in each granule. Of one set, where no granule shows, 16 bytes apart. */
static struct probe_places lay_outside(const struct probe_organisation *found, size_t count) {
	enum { NEAR = 16 };
	const uint64_t distance = found->ways == found->entries ? NEAR : found->granule;
	return (struct probe_places){count, 1, distance, distance};
}

/* Whether lower bits of addresses choose the set than those that distances of 8 bytes and more show. */
static bool fits_at_odd_distance(struct limit *limit, const struct probe_organisation *found) {
	enum { FARTHEST = 128 };
	for (uint64_t distance = NEAREST; distance <= FARTHEST; distance *= 2) {
		const struct probe_places places = {found->entries + 1, 1, distance + 1, distance + 1};
		if (take_as_few(limit, &places) == PROBE_YES)
			return true;
	}
	return false;
}

static bool misses_all(struct probe_described *probe, const struct probe_organisation *found) {
	const struct probe_places places = lay_outside(found, 2 * found->entries);
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_branch_chain(&kernel, &places);
	return probe_modelled_rate(&probe->model, &kernel, IFR_EVENT_BTB_MISSES) > 0.9;
}

/* Cycles of a branch that a level does not have, and the next one has: of an eighth more, in a level of ways, an eighth
 * of its sets have one too many at least. So the most that any number takes is a branch's further out. */
static double measure_outside(struct limit *limit, const struct probe_organisation *found) {
	enum { STEPS = 8 };
	double most = 0;
	for (size_t i = 1; i <= STEPS; i++) {
		const size_t count = found->entries + (found->entries * i + STEPS - 1) / STEPS;
		const struct probe_places places = lay_outside(found, count);
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_branch_chain(&kernel, &places);
		/* A branch that no level has takes longer still. */
		if (probe_modelled_rate(&limit->probe->model, &kernel, IFR_EVENT_BTB_MISSES) < 0.001)
			most = fmax(most, measure(limit, &places) - limit->loop / (double)count);
	}
	return most;
}

static void tell_level(struct probe_described *probe, unsigned level, const struct probe_organisation *found) {
	static const char *const keys[LEVELS][3] = {{"btb1.entries", "btb1.ways", "btb1.index_bit"},
	                                            {"btb2.entries", "btb2.ways", "btb2.index_bit"},
	                                            {"btb3.entries", "btb3.ways", "btb3.index_bit"}};
	probe_tell(probe->result, IFR_PROBE_BTB, keys[level][0], "", (double)found->entries,
	           "taken branches that take as long as few of them");
	if (!found->ways)
		return;
	probe_tell(probe->result, IFR_PROBE_BTB, keys[level][1], "", (double)found->ways,
	           "taken branches at any distance that take as long as few");
	if (found->ways < found->entries)
		probe_tell(probe->result, IFR_PROBE_BTB, keys[level][2], "", __builtin_ctzll(found->granule),
		           "the largest distance at which %zu branches take as long as few", found->entries);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_BTB, keys[level][2], "one set has no index");
}

/* Straight code of few long instructions: a window takes what the predictor takes for it, if that is more than a cycle.
 * Returns the cycles of a window. */
static double tell_prediction(struct probe_described *probe) {
	enum { BYTES = 4096 };
	static const char key[] = "fetch.prediction";
	const unsigned window = probe_described_window(probe);
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_long_nops(&kernel, BYTES, 0);
	const double cycles = probe_described_event(probe, &kernel, IFR_EVENT_CYCLES) * window / BYTES;
	if (window && cycles > 1.8) {
		probe_tell(probe->result, IFR_PROBE_BTB, key, "cycles", round(cycles),
		           "a window of straight code of few long nops");
		return round(cycles);
	}
	probe_tell_nothing(probe->result, IFR_PROBE_BTB, key, "a window takes no more than its slots");
	return 1;
}

static void tell_bubble(struct probe_described *probe, unsigned level, double cycles, double window) {
	static const char *const keys[LEVELS] = {"fetch.bubble1", "fetch.bubble2", "fetch.bubble3"};
	static const char *const experiments[LEVELS] = {"a taken branch of few, less those of a window",
	                                                "a taken branch of the second BTB, less those of a window",
	                                                "a taken branch of the third BTB, less those of a window"};
	probe_tell(probe->result, IFR_PROBE_BTB, keys[level], "cycles", fmax(round(cycles - window), 0), "%s",
	           experiments[level]);
}

/* Whether fetch is what limits a chain of few taken branches: rename waits for slots. */
static bool limits_chain(struct limit *limit) {
	const struct probe_places few = {FEW, 1, NEAREST, NEAREST};
	return count(limit, &few, IFR_EVENT_UNDELIVERED) > 0.5 * FEW;
}

static void tell_taken(struct limit *limit, double window) {
	struct ifr_probe_result *result = limit->probe->result;
	/* Behind a bubble fetch stops at each, and a window that is predicted has one. */
	if (limit->cycles > 1.01 || window > 1.5)
		probe_tell_nothing(result, IFR_PROBE_BTB, "fetch.taken", "a taken branch takes more than a cycle");
	else if (!limits_chain(limit))
		probe_tell_nothing(result, IFR_PROBE_BTB, "fetch.taken", "no more taken branches execute in a cycle");
	else
		probe_tell(result, IFR_PROBE_BTB, "fetch.taken", "", round(1 / limit->cycles),
		           "taken branches of few, in a cycle");
}

static void init_limit(struct limit *limit, struct probe_described *probe) {
	enum { MORE = 2 };
	const struct probe_places few = {FEW, 1, NEAREST, NEAREST}, more = {MORE * FEW, 1, NEAREST, NEAREST};
	*limit = (struct limit){.probe = probe, .machine = *probe->model.machine};
	unsigned *values = limit->machine.values;
	values[IFR_L1I_BYTES] = values[IFR_ITLB_ENTRIES] = values[IFR_LOOP_BUFFER_OPS] = 0;
	if (values[IFR_OP_CACHE_SETS]) {
		values[IFR_OP_CACHE_SETS] = SETS;
		values[IFR_OP_CACHE_WAYS] = WAYS;
		values[IFR_OP_CACHE_BYTE] = 0;
	}
	/* The slope of few is a branch's; the rest is the loop's. */
	const double in_all = measure(limit, &few) * FEW;
	limit->cycles = (measure(limit, &more) * MORE * FEW - in_all) / ((MORE - 1) * FEW);
	limit->loop = fmax(in_all - limit->cycles * FEW, 0);
}

unsigned probe_described_levels(struct probe_described *probe, unsigned levels) {
	struct limit limit;
	struct probe_organisation found[LEVELS];
	double cycles[LEVELS] = {0};
	unsigned seen = 0;
	init_limit(&limit, probe);
	const struct probe_question question = {take_as_few, &limit, BRANCHES_MOST, CODE_MOST};
	const double window = tell_prediction(probe);
	tell_taken(&limit, window);
	for (;; seen++) {
		cycles[seen] = limit.cycles;
		probe_find_organisation(&question, NEAREST, 0, &found[seen]);
		if (seen && found[seen].entries)
			probe_find_ways(&question, &found[seen], found[seen].entries / 16);
		if (found[seen].entries && fits_at_odd_distance(&limit, &found[seen]))
			return 0;
		if (!found[seen].entries || seen + 1 == LEVELS || misses_all(probe, &found[seen]))
			break;
		limit.cycles = measure_outside(&limit, &found[seen]);
	}
	if (levels)
		tell_bubble(probe, 0, cycles[0], window);
	for (unsigned level = 0; level < seen && seen + 1 == levels; level++) {
		tell_level(probe, level, &found[level]);
		tell_bubble(probe, level + 1, cycles[level + 1], window);
	}
	return seen + 1 == levels ? seen : 0;
}
