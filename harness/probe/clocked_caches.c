/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches and TLBs by the clock: pointer chases in random order. */
#include "harness/probe/clocked.h"
#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"
#include "harness/probe/known_cache.h"
#include "harness/probe/way_tag.h"

#include <cpuid.h>
#include <inttypes.h>

/* A full cache meets some other lines, too: a load inside it takes up to half longer than the fastest, one outside twice
 * as long. */
#define INSIDE 1.5
#define OUTSIDE 2.0

enum { LINE = 64, POINTS_MOST = 64, STEPS_OF_OCTAVE = 8 };
/* A line that left the second cache is in the third one only where it was there some times before. */
enum { PERIODS = 6 };

struct curve {
	struct probe_point points[POINTS_MOST];
	size_t count;
};

/* Sizes from least to most, `steps` an octave. */
static void lay_sizes(struct curve *curve, size_t least, size_t most, unsigned steps) {
	for (size_t octave = least; octave < most; octave *= 2)
		for (unsigned i = 0; i < steps && curve->count < POINTS_MOST; i++)
			curve->points[curve->count++].x = (double)octave * (steps + i) / steps;
}

struct level {
	const char *size, *latency; /* keys */
	const char *title;          /* of the plot */
	unsigned number;            /* 1, 2, 3 */
	bool holds_code;
	size_t least, most; /* sizes that are tried where CPUID gives none */
	unsigned steps;
};

static const struct level levels[] = {
	{
		.size = "l1d.bytes",
		.latency = "l1d-latency",
		.title = "cycles of a load, around the first cache",
		.number = 1,
		.least = 8 << 10,
		.most = 128 << 10,
		.steps = STEPS_OF_OCTAVE,
	},
	{
		.size = "l2.bytes",
		.latency = "l2-latency",
		.title = "cycles of a load, around the second cache",
		.number = 2,
		.least = 128 << 10,
		.most = 4 << 20,
		.steps = STEPS_OF_OCTAVE / 2,
	},
};
enum { LEVELS = sizeof levels / sizeof *levels };
/* Other processors use the third cache, too: while a chase waits for each line, they fill it. So lines are loaded that do
 * not wait for each other. */
static const struct level shared_level = {
	.size = "l3.bytes",
	.latency = "l3-latency",
	.title = "cycles of a line, of many loaded upwards, around the third cache",
	.number = 3,
	.least = 4 << 20,
	.most = 128 << 20,
	.steps = STEPS_OF_OCTAVE / 2,
};

static uint64_t known_bytes(const struct level *level) {
	return (level->holds_code ? probe_known_code_cache(level->number) : probe_known_data_cache(level->number))
	    .bytes;
}

/* Sizes from a quarter of what CPUID gives to four times as much: a chase of more would take most of the time. */
static void lay_level(struct curve *curve, const struct level *level) {
	enum { MOST = 256 << 20 };
	const uint64_t known = known_bytes(level);
	const uint64_t least = known ? known / 4 : level->least, most = known ? 4 * known : level->most;
	lay_sizes(curve, least, most < MOST ? most : MOST, level->steps);
}

/* Cycles of a load of a region of each size. */
static bool measure_sizes(struct probe_clocked *probe, struct curve *curve, const char *const *keys) {
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	batch.periods = PERIODS;
	for (size_t i = 0; i < curve->count; i++)
		probe_chase(probe_batch_add(&batch),
		            &(struct probe_places){(size_t)curve->points[i].x / LINE, 1, LINE, LINE}, probe->seed);
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys);
	for (size_t i = 0; measured && i < curve->count; i++)
		curve->points[i].y = probe_batch_cycles(&batch, i + 1, 0);
	probe_batch_release(&batch);
	return measured;
}

/* Where pages share sets by chance, a cache fills bit by bit: half of the loads miss at a region of its size. Of a set of
 * W ways, in a cyclic chase under LRU, all lines miss where more than W fell on it: for Poisson-distributed lines of mean
 * m that is half of them at m = W - 1/3, at 0.96 of the size for 8 ways and 0.98 for 16. Returns whether the size is
 * told. */
