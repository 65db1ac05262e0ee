/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows and queues of the core by the clock: two loads that miss all caches, pushed apart.
 *
 * Idea: the loads overlap as long as the second one enters the window while the first one waits. What lies between them
 * fills one structure more than others: the window, the queue of loads, that of stores, or the scheduler.
 * Problem: the memory takes longer for some lines than for others. So all points use the same two lines.
 * Problem: a core may keep two instructions that only need slots in one entry of its window (Zen 4: 630 zeroed registers
 * of 320 entries), and each other kind fills a structure of its own first.
 * Idea: two mixtures of kinds, of which no two neighbours are of one kind. The window is told where they agree.
 * Ref: Wong 2013, Measuring reorder buffer capacity. */
#include <math.h>

#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

enum { POINTS_MOST = 64, AROUND = 6 };

struct queue {
	const char *key, *title, *experiment;
	struct probe_sequence between;
	unsigned first, step;  /* counts of instructions that are tried */
	unsigned more, unsure; /* entries beyond the last count that fits: the loads' own, and perhaps more */
};

/* Registers of both kinds, loads and stores. */
static const uint8_t mixed[] = {0x48, 0x8d, 0x56, 1,      /* lea rdx, [rsi + 1] */
                                0x66, 0x0f, 0xfe, 0xc1,   /* paddd xmm0, xmm1 */
                                0x48, 0x8d, 0x56, 1,      /* lea rdx, [rsi + 1] */
                                0x66, 0x0f, 0xfe, 0xc1,   /* paddd xmm0, xmm1 */
                                0x48, 0x8b, 0x56, 64,     /* mov rdx, [rsi + 64] */
                                0x48, 0x8d, 0x56, 1,      /* lea rdx, [rsi + 1] */
                                0x66, 0x0f, 0xfe, 0xc1,   /* paddd xmm0, xmm1 */
                                0x48, 0x89, 0x56, 72};    /* mov [rsi + 72], rdx */
static const uint8_t tested[] = {0x48, 0x8d, 0x56, 1,     /* lea rdx, [rsi + 1] */
                                 0x66, 0x0f, 0xfe, 0xc1,  /* paddd xmm0, xmm1 */
                                 0x48, 0x8b, 0x56, 64,    /* mov rdx, [rsi + 64] */
                                 0x2e, 0x48, 0x85, 0xf6}; /* test rsi, rsi */
static const uint8_t load[] = {0x48, 0x8b, 0x56, 64};     /* mov rdx, [rsi + 64] */
static const uint8_t store[] = {0x48, 0x89, 0x56, 64};    /* mov [rsi + 64], rdx */
static const uint8_t wait[] = {0x48, 0x8d, 0x14, 0};      /* lea rdx, [rax + rax] */

static const struct queue queues[] = {
	{"window-mixed",
     "cycles of two misses, with lea, paddd, loads and stores between",
     "lea, paddd, loads and stores between two misses that overlap, and the two",
     {mixed, sizeof mixed, 8},
     64,
     12,
     2,
     0},
	{"window-tests",
     "cycles of two misses, with lea, paddd, loads and tests between",
     "lea, paddd, loads and tests between two misses that overlap, and the two",
     {tested, sizeof tested, 4},
     64,
     12,
     2,
     0},
	{"pipeline.loads",
     "cycles of two misses, with loads between",
     "loads between two misses that overlap, and the two",
     {load, sizeof load, 1},
     16,
     6,
     2,
     0},
	{"pipeline.stores",
     "cycles of two misses, with stores between",
     "stores between two misses that overlap",
     {store, sizeof store, 1},
     8,
     4,
     0,
     0},
	{"waiting-operations",
     "cycles of two misses, with operations that wait for the first between",
     "operations that wait for the first of two misses that overlap",
     {wait, sizeof wait, 1},
     16,
     6,
     0,
     1},
};
enum { QUEUES = sizeof queues / sizeof *queues };

