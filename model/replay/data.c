/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores: L1D and DTLB, every data group on its own. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct tally {
	uint64_t touched[2], missed[2]; /* by loads, by stores */
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
	struct ifr_cache *cache; /* NULL: there is none */
	struct ifr_misses *misses;
	unsigned shift;
	struct tally tally;
};

static inline __attribute__((always_inline)) void touch(struct walk *walk, uint64_t address,
                                                        const struct ifr_access *access, uint32_t position) {
	uint64_t key = address >> walk->shift;
	const uint64_t end = (address + access->bytes - 1) >> walk->shift;
	for (; key <= end; key++) {
		walk->tally.touched[access->store]++;
		if (walk->cache && !ifr_cache_touch(walk->cache, key)) {
			ifr_misses_add(walk->misses, key, position);
			walk->tally.missed[access->store]++;
		}
	}
}

static void walk_chunk(struct walk *walk, const struct ifr_chunk *chunk, const uint64_t *addresses) {
	struct walk local = *walk;
	uint32_t position = 0;
	local.misses->count = 0;
	for (size_t i = 0; i < chunk->steps_count; i++) {
		if (chunk->steps[i] == IFR_STEP_BREAK)
			continue;
		const struct ifr_block *block = &chunk->blocks[chunk->steps[i] >> 1];
		const struct ifr_access *accesses = chunk->accesses + block->first_access;
		for (unsigned k = 0; k < block->accesses; k++, position++)
			touch(&local, addresses[position], &accesses[k], position);
	}
	*walk = local;
}

static void run(void *state, struct ifr_pass *pass) {
	struct data_group *groups = state;
	for (size_t i = 0; i < pass->groups_count; i++) {
		struct data_group *group = &groups[i];
		struct walk lines = {group->lines.shape.sets ? &group->lines : NULL, &pass->data_lines[i],
		                     pass->line_shift, group->line_tally};
		struct walk pages = {group->pages.shape.sets ? &group->pages : NULL, &pass->data_pages[i],
		                     pass->page_shift, group->page_tally};
		const uint64_t *addresses = pass->chunk->data_count ? pass->addresses[i] : NULL;
		walk_chunk(&lines, pass->chunk, addresses);
		walk_chunk(&pages, pass->chunk, addresses);
		group->line_tally = lines.tally;
		group->page_tally = pages.tally;
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counters *counters) {
	const struct data_group *group = (const struct data_group *)state + pass->lanes[lane].data_group;
	uint64_t *value = counters->value;
	value[IFR_EVENT_L1D_LOADS] += group->line_tally.touched[0];
	value[IFR_EVENT_L1D_LOAD_MISSES] += group->line_tally.missed[0];
	value[IFR_EVENT_L1D_STORES] += group->line_tally.touched[1];
	value[IFR_EVENT_L1D_STORE_MISSES] += group->line_tally.missed[1];
	value[IFR_EVENT_DTLB_LOADS] += group->page_tally.touched[0];
	value[IFR_EVENT_DTLB_LOAD_MISSES] += group->page_tally.missed[0];
	value[IFR_EVENT_DTLB_STORES] += group->page_tally.touched[1];
	value[IFR_EVENT_DTLB_STORE_MISSES] += group->page_tally.missed[1];
}

const struct ifr_stage ifr_stage_data = {"scalar", create, run, count, destroy};
