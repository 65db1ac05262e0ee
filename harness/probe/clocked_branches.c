/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches by the clock. */
#include "harness/probe/clocked_levels.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <string.h>

/* Counts of branches: quarters of octaves from 2^5. */
enum { QUARTERS = 4, COUNTS = PROBE_LEVEL_COUNTS, FIRST_OCTAVE = 5, BEHIND = 2 };
/* The nearest are 8 bytes apart. */
enum { FIRST_BIT = 3 };

static size_t count_at(size_t i) {
	return ((size_t)1 << (FIRST_OCTAVE + i / QUARTERS)) / QUARTERS * (QUARTERS + i % QUARTERS);
}

struct chains {
	unsigned distance;
	const char *title, *capacity, *inside, *outside, *found; /* keys */
};
static const struct chains all_chains[PROBE_LEVEL_DISTANCES] = {
	{8, "cycles of a taken branch, 8 bytes apart", "taken-8-capacity", "taken-8-cycles", "taken-8-cycles-more",
     "taken-8-found"},
	{16, "cycles of a taken branch, 16 bytes apart", "taken-16-capacity", "taken-16-cycles",
     "taken-16-cycles-more", "taken-16-found"},
	{32, "cycles of a taken branch, 32 bytes apart", "taken-32-capacity", "taken-32-cycles",
     "taken-32-cycles-more", "taken-32-found"},
	{64, "cycles of a taken branch, 64 bytes apart", "taken-64-capacity", "taken-64-cycles",
     "taken-64-cycles-more", "taken-64-found"},
};

static bool is_moved(const struct probe_point *raw, const struct probe_point *smooth) {
	return raw->y.value > 1.1 * smooth->y.value || smooth->y.value > 1.1 * raw->y.value;
}

/* The end of the first flat part; 0 where it is not sure. Smooths the points: single counts take longer in one process,
 * and not in another. */
static size_t find_capacity(struct probe_point *points) {
	struct probe_point raw[COUNTS];
	size_t last = 0, edge;
	memcpy(raw, points, sizeof raw);
	probe_curve_smooth(points, COUNTS);
	const struct probe_border border = probe_curve_border(points, 2, 1.25, 1.35);
	while (last < COUNTS && points[last].y.value < border.inside)
		last++;
	last = last + BEHIND < COUNTS ? last + BEHIND : COUNTS - 1;
	/* A count beside the edge that was smoothed may have moved it. */
	if (!probe_curve_edge(points, last, border, &edge) || is_moved(&raw[edge], &points[edge]) ||
	    is_moved(&raw[edge + 1], &points[edge + 1]))
		return 0;
	/* More branches that are fast again: no capacity ended there. */
	for (size_t i = edge + 1; i < COUNTS; i++)
		if (points[i].y.value < border.inside)
			return 0;
	return edge;
}

/* Measures the curve, and finds the end of its first flat part. Returns false where nothing was measured; an edge of 0 is
 * not told. */
static bool measure_chains(struct probe_clocked *probe, const struct chains *chains, struct probe_point *points,
                           size_t *edge) {
	const char *const keys[] = {chains->capacity, chains->found, NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	batch.learns_slowly = true;
	for (size_t i = 0; i < COUNTS; i++)
		probe_branch_chain(probe_batch_add(&batch),
		                   &(struct probe_places){count_at(i), 1, chains->distance, chains->distance});
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_BTB, keys);
	for (size_t i = 0; measured && i < COUNTS; i++)
		points[i] = (struct probe_point){(double)count_at(i), probe_batch_cycles(&batch, i + 1, 0)};
	probe_batch_release(&batch);
	if (!measured)
		return false;
	probe_clocked_keep(probe, IFR_PROBE_BTB, chains->title, "branches", points, COUNTS);
	*edge = find_capacity(points);
	return true;
}

/* A branch that no BTB has takes as long as a misprediction. Between the levels some are found. */
static void tell_found(struct probe_clocked *probe, const struct chains *chains,
                       const struct probe_point *points) {
	enum { FOUND = 6, NOT_FOUND = 9 };
	size_t inside = 0, outside;
	while (inside < COUNTS && points[inside].y.told && points[inside].y.high < FOUND)
		inside++;
	for (outside = inside; outside < COUNTS && points[outside].y.low <= NOT_FOUND;)
		outside++;
	if (inside && outside + BEHIND < COUNTS && outside <= inside + BEHIND && points[outside + 1].y.low > NOT_FOUND)
		probe_tell_interval(
			probe->result, IFR_PROBE_BTB, chains->found, "",
			(double[]){points[inside - 1].x, points[inside - 1].x, points[outside].x - 1},
			"the last of the counts, four an octave, at which taken branches %u bytes apart take less "
			"than %d cycles, as a BTB has them",
			chains->distance, FOUND);
	else
		probe_tell_nothing(
			probe->result, IFR_PROBE_BTB, chains->found,
			"no count up to which taken branches %u bytes apart surely take less than %d cycles, and "
			"above more than %d",
			chains->distance, FOUND, NOT_FOUND);
}

