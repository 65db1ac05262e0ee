/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/history.h"

#include <stdlib.h>

#include "common/random.h"

/* Rounds that a period of a pattern has at least, and one of random outcomes; of the latter some for each state of a
 * local history, up to one of so many bits. */
enum {
	ROUNDS = 840,
	RANDOM_ROUNDS = 509,
	FEW_RANDOM_ROUNDS = 127, /* of a loop with many branches, which takes long */
	MANY_BRANCHES = 256,
	ROUNDS_OF_STATE = 16,
	LONG_LOCAL = 10,
	TABLE_V_LONGEST = 5 /* step 6 goes up to this pattern, as in the paper's table V, missed or not */
};

/* Half of the mispredictions that a pattern makes which is missed once a period. */
static bool is_missed(double missed, unsigned period) {
	return missed > 0.5 / period;
}

/* 1...10: not taken once in `period` rounds. */
static uint8_t *make_pattern(unsigned period, size_t rounds) {
	uint8_t *outcomes = ifr_alloc(rounds);
	for (size_t i = 0; i < rounds; i++)
		outcomes[i] = (i + 1) % period != 0;
	return outcomes;
}

static size_t choose_rounds(unsigned period) {
	return (ROUNDS + period - 1) / period * period;
}

static double measure(const struct probe_outcomes *outcomes, const struct probe_item *items, size_t count,
                      size_t rounds, unsigned step, unsigned parameter) {
	const double missed = outcomes->missed(outcomes->data, items, count, rounds);
	if (outcomes->step)
		outcomes->step(outcomes->data, step, parameter, missed);
	return missed;
}

/* `dummies` branches that are never taken, then the spy. */
static double measure_spy(const struct probe_outcomes *outcomes, unsigned step, unsigned period,
                          unsigned dummies) {
	const size_t rounds = choose_rounds(period);
	struct probe_item *items = ifr_alloc((dummies + 1) * sizeof *items);
	uint8_t *pattern = make_pattern(period, rounds);
	items[dummies].outcomes = pattern;
	const double missed = measure(outcomes, items, dummies + 1, rounds, step, step == 2 ? dummies : period);
	free(pattern);
	free(items);
	return missed;
}

static unsigned find_longest_pattern(const struct probe_outcomes *outcomes) {
	unsigned period = 2;
	while (period < PROBE_LONGEST_PATTERN && !is_missed(measure_spy(outcomes, 1, period, 0), period))
		period++;
	return period < PROBE_LONGEST_PATTERN ? period - 1 : PROBE_LONGEST_PATTERN;
}

/* Two branches of periods L1 and L2 that the local history predicts, and a third that is not taken when both are not. */
static double measure_both(const struct probe_outcomes *outcomes, unsigned step, unsigned l1, unsigned l2,
                           unsigned dummies) {
	const size_t rounds = choose_rounds(l1 * l2);
	uint8_t *first = make_pattern(l1, rounds), *second = make_pattern(l2, rounds), *spy = ifr_alloc(rounds);
	struct probe_item *items = ifr_alloc((dummies + 3) * sizeof *items);
	for (size_t i = 0; i < rounds; i++)
		spy[i] = first[i] | second[i];
	items[0].outcomes = first;
	items[1].outcomes = second;
	items[dummies + 2].outcomes = spy;
	const double missed = measure(outcomes, items, dummies + 3, rounds, step, dummies);
	free(items);
	free(spy);
	free(second);
	free(first);
	return missed;
}

/* The smallest L2 > 1 without a common factor with L1; 0 if there is none up to L1. */
static unsigned find_coprime(unsigned l1) {
	for (unsigned l2 = 2; l2 < l1; l2++) {
		unsigned a = l1, b = l2;
		while (b) {
			const unsigned rest = a % b;
			a = b;
			b = rest;
		}
		if (a == 1)
			return l2;
	}
	return 0;
}

static void set_global(struct probe_histories *histories, unsigned bits) {
	histories->global = bits ? PROBE_HISTORY_BITS : PROBE_HISTORY_NONE;
	histories->global_bits = bits;
}

/* Step 4: dummy branches before the spy, until it is mispredicted. */
static void count_global_bits(const struct probe_outcomes *outcomes, unsigned l1, unsigned l2,
                              struct probe_histories *histories) {
	unsigned dummies = 1;
	while (dummies < PROBE_LONGEST_PATTERN && !is_missed(measure_both(outcomes, 4, l1, l2, dummies), l1 * l2))
		dummies++;
	if (dummies < PROBE_LONGEST_PATTERN)
		set_global(histories, dummies + 1); /* dummies - 1 were predicted */
}

