/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The op cache of a described core, by the slots that its decoders deliver: none as long as all code stays in it.
 *
 * A chain of taken jumps at a distance uses a line for each. Where lines are found by their windows, jumps of one window
 * use one line, so twice as many fit at half the distance; where they are found by their first instructions, as many fit
 * at all distances up to a window. As many jumps as a set has ways, in one set, with other instructions before each, fit
 * as long as these stay in one line: so many slots, and so many branches, has a line. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"

#include <math.h>
#include <string.h>

enum { JUMPS_MOST = 1 << 14, CODE_MOST = 1 << 28, NEAREST = 8, FARTHEST = 128, ROOM = 8192 };

static bool is_decoded(struct probe_described *probe, struct probe_kernel *kernel) {
	const double elements = (double)kernel->elements;
	return probe_described_event(probe, kernel, IFR_EVENT_DECODER_SLOTS) * elements > 0.5;
}

static enum probe_answer jumps_fit(void *data, const struct probe_places *places) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	probe_branch_chain(&kernel, places);
	return is_decoded(data, &kernel) ? PROBE_NO : PROBE_YES;
}

/* A run of code that ends with a jump, at the start of a window. */
struct stretch {
	unsigned nops, branches; /* nops of a byte, and jumps that are not taken, before the last jump */
	unsigned first;          /* bytes from the window's start to the code */
	bool is_long;            /* the last jump has 6 bytes, else 2 */
};

static const uint8_t count_and_clear[] = {0x48, 0xff, 0xcf, 0xf8}; /* dec rdi; clc */

/* Puts it. The last jump ends its block. */
static void put_stretch(struct probe_kernel *kernel, const struct stretch *stretch, uint64_t start,
                        uint64_t target, bool is_last) {
	static const uint8_t nop = 0x90, not_taken[] = {0x72, 0} /* jc +0 */;
	uint64_t at = start, block = start;
	unsigned instructions = 0;
	for (unsigned i = 0; i < stretch->nops; i++, instructions++)
		probe_put(kernel, at++, &nop, 1);
	for (unsigned i = 0; i < stretch->branches; i++, instructions = 0, block = at) {
		probe_put(kernel, at, not_taken, sizeof not_taken);
		at += sizeof not_taken;
		probe_execute(kernel,
		              probe_add_block(kernel, block, at - 1, instructions + 1, IFR_BRANCH_CONDITIONAL, 2, false),
		              false);
	}
	const enum probe_condition condition = is_last ? PROBE_IF_NOT_ZERO : PROBE_ALWAYS;
	const unsigned bytes = probe_jump_bytes(condition, false);
	probe_put_jump(kernel, at + bytes - 1, condition, false, target);
	probe_execute(kernel,
	              probe_add_block(kernel, block, at + bytes - 1, instructions + 1,
	                              is_last ? IFR_BRANCH_CONDITIONAL : IFR_BRANCH_JUMP, bytes, is_last),
	              true);
}

/* A loop over as many stretches, `distance` bytes apart; the loop's count lies in a window of its own, elsewhere. */
static void build_stretches(struct probe_kernel *kernel, const struct stretch *stretches, size_t count,
                            uint64_t distance) {
	enum { AWAY = 2112 };
	const uint64_t first = kernel->code + 2 * ROOM, tail = first - AWAY;
	kernel->entry = tail;
	probe_put(kernel, tail, count_and_clear, sizeof count_and_clear);
	/* The loop's own jumps: to the first stretch, and out of the loop. */
	const uint64_t out = tail + sizeof count_and_clear, into = out + 6;
	static const uint8_t go_back = 0xc3;
	probe_put_jump(kernel, out + 5, PROBE_IF_ZERO, false, into + 5);
	probe_put_jump(kernel, into + 4, PROBE_ALWAYS, false, first + stretches[0].first);
	probe_put(kernel, into + 5, &go_back, 1);
	probe_execute(kernel, probe_add_block(kernel, tail, out + 5, 3, IFR_BRANCH_CONDITIONAL, 6, false), false);
	probe_execute(kernel, probe_add_block(kernel, into, into + 4, 1, IFR_BRANCH_JUMP, 5, false), true);
	for (size_t i = 0; i < count; i++) {
		const uint64_t next = i + 1 < count ? first + (i + 1) * distance + stretches[i + 1].first : tail;
		put_stretch(kernel, &stretches[i], first + i * distance + stretches[i].first, next, false);
	}
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = kernel->elements = 1;
}

