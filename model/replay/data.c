/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores: L1D and DTLB, by data group.
 *
 * Problem: this stage looks up every access of every data group, and most accesses hit.
 * Idea: a hit is found where a hint says the key was last (model/memory/cache.h); that fast path stays in
 * registers, the slow path is a call. Lines and pages share one clock. Groups of one line_group see the same data
 * a whole number of pages apart: an L1D whose sets are chosen by the offset in a page hits and misses alike for
 * all of them, so one group (the leader) is looked up and the others copy its misses, with lines of their own.
 * Invariant: moving all data by whole pages permutes the keys of each such set one to one and keeps their order of
 * use.
 * Gain: the leader 1.08 (lua) and 1.12 (bzip2), the usual line and page sizes as constants 1.07 and 1.00 of the
 * speed of whole replays of 16 layouts, gshare, AVX2. */
#include "common/table.h"
#include "model/replay/stages.h"

#include <stdlib.h>
#include <string.h>

/* By loads, stores, prefetches: lines or pages beyond the first that an access enters, and all misses. */
struct tally {
	uint64_t crossed[3], missed[3];
};

/* A cache or a TLB, and its misses in this chunk. */
struct walk {
	struct ifr_cache cache;
	struct ifr_misses *misses;
	struct tally tally;
	unsigned shift;
	bool cached;
};

struct data_group {
	struct walk lines, pages;
	uint64_t time; /* clock of both */
	/* Lines that were prefetched and not referenced since; how many prefetches were of lines, and of use. */
	struct ifr_table waiting;
	uint64_t prefetches, used;
	size_t leader; /* the group whose lines hit and miss as this group's do, or itself */
};

static struct walk walk_new(struct ifr_cache_shape shape, unsigned shift) {
	struct walk walk = {.shift = shift, .cached = shape.sets};
	ifr_cache_init(&walk.cache, shape);
	return walk;
}

static void *create_data(const struct ifr_pass *pass) {
	const struct ifr_cache_shape shape = ifr_machine_cache_shape(pass->machine, IFR_L1D_BYTES);
	const bool in_page = !shape.index_shift && (uint64_t)shape.sets << pass->line_shift <= IFR_PAGE;
	struct data_group *groups = ifr_alloc(pass->groups_count * sizeof *groups);
	for (size_t i = 0; i < pass->groups_count; i++) {
		groups[i].leader = in_page ? pass->line_groups[i] : i;
		groups[i].lines = walk_new(groups[i].leader == i ? shape : (struct ifr_cache_shape){0}, pass->line_shift);
		groups[i].pages = walk_new(ifr_machine_tlb_shape(pass->machine, IFR_DTLB_ENTRIES), pass->page_shift);
	}
	return groups;
}

static void destroy_data(void *state, const struct ifr_pass *pass) {
	struct data_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++) {
		ifr_cache_release(&groups[i].lines.cache);
		ifr_cache_release(&groups[i].pages.cache);
		ifr_table_release(&groups[i].waiting);
	}
	free(groups);
}

/* The parts of a cache that a hit by its hint needs. A cache without hints gets parts that never hit. */
struct fast_path {
	const uint64_t *keys;
	uint64_t *times;
	const uint16_t *hints;
	uint64_t mask;
};

static struct fast_path fast_path_of(const struct ifr_cache *cache) {
	static const uint64_t nothing = IFR_CACHE_EMPTY;
	static const uint16_t nowhere;
	static uint64_t never;
	if (!cache->hints)
		return (struct fast_path){&nothing, &never, &nowhere, 0};
	return (struct fast_path){cache->keys, cache->times, cache->hints, cache->hint_mask};
}

/* The slow path of a touch at a time. Returns the time after it. */
static __attribute__((noinline)) uint64_t touch_slow(struct walk *walk, uint64_t key, uint8_t kind,
                                                     size_t position, uint64_t time) {
	walk->cache.clock = time;
	if (walk->cached && !ifr_cache_touch(&walk->cache, key)) {
		ifr_misses_add(walk->misses, key, (uint32_t)position);
		walk->tally.missed[kind >> 6]++;
	}
	return walk->cache.clock;
}