static bool measure(struct probe_clocked *probe, const struct queue *queue, struct probe_point *points,
                    size_t count) {
	const char *const keys[] = {queue->key, NULL};
	struct probe_batch batch;
	uint64_t data = 0;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (size_t i = 0; i < count; i++) {
		struct probe_kernel *kernel = probe_batch_add(&batch);
		probe_two_misses(kernel, &queue->between, (size_t)points[i].x, data);
		data = kernel->start;
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_CORE, keys);
	for (size_t i = 0; measured && i < count; i++)
		points[i].y = probe_batch_cycles(&batch, i + 1, 0);
	probe_batch_release(&batch);
	return measured;
}

/* The last point before the only step: what lies before it is not much above, what lies behind it not much below. */
static bool find_step(const struct probe_point *points, size_t count, size_t *edge) {
	const double step = 1.1, slope = 1.05;
	size_t steps = 0;
	for (size_t i = 0; i + 1 < count; i++)
		if (points[i].y.told && points[i + 1].y.told && points[i + 1].y.low > step * points[i].y.high) {
			*edge = i;
			steps++;
		}
	if (steps != 1)
		return false;
	for (size_t i = 0; i < count; i++)
		if (i <= *edge ? points[i].y.value > slope * points[*edge].y.value
		               : points[i].y.value * slope < points[*edge + 1].y.value)
			return false;
	return true;
}

static void tell_queue(struct probe_clocked *probe, const struct queue *queue) {
	struct probe_point points[POINTS_MOST];
	size_t edge;
	for (size_t i = 0; i < POINTS_MOST; i++)
		points[i].x = queue->first + (double)(i * queue->step);
	if (!measure(probe, queue, points, POINTS_MOST))
		return;
	probe_clocked_keep(probe, IFR_PROBE_CORE, queue->title, "instructions between", points, POINTS_MOST);
	if (find_step(points, POINTS_MOST, &edge) && edge > 0) {
		const double low = points[edge].x + queue->more,
					 high = points[edge + 1].x - 1 + queue->more + queue->unsure;
		/* Each count around the edge. */
		const double from = points[edge].x - AROUND;
		const size_t count = 2 * AROUND + queue->step;
		for (size_t i = 0; i < count; i++)
			points[i].x = from + (double)i;
		if (!measure(probe, queue, points, count))
			return;
		if (find_step(points, count, &edge)) {
			const double value = points[edge].x + queue->more;
			probe_tell_interval(probe->result, IFR_PROBE_CORE, queue->key, "",
			                    (double[]){value, value, value + queue->unsure}, "%s", queue->experiment);
			return;
		}
		probe_tell_nothing(probe->result, IFR_PROBE_CORE, queue->key, "%.0f to %.0f %s", low, high,
		                   queue->experiment);
		return;
	}
	probe_tell_nothing(probe->result, IFR_PROBE_CORE, queue->key,
	                   "no number up to which two misses surely overlap, and above not: %s", queue->experiment);
}

void probe_tell_window(struct ifr_probe_result *result) {
	static const char key[] = "pipeline.window";
	static const double apart = 0.01;
	const struct ifr_probe_finding *one = ifr_probe_find(result, "window-mixed"),
								   *other = ifr_probe_find(result, "window-tests");
	if (!one->told || !other->told) {
		probe_tell_nothing(result, IFR_PROBE_CORE, key, "one of two mixtures of instructions does not tell it");
		return;
	}
	const double most = fmax(one->value, other->value), least = fmin(one->value, other->value);
	if (most - least > apart * most)
		probe_tell_nothing(result, IFR_PROBE_CORE, key, "%.0f with one mixture of instructions, %.0f with another",
		                   one->value, other->value);
	else
		probe_tell_interval(result, IFR_PROBE_CORE, key, "", (double[]){most, least, most},
		                    "instructions of two mixtures between two misses that overlap, and the two");
}

void probe_clocked_queues(struct probe_clocked *probe) {
	for (size_t i = 0; i < QUEUES; i++)
		tell_queue(probe, &queues[i]);
	probe_tell_window(probe->result);
}
