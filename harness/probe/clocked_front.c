/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end by the clock: straight code that needs nothing but slots. Cores fuse nops, so registers are
 * zeroed. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#include <stdlib.h>

/* Lines of an op cache end with their window: with few instructions in each 64 bytes, lines are filled in part. So
 * several densities are tried, and the one of which most is held fills the lines best. (Zen 4: 768 lines of 9; 32 zeroed
 * registers in 64 bytes take four lines of a window: 6144 are held; 27 take three: 6912.) */
static const unsigned densities[] = {16, 18, 24, 27, 32};
enum {
	DENSITIES = sizeof densities / sizeof *densities,
	FIRST_WINDOWS = 16,
	QUARTERS = 4,
	POINTS = 5 * QUARTERS, /* from 16 to 435 windows of 64 bytes */
	FINE_POINTS = 64,
	BEYOND = 14336 /* instructions that no op cache holds, and the first cache does */
};

/* Instructions a cycle, from cycles an instruction. */
static struct probe_estimate invert(const struct probe_estimate *cycles) {
	return (struct probe_estimate){1 / cycles->value, 1 / cycles->high, 1 / cycles->low, cycles->told};
}

/* Windows of code at point i: quarters of octaves. */
static size_t windows_at(size_t i) {
	return ((size_t)FIRST_WINDOWS << i / QUARTERS) / QUARTERS * (QUARTERS + i % QUARTERS);
}

/* Cycles of an instruction, by windows: where they are surely as for few windows, and from where on surely longer. */
static bool find_held(const struct probe_point *points, size_t count, size_t *edge) {
	return probe_curve_edge(points, count - 1, probe_curve_border(points, 3, 1.1, 1.15), edge);
}

static void take_points(const struct probe_batch *batch, size_t first, struct probe_point *points, size_t count) {
	for (size_t i = 0; i < count; i++)
		points[i].y = probe_batch_cycles(batch, first + i, 0);
}

/* Windows of a density that are surely held, and the first number that surely is not; 0 where none is sure. */
struct held {
	unsigned density;
	double fits, fails;
};

/* For each density, between quarters of octaves. Returns false if nothing was measured. */
static bool find_octaves(struct probe_clocked *probe, const char *const *keys, struct held *held) {
	struct probe_point points[DENSITIES][POINTS];
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t d = 0; d < DENSITIES; d++)
		for (size_t i = 0; i < POINTS; i++) {
			points[d][i].x = (double)windows_at(i);
			probe_zeroed(probe_batch_add(&batch), windows_at(i), densities[d]);
		}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys);
	for (size_t d = 0; measured && d < DENSITIES; d++) {
		size_t edge;
		char *title = ifr_format("cycles of zeroed registers, %u in each 64 bytes", densities[d]);
		take_points(&batch, 1 + d * POINTS, points[d], POINTS);
		probe_clocked_keep(probe, IFR_PROBE_FRONT, title, "windows of 64 bytes", points[d], POINTS);
		free(title);
		probe_curve_smooth(points[d], POINTS);
		held[d] = (struct held){densities[d], 0, 0};
		if (find_held(points[d], POINTS, &edge))
			held[d] = (struct held){densities[d], points[d][edge].x, points[d][edge + 1].x};
	}
	probe_batch_release(&batch);
	return measured;
}

/* Each number of windows, or nearly so, between the two. */
static void find_windows(struct probe_clocked *probe, struct held *held) {
	static const char *const no_keys[] = {NULL};
	enum { AROUND = 4 };
	const unsigned step = (unsigned)(held->fails - held->fits) / (FINE_POINTS - 2 * AROUND) + 1;
	struct probe_point points[FINE_POINTS];
	struct probe_batch batch;
	size_t edge, count = 0;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (double x = held->fits - AROUND * step; x < held->fails + AROUND * step && count < FINE_POINTS;
	     x += step) {
		points[count++].x = x;
		probe_zeroed(probe_batch_add(&batch), (size_t)x, held->density);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, no_keys);
	if (measured) {
		take_points(&batch, 1, points, count);
		probe_curve_smooth(points, count);
	}
	const bool found = measured && find_held(points, count, &edge);
	held->fits = found ? points[edge].x : 0;
	held->fails = found ? points[edge + 1].x : 0;
	probe_batch_release(&batch);
}

/* Returns whether code of some length leaves the op cache. */
static bool tell_op_cache(struct probe_clocked *probe) {
	static const char *const keys[] = {"op-cache-ops", "beyond-op-cache", NULL};
	struct held held[DENSITIES] = {{0}};
	const struct held *best = &held[0];
	bool leaves = false, all = true;
	if (!find_octaves(probe, keys, held))
		return false;
	for (size_t d = 0; d < DENSITIES; d++) {
		if (held[d].fits <= 0)
			continue;
		leaves = true;
		find_windows(probe, &held[d]);
		all &= held[d].fits > 0;
		if (held[d].density * held[d].fits > best->density * best->fits)
			best = &held[d];
	}
	if (best->fits > 0 && all)
		probe_tell_interval(
			probe->result, IFR_PROBE_FRONT, keys[0], "",
			(double[]){best->density * best->fits, best->density * best->fits, best->density * best->fails - 1},
			"zeroed registers, %u in each 64 bytes, that run over and over at full speed; with other "
			"densities fewer do",
			best->density);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[0],
		                   "no length of straight code up to which it surely runs faster than above");
	if (!leaves)
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[1], "no micro-op cache shows its decoders");
	return leaves;
}

/* Not all of it is decoded: a part is still held, and the rate is no number of decoders. */
static void tell_beyond(struct probe_clocked *probe) {
	static const uint8_t clear[] = {0x31, 0xc0}; /* xor eax, eax */
	static const char *const keys[] = {"beyond-op-cache", NULL};
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	probe_repeat(probe_batch_add(&batch), &(struct probe_sequence){clear, sizeof clear, 1}, BEYOND);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_FRONT, keys)) {
		const struct probe_estimate cycles = probe_batch_cycles(&batch, 1, 0), rate = invert(&cycles);
		probe_clocked_tell(probe, IFR_PROBE_FRONT, keys[0], "a cycle", &rate, 0.1 * rate.value,
		                   "xor eax, eax in straight code of 14336");
	}
	probe_batch_release(&batch);
}

void probe_clocked_front(struct probe_clocked *probe) {
	if (tell_op_cache(probe))
		tell_beyond(probe);
	probe_clocked_windows(probe);
}