struct op_cache {
	unsigned window, ways;
	uint64_t span; /* bytes from a window to the next one in its set */
	bool by_start;
};

enum { WAYS_MOST = 64 };

/* Whether as many equal stretches in one set stay in the op cache. */
static bool stay(struct probe_described *probe, const struct op_cache *cache, struct stretch stretch,
                 size_t count) {
	struct stretch all[WAYS_MOST];
	struct probe_kernel kernel;
	for (size_t i = 0; i < count; i++)
		all[i] = stretch;
	probe_kernel_init(&kernel, 0);
	build_stretches(&kernel, all, count, cache->span);
	return !is_decoded(probe, &kernel);
}

static void tell_line(struct probe_described *probe, const struct op_cache *cache) {
	static const char *const keys[] = {"op_cache.ops", "op_cache.branches"};
	enum { JUMP = 5, MOST = 40 };
	for (unsigned i = 0; i < 2; i++) {
		unsigned most = 0;
		const unsigned bytes = i ? 2 : 1;
		for (unsigned n = 1; n < MOST && n * bytes + JUMP <= cache->window; n++) {
			const struct stretch stretch = {i ? 0 : n, i ? n : 0, 0, false};
			if (!stay(probe, cache, stretch, cache->ways))
				break;
			most = n;
		}
		/* The jump is one more. */
		if ((most + 1) * bytes + JUMP <= cache->window)
			probe_tell(probe->result, IFR_PROBE_FRONT, keys[i], "", most + 1,
			           "%s of each of as many windows as a set has lines, all of which stay in the op cache",
			           i ? "branches" : "slots");
		else
			probe_tell_nothing(probe->result, IFR_PROBE_FRONT, keys[i], "a window's bytes have no more");
	}
}

/* Lines of one window: with a slot more it leaves the op cache, with one less it does not. */
static void tell_lines(struct probe_described *probe, const struct op_cache *cache) {
	static const char key[] = "op_cache.lines";
	const struct ifr_probe_finding *ops = ifr_probe_find(probe->result, "op_cache.ops");
	enum { JUMP = 5 };
	unsigned slots = 0;
	while (slots + JUMP < cache->window && stay(probe, cache, (struct stretch){slots + 1, 0, 0, false}, 1))
		slots++;
	if (ops && ops->told && slots + JUMP < cache->window && slots + 1 < cache->ways * (unsigned)ops->value)
		probe_tell(probe->result, IFR_PROBE_FRONT, key, "", floor((slots + 1) / ops->value),
		           "slots of one window that stay in the op cache, over those of a line");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, key,
		                   "a window's bytes, or the lines of a set, do not have so many slots");
}

/* Jumps across the start of a window, and as many within it, in one set if instructions are where they end. */
static void tell_byte(struct probe_described *probe, const struct op_cache *cache) {
	struct stretch all[WAYS_MOST];
	struct probe_kernel kernel;
	if (cache->ways < 2 || cache->span < 2u * cache->window) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op_cache.byte", "one set, or lines of one way");
		return;
	}
	for (size_t i = 0; i < cache->ways; i++)
		all[i] = (struct stretch){0, 0, i % 2 ? cache->window - 2u : 0, false};
	probe_kernel_init(&kernel, 0);
	build_stretches(&kernel, all, cache->ways, cache->span);
	/* By the first byte, the windows of jumps across come behind their own in the same set; by the last, in the next. */
	const bool same = !is_decoded(probe, &kernel);
	for (size_t i = 0; i < cache->ways + 1; i++)
		all[i] = (struct stretch){0, 0, i % 2 ? cache->window - 2u : 0, false};
	probe_kernel_init(&kernel, 0);
	build_stretches(&kernel, all, cache->ways + 1, cache->span);
	const bool more = !is_decoded(probe, &kernel);
	if (same)
		probe_tell_word(probe->result, IFR_PROBE_FRONT, "op_cache.byte", more ? "last" : "first",
		                "jumps within a window and across its end, which share its set, or do not");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op_cache.byte", "as many jumps as ways do not fit");
}