/* The distances tell a BTB from a cache, of which either may end the flat part: a BTB's capacity counts branches. Returns
 * false where nothing was measured. */
static bool tell_chains(struct probe_clocked *probe, const struct chains *chains, struct probe_point *points) {
	size_t edge = 0;
	if (!measure_chains(probe, chains, points, &edge))
		return false;
	probe_clocked_tell(probe, IFR_PROBE_BTB, chains->inside, "cycles", &points[1].y, 0.5,
	                   "for a taken branch of a few");
	tell_found(probe, chains, points);
	if (!edge) {
		probe_tell_nothing(
			probe->result, IFR_PROBE_BTB, chains->capacity,
			"no count, four an octave, up to which taken branches %u bytes apart are surely as fast, in two "
			"processes",
			chains->distance);
		return true;
	}
	probe_tell_interval(
		probe->result, IFR_PROBE_BTB, chains->capacity, "",
		(double[]){points[edge].x, points[edge].x, points[edge + 1].x - 1},
		"the last of the counts, four an octave, at which taken branches %u bytes apart take no longer",
		chains->distance);
	/* All counts just behind it must agree. */
	struct probe_estimate more = points[edge + BEHIND].y;
	for (size_t i = edge + 1; i <= edge + BEHIND + 1 && i < COUNTS; i++)
		probe_widen(&more, &points[i].y);
	probe_clocked_tell(probe, IFR_PROBE_BTB, chains->outside, "cycles", &more, 0.5 * more.value,
	                   "for a taken branch of some more");
	return true;
}

/* As from a program into a library, and within the program. */
static void tell_far(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.far", NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_there_and_back(probe_batch_add(&batch), false);
	probe_there_and_back(probe_batch_add(&batch), true);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_BTB, keys)) {
		const struct probe_estimate more = probe_batch_cycles(&batch, 2, 1);
		probe_clocked_tell_cycles(probe, IFR_PROBE_BTB, keys[0], &more,
		                          "a jump by memory to code 2^40 bytes away, less one to near code");
	}
	probe_batch_release(&batch);
}

void probe_clocked_btb(struct probe_clocked *probe) {
	struct probe_point curves[PROBE_LEVEL_DISTANCES][COUNTS];
	bool is_measured = true;
	for (size_t i = 0; i < PROBE_LEVEL_DISTANCES; i++)
		is_measured &= tell_chains(probe, &all_chains[i], curves[i]);
	if (is_measured && probe->near)
		probe_clocked_levels(probe, curves, FIRST_BIT);
	tell_far(probe);
}

/* --- return stack ------------------------------------------------------------------------------------------------ */

/* One call more takes few cycles as long as its return is predicted, and a misprediction more from then on. */
void probe_clocked_returns(struct probe_clocked *probe) {
	enum {
		DEPTHS = 80,
		FIRST = 4,
		CHEAP = 6,
		DEAR = 10 /* cycles of a predicted call and return, at most, and not */
	};
	static const char *const keys[] = {"return_stack.entries", NULL};
	struct probe_point points[DEPTHS];
	struct probe_batch batch;
	size_t edge, last = DEPTHS - 1;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (size_t i = 0; i <= DEPTHS; i++)
		probe_call_nest(probe_batch_add(&batch), FIRST + i);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_RETURN, keys)) {
		for (size_t i = 0; i < DEPTHS; i++)
			points[i] = (struct probe_point){
				(double)(FIRST + i + 1),
				probe_batch_difference(&batch, i + 2, (double)(FIRST + i + 1), i + 1, (double)(FIRST + i))};
		probe_clocked_keep(probe, IFR_PROBE_RETURN, "cycles of one nested call more", "calls", points, DEPTHS);
		/* Far behind the edge other limits show: six points suffice. */
		for (edge = 0; edge < DEPTHS && points[edge].y.value < CHEAP; edge++)
			last = edge + 6 < DEPTHS ? edge + 6 : DEPTHS - 1;
		if (probe_curve_edge(points, last, (struct probe_border){CHEAP, DEAR}, &edge))
			probe_tell(probe->result, IFR_PROBE_RETURN, keys[0], "", points[edge].x,
			           "nested calls; one call more takes more than %d cycles more", DEAR);
		else
			probe_tell_nothing(probe->result, IFR_PROBE_RETURN, keys[0],
			                   "no depth from which on each call more takes more than %d cycles", DEAR);
	}
	probe_batch_release(&batch);
}