static bool tell_middle(struct probe_clocked *probe, const struct level *level, const struct curve *curve,
                        uint64_t known) {
	size_t below, above;
	if (!probe_curve_middle(curve->points, curve->count, level->steps, &below, &above))
		return false;
	const double low = curve->points[below].x, high = 1.05 * curve->points[above].x;
	if (!known || (double)known < low || (double)known > high)
		return false;
	probe_tell_interval(probe->result, IFR_PROBE_CACHES, level->size, "bytes",
	                    (double[]){(double)known, low, high},
	                    "half of a random chase's loads miss in a region of its size; CPUID's size is near");
	return true;
}

/* A size that CPUID contradicts is not told: pages that share sets of a cache by chance, or other users of it, make it
 * smaller. */
static void tell_size(struct probe_clocked *probe, const struct level *level, const struct curve *curve,
                      double inside, double outside) {
	const struct probe_border border = probe_curve_border(curve->points, 3, inside, outside);
	const uint64_t known = known_bytes(level);
	size_t edge;
	const bool sharp = probe_curve_edge(curve->points, curve->count - 1, border, &edge);
	if (sharp && (!known || (double)known == curve->points[edge].x))
		probe_tell(
			probe->result, IFR_PROBE_CACHES, level->size, "bytes", curve->points[edge].x,
			"the largest region of a random chase, of lines upwards, or of straight code, at the same speed; "
			"%s",
			known ? "CPUID gives the same" : "CPUID gives none");
	else if (tell_middle(probe, level, curve, known))
		return;
	else if (sharp)
		probe_tell_nothing(probe->result, IFR_PROBE_CACHES, level->size,
		                   "it takes longer above %.0f bytes, and CPUID gives %" PRIu64, curve->points[edge].x,
		                   known);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_CACHES, level->size,
		                   "no size up to which it takes surely less than %.3g cycles, and above more than %.3g, "
		                   "and none in the middle between two levels",
		                   border.inside, border.outside);
}

static void tell_ways(struct probe_clocked *probe) {
	enum { LEAST = 2, MOST = 32, PAGE = 4096 };
	static const char *const keys[] = {"l1d.ways", NULL};
	const unsigned known = probe_known_data_cache(1).ways;
	struct curve curve = {.count = MOST - LEAST};
	struct probe_batch batch;
	size_t edge;
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = 0; i < curve.count; i++)
		probe_chase(probe_batch_add(&batch), &(struct probe_places){LEAST + i, 1, PAGE, PAGE}, probe->seed);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys)) {
		for (size_t i = 0; i < curve.count; i++)
			curve.points[i] = (struct probe_point){(double)(LEAST + i), probe_batch_cycles(&batch, i + 1, 0)};
		probe_clocked_keep(probe, IFR_PROBE_CACHES, "cycles of a load, 4096 bytes apart", "lines", curve.points,
		                   curve.count);
		const struct probe_border border = probe_curve_border(curve.points, 3, INSIDE, OUTSIDE);
		if (probe_curve_edge(curve.points, curve.count - 1, border, &edge) &&
		    (!known || (double)known == curve.points[edge].x))
			probe_tell(probe->result, IFR_PROBE_CACHES, keys[0], "", curve.points[edge].x,
			           "lines 4096 bytes apart that a chase runs through at the same speed");
		else
			probe_tell_nothing(probe->result, IFR_PROBE_CACHES, keys[0],
			                   "no number of lines 4096 bytes apart up to which a chase takes surely less");
	}
	probe_batch_release(&batch);
}

/* Beside a chase over one pointer, whose load is inside. */
static void tell_way_tag(struct probe_clocked *probe) {
	static const char *const keys[] = {"pipeline.way_tag", NULL};
	struct probe_point points[PROBE_WAY_PAIRS];
	enum probe_answer conflicts[PROBE_WAY_PAIRS];
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	probe_chase_self(probe_batch_add(&batch), 0);
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++)
		probe_way_pair(probe_batch_add(&batch), i);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys)) {
		const struct probe_estimate inside = probe_batch_cycles(&batch, 1, 0);
		for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
			const struct probe_estimate load = probe_batch_cycles(&batch, i + 2, 0);
			points[i] = (struct probe_point){(double)i + 1, load};
			conflicts[i] = load.high < INSIDE * inside.low    ? PROBE_NO
			               : load.low > OUTSIDE * inside.high ? PROBE_YES
			                                                  : PROBE_UNCLEAR;
		}
		probe_clocked_keep(probe, IFR_PROBE_CACHES, "cycles of a load from two lines of a set in turn", "pair",
		                   points, PROBE_WAY_PAIRS);
		probe_tell_way_tag(probe->result, conflicts);
	}
	probe_batch_release(&batch);
}