enum { STEP = 4, OFFSETS = FARTHEST / STEP, BLOCK_FIRST = 4, BLOCK_JUMP = 5 };

/* Whether blocks of so many bytes leave the op cache, by their offset. ops: instructions before the jump; 0: few. */
static void find_leaving(struct probe_described *probe, unsigned bytes, unsigned ops, bool leaves[OFFSETS]) {
	enum { COUNT = 4 };
	for (unsigned i = 0; i < OFFSETS; i++) {
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_windows(
			&kernel,
			&(struct probe_windows){
				.count = COUNT, .distance = 2 * FARTHEST, .bytes = bytes, .ops = ops, .offset = i * STEP});
		leaves[i] = is_decoded(probe, &kernel);
	}
}

/* Whether offsets that differ by periods are equal, but for the excluded ones. */
static bool has_period(const bool leaves[OFFSETS], const bool excluded[OFFSETS], unsigned period) {
	for (unsigned i = 0; i < OFFSETS; i++)
		for (unsigned j = i + period; j < OFFSETS; j += period)
			if (!excluded[i] && !excluded[j] && leaves[i] != leaves[j])
				return false;
	return true;
}

/* Blocks that are too dense for one window, and not for two, by their offset: a window is the period with which they
 * leave the op cache. Blocks of as many bytes and few instructions leave it by their jump's place alone, which tells
 * nothing of windows. Returns 0 if none leave, or all. */
static unsigned find_window(struct probe_described *probe) {
	enum { LEAST = 8, MOST = 116 };
	for (unsigned nops = LEAST; nops < MOST; nops++) {
		bool leaves[OFFSETS], sparse[OFFSETS];
		unsigned left = 0, stayed = 0, period = 1;
		const unsigned bytes = BLOCK_FIRST + nops + BLOCK_JUMP;
		find_leaving(probe, bytes, nops + 1, leaves);
		find_leaving(probe, bytes, 0, sparse);
		for (unsigned i = 0; i < OFFSETS; i++) {
			left += leaves[i] && !sparse[i];
			stayed += !leaves[i] && !sparse[i];
		}
		if (!left || !stayed)
			continue;
		while (period < OFFSETS && !has_period(leaves, sparse, period))
			period *= 2;
		if (period < OFFSETS)
			return period * STEP;
	}
	return 0;
}

/* The window of lines that are found by their first instructions: the largest distance at which as many jumps fit. */
static unsigned find_window_by_start(const struct probe_question *question, size_t near) {
	unsigned window = NEAREST;
	while (window < FARTHEST && 4 * near < 5 * probe_find_capacity(question, 1, 2 * window, 2 * window, near))
		window *= 2;
	return window;
}

static struct op_cache find_cache(struct probe_described *probe, const struct probe_question *question) {
	struct op_cache cache = {0};
	const size_t near = probe_find_capacity(question, 1, NEAREST, NEAREST, 0),
				 next = near ? probe_find_capacity(question, 1, 2 * NEAREST, 2 * NEAREST, near) : 0;
	if (near < NEAREST || !next)
		return cache;
	/* Where the loop's own branch lies may take an element away. */
	cache.by_start = 4 * near < 5 * next;
	cache.window = cache.by_start ? find_window_by_start(question, near) : find_window(probe);
	return cache;
}

unsigned probe_described_window(struct probe_described *probe) {
	const struct probe_question question = {jumps_fit, probe, JUMPS_MOST, CODE_MOST};
	return find_cache(probe, &question).window;
}

/* The window and the tag: as many jumps fit at all distances in a window, or at half the distance twice as many. */
static bool tell_window(struct probe_described *probe, const struct probe_question *question,
                        struct op_cache *cache) {
	static const char by[] =
		"jumps that stay in the op cache: as many at each distance in a window, or twice as many "
		"at half of it";
	*cache = find_cache(probe, question);
	if (!cache->window) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op_cache.sets",
		                   "no number of jumps, or no dense block, shows an op cache");
		return false;
	}
	probe_tell_word(probe->result, IFR_PROBE_FRONT, "op_cache.tag", cache->by_start ? "start" : "window", by);
	if (!ifr_probe_find(probe->result, "op_cache.window"))
		probe_tell(probe->result, IFR_PROBE_FRONT, "op_cache.window", "bytes", cache->window, "%s",
		           cache->by_start ? by : "period with which a dense block leaves the op cache");
	return true;
}

