/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end by the clock: what a window of code may hold, and what jumps in it cost.
 *
 * Problem: no event tells an op cache from decoders.
 * Idea: loops of windows that differ in one number. As long as an op cache delivers, a window takes its slots over the
 * width of rename, which the first points of a curve show; what leaves the op cache takes longer.
 * Invariant: only a step between two neighbouring points is told; the points before it are all on the line, those behind
 * it all above. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <math.h>

enum { WINDOW = 64, WINDOWS = 16, SPARSE = 2 * WINDOW, POINTS_MOST = 120 };

struct curve {
	struct probe_point points[POINTS_MOST];
	struct probe_windows windows[POINTS_MOST];
	double instructions[POINTS_MOST]; /* of a window */
	size_t count;
};

static void add(struct curve *curve, double x, struct probe_windows windows) {
	curve->points[curve->count].x = x;
	curve->windows[curve->count++] = windows;
}

static double count_instructions(const struct probe_kernel *kernel) {
	double count = 0;
	for (size_t i = 0; i < kernel->blocks_count; i++)
		count += kernel->geometry[i].instructions;
	return count / (double)kernel->elements;
}

static bool measure(struct probe_clocked *probe, struct curve *curve, const char *const *keys, const char *title,
                    const char *x_label) {
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = 0; i < curve->count; i++) {
		struct probe_kernel *kernel = probe_batch_add(&batch);
		probe_windows(kernel, &curve->windows[i]);
		curve->instructions[i] = count_instructions(kernel);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys);
	for (size_t i = 0; measured && i < curve->count; i++)
		curve->points[i].y = probe_batch_cycles(&batch, i + 1, 0);
	probe_batch_release(&batch);
	if (measured && title)
		probe_clocked_keep(probe, IFR_PROBE_FRONT, title, x_label, curve->points, curve->count);
	return measured;
}

/* The last of the points whose values are on the line through the first ones; BEHIND points behind it are above. Values
 * are y over `slots` of x, so that the line is flat. */
static bool find_end_of_line(const struct curve *curve, double more, size_t *edge) {
	enum { FIRST = 4, BEHIND = 2 };
	struct probe_point flat[POINTS_MOST];
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
	struct curve curve = {.count = 0};
	size_t edge;
	for (unsigned ops = FEWEST; ops <= MOST; ops++)
		add(&curve, ops,
		    (struct probe_windows){.count = WINDOWS, .distance = WINDOW, .bytes = WINDOW, .ops = ops});
	if (!measure(probe, &curve, keys, "cycles of 64 bytes of straight code", "instructions"))
		return false;
	const bool told = find_end_of_line(&curve, 0, &edge);
	if (told)
		probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "", curve.points[edge].x,
		           "nops in each 64 bytes of a loop of %d that are as fast as fewer; one more is slower", WINDOWS);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no number of nops in 64 bytes up to which they are surely as fast as fewer");
	return told;
}

/* The mean difference of points so far apart. */
static double compare_apart(const struct curve *curve, size_t apart) {
	double sum = 0;
	for (size_t i = 0; i + apart < curve->count; i++)
		sum += fabs(curve->points[i].y.value - curve->points[i + apart].y.value);
	return sum / (double)(curve->count - apart);
}

/* The mean difference of points from their mean, and their range; all 0 if some are not told. */
static double find_spread(const struct curve *curve, double *least, double *most) {
	double sum = 0, spread = 0;
	*least = *most = curve->points[0].y.value;
	for (size_t i = 0; i < curve->count; i++) {
		const struct probe_estimate *y = &curve->points[i].y;
		if (!y->told)
			return *least = *most = 0;
		*least = y->value < *least ? y->value : *least;
		*most = y->value > *most ? y->value : *most;
		sum += y->value;
	}
	for (size_t i = 0; i < curve->count; i++)
		spread += fabs(curve->points[i].y.value - sum / (double)curve->count);
	return spread / (double)curve->count;
}

