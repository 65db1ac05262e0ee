/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions fetched in sixteen lanes: L1I and ITLB (model/replay/fetch.c says what is counted). */
#include "model/replay/vector/recent.h"

/* The lines, or pages, that blocks enter. The lanes cut a block into different ones: it has as many rows as the
 * lane with most has. */
struct walker {
	struct recent recent;
	unsigned shift;
	struct recent_row *rows;
	size_t rows_count, rows_room;
	uint32_t *firsts; /* by block, and one more: its rows start there */
	/* What was touched last stays so until a cache changes: a block that was seen since needs no look. */
	uint64_t changes, *seen;
	uint64_t misses[LANES];
};

struct fetch {
	struct bundle bundle;
	struct walker lines, pages;
};

static void *create(const struct ifr_pass *pass) {
	struct fetch *all = ifr_alloc(bundles_of(pass) * sizeof *all);
	for (size_t i = 0; i < bundles_of(pass); i++) {
		struct fetch *fetch = &all[i];
		fetch->bundle = bundle_at(pass, i);
		recent_init(&fetch->lines.recent, &fetch->bundle, ifr_machine_cache(pass->machine, IFR_L1I_BYTES));
		recent_init(&fetch->pages.recent, &fetch->bundle, ifr_machine_tlb(pass->machine, IFR_ITLB_ENTRIES));
		fetch->lines.shift = pass->line_shift;
		fetch->pages.shift = pass->page_shift;
	}
	return all;
}

static void walker_release(struct walker *walker) {
	recent_release(&walker->recent);
	free(walker->rows);
	free(walker->firsts);
	free(walker->seen);
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct fetch *all = state;
	for (size_t i = 0; i < bundles_of(pass); i++) {
		walker_release(&all[i].lines);
		walker_release(&all[i].pages);
	}
	free(all);
}

static uint64_t keys_of(const struct ifr_geometry *place, unsigned shift) {
	return place->bytes ? ((place->address + place->bytes - 1) >> shift) - (place->address >> shift) + 1 : 0;
}

static struct recent_row *add_row(struct walker *walker) {
	if (walker->rows_count == walker->rows_room) {
		walker->rows_room = 2 * walker->rows_room + 64;
		walker->rows = ifr_realloc(walker->rows, walker->rows_room, sizeof *walker->rows);
	}
	return &walker->rows[walker->rows_count++];
}

static void place_block(struct walker *walker, const struct ifr_lane *lanes, const struct bundle *bundle,
                        size_t block) {
	uint64_t most = 0;
	for (size_t i = 0; i < bundle->count; i++) {
		const uint64_t keys = keys_of(&lanes[bundle->first + i].blocks[block], walker->shift);
		most = keys > most ? keys : most;
	}
	for (uint64_t k = 0; k < most; k++) {
		struct recent_row *row = add_row(walker);
		for (size_t i = 0; i < LANES; i++) {
			const struct ifr_geometry *place = &lanes[lane_of(bundle, i)].blocks[block];
			if (i < bundle->count && k < keys_of(place, walker->shift))
				recent_place(&walker->recent, row, i, (place->address >> walker->shift) + k);
			else
				recent_pad(&walker->recent, row, i);
		}
	}
}

static void place(struct walker *walker, const struct ifr_pass *pass, const struct bundle *bundle) {
	const size_t count = pass->blocks_count;
	walker->firsts = ifr_realloc(walker->firsts, count + 1, sizeof *walker->firsts);
	walker->seen = ifr_realloc(walker->seen, count + 1, sizeof *walker->seen);
	for (size_t block = bundle->placed; block < count; block++) {
		walker->firsts[block] = (uint32_t)walker->rows_count;
		walker->seen[block] = UINT64_MAX;
		place_block(walker, pass->lanes, bundle, block);
	}
	walker->firsts[count] = (uint32_t)walker->rows_count;
}

struct visit {
	const struct ifr_pass *pass;
	size_t first_lane;
	struct ifr_misses *misses; /* by lane */
};

static void touch(struct walker *walker, const struct visit *visit, size_t step, uint32_t row, uint32_t k,
                  unsigned stale) {
	const uint32_t block = visit->pass->chunk->steps[step] >> 1;
	walker->changes++;
	for (; stale; stale &= stale - 1) {
		const size_t i = (size_t)__builtin_ctz(stale), lane = visit->first_lane + i;
		const uint64_t key = (visit->pass->lanes[lane].blocks[block].address >> walker->shift) + k;
		if (recent_touch(&walker->recent, &walker->rows[row], i, key))
			continue;
		ifr_fetch_miss(visit->pass, &visit->misses[lane], lane, step, key, walker->shift);
		walker->misses[i]++;
	}
}

static void walk(struct walker *walker, const struct visit *visit) {
	const uint32_t *steps = visit->pass->chunk->steps;
	const size_t count = visit->pass->chunk->steps_count, sets = walker->recent.shape.sets;
	for (size_t i = 0; i < count && sets; i++) {
		const uint32_t block = steps[i] >> 1;
		if (steps[i] == IFR_STEP_BREAK || walker->seen[block] == walker->changes)
			continue;
		const uint32_t first = walker->firsts[block], end = walker->firsts[block + 1];
		for (uint32_t row = first; row < end; row++) {
			const unsigned stale = recent_stale(&walker->recent, &walker->rows[row]);
			if (stale)
				touch(walker, visit, i, row, row - first, stale);
		}
		/* More keys than sets put one another from the last place. */
		if (end - first <= sets)
			walker->seen[block] = walker->changes;
	}
}

static void run(void *state, struct ifr_pass *pass) {
	struct fetch *all = state;
	for (size_t lane = 0; lane < pass->lanes_count; lane++)
		pass->fetch_lines[lane].count = pass->fetch_pages[lane].count = 0;
	for (size_t i = 0; i < bundles_of(pass); i++) {
		struct fetch *fetch = &all[i];
		if (pass->blocks_count > fetch->bundle.placed) {
			place(&fetch->lines, pass, &fetch->bundle);
			place(&fetch->pages, pass, &fetch->bundle);
		}
		fetch->bundle.placed = pass->blocks_count;
		walk(&fetch->lines, &(struct visit){pass, fetch->bundle.first, pass->fetch_lines});
		walk(&fetch->pages, &(struct visit){pass, fetch->bundle.first, pass->fetch_pages});
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counters *counters) {
	const struct fetch *fetch = (const struct fetch *)state + lane / LANES;
	(void)pass;
	counters->value[IFR_EVENT_L1I_MISSES] += fetch->lines.misses[lane % LANES];
	counters->value[IFR_EVENT_ITLB_MISSES] += fetch->pages.misses[lane % LANES];
}

const struct ifr_stage IFR_VECTOR(stage_fetch) = {ENGINE_NAME, create, run, count, destroy};
