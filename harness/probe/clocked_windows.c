/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end by the clock: what a window of code may hold.
 *
 * Problem: no event tells an op cache from decoders.
 * Idea: loops of windows that differ in one number. As long as an op cache delivers, a window takes its slots over the
 * width of rename, which the first points of a curve show; what leaves the op cache takes longer.
 * Invariant: only a step between two neighbouring points is told; the points before it are all on the line, those behind
 * it all above. */
#include "harness/probe/findings.h"
#include "harness/probe/window_curve.h"

/* The last of the points whose values are on the line through the first ones; BEHIND points behind it are above. Values
 * are y over `slots` of x, so that the line is flat. */
static bool find_end_of_line(const struct probe_window_curve *curve, double more, size_t *edge) {
	enum { FIRST = 4, BEHIND = 2 };
	struct probe_point flat[PROBE_CURVE_POINTS];
	size_t last = 0;
	for (size_t i = 0; i < curve->count; i++) {
		const double slots = curve->points[i].x + more;
		const struct probe_estimate *y = &curve->points[i].y;
		flat[i] =
			(struct probe_point){curve->points[i].x, {y->value / slots, y->low / slots, y->high / slots, y->told}};
	}
	const struct probe_border border = probe_curve_border(flat, FIRST, 1.07, 1.09);
	while (last < curve->count && flat[last].y.value < border.inside)
		last++;
	last += BEHIND - 1;
	return last < curve->count && probe_curve_edge(flat, last, border, edge);
}

/* Returns whether it is told. */
static bool tell_window_slots(struct probe_clocked *probe) {
	static const char *const keys[] = {"window-slots", NULL};
	enum { FEWEST = 14, MOST = 61 };
	struct probe_window_curve curve = {.count = 0};
	size_t edge;
	for (unsigned ops = FEWEST; ops <= MOST; ops++)
		probe_curve_add(
			&curve, ops,
			(struct probe_windows){
				.count = PROBE_LOOP_WINDOWS, .distance = PROBE_WINDOW, .bytes = PROBE_WINDOW, .ops = ops});
	if (!probe_curve_measure(probe, &curve, keys, "cycles of 64 bytes of straight code", "instructions"))
		return false;
	const bool told = find_end_of_line(&curve, 0, &edge);
	if (told)
		probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "", curve.points[edge].x,
		           "nops in each 64 bytes of a loop of %d that are as fast as fewer; one more is slower",
		           PROBE_LOOP_WINDOWS);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no number of nops in 64 bytes up to which they are surely as fast as fewer");
	return told;
}

/* A block of nops that is too dense for one window fits where it lies across two. Where no number of nops leaves an op
 * cache, decoders may have such windows, too: then it is no setting. */
static void tell_window(struct probe_clocked *probe, bool leaves) {
	const char *const keys[] = {leaves ? "op_cache.window" : "dense-window", NULL};
	enum { STEP = 4, NOPS = 48, JUMP = 5, FIRST = 4 };
	struct probe_window_curve curve = {.count = 0};
	for (unsigned offset = 0; offset < PROBE_SPARSE; offset += STEP)
		probe_curve_add(&curve, offset,
		                (struct probe_windows){.count = PROBE_LOOP_WINDOWS,
		                                       .distance = PROBE_SPARSE,
		                                       .bytes = FIRST + NOPS + JUMP,
		                                       .ops = NOPS + 1,
		                                       .offset = offset});
	if (!probe_curve_measure(probe, &curve, keys, "cycles of a block of 49 instructions and a jump",
	                         "offset, bytes"))
		return;
	double least, most;
	const size_t period = probe_curve_find_period(&curve, &least, &most);
	if (period)
		probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "bytes", (double)(period * STEP),
		           "period with which a dense block of %d bytes, moved through 128 offsets, is slower",
		           FIRST + NOPS + JUMP);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "a dense block is as fast at all offsets, or has no period");
}

/* Two segments in a window, each ended by a jump: a line of an op cache ends there, too. */
static void tell_segment_slots(struct probe_clocked *probe) {
	static const char *const keys[] = {"segment-slots", NULL};
	enum { FEWEST = 8, MOST = 25, SEGMENTS = 2 };
	struct probe_window_curve curve = {.count = 0};
	size_t edge;
	for (unsigned ops = FEWEST; ops <= MOST; ops++)
		probe_curve_add(&curve, ops,
		                (struct probe_windows){.count = PROBE_LOOP_WINDOWS,
		                                       .distance = PROBE_WINDOW,
		                                       .bytes = PROBE_WINDOW,
		                                       .ops = ops,
		                                       .segments = SEGMENTS});
	if (!probe_curve_measure(probe, &curve, keys, "cycles of 64 bytes with two taken jumps",
	                         "instructions before each"))
		return;
	if (find_end_of_line(&curve, 1, &edge))
		probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "", curve.points[edge].x + 1,
		           "instructions of each half of 64 bytes, with its jump, that are as fast as fewer");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no number of instructions before a jump up to which they are surely as fast");
}

void probe_clocked_windows(struct probe_clocked *probe) {
	tell_window(probe, tell_window_slots(probe));
	tell_segment_slots(probe);
	probe_clocked_groups(probe);
	probe_clocked_jumps(probe);
}
