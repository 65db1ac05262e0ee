/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores: L1D and DTLB, every data group on its own. */
#include "model/replay/stages.h"

#include <stdlib.h>

/* By loads, by stores. What is touched is the accesses, and once more for each line or page they cross into. */
struct tally {
	uint64_t crossed[2], missed[2];
};

struct data_group {
	struct ifr_cache lines, pages;
	struct tally line_tally, page_tally;
};

static void *create(const struct ifr_pass *pass) {
	struct data_group *groups = ifr_alloc(pass->groups_count * sizeof *groups);
	for (size_t i = 0; i < pass->groups_count; i++) {
		ifr_cache_init(&groups[i].lines, ifr_machine_cache(pass->machine, IFR_L1D_BYTES));
		ifr_cache_init(&groups[i].pages, ifr_machine_tlb(pass->machine, IFR_DTLB_ENTRIES));
	}
	return groups;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct data_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++) {
		ifr_cache_release(&groups[i].lines);
		ifr_cache_release(&groups[i].pages);
	}
	free(groups);
}

struct walk {
	struct ifr_cache *cache;
	struct ifr_misses *misses;
	unsigned shift;
	struct tally tally;
};

static inline __attribute__((always_inline)) void touch(struct walk *walk, uint64_t key, uint8_t kind,
                                                        size_t position) {
	if (ifr_cache_touch(walk->cache, key))
		return;
	ifr_misses_add(walk->misses, key, (uint32_t)position);
	walk->tally.missed[kind >> 6]++;
}

static inline __attribute__((always_inline)) void walk_access(struct walk *walk, uint64_t address, uint8_t kind,
                                                              size_t position, bool cached) {
	const uint64_t first = address >> walk->shift, end = (address + (kind & 63)) >> walk->shift;
	if (cached)
		touch(walk, first, kind, position);
	for (uint64_t key = first + 1; key <= end; key++) {
		walk->tally.crossed[kind >> 6]++;
		if (cached)
			touch(walk, key, kind, position);
	}
}

static struct tally walk_chunk(struct ifr_cache *cache, struct ifr_misses *misses, unsigned shift,
                               struct tally tally, const struct ifr_pass *pass, const uint64_t *addresses) {
	struct walk walk = {cache, misses, shift, tally};
	const bool cached = cache->shape.sets;
	misses->count = 0;
	for (size_t i = 0; i < pass->chunk->data_count; i++)
		walk_access(&walk, addresses[i], pass->data_kinds[i], i, cached);
	return walk.tally;
}

static void run(void *state, struct ifr_pass *pass) {
	struct data_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++) {
		struct data_group *group = &groups[i];
		const uint64_t *addresses = pass->chunk->data_count ? pass->addresses[i] : NULL;
		group->line_tally =
			walk_chunk(&group->lines, &pass->data_lines[i], pass->line_shift, group->line_tally, pass, addresses);
		group->page_tally =
			walk_chunk(&group->pages, &pass->data_pages[i], pass->page_shift, group->page_tally, pass, addresses);
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct data_group *group = (const struct data_group *)state + pass->lanes[lane].data_group;
	uint64_t *value = counters->value;
	value[IFR_EVENT_L1D_LOADS] += pass->data_loads + group->line_tally.crossed[0];
	value[IFR_EVENT_L1D_LOAD_MISSES] += group->line_tally.missed[0];
	value[IFR_EVENT_L1D_STORES] += pass->data_stores + group->line_tally.crossed[1];
	value[IFR_EVENT_L1D_STORE_MISSES] += group->line_tally.missed[1];
	value[IFR_EVENT_DTLB_LOADS] += pass->data_loads + group->page_tally.crossed[0];
	value[IFR_EVENT_DTLB_LOAD_MISSES] += group->page_tally.missed[0];
	value[IFR_EVENT_DTLB_STORES] += pass->data_stores + group->page_tally.crossed[1];
	value[IFR_EVENT_DTLB_STORE_MISSES] += group->page_tally.missed[1];
}

const struct ifr_stage ifr_stage_data = {"scalar", create, run, count, destroy};