/* Straight code of long nops: outside the cache, its bytes come more slowly. */
static void tell_code(struct probe_clocked *probe) {
	enum { NOP = 8 };
	static const struct level level = {
		.size = "l1i.bytes",
		.title = "cycles of a nop of 8 bytes in straight code",
		.number = 1,
		.holds_code = true,
		.least = 8 << 10,
		.most = 128 << 10,
		.steps = STEPS_OF_OCTAVE / 2,
	};
	static const char *const keys[] = {"l1i.bytes", NULL};
	struct curve curve = {0};
	struct probe_batch batch;
	lay_level(&curve, &level);
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = 0; i < curve.count; i++)
		probe_nops(probe_batch_add(&batch), (size_t)curve.points[i].x / NOP - 2 /* and the loop's end */, NOP);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys)) {
		for (size_t i = 0; i < curve.count; i++)
			curve.points[i].y = probe_batch_cycles(&batch, i + 1, 0);
		probe_clocked_keep(probe, IFR_PROBE_CACHES, level.title, "bytes", curve.points, curve.count);
		tell_size(probe, &level, &curve, INSIDE, OUTSIDE);
	}
	probe_batch_release(&batch);
}

/* The cycles of a load of each level beyond those of the level before. */
static void tell_penalties(struct probe_clocked *probe, const struct probe_estimate *latency) {
	static const char *const keys[] = {"penalty.l1d", "penalty.l2"};
	for (unsigned i = 0; i < 2; i++) {
		const struct probe_estimate more = {latency[i + 1].value - latency[i].value,
		                                    latency[i + 1].low - latency[i].high,
		                                    latency[i + 1].high - latency[i].low, true};
		if (latency[i].told && latency[i + 1].told)
			probe_clocked_tell_cycles(probe, IFR_PROBE_CACHES, keys[i], &more,
			                          "a load's cycles in the next cache less those in this one");
		else
			probe_tell_nothing(probe->result, IFR_PROBE_CACHES, keys[i],
			                   "without both caches' latencies there is no difference");
	}
}

/* A chase over lines in their order, and in a random one, of more than the second cache. */
static void tell_prefetchers(struct probe_clocked *probe) {
	enum { LINES = 1 << 18 };
	static const char *const keys[] = {"prefetchers", "chase-upwards", "chase-shuffled", NULL};
	static const char experiment[] = "a chase over 16 MiB, line by line upwards, beside one in a random order";
	const struct probe_places places = {LINES, 1, LINE, LINE};
	struct probe_batch batch;
	probe_batch_init(&batch, true, probe->batch_ns);
	probe_chase(probe_batch_add(&batch), &places, 0);
	probe_chase(probe_batch_add(&batch), &places, probe->seed);
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys)) {
		const struct probe_estimate upwards = probe_batch_cycles(&batch, 1, 0),
									shuffled = probe_batch_cycles(&batch, 2, 0);
		if (upwards.told && shuffled.told && 2 * upwards.high < shuffled.low)
			probe_tell_word(probe->result, IFR_PROBE_CACHES, keys[0], "on", experiment);
		else if (upwards.told && shuffled.told && upwards.low > 0.8 * shuffled.high)
			probe_tell_word(probe->result, IFR_PROBE_CACHES, keys[0], "off", experiment);
		else
			probe_tell_nothing(probe->result, IFR_PROBE_CACHES, keys[0], "%.3g and %.3g cycles: %s", upwards.value,
			                   shuffled.value, experiment);
		probe_clocked_tell(probe, IFR_PROBE_CACHES, keys[1], "cycles", &upwards, 0.2 * upwards.value,
		                   "a load of a chase over 16 MiB, line by line upwards");
		probe_clocked_tell(probe, IFR_PROBE_CACHES, keys[2], "cycles", &shuffled, 0.2 * shuffled.value,
		                   "a load of a chase over 16 MiB in a random order");
	}
	probe_batch_release(&batch);
}

