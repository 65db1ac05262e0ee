/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histories of the outcome predictor by the clock: what a misprediction costs shows how many there are. Where perf
 * counts them, their number shows itself. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 64, SPACING = 64 };

/* A loop's code is fetched now faster, now slower, by where it lies; of many rounds that is more than a misprediction. So
 * outcomes are known late, by a chain that takes longer than any fetch: pairs of complements, of two cycles each, of a
 * round of a pattern, and of each branch between two. */
enum { PATTERN_PACE = 8, PATH_PACE = 2, PATH_SPACING = 32 };

struct curve {
	struct probe_point points[POINTS_MOST];
	size_t count;
};

/* A branch that goes by random bits, and one of the same code that goes one way. */
struct spy {
	enum probe_random_kind random, same;
};
static const struct spy outcome_spy = {PROBE_RANDOM_BIT, PROBE_RANDOM_NEVER},
						target_spy = {PROBE_RANDOM_TARGET, PROBE_RANDOM_SAME_TARGET};

/* Adds loops over a branch that goes one way, and over one that goes by random bits, of which half are mispredicted:
 * kernels 1 and 2. */
static void add_references(const struct probe_clocked *probe, struct probe_batch *batch, const struct spy *spy) {
	if (probe->machine) { /* says what a misprediction costs */
		probe_unit_chain(probe_batch_add(batch));
		probe_unit_chain(probe_batch_add(batch));
		return;
	}
	probe_random_loop(probe_batch_add(batch), &spy->same, 1, SPACING, 0);
	probe_random_loop(probe_batch_add(batch), &spy->random, 1, SPACING, 0);
}

/* Mispredictions in so many rounds of a kernel, less those of another: counted, or from a difference in cycles. */
static struct probe_estimate count_missed(const struct probe_clocked *probe, const struct probe_batch *batch,
                                          size_t kernel, size_t less, double rounds) {
	if (probe->mispredictions) {
		const struct probe_estimate more = probe_batch_events(batch, kernel, less);
		return (struct probe_estimate){more.value * rounds, more.low * rounds, more.high * rounds, more.told};
	}
	const struct probe_estimate half = probe_batch_cycles(batch, 2, 1),
								cycles = probe_batch_difference(batch, kernel, rounds, less, rounds);
	const double penalty = probe->machine ? probe->machine->values[IFR_PENALTY_CONDITIONAL] : 2 * half.value;
	return (struct probe_estimate){cycles.value / penalty, cycles.low / penalty, cycles.high / penalty,
	                               cycles.told && half.told && penalty > 4};
}

/* The last point that counts for an edge: far behind the first value above a limit, other limits show. */
static size_t find_last(const struct curve *curve, double limit) {
	enum { BEHIND = 5 };
	size_t last = 0;
	while (last < curve->count && curve->points[last].y.value < limit)
		last++;
	return last + BEHIND < curve->count ? last + BEHIND : curve->count - 1;
}

/* Loops of 1024 trips and more, which no history holds: where their ends are predicted, a loop predictor counts them.
 * Where they are not, there is none, or it counts fewer, or had no trust yet: in the model, that of L-TAGE. */
static void tell_loop_predictor(struct probe_clocked *probe, const struct curve *curve) {
	enum { TRIPS = 1024 };
	static const char key[] = "loop-predictor",
					  experiment[] =
						  "the ends of loops of 1024 to 1792 trips, which no history holds, are predicted";
	const int predicted = probe_curve_side(curve->points, curve->count, TRIPS, (struct probe_border){0.3, 0.7});
	if (predicted < 1) {
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, key, "%s",
		                   predicted
		                       ? "the ends of loops of 1024 to 1792 trips are neither surely predicted nor "
		                         "surely not"
		                       : "the ends of loops of 1024 to 1792 trips are mispredicted: there is no loop "
		                         "predictor, or it counts fewer");
		return;
	}
	probe_tell_word(probe->result, IFR_PROBE_HISTORY, key, "yes", experiment);
	if (probe->near && probe_has_parameter(probe->near->direction->parameters, "loop"))
		probe_tell(probe->result, IFR_PROBE_HISTORY, "direction.loop", "", 1, "%s", experiment);
}

