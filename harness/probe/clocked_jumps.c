/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end by the clock: what jumps and their places cost. */
#include "harness/probe/findings.h"
#include "harness/probe/window_curve.h"

/* Taken jumps in a line: a first level of the BTB may hold few of a line. */
static void tell_line_jumps(struct probe_clocked *probe) {
	static const char *const keys[] = {"line-taken-branches", "line-taken-cycles-more", NULL};
	enum { MOST = 7 };
	struct probe_window_curve curve = {.count = 0};
	size_t edge = 0;
	for (unsigned jumps = 1; jumps <= MOST; jumps++)
		probe_curve_add(&curve, jumps,
		                (struct probe_windows){.count = PROBE_LOOP_WINDOWS,
		                                       .distance = PROBE_WINDOW,
		                                       .bytes = PROBE_WINDOW,
		                                       .ops = 1,
		                                       .segments = jumps});
	if (!probe_curve_measure(probe, &curve, keys, NULL, NULL))
		return;
	const double width = curve.instructions[0] / curve.points[0].y.value;
	for (size_t i = 0; i < curve.count; i++) {
		struct probe_estimate *y = &curve.points[i].y;
		const double slots = curve.instructions[i] / width, jumps = curve.points[i].x,
					 expected = slots > jumps ? slots : jumps;
		*y = (struct probe_estimate){y->value / expected, y->low / expected, y->high / expected, y->told};
	}
	probe_clocked_keep(probe, IFR_PROBE_FRONT,
	                   "cycles of taken jumps in 64 bytes, in parts of one a jump and of their slots", "jumps",
	                   curve.points, curve.count);
	/* Far more jumps have few instructions left before each. */
	if (!probe_curve_edge(curve.points, 4, (struct probe_border){1.15, 1.25}, &edge)) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no number of taken jumps in 64 bytes up to which each takes surely about a cycle");
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[1], "no number of taken jumps is too many");
		return;
	}
	probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "", curve.points[edge].x,
	           "taken jumps in aligned 64 bytes that take about a cycle each; of one more all take longer");
	const struct probe_estimate *more = &curve.points[curve.count - 1].y;
	probe_clocked_tell(probe, IFR_PROBE_FRONT, keys[1], "cycles", more, 0.2,
	                   "of a taken jump of 7 in aligned 64 bytes");
}

/* A jump that crosses a boundary, or ends at it, keeps its window out of the op cache (the erratum of Skylake). */
static bool is_at_boundary(unsigned end, unsigned boundary) {
	enum { PAIR = 4 };
	return boundary && end % boundary < PAIR;
}

static bool fits_boundary(const struct probe_window_curve *curve, double limit, unsigned boundary) {
	for (size_t i = 0; i < curve->count; i++) {
		const struct probe_estimate *y = &curve->points[i].y;
		const bool slow = y->low > limit;
		if (!y->told || (!slow && y->value > limit) ||
		    slow != is_at_boundary((unsigned)curve->points[i].x, boundary))
			return false;
	}
	return true;
}

/* Whether some jump at a boundary is surely as fast as others: where all are slower, if by less than windows that leave
 * an op cache usually are, there may be one. */
static bool passes_boundary(const struct probe_window_curve *curve, double least, unsigned boundary) {
	for (size_t i = 0; i < curve->count; i++) {
		const struct probe_estimate *y = &curve->points[i].y;
		if (is_at_boundary((unsigned)curve->points[i].x, boundary) && y->told && y->high < 1.2 * least)
			return true;
	}
	return false;
}

/* Returns whether there is surely none. */
static bool tell_jump_boundary(struct probe_clocked *probe) {
	static const char *const keys[] = {"op_cache.jump_boundary", NULL};
	static const unsigned boundaries[] = {0, 16, 32, 64};
	enum { FIRST_END = 9 };
	struct probe_window_curve curve = {.count = 0};
	double least = 0;
	/* At 64 the pair's jump ends the window; at the first ends it lies behind no nop. */
	for (unsigned end = FIRST_END; end <= PROBE_WINDOW; end++)
		probe_curve_add(
			&curve, end,
			(struct probe_windows){
				.count = PROBE_LOOP_WINDOWS, .distance = PROBE_WINDOW, .bytes = PROBE_WINDOW, .jump_end = end});
	if (!probe_curve_measure(probe, &curve, keys, "cycles of 64 bytes with a test and its jump",
	                         "offset of the jump's end"))
		return false;
	for (size_t i = 0; i < curve.count; i++)
		if (!i || curve.points[i].y.value < least)
			least = curve.points[i].y.value;
	bool passes = true;
	for (size_t i = 1; i < sizeof boundaries / sizeof *boundaries; i++)
		passes &= passes_boundary(&curve, least, boundaries[i]);
	for (size_t i = !passes; i < sizeof boundaries / sizeof *boundaries; i++)
		if (fits_boundary(&curve, 1.4 * least, boundaries[i])) {
			probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "bytes", boundaries[i],
			           "ends of a jump in 64 bytes at which they take much longer: %s",
			           boundaries[i] ? "across a boundary, or at it" : "none");
			return !boundaries[i];
		}
	probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
	                   "the ends of a jump in 64 bytes at which they take much longer have no pattern");
	return false;
}