/* The smallest period of the points, in steps: so far apart they differ by less than a third of their spread, and by twice
 * as much at half of it. 0: none, or their range is less than a twentieth. */
static size_t find_period(const struct curve *curve, double *least, double *most) {
	const double spread = find_spread(curve, least, most);
	double half = spread;
	if (!(*most > 1.05 * *least))
		return 0;
	for (size_t period = 1; period <= curve->count / 2; period *= 2) {
		const double difference = compare_apart(curve, period);
		if (difference < spread / 3 && difference < half / 2)
			return period;
		half = difference;
	}
	return 0;
}

/* A block of nops that is too dense for one window fits where it lies across two. Where no number of nops leaves an op
 * cache, decoders may have such windows, too: then it is no setting. */
static void tell_window(struct probe_clocked *probe, bool leaves) {
	const char *const keys[] = {leaves ? "op_cache.window" : "dense-window", NULL};
	enum { STEP = 4, NOPS = 48, JUMP = 5, FIRST = 4 };
	struct curve curve = {.count = 0};
	for (unsigned offset = 0; offset < SPARSE; offset += STEP)
		add(&curve, offset,
		    (struct probe_windows){.count = WINDOWS,
		                           .distance = SPARSE,
		                           .bytes = FIRST + NOPS + JUMP,
		                           .ops = NOPS + 1,
		                           .offset = offset});
	if (!measure(probe, &curve, keys, "cycles of a block of 49 instructions and a jump", "offset, bytes"))
		return;
	double least, most;
	const size_t period = find_period(&curve, &least, &most);
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
	struct curve curve = {.count = 0};
	size_t edge;
	for (unsigned ops = FEWEST; ops <= MOST; ops++)
		add(&curve, ops,
		    (struct probe_windows){
				.count = WINDOWS, .distance = WINDOW, .bytes = WINDOW, .ops = ops, .segments = SEGMENTS});
	if (!measure(probe, &curve, keys, "cycles of 64 bytes with two taken jumps", "instructions before each"))
		return;
	if (find_end_of_line(&curve, 1, &edge))
		probe_tell(probe->result, IFR_PROBE_FRONT, keys[0], "", curve.points[edge].x + 1,
		           "instructions of each half of 64 bytes, with its jump, that are as fast as fewer");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no number of instructions before a jump up to which they are surely as fast");
}

/* Taken jumps in a line: a first level of the BTB may hold few of a line. */
static void tell_line_jumps(struct probe_clocked *probe) {
	static const char *const keys[] = {"line-taken-branches", "line-taken-cycles-more", NULL};
	enum { MOST = 7 };
	struct curve curve = {.count = 0};
	size_t edge = 0;
	for (unsigned jumps = 1; jumps <= MOST; jumps++)
		add(&curve, jumps,
		    (struct probe_windows){
				.count = WINDOWS, .distance = WINDOW, .bytes = WINDOW, .ops = 1, .segments = jumps});
	if (!measure(probe, &curve, keys, NULL, NULL))
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
	return boundary && (end % boundary == 0 || end % boundary < PAIR);
}

static bool fits_boundary(const struct curve *curve, double limit, unsigned boundary) {
	for (size_t i = 0; i < curve->count; i++) {
		const struct probe_estimate *y = &curve->points[i].y;
		const bool slow = y->low > limit;
		if (!y->told || (!slow && y->value > limit) ||
		    slow != is_at_boundary((unsigned)curve->points[i].x, boundary))
			return false;
	}
	return true;
}