/* Ref: Milenković et al. 2004, figure 11: a pattern 1...10 is predicted if the history holds all of it. */
void probe_clocked_pattern(struct probe_clocked *probe) {
	static const char *const keys[] = {"longest-pattern", "loop-predictor", NULL};
	enum { FIRST_OCTAVE = 2, OCTAVES = 9, QUARTERS = 4, LONGEST = 1 << (FIRST_OCTAVE + OCTAVES) };
	struct curve curve = {.count = 0};
	uint8_t *outcomes = ifr_alloc(LONGEST);
	struct probe_batch batch;
	size_t edge;
	probe_batch_init(&batch, false, probe->batch_ns);
	batch.learns_slowly = true;
	batch.events = probe->mispredictions;
	add_references(probe, &batch, &outcome_spy);
	for (size_t i = 0; i < OCTAVES * QUARTERS; i++) {
		const size_t length = ((size_t)1 << (FIRST_OCTAVE + i / QUARTERS)) / QUARTERS * (QUARTERS + i % QUARTERS);
		memset(outcomes, 1, length);
		for (unsigned zeros = 0; zeros <= 1; zeros++) {
			outcomes[length - 1] = !zeros;
			probe_paced_pattern(probe_batch_add(&batch), &(struct probe_item){.outcomes = outcomes}, length,
			                    SPACING, PATTERN_PACE);
		}
		curve.points[curve.count++].x = (double)length;
	}
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_HISTORY, keys)) {
		for (size_t i = 0; i < curve.count; i++)
			curve.points[i].y = count_missed(probe, &batch, 2 * i + 4, 2 * i + 3, curve.points[i].x);
		probe_clocked_keep(probe, IFR_PROBE_HISTORY, "mispredictions in a pattern 1...10", "length", curve.points,
		                   curve.count);
		const size_t last = find_last(&curve, 0.7);
		if (probe_curve_edge(curve.points, last, (struct probe_border){0.7, 0.9}, &edge))
			probe_tell_interval(
				probe->result, IFR_PROBE_HISTORY, keys[0], "",
				(double[]){curve.points[edge].x, curve.points[edge].x, curve.points[edge + 1].x - 1},
				"the longest pattern 1...10, four lengths an octave, without a misprediction");
		else
			probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, keys[0],
			                   "no length up to which a pattern 1...10 is surely predicted, and above not");
		tell_loop_predictor(probe, &curve);
	}
	probe_batch_release(&batch);
	free(outcomes);
}

/* A branch with random outcomes, others, and one that goes where those tell. */
struct path {
	enum probe_random_kind between;
	const struct spy *last;
	const char *taken, *history; /* keys; NULL: none */
	const char *title, *x_label, *two;
};
static const struct path paths[] = {
	{PROBE_RANDOM_JUMP, &outcome_spy, "correlation-taken", "path-history",
     "mispredictions of the second of two branches with equal outcomes, by jumps", "jumps between",
     "two branches with equal random outcomes"},
	{PROBE_RANDOM_ALWAYS, &outcome_spy, "correlation-conditional", NULL,
     "mispredictions of the second of two branches with equal outcomes, by conditional ones",
     "taken branches between", "two branches with equal random outcomes"},
	{PROBE_RANDOM_JUMP, &target_spy, "correlation-indirect", "indirect.length3",
     "mispredictions of an indirect jump that follows a branch's outcomes, by jumps", "jumps between",
     "a branch with random outcomes and an indirect jump that follows them"},
};