/* All points use the same lines: else the points themselves would fill the cache. */
static void tell_shared(struct probe_clocked *probe) {
	const char *const keys[] = {shared_level.size, NULL};
	struct curve curve = {0};
	struct probe_batch batch;
	uint64_t data = 0;
	lay_level(&curve, &shared_level);
	probe_batch_init(&batch, true, probe->batch_ns);
	for (size_t i = curve.count; i-- > 0;) {
		struct probe_kernel *kernel = probe_batch_add(&batch);
		probe_stream(kernel, (size_t)curve.points[i].x / LINE, data);
		data = kernel->start;
	}
	if (probe_clocked_measure(probe, &batch, IFR_PROBE_CACHES, keys)) {
		for (size_t i = 0; i < curve.count; i++)
			curve.points[i].y = probe_batch_cycles(&batch, curve.count - i, 0);
		probe_clocked_keep(probe, IFR_PROBE_CACHES, shared_level.title, "bytes", curve.points, curve.count);
		tell_size(probe, &shared_level, &curve, 1.15, 1.3);
	}
	probe_batch_release(&batch);
}

/* A chase over twice the second cache, most of whose loads miss it. */
static struct probe_estimate tell_third_latency(struct probe_clocked *probe, const struct curve *curve) {
	const struct ifr_probe_finding *second = ifr_probe_find(probe->result, levels[1].size);
	for (size_t i = 0; second && second->told && i < curve->count; i++)
		if (curve->points[i].x >= 2 * second->value) {
			const struct probe_estimate *latency = &curve->points[i].y;
			probe_clocked_tell(probe, IFR_PROBE_CACHES, shared_level.latency, "cycles", latency,
			                   0.2 * latency->value, "a load of a random chase over twice the second cache");
			return *latency;
		}
	probe_tell_nothing(probe->result, IFR_PROBE_CACHES, shared_level.latency,
	                   "without the second cache's size no chase is surely in the third one");
	return (struct probe_estimate){0};
}

void probe_clocked_caches(struct probe_clocked *probe) {
	struct probe_estimate latency[LEVELS + 1] = {{0}};
	for (unsigned i = 0; i < LEVELS; i++) {
		const char *const keys[] = {levels[i].size, levels[i].latency, NULL};
		struct curve curve = {0};
		lay_level(&curve, &levels[i]);
		if (!measure_sizes(probe, &curve, keys))
			continue;
		probe_clocked_keep(probe, IFR_PROBE_CACHES, levels[i].title, "bytes", curve.points, curve.count);
		tell_size(probe, &levels[i], &curve, INSIDE, OUTSIDE);
		latency[i] = curve.points[0].y;
		probe_clocked_tell(probe, IFR_PROBE_CACHES, levels[i].latency, "cycles", &latency[i],
		                   0.2 * latency[i].value, "a load of a random chase within this cache");
		if (i + 1 == LEVELS)
			latency[LEVELS] = tell_third_latency(probe, &curve);
	}
	tell_shared(probe);
	tell_penalties(probe, latency);
	tell_ways(probe);
	tell_way_tag(probe);
	tell_code(probe);
	tell_prefetchers(probe);
}

/* Entries of the first data TLB for pages of 4 KiB, by CPUID; 0 if it does not say. Ref: AMD 24594, CPUID 8000_0005h. */
static unsigned read_dtlb_entries(void) {
	unsigned a = 0, b = 0, c = 0, d = 0;
	/* Intel's processors answer 0. */
	return __get_cpuid(0x80000005, &a, &b, &c, &d) ? b >> 16 & 255 : 0;
}

/* The last point that fits, and the first that does not: between them lies the number. Returns whether it is told. */
static bool tell_dtlb(struct probe_clocked *probe, const char *key, double fits, double fails) {
	const double values[] = {fits, fits, fails - 1};
	const unsigned known = read_dtlb_entries();
	const bool told = !known || (double)known == fits;
	if (!told)
		probe_tell_nothing(probe->result, IFR_PROBE_TLBS, key, "%.0f pages fit, and CPUID gives %u", fits, known);
	else
		probe_tell_interval(probe->result, IFR_PROBE_TLBS, key, "", values,
		                    "pages, eight counts an octave, that a chase runs through as fast as through few; %s",
		                    known ? "CPUID gives the same" : "CPUID gives none");
	return told;
}

enum { PAGE_AND_LINE = 4096 + LINE };

