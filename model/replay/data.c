/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores: L1D and DTLB, every data group on its own, but for an L1D that cannot tell it from another. */
#include "model/replay/stages.h"

#include <stdlib.h>
#include <string.h>

/* By loads, by stores: lines or pages that accesses crossed into, and missed. */
struct tally {
	uint64_t crossed[2], missed[2];
};

/* A cache, or TLB, and what missed it in this chunk. */
struct walk {
	struct ifr_cache cache;
	struct ifr_misses *misses;
	struct tally tally;
	unsigned shift;
	bool cached;
};

struct data_group {
	struct walk lines, pages;
	uint64_t time; /* of both */
	size_t leader; /* the group whose lines hit and miss as this one's do, or itself */
};

static struct walk walk_of(struct ifr_cache_shape shape, unsigned shift) {
	struct walk walk = {.shift = shift, .cached = shape.sets};
	ifr_cache_init(&walk.cache, shape);
	return walk;
}

static void *create(const struct ifr_pass *pass) {
	const struct ifr_cache_shape shape = ifr_machine_cache_shape(pass->machine, IFR_L1D_BYTES);
	const bool in_page = !shape.index_shift && (uint64_t)shape.sets << pass->line_shift <= IFR_PAGE;
	struct data_group *groups = ifr_alloc(pass->groups_count * sizeof *groups);
	for (size_t i = 0; i < pass->groups_count; i++) {
		groups[i].leader = in_page ? pass->line_groups[i] : i;
		groups[i].lines = walk_of(groups[i].leader == i ? shape : (struct ifr_cache_shape){0}, pass->line_shift);
		groups[i].pages = walk_of(ifr_machine_tlb_shape(pass->machine, IFR_DTLB_ENTRIES), pass->page_shift);
	}
	return groups;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct data_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++) {
		ifr_cache_release(&groups[i].lines.cache);
		ifr_cache_release(&groups[i].pages.cache);
	}
	free(groups);
}

/* What a touch that hits where it is hinted needs: it stays in registers. Of a cache without hints all goes the
 * long way. */
struct quick {
	const uint64_t *keys;
	uint64_t *times;
	const uint16_t *hints;
	uint64_t mask;
};

static struct quick quick_of(const struct ifr_cache *cache) {
	static const uint64_t nothing = IFR_CACHE_EMPTY;
	static const uint16_t nowhere;
	static uint64_t never;
	if (!cache->hints)
		return (struct quick){&nothing, &never, &nowhere, 0};
	return (struct quick){cache->keys, cache->times, cache->hints, cache->hint_mask};
}

/* The long way of a touch at a time. Returns the time after it. */
static __attribute__((noinline)) uint64_t touch(struct walk *walk, uint64_t key, uint8_t kind, size_t position,
                                                uint64_t time) {
	walk->cache.clock = time;
	if (walk->cached && !ifr_cache_touch(&walk->cache, key)) {
		ifr_misses_add(walk->misses, key, (uint32_t)position);
		walk->tally.missed[kind >> 6]++;
	}
	return walk->cache.clock;
}

static inline bool touch_quickly(const struct quick *quick, uint64_t key, uint64_t time) {
	const size_t at = quick->hints[key & quick->mask];
	if (__builtin_expect(quick->keys[at] != key, 0))
		return false;
	quick->times[at] = time;
	return true;
}

/* The lines, or pages, that an access crosses into. */
static uint64_t cross(struct walk *walk, uint64_t address, uint8_t kind, size_t position, uint64_t time) {
	const uint64_t end = (address + (kind & 63)) >> walk->shift;
	for (uint64_t key = (address >> walk->shift) + 1; key <= end; key++) {
		walk->tally.crossed[kind >> 6]++;
		time = touch(walk, key, kind, position, time);
	}
	return time;
}

static inline __attribute__((always_inline)) uint64_t
walk_chunk(struct walk *lines, struct walk *pages, const uint64_t *addresses, const uint8_t *kinds, size_t count,
           unsigned line_shift, unsigned page_shift, bool has_lines, bool has_pages, uint64_t time) {
	const struct quick line = quick_of(&lines->cache), page = quick_of(&pages->cache);
	const uint64_t rest = (1ull << (line_shift < page_shift ? line_shift : page_shift)) - 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t address = addresses[i];
		const uint8_t kind = kinds[i];
		time++;
		if (has_lines && !touch_quickly(&line, address >> line_shift, time))
			time = touch(lines, address >> line_shift, kind, i, time);
		if (has_pages && !touch_quickly(&page, address >> page_shift, time))
			time = touch(pages, address >> page_shift, kind, i, time);
		if (__builtin_expect((address & rest) + (kind & 63) > rest, 0)) {
			time = cross(lines, address, kind, i, time);
			time = cross(pages, address, kind, i, time);
		}
	}
	return time;
}

/* The misses of the leader's lines, which are this group's at the same positions. */
static void follow(struct data_group *group, const struct data_group *leader, const uint64_t *addresses,
                   const uint64_t *others) {
	const struct ifr_misses *misses = leader->lines.misses;
	const unsigned shift = group->lines.shift;
	for (size_t i = 0; i < misses->count; i++) {
		const uint32_t at = misses->items[i].position;
		const uint64_t crossed = misses->items[i].key - (others[at] >> shift);
		ifr_misses_add(group->lines.misses, (addresses[at] >> shift) + crossed, at);
	}
	memcpy(group->lines.tally.missed, leader->lines.tally.missed, sizeof leader->lines.tally.missed);
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
	if (usual && lines->cached)
		group->time = walk_chunk(lines, pages, addresses, pass->data_kinds, count, 6, 12, true, true, group->time);
	else if (usual)
		group->time =
			walk_chunk(lines, pages, addresses, pass->data_kinds, count, 6, 12, false, true, group->time);
	else
		group->time = walk_chunk(lines, pages, addresses, pass->data_kinds, count, pass->line_shift,
		                         pass->page_shift, lines->cached, pages->cached, group->time);
	if (group->leader != i)
		follow(group, &groups[group->leader], addresses, pass->addresses[group->leader]);
}

static void run(void *state, struct ifr_pass *pass) {
	for (size_t i = 0; i < pass->groups_count; i++)
		walk_group(state, pass, i);
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct data_group *group = (const struct data_group *)state + pass->lanes[lane].data_group;
	uint64_t *value = counters->value;
	value[IFR_EVENT_L1D_LOADS] += group->lines.tally.crossed[0];
	value[IFR_EVENT_L1D_LOAD_MISSES] += group->lines.tally.missed[0];
	value[IFR_EVENT_L1D_STORES] += group->lines.tally.crossed[1];
	value[IFR_EVENT_L1D_STORE_MISSES] += group->lines.tally.missed[1];
	value[IFR_EVENT_DTLB_LOADS] += group->pages.tally.crossed[0];
	value[IFR_EVENT_DTLB_LOAD_MISSES] += group->pages.tally.missed[0];
	value[IFR_EVENT_DTLB_STORES] += group->pages.tally.crossed[1];
	value[IFR_EVENT_DTLB_STORE_MISSES] += group->pages.tally.missed[1];
}

const struct ifr_stage ifr_stage_data = {
	.name = "scalar", .create = create, .run = run, .count = count, .destroy = destroy};
