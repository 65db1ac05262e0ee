/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories of the outcome predictor by the clock: what a misprediction costs shows how many there are. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <stdlib.h>

#include "common/random.h"

enum { RANDOM_ROUNDS = 1 << 16, POINTS_MOST = 40, SPACING = 64 };

struct curve {
	struct probe_point points[POINTS_MOST];
	size_t count;
};

static uint8_t *draw_outcomes(const struct probe_clocked *probe, size_t rounds) {
	uint8_t *outcomes = ifr_alloc(rounds);
	for (size_t i = 0; i < rounds; i++)
		outcomes[i] = ifr_siphash(probe->seed, 4, &i, sizeof i) & 1;
	return outcomes;
}

/* Adds loops over a branch with equal outcomes, and with random ones, of which half are mispredicted: kernels 1 and 2. */
static void add_references(const struct probe_clocked *probe, struct probe_batch *batch) {
	uint8_t *random = draw_outcomes(probe, RANDOM_ROUNDS);
	static const uint8_t equal[2] = {1, 1};
	probe_pattern_loop(probe_batch_add(batch), &(struct probe_item){.outcomes = equal}, 1, 2, SPACING, 0);
	probe_pattern_loop(probe_batch_add(batch), &(struct probe_item){.outcomes = random}, 1, RANDOM_ROUNDS, SPACING,
	                   0);
	free(random);
}

/* A difference in mispredictions, from one in cycles. */
static struct probe_estimate count_missed(const struct probe_estimate *cycles, const struct probe_estimate *half) {
	const double penalty = 2 * half->value;
	return (struct probe_estimate){cycles->value / penalty, cycles->low / penalty, cycles->high / penalty,
	                               cycles->told && half->told && penalty > 4};
}

/* Ref: Milenković et al. 2004, figure 11: a pattern 1...10 is predicted if the history holds all of it. */
static void tell_longest_pattern(struct probe_clocked *probe) {
	static const char *const keys[] = {"longest-pattern", NULL};
	enum { FIRST_OCTAVE = 2, OCTAVES = 9, QUARTERS = 4, LONGEST = 1 << (FIRST_OCTAVE + OCTAVES) };
	struct curve curve = {.count = 0};
	uint8_t *outcomes = ifr_alloc(LONGEST);
	struct probe_batch batch;
	size_t edge;
	probe_batch_init(&batch, false, probe->batch_ns);
	add_references(probe, &batch);
	for (size_t i = 0; i < OCTAVES * QUARTERS; i++) {
		const size_t length = ((size_t)1 << (FIRST_OCTAVE + i / QUARTERS)) / QUARTERS * (QUARTERS + i % QUARTERS);
		for (size_t round = 0; round < length; round++)
			outcomes[round] = round + 1 < length;
		probe_pattern_loop(probe_batch_add(&batch), &(struct probe_item){.outcomes = outcomes}, 1, length, SPACING,
		                   0);
		curve.points[curve.count++].x = (double)length;
	}
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_HISTORY, keys)) {
		const struct probe_estimate half = probe_batch_cycles(&batch, 2, 1);
		for (size_t i = 0; i < curve.count; i++) {
			const double length = curve.points[i].x;
			const struct probe_estimate more = probe_batch_difference(&batch, i + 3, length, 1, length);
			curve.points[i].y = count_missed(&more, &half);
		}
		probe_clocked_keep(probe, IFR_PROBE_HISTORY, "mispredictions in a pattern 1...10", "length", curve.points,
		                   curve.count);
		if (probe_curve_edge(curve.points, curve.count - 1, (struct probe_border){0.35, 0.65}, &edge))
			probe_tell_interval(
				probe->result, IFR_PROBE_HISTORY, keys[0], "",
				(double[]){curve.points[edge].x, curve.points[edge].x, curve.points[edge + 1].x - 1},
				"the longest pattern 1...10, four lengths an octave, without a misprediction");
		else
			probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, keys[0],
			                   "no length up to which a pattern 1...10 is surely predicted, and above not");
	}
	probe_batch_release(&batch);
	free(outcomes);
}