/* --- rates ------------------------------------------------------------------------------------------------------- */

/* Cycles of a window of so many slots, the last of which is its jump. */
static double measure_window(struct probe_described *probe, const struct op_cache *cache, unsigned slots) {
	enum { FEW = 24 }; /* more than a loop buffer has */
	double cycles[2];
	for (unsigned i = 0; i < 2; i++) {
		struct stretch all[2 * FEW];
		struct probe_kernel kernel;
		for (size_t j = 0; j < 2 * FEW; j++)
			all[j] = (struct stretch){slots - 1, 0, 0, false};
		probe_kernel_init(&kernel, 0);
		build_stretches(&kernel, all, (i + 1) * FEW, cache->window);
		cycles[i] = probe_described_event(probe, &kernel, IFR_EVENT_CYCLES);
	}
	return (cycles[1] - cycles[0]) / FEW;
}

/* Cycles in which an op cache delivers the slots of a window; of lines found by their first instructions, each begins
 * in a new cycle. */
static unsigned deliver(unsigned slots, unsigned line, unsigned width) {
	unsigned cycles = 0;
	for (; slots > line; slots -= line)
		cycles += (line + width - 1) / width;
	return cycles + (slots + width - 1) / width;
}

/* The width with which the cycles of all numbers of slots agree, whatever rename takes. */
static void tell_width(struct probe_described *probe, const struct op_cache *cache) {
	enum { JUMP = 5, MOST = 128, WIDTHS = 32, ISSUES = 16 };
	const struct ifr_probe_finding *ops = ifr_probe_find(probe->result, "op_cache.ops");
	double cycles[MOST] = {0};
	unsigned last = 0, least = 0, most = 0;
	const unsigned line = cache->by_start && ops && ops->told ? (unsigned)ops->value : MOST;
	for (unsigned n = 1; n + JUMP <= cache->window; n++) {
		if (!stay(probe, cache, (struct stretch){n - 1, 0, 0, false}, 1))
			break;
		cycles[last = n] = measure_window(probe, cache, n);
	}
	for (unsigned width = 1; width <= WIDTHS; width++)
		for (unsigned issue = 1; issue <= ISSUES; issue++) {
			bool agrees = last > 0;
			for (unsigned n = 1; n <= last && agrees; n++)
				agrees =
					fabs(cycles[n] - fmax(fmax(cycles[1], deliver(n, line, width)), (double)n / issue)) < 0.02;
			if (agrees) {
				least = least ? least : width;
				most = width;
			}
		}
	if (least && least == most)
		probe_tell(probe->result, IFR_PROBE_FRONT, "op_cache.width", "", least,
		           "slots a cycle that give the cycles of windows of 1 to %u slots, as no other number does",
		           last);
	else
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op_cache.width",
		                   "%u to %u slots a cycle give the cycles of windows of 1 to %u slots", least, most,
		                   last);
}

void probe_described_front(struct probe_described *probe) {
	const struct probe_question question = {jumps_fit, probe, JUMPS_MOST, CODE_MOST};
	struct op_cache cache = {.window = 0};
	struct probe_organisation found = {.granule = 0};
	if (!tell_window(probe, &question, &cache))
		return;
	found.granule = cache.window;
	found.entries = probe_find_capacity(&question, 1, cache.window, cache.window, 0);
	if (found.entries)
		probe_find_ways(&question, &found, 0);
	if (!found.ways || found.ways > WAYS_MOST - 1) {
		probe_tell_nothing(probe->result, IFR_PROBE_FRONT, "op_cache.ways",
		                   "no number of jumps fits at any distance");
		return;
	}
	cache.ways = (unsigned)found.ways;
	cache.span = found.span;
	probe_tell(probe->result, IFR_PROBE_FRONT, "op_cache.sets", "", (double)(found.entries / found.ways),
	           "jumps, a window apart, that stay in the op cache, over its ways");
	probe_tell(probe->result, IFR_PROBE_FRONT, "op_cache.ways", "", (double)found.ways,
	           "jumps that stay in the op cache at any distance");
	tell_line(probe, &cache);
	tell_lines(probe, &cache);
	tell_byte(probe, &cache);
	tell_width(probe, &cache);
}