static inline bool touch_fast(const struct fast_path *fast_path, uint64_t key, uint64_t time) {
	const size_t at = fast_path->hints[key & fast_path->mask];
	if (__builtin_expect(fast_path->keys[at] != key, 0))
		return false;
	fast_path->times[at] = time;
	return true;
}

/* Touches the lines or pages beyond the first that an access enters. */
static uint64_t touch_crossed(struct walk *walk, uint64_t address, uint8_t kind, size_t position, uint64_t time) {
	const uint64_t end = (address + (kind & 63)) >> walk->shift;
	for (uint64_t key = (address >> walk->shift) + 1; key <= end; key++) {
		walk->tally.crossed[kind >> 6]++;
		time = touch_slow(walk, key, kind, position, time);
	}
	return time;
}

static inline __attribute__((always_inline)) uint64_t
walk_chunk(struct walk *lines, struct walk *pages, const uint64_t *addresses, const uint8_t *kinds, size_t count,
           unsigned line_shift, unsigned page_shift, bool has_lines, bool has_pages, uint64_t time) {
	const struct fast_path line = fast_path_of(&lines->cache), page = fast_path_of(&pages->cache);
	const uint64_t rest = (1ull << (line_shift < page_shift ? line_shift : page_shift)) - 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t address = addresses[i];
		const uint8_t kind = kinds[i];
		time++;
		if (has_lines && !touch_fast(&line, address >> line_shift, time))
			time = touch_slow(lines, address >> line_shift, kind, i, time);
		if (has_pages && !touch_fast(&page, address >> page_shift, time))
			time = touch_slow(pages, address >> page_shift, kind, i, time);
		if (__builtin_expect((address & rest) + (kind & 63) > rest, 0)) {
			time = touch_crossed(lines, address, kind, i, time);
			time = touch_crossed(pages, address, kind, i, time);
		}
	}
	return time;
}

/* Touches a line by a load or store. The first one behind a prefetch tells whether that was of use. */
static uint64_t reference_line(struct data_group *group, uint64_t line, uint8_t kind, size_t position,
                               uint64_t time) {
	const size_t misses = group->lines.misses->count;
	time = touch_slow(&group->lines, line, kind, position, time);
	if (group->waiting.count && ifr_table_remove(&group->waiting, line))
		group->used += group->lines.misses->count == misses;
	return time;
}

static uint64_t prefetch_line(struct data_group *group, uint64_t line, uint8_t kind, size_t position,
                              uint64_t time) {
	const size_t misses = group->lines.misses->count;
	time = touch_slow(&group->lines, line, kind, position, time);
	group->prefetches++;
	if (group->lines.misses->count > misses && ifr_table_find(&group->waiting, line) == IFR_TABLE_NONE)
		ifr_table_add(&group->waiting, line, 0);
	return time;
}

/* The chunk with prefetches among its accesses: those of page zero bring nothing. */
static void walk_prefetching(struct data_group *group, const uint64_t *addresses, const uint8_t *kinds,
                             size_t count) {
	struct walk *lines = &group->lines, *pages = &group->pages;
	uint64_t time = group->time;
	for (size_t i = 0; i < count; i++) {
		const uint64_t address = addresses[i], end = address + (kinds[i] & 63);
		const bool prefetch = kinds[i] >> 7;
		if (prefetch && address < IFR_PAGE)
			continue;
		if (prefetch)
			time = prefetch_line(group, address >> lines->shift, kinds[i], i, time);
		for (uint64_t line = address >> lines->shift; !prefetch && line <= end >> lines->shift; line++) {
			lines->tally.crossed[kinds[i] >> 6] += line > address >> lines->shift;
			time = reference_line(group, line, kinds[i], i, time);
		}
		time = touch_slow(pages, address >> pages->shift, kinds[i], i, time);
		time = touch_crossed(pages, address, kinds[i], i, time);
	}
	group->time = time;
}