/* Mispredictions of the second of two branches with the same random outcomes, by jumps between. */
static bool measure_path(struct probe_clocked *probe, struct curve *curve, const char *const *keys) {
	enum { ROUNDS = 1024, MOST = 512 };
	struct probe_item items[MOST + 2] = {{PROBE_ITEM_PATTERN, NULL}};
	uint8_t *random = draw_outcomes(probe, ROUNDS);
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	add_references(probe, &batch);
	items[0].outcomes = random;
	for (size_t i = 0; i < curve->count; i++) {
		const size_t jumps = (size_t)curve->points[i].x;
		for (size_t j = 1; j <= jumps; j++)
			items[j] = (struct probe_item){PROBE_ITEM_JUMP, NULL};
		items[jumps + 1] = (struct probe_item){PROBE_ITEM_PATTERN, NULL};
		probe_pattern_loop(probe_batch_add(&batch), items, jumps + 2, ROUNDS, SPACING, 0);
		items[jumps + 1].outcomes = random;
		probe_pattern_loop(probe_batch_add(&batch), items, jumps + 2, ROUNDS, SPACING, 0);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_HISTORY, keys);
	for (size_t i = 0; measured && i < curve->count; i++) {
		const struct probe_estimate half = probe_batch_cycles(&batch, 2, 1),
									more = probe_batch_cycles(&batch, 2 * i + 4, 2 * i + 3);
		curve->points[i].y = count_missed(&more, &half);
	}
	probe_batch_release(&batch);
	free(random);
	return measured;
}

/* The last number of jumps with which the second branch is predicted. Far behind, other limits show. */
static bool find_reach(const struct curve *curve, size_t *edge) {
	enum { BEHIND = 5 };
	size_t last = 0;
	while (last < curve->count && curve->points[last].y.value < 0.25)
		last++;
	last = last + BEHIND < curve->count ? last + BEHIND : curve->count - 1;
	return probe_curve_edge(curve->points, last, (struct probe_border){0.3, 0.15}, edge);
}

static void lay_path(struct curve *curve, double first, unsigned step, size_t count) {
	curve->count = count;
	for (size_t i = 0; i < count; i++)
		curve->points[i].x = first + (double)(i * step);
}

/* Ref: Yavarzadeh et al. 2023, section 3. */
static void tell_path(struct probe_clocked *probe) {
	static const char *const keys[] = {"correlation-taken", "path-history", NULL};
	enum { FIRST = 28, STEP = 12, COUNT = 26, AROUND = 5 };
	struct curve curve;
	size_t edge;
	lay_path(&curve, FIRST, STEP, COUNT);
	if (!measure_path(probe, &curve, keys))
		return;
	probe_clocked_keep(probe, IFR_PROBE_HISTORY,
	                   "mispredictions of the second of two branches with equal outcomes", "jumps between",
	                   curve.points, curve.count);
	if (!find_reach(&curve, &edge)) {
		for (size_t i = 0; keys[i]; i++)
			probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, keys[i],
			                   "no number of jumps up to which the second of two branches with equal outcomes is "
			                   "surely predicted");
		return;
	}
	double fits = curve.points[edge].x, fails = curve.points[edge + 1].x;
	lay_path(&curve, fits - AROUND, 1, STEP + 2 * AROUND);
	if (measure_path(probe, &curve, (const char *const[]){NULL}) && find_reach(&curve, &edge)) {
		fits = curve.points[edge].x;
		fails = curve.points[edge + 1].x;
	}
	probe_tell_interval(
		probe->result, IFR_PROBE_HISTORY, keys[0], "branches", (double[]){fits + 1, fits + 1, fails},
		"jumps between two branches with equal random outcomes, of which the second is predicted, and "
		"one");
	probe_tell_interval(probe->result, IFR_PROBE_HISTORY, keys[1], "bits",
	                    (double[]){2 * (fits + 1), 2 * (fits + 1), 2 * fails}, "two for each of these");
}

void probe_clocked_history(struct probe_clocked *probe) {
	tell_longest_pattern(probe);
	tell_path(probe);
}