/* Returns whether there is surely none. */
static bool tell_jump_boundary(struct probe_clocked *probe) {
	static const char *const keys[] = {"op_cache.jump_boundary", NULL};
	static const unsigned boundaries[] = {0, 16, 32, 64};
	enum { FIRST_END = 9, STARTS_LINE = 3 };
	struct curve curve = {.count = 0};
	double least = 0;
	/* At 64 the pair's jump ends the window; at the first ends it lies behind no nop. */
	for (unsigned end = FIRST_END; end <= WINDOW; end++)
		add(&curve, end,
		    (struct probe_windows){.count = WINDOWS, .distance = WINDOW, .bytes = WINDOW, .jump_end = end});
	if (!measure(probe, &curve, keys, "cycles of 64 bytes with a test and its jump", "offset of the jump's end"))
		return false;
	for (size_t i = 0; i < curve.count; i++)
		if (!i || curve.points[i].y.value < least)
			least = curve.points[i].y.value;
	for (size_t i = 0; i < sizeof boundaries / sizeof *boundaries; i++)
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

/* The same code twice, 32 bytes apart: only in one of both the jump begins a line. */
static void tell_fusion(struct probe_clocked *probe) {
	static const char *const keys[] = {"fetch.fusion", NULL};
	enum { HALF = WINDOW / 2, JUMP = 2 };
	struct curve curve = {.count = 0};
	for (unsigned offset = 0; offset <= HALF; offset += HALF)
		add(&curve, offset,
		    (struct probe_windows){
				.count = WINDOWS, .distance = WINDOW, .bytes = WINDOW, .jump_end = HALF + JUMP, .offset = offset});
	if (!measure(probe, &curve, keys, NULL, NULL))
		return;
	const struct probe_estimate *within = &curve.points[0].y, *across = &curve.points[1].y;
	if (across->low > 1.05 * within->high && across->value < 1.3 * within->value)
		probe_tell_word(probe->result, IFR_PROBE_FRONT, keys[0], "within_line",
		                "a slot more for a test and its jump where the jump begins a line");
	else if (across->high < 1.03 * within->low && across->low > 0.97 * within->high)
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
	struct curve curve = {.count = 0};
	for (unsigned stalls = FEW_STALLS; stalls <= MANY_STALLS; stalls += MANY_STALLS - FEW_STALLS)
		add(&curve, stalls,
		    (struct probe_windows){
				.count = MANY, .distance = WINDOW, .bytes = WINDOW, .ops = OPS, .stalls = stalls});
	if (!measure(probe, &curve, keys, NULL, NULL))
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
static void tell_point(struct probe_clocked *probe, const struct curve *curve, double value, const char *key,
                       const char *experiment) {
	size_t i = 0;
	while (i + 1 < curve->count && (curve->points[i].y.value < value || curve->points[i].y.value > value))
		i++;
	probe_clocked_tell(probe, IFR_PROBE_FRONT, key, "cycles", &curve->points[i].y, 0.5, experiment);
}

/* A loop of four short parts, moved through two lines: by how much its place alone changes its time. */
static void tell_offsets(struct probe_clocked *probe) {
	static const char *const keys[] = {"loop-offset-period", "loop-offset-best", "loop-offset-worst", NULL};
	enum { STEP = 2, BYTES = 54, PARTS = 3, OPS = 4 };
	struct curve curve = {.count = 0};
	double least, most;
	for (unsigned offset = 0; offset < SPARSE; offset += STEP)
		add(&curve, offset,
		    (struct probe_windows){
				.count = 1, .distance = BYTES, .bytes = BYTES, .ops = OPS, .segments = PARTS, .offset = offset});
	if (!measure(probe, &curve, keys, "cycles of a loop of 63 bytes with four taken branches", "offset, bytes"))
		return;
	const size_t period = find_period(&curve, &least, &most);
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

void probe_clocked_windows(struct probe_clocked *probe) {
	tell_window(probe, tell_window_slots(probe));
	tell_segment_slots(probe);
	tell_line_jumps(probe);
	if (tell_jump_boundary(probe))
		tell_fusion(probe);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "fetch.fusion",
		                   "a jump's place alone may change what its window takes");
	tell_length_change(probe);
	tell_offsets(probe);
}