/* Step 5: two branches of a period that no local history predicts. The second is predicted by one global bit. */
static void find_one_global_bit(const struct probe_outcomes *outcomes, unsigned period,
                                struct probe_histories *histories) {
	const size_t rounds = choose_rounds(period);
	uint8_t *pattern = make_pattern(period, rounds);
	const struct probe_item items[] = {{.outcomes = pattern}, {.outcomes = pattern}};
	const double missed = measure(outcomes, items, 2, rounds, 5, period);
	free(pattern);
	/* Once a period, or twice. */
	set_global(histories, missed < 1.5 / period);
}

/* Steps 3 to 5, of a predictor with a local history. */
static void find_global_beside_local(const struct probe_outcomes *outcomes, struct probe_histories *histories) {
	const unsigned l1 = histories->longest_pattern, l2 = find_coprime(l1);
	if (l2 && !is_missed(measure_both(outcomes, 3, l1, l2, 0), l1 * l2))
		count_global_bits(outcomes, l1, l2, histories);
	else
		find_one_global_bit(outcomes, l1 + 1, histories);
}

/* Step 6, of a predictor with a global history: patterns of a spy that no longer reaches into it. */
static void find_local_beside_global(const struct probe_outcomes *outcomes, struct probe_histories *histories) {
	const unsigned dummies = 2 * (histories->longest_pattern - 1);
	unsigned missed = 0; /* the first period that is missed */
	for (unsigned period = 2; period < PROBE_LONGEST_PATTERN && (!missed || period <= TABLE_V_LONGEST); period++)
		if (is_missed(measure_spy(outcomes, 6, period, dummies), period) && !missed)
			missed = period;
	/* A pattern of 2 that is missed: no local part. */
	histories->local = missed == 2 ? PROBE_HISTORY_NONE : missed ? PROBE_HISTORY_BITS : PROBE_HISTORY_UNTOLD;
	histories->local_bits = missed ? missed - 2 : 0;
}

void probe_histories_find(const struct probe_outcomes *outcomes, struct probe_histories *histories) {
	*histories = (struct probe_histories){.longest_pattern = find_longest_pattern(outcomes)};
	const unsigned longest = histories->longest_pattern;
	if (longest == PROBE_LONGEST_PATTERN)
		return;
	if (longest < 2) {
		histories->local = PROBE_HISTORY_NONE;
		find_one_global_bit(outcomes, 2, histories);
		return;
	}
	if (is_missed(measure_spy(outcomes, 2, longest, 2 * (longest - 1)), longest)) {
		set_global(histories, 2 * (longest - 1));
		find_local_beside_global(outcomes, histories);
	} else {
		histories->local = PROBE_HISTORY_BITS;
		histories->local_bits = longest - 1;
		find_global_beside_local(outcomes, histories);
	}
}

/* --- correlation ------------------------------------------------------------------------------------------------ */

static uint8_t *draw_outcomes(uint64_t seed, size_t rounds) {
	uint8_t *outcomes = ifr_alloc(rounds);
	for (size_t i = 0; i < rounds; i++)
		outcomes[i] = ifr_siphash(seed, 1, &i, sizeof i) & 1;
	return outcomes;
}

/* Some rounds for each state of the local history. */
static size_t choose_random_rounds(unsigned local_bits, unsigned branches) {
	const size_t least = branches > MANY_BRANCHES ? FEW_RANDOM_ROUNDS : RANDOM_ROUNDS,
				 wanted = local_bits <= LONG_LOCAL ? (size_t)ROUNDS_OF_STATE << local_bits : 0;
	return wanted > least ? wanted : least;
}

/* Whether the second of two branches with random outcomes is predicted: few mispredictions are added to the first's. */
static bool is_correlated(const struct probe_outcomes *outcomes, const uint8_t *random, unsigned local_bits,
                          enum probe_item_kind between, unsigned branches) {
	const size_t rounds = choose_random_rounds(local_bits, branches);
	struct probe_item *items = ifr_alloc((branches + 2) * sizeof *items);
	for (unsigned i = 0; i < branches; i++)
		items[i + 1].kind = between;
	items[0].outcomes = random;
	const double alone = outcomes->missed(outcomes->data, items, branches + 2, rounds);
	items[branches + 1].outcomes = random;
	const double both = outcomes->missed(outcomes->data, items, branches + 2, rounds);
	free(items);
	return both - alone < 0.25;
}

unsigned probe_correlation_find(const struct probe_outcomes *outcomes, enum probe_item_kind between,
                                unsigned local_bits) {
	uint8_t *random = draw_outcomes(outcomes->seed, choose_random_rounds(local_bits, 0));
	unsigned low = 0, high = 1; /* branches between, plus one; low is predicted */
	while (high <= PROBE_FARTHEST_BRANCH && is_correlated(outcomes, random, local_bits, between, high - 1)) {
		low = high;
		high *= 2;
	}
	while (low + 1 < high && low < PROBE_FARTHEST_BRANCH) {
		const unsigned middle = low + (high - low) / 2;
		if (is_correlated(outcomes, random, local_bits, between, middle - 1))
			low = middle;
		else
			high = middle;
	}
	free(random);
	return low;
}
