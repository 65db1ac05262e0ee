/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end by the clock: straight code that needs nothing but slots. Cores fuse nops, so registers are
 * zeroed. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

/* xor eax, eax: so many of them fit the first cache that they overflow a micro-op cache. */
enum { STEP = 512, POINTS = 28 };

/* Instructions a cycle, from cycles an instruction. */
static struct probe_estimate invert(const struct probe_estimate *cycles) {
	return (struct probe_estimate){1 / cycles->value, 1 / cycles->high, 1 / cycles->low, cycles->told};
}

static void tell_op_cache(struct probe_clocked *probe, const struct probe_point *points) {
	const struct probe_border border = probe_curve_border(points, 3, 1.1, 1.25);
	size_t edge;
	if (!probe_curve_edge(points, POINTS - 1, border, &edge)) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op-cache-ops",
		                   "no length of straight code up to which it surely runs faster than above");
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "beyond-op-cache",
		                   "no micro-op cache shows its decoders");
		return;
	}
	probe_tell_interval(probe->result, IFR_PROBE_FRONT, "op-cache-ops", "",
	                    (double[]){points[edge].x, points[edge].x, points[edge + 1].x - 1},
	                    "xor eax, eax in straight code, by %d, that run over and over at full speed", STEP);
	/* Not all of it is decoded: a part is still held, and the rate is no number of decoders. */
	const struct probe_estimate rate = invert(&points[POINTS - 1].y);
	probe_clocked_tell(probe, IFR_PROBE_FRONT, "beyond-op-cache", "a cycle", &rate, 0.1 * rate.value,
	                   "xor eax, eax in straight code of 14336");
}

static void tell_straight_code(struct probe_clocked *probe) {
	static const uint8_t clear[] = {0x31, 0xc0}; /* xor eax, eax */
	static const char *const keys[] = {"op-cache-ops", "beyond-op-cache", NULL};
	struct probe_point points[POINTS];
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = 0; i < POINTS; i++)
		probe_repeat(probe_batch_add(&batch), &(struct probe_sequence){clear, sizeof clear, 1}, (i + 1) * STEP);
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys);
	for (size_t i = 0; measured && i < POINTS; i++)
		points[i] = (struct probe_point){(double)((i + 1) * STEP), probe_batch_cycles(&batch, i + 1, 0)};
	probe_batch_release(&batch);
	if (!measured)
		return;
	probe_clocked_keep(probe, IFR_PROBE_FRONT, "cycles of xor eax, eax in straight code", "instructions", points,
	                   POINTS);
	tell_op_cache(probe, points);
}

void probe_clocked_front(struct probe_clocked *probe) {
	tell_straight_code(probe);
	probe_clocked_windows(probe);
}