/* The same code twice, 32 bytes apart: only in one of both the jump begins a line. A third loop has one slot more: where
 * that takes no longer, slots are not what windows wait for, and nothing is told. */
static void tell_fusion(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.fusion", NULL};
	enum { HALF = PROBE_WINDOW / 2, JUMP = 2, NOPS = 12, POINTS = 3 };
	struct probe_window_curve curve = {.count = 0};
	for (unsigned i = 0; i < POINTS; i++)
		probe_curve_add(&curve, i,
		                (struct probe_windows){.count = PROBE_LOOP_WINDOWS,
		                                       .distance = PROBE_WINDOW,
		                                       .bytes = PROBE_WINDOW,
		                                       .ops = NOPS + i / 2,
		                                       .jump_end = HALF + JUMP,
		                                       .offset = i == 1 ? HALF : 0});
	if (!probe_curve_measure(probe, &curve, keys, NULL, NULL))
		return;
	const struct probe_estimate *within = &curve.points[0].y, *across = &curve.points[1].y,
								*more = &curve.points[2].y;
	const double slot = more->value / within->value - 1;
	if (!within->told || !across->told || !more->told || more->low < within->high || slot < 0.02)
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0], "a slot more in 64 bytes takes no longer");
	else if (across->low > within->high && across->value < (1 + 2 * slot) * within->value &&
	         across->value > (1 + slot / 2) * within->value)
		probe_tell_word(probe->result, IFR_PROBE_FRONT, keys[0], "within_line",
		                "a slot more for a test and its jump where the jump begins a line");
	else if (across->high < (1 + slot / 2) * within->low && across->low > (1 - slot / 2) * within->high)
		probe_tell_word(probe->result, IFR_PROBE_FRONT, keys[0], "anywhere",
		                "no slot more for a test and its jump where the jump begins a line");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "%.3g cycles with a jump that begins a line, %.3g with one that does not",
		                   across->value, within->value);
}

/* More code than an op cache holds, and less than the first cache. */
static void tell_length_change(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.length_change", NULL};
	enum { MANY = 480, OPS = 16, FEW_STALLS = 6, MANY_STALLS = 14 };
	struct probe_window_curve curve = {.count = 0};
	for (unsigned stalls = FEW_STALLS; stalls <= MANY_STALLS; stalls += MANY_STALLS - FEW_STALLS)
		probe_curve_add(
			&curve, stalls,
			(struct probe_windows){
				.count = MANY, .distance = PROBE_WINDOW, .bytes = PROBE_WINDOW, .ops = OPS, .stalls = stalls});
	if (!probe_curve_measure(probe, &curve, keys, NULL, NULL))
		return;
	const double more = MANY_STALLS - FEW_STALLS;
	const struct probe_estimate *few = &curve.points[0].y, *many = &curve.points[1].y,
								cycles = {(many->value - few->value) / more, (many->low - few->high) / more,
	                                      (many->high - few->low) / more, many->told && few->told};
	probe_clocked_tell_cycles(probe, IFR_PROBE_FRONT, keys[0], &cycles,
	                          "an instruction whose prefix changes the length of its immediate, of 14 in 64 bytes "
	                          "less 6, in straight code of 30 KiB");
}

/* Tells the estimate of the point with that value. */
static void tell_point(struct probe_clocked *probe, const struct probe_window_curve *curve, double value,
                       const char *key, const char *experiment) {
	size_t i = 0;
	while (i + 1 < curve->count && (curve->points[i].y.value < value || curve->points[i].y.value > value))
		i++;
	probe_clocked_tell(probe, IFR_PROBE_FRONT, key, "cycles", &curve->points[i].y, 0.5, experiment);
}

/* A loop of four short parts, moved through two lines: by how much its place alone changes its time. */
static void tell_offsets(struct probe_clocked *probe) {
	static const char *const keys[] = {"loop-offset-period", "loop-offset-best", "loop-offset-worst", NULL};
	enum { STEP = 2, BYTES = 54, PARTS = 3, OPS = 4 };
	struct probe_window_curve curve = {.count = 0};
	double least, most;
	for (unsigned offset = 0; offset < PROBE_SPARSE; offset += STEP)
		probe_curve_add(
			&curve, offset,
			(struct probe_windows){
				.count = 1, .distance = BYTES, .bytes = BYTES, .ops = OPS, .segments = PARTS, .offset = offset});
	if (!probe_curve_measure(probe, &curve, keys, "cycles of a loop of 63 bytes with four taken branches",
	                         "offset, bytes"))
		return;
	const size_t period = probe_curve_find_period(&curve, &least, &most);
	if (!period) {
		for (size_t i = 0; keys[i]; i++)
			probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[i],
			                   "cycles of a loop moved through 128 offsets are alike, or have no period");
		return;
	}
	probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "bytes", (double)(period * STEP),
	           "a loop of 63 bytes with four taken branches, moved through 128 offsets");
	tell_point(probe, &curve, least, keys[1], "a round of this loop at its best offset");
	tell_point(probe, &curve, most, keys[2], "a round of this loop at its worst offset");
}

void probe_clocked_jumps(struct probe_clocked *probe) {
	tell_line_jumps(probe);
	if (tell_jump_boundary(probe))
		tell_fusion(probe);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "fetch.fusion",
		                   "a jump's place alone may change what its window takes");
	tell_length_change(probe);
	tell_offsets(probe);
}