/* Copies the leader's line misses: same positions, this group's lines. */
static void copy_leader_misses(struct data_group *group, const struct data_group *leader,
                               const uint64_t *addresses, const uint64_t *others) {
	const struct ifr_misses *misses = leader->lines.misses;
	const unsigned shift = group->lines.shift;
	for (size_t i = 0; i < misses->count; i++) {
		const uint32_t at = misses->items[i].position;
		const uint64_t crossed = misses->items[i].key - (others[at] >> shift);
		ifr_misses_add(group->lines.misses, (addresses[at] >> shift) + crossed, at);
	}
	memcpy(group->lines.tally.missed, leader->lines.tally.missed, sizeof leader->lines.tally.missed);
	group->used = leader->used;
}

static void walk_group(struct data_group *groups, const struct ifr_pass *pass, size_t i) {
	struct data_group *group = &groups[i];
	struct walk *lines = &group->lines, *pages = &group->pages;
	const size_t count = pass->chunk->data_count;
	lines->misses = &pass->data_lines[i];
	pages->misses = &pass->data_pages[i];
	lines->misses->count = pages->misses->count = 0;
	if (!count)
		return;
	const uint64_t *addresses = pass->addresses[i];
	const bool usual = pass->line_shift == 6 && pass->page_shift == 12 && pages->cached;
	if (pass->has_prefetches)
		walk_prefetching(group, addresses, pass->data_kinds, count);
	else if (usual && lines->cached)
		group->time = walk_chunk(lines, pages, addresses, pass->data_kinds, count, 6, 12, true, true, group->time);
	else if (usual)
		group->time =
			walk_chunk(lines, pages, addresses, pass->data_kinds, count, 6, 12, false, true, group->time);
	else
		group->time = walk_chunk(lines, pages, addresses, pass->data_kinds, count, pass->line_shift,
		                         pass->page_shift, lines->cached, pages->cached, group->time);
	if (group->leader != i)
		copy_leader_misses(group, &groups[group->leader], addresses, pass->addresses[group->leader]);
}

static void run_data(void *state, struct ifr_pass *pass) {
	for (size_t i = 0; i < pass->groups_count; i++)
		walk_group(state, pass, i);
}

static void count_data(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct data_group *group = (const struct data_group *)state + pass->lanes[lane].data_group;
	uint64_t *value = counters->value;
	value[IFR_EVENT_L1D_LOADS] += group->lines.tally.crossed[0];
	value[IFR_EVENT_SPLIT_LOADS] += group->lines.tally.crossed[0];
	value[IFR_EVENT_SPLIT_STORES] += group->lines.tally.crossed[1];
	value[IFR_EVENT_PAGE_SPLIT_LOADS] += group->pages.tally.crossed[0];
	value[IFR_EVENT_PAGE_SPLIT_STORES] += group->pages.tally.crossed[1];
	value[IFR_EVENT_L1D_LOAD_MISSES] += group->lines.tally.missed[0];
	value[IFR_EVENT_L1D_STORES] += group->lines.tally.crossed[1];
	value[IFR_EVENT_L1D_STORE_MISSES] += group->lines.tally.missed[1];
	value[IFR_EVENT_DTLB_LOADS] += group->pages.tally.crossed[0];
	value[IFR_EVENT_DTLB_LOAD_MISSES] += group->pages.tally.missed[0];
	value[IFR_EVENT_DTLB_STORES] += group->pages.tally.crossed[1];
	value[IFR_EVENT_DTLB_STORE_MISSES] += group->pages.tally.missed[1];
	value[IFR_EVENT_PREFETCHES_PRESENT] += group->prefetches - group->lines.tally.missed[2];
	value[IFR_EVENT_PREFETCHES_USED] += group->used;
	value[IFR_EVENT_PREFETCHES_UNUSED] += group->lines.tally.missed[2] - group->used;
}

const struct ifr_stage ifr_stage_data = {
	.name = "scalar", .create = create_data, .run = run_data, .count = count_data, .destroy = destroy_data};