/* Cycles of a load more, by pages: of two chases over as many lines, one has a page for each. */
static bool measure_pages(struct probe_clocked *probe, struct curve *curve, const char *const *keys) {
	struct probe_batch batch;
	probe_batch_init(&batch, false, probe->batch_ns);
	for (size_t i = 0; i < curve->count; i++) {
		const size_t count = (size_t)curve->points[i].x;
		probe_chase(probe_batch_add(&batch), &(struct probe_places){count, 1, LINE, LINE}, probe->seed);
		probe_chase(probe_batch_add(&batch), &(struct probe_places){count, 1, PAGE_AND_LINE, PAGE_AND_LINE},
		            probe->seed);
	}
	const bool measured = probe_clocked_measure(probe, &batch, IFR_PROBE_TLBS, keys);
	for (size_t i = 0; measured && i < curve->count; i++)
		curve->points[i].y = probe_batch_cycles(&batch, 2 * i + 2, 2 * i + 1);
	probe_batch_release(&batch);
	return measured;
}

/* Three numbers of pages must agree: of one, pages may share lines of a cache. */
static void tell_dtlb_penalty(struct probe_clocked *probe, const char *key, const struct curve *curve,
                              size_t edge) {
	enum { AGREE = 3 };
	struct probe_estimate all = curve->points[edge + 2].y;
	for (size_t i = edge + 1; i <= edge + AGREE && i < curve->count; i++) {
		probe_widen(&all, &curve->points[i].y);
		all.told &= curve->points[i].y.told;
	}
	probe_clocked_tell_cycles(probe, IFR_PROBE_TLBS, key, &all,
	                          "a load with a page of its own, of a few more, less one of as many in few pages");
}

static void tell_first_tlb(struct probe_clocked *probe) {
	static const char *const keys[] = {"dtlb.entries", "penalty.dtlb", NULL};
	struct curve curve = {0};
	size_t edge;
	lay_sizes(&curve, 16, 256, STEPS_OF_OCTAVE);
	if (!measure_pages(probe, &curve, keys))
		return;
	probe_clocked_keep(probe, IFR_PROBE_TLBS, "cycles of a load more, with a page for each", "pages", curve.points,
	                   curve.count);
	if (probe_curve_edge(curve.points, curve.count - 1, (struct probe_border){0.5, 2}, &edge)) {
		if (tell_dtlb(probe, keys[0], curve.points[edge].x, curve.points[edge + 1].x))
			tell_dtlb_penalty(probe, keys[1], &curve, edge);
	} else {
		probe_tell_nothing(
			probe->result, IFR_PROBE_TLBS, keys[0],
			"no number of pages up to which a load takes surely as long, and above two cycles more");
	}
}

/* Behind the second level each load walks the page tables, whose entries are in caches. Pages share sets by chance. */
static void tell_second_tlb(struct probe_clocked *probe) {
	static const char *const keys[] = {"stlb-pages", "page-walk", NULL};
	enum { FIRST = 3, MOST = 8192, WALK = 6 /* cycles, at least */ };
	struct curve curve = {0};
	size_t edge;
	lay_sizes(&curve, 256, MOST, STEPS_OF_OCTAVE / 2);
	if (!measure_pages(probe, &curve, keys))
		return;
	probe_clocked_keep(probe, IFR_PROBE_TLBS, "cycles of a load more, with a page for each, of many", "pages",
	                   curve.points, curve.count);
	const struct probe_border flat = probe_curve_border(curve.points, FIRST, 1, 1);
	if (probe_curve_edge(curve.points, curve.count - 1,
	                     (struct probe_border){flat.inside + WALK, flat.inside + WALK}, &edge)) {
		probe_tell_interval(
			probe->result, IFR_PROBE_TLBS, keys[0], "",
			(double[]){curve.points[edge].x, curve.points[edge].x, curve.points[edge + 1].x - 1},
			"pages, four counts an octave, up to which a load takes less than %d cycles more than of "
			"few hundred",
			WALK);
		const struct probe_estimate *walk = &curve.points[curve.count - 1].y;
		probe_clocked_tell(probe, IFR_PROBE_TLBS, keys[1], "cycles", walk, 0.2 * walk->value,
		                   "a load with a page of its own, of 7168, less one of as many in few pages");
	} else {
		for (size_t i = 0; keys[i]; i++)
			probe_tell_nothing(probe->result, IFR_PROBE_TLBS, keys[i],
			                   "no number of pages up to which a load takes surely less, and above more");
	}
}

void probe_clocked_tlbs(struct probe_clocked *probe) {
	tell_first_tlb(probe);
	tell_second_tlb(probe);
}