/* Mispredictions of the second branch, by branches between. */
static bool measure_path(struct probe_clocked *probe, const struct path *path, struct curve *curve,
                         const char *const *keys) {
	enum { MOST = 1100 };
	enum probe_random_kind kinds[MOST + 2] = {PROBE_RANDOM_BIT};
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	batch.learns_slowly = true;
	batch.events = probe->mispredictions;
	add_references(probe, &batch, path->last);
	for (size_t i = 0; i < curve->count; i++) {
		const size_t between = (size_t)curve->points[i].x;
		for (size_t j = 1; j <= between; j++)
			kinds[j] = path->between;
		kinds[between + 1] = path->last->same;
		probe_random_loop(probe_batch_add(&batch), kinds, between + 2, PATH_SPACING, PATH_PACE);
		kinds[between + 1] = path->last->random;
		probe_random_loop(probe_batch_add(&batch), kinds, between + 2, PATH_SPACING, PATH_PACE);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_HISTORY, keys);
	for (size_t i = 0; measured && i < curve->count; i++)
		curve->points[i].y = count_missed(probe, &batch, 2 * i + 4, 2 * i + 3, 1);
	probe_batch_release(&batch);
	return measured;
}

/* The last number of jumps with which the second branch is predicted. */
static bool find_reach(const struct curve *curve, size_t *edge) {
	return probe_curve_edge(curve->points, find_last(curve, 0.25), (struct probe_border){0.3, 0.15}, edge);
}

static void lay_path(struct curve *curve, double first, unsigned step, size_t count) {
	curve->count = count;
	for (size_t i = 0; i < count; i++)
		curve->points[i].x = first + (double)(i * step);
}

/* A setting is of kinds of predictors that have it. */
static bool is_wanted(const struct probe_clocked *probe, const char *key) {
	const char *dot = key ? strchr(key, '.') : NULL;
	return key && (!dot || (probe->near && probe_has_parameter(probe->near->indirect->parameters, dot + 1)));
}

/* Ref: Yavarzadeh et al. 2023, section 3; Li, Yavarzadeh and Tullsen 2024, Indirector, for indirect jumps. */
static void tell_path(struct probe_clocked *probe, const struct path *path) {
	const char *const keys[] = {path->taken, is_wanted(probe, path->history) ? path->history : NULL, NULL};
	enum { FIRST = 16, STEP = 24, COUNT = 42, AROUND = 5 };
	struct curve curve;
	size_t edge;
	lay_path(&curve, FIRST, STEP, COUNT);
	if (!measure_path(probe, path, &curve, keys))
		return;
	probe_clocked_keep(probe, IFR_PROBE_HISTORY, path->title, path->x_label, curve.points, curve.count);
	if (!find_reach(&curve, &edge)) {
		for (size_t i = 0; keys[i]; i++)
			probe_tell_nothing(
				probe->result, IFR_PROBE_HISTORY, keys[i],
				"no number of %s, to %d, up to which the second of %s is surely predicted, and above not",
				path->x_label, FIRST + STEP * (COUNT - 1), path->two);
		return;
	}
	double fits = curve.points[edge].x, fails = curve.points[edge + 1].x;
	lay_path(&curve, fits - AROUND, 1, STEP + 2 * AROUND);
	if (measure_path(probe, path, &curve, (const char *const[]){NULL}) && find_reach(&curve, &edge)) {
		fits = curve.points[edge].x;
		fails = curve.points[edge + 1].x;
	}
	probe_tell_interval(probe->result, IFR_PROBE_HISTORY, keys[0], "branches",
	                    (double[]){fits + 1, fits + 1, fails}, "%s %s, of which the second is predicted, and one",
	                    path->x_label, path->two);
	if (!keys[1])
		return;
	/* A setting is one number. */
	if (strchr(keys[1], '.') && fails > fits + 1)
		probe_tell_nothing(probe->result, IFR_PROBE_HISTORY, keys[1], "between %.0f and %.0f bits", 2 * (fits + 1),
		                   2 * fails);
	else
		probe_tell_interval(probe->result, IFR_PROBE_HISTORY, keys[1], "bits",
		                    (double[]){2 * (fits + 1), 2 * (fits + 1), 2 * fails},
		                    "two for each taken branch from one to the other of %s", path->two);
}

void probe_clocked_history(struct probe_clocked *probe) {
	probe_clocked_pattern(probe);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		tell_path(probe, &paths[i]);
}
