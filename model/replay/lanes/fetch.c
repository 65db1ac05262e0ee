/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions fetched in many lanes at once: L1I and ITLB (model/replay/fetch.c says what is counted). */
#include "model/replay/lanes/lot.h"

#include <stdlib.h>

/* The pieces of a block: the first two, or none that ever misses in their place, and where in the list of all the
 * further ones stand. */
struct span {
	uint32_t pieces[2], first, end;
};

/* The lines, or pages, that blocks enter: a block has as many pieces as the lane with most has lines. */
struct walker {
	struct ifr_lot lot;
	struct ifr_resident resident;
	unsigned shift;
	uint32_t *pieces;
	size_t pieces_count, pieces_room;
	struct span *spans; /* by block */
};

struct fetch {
	struct walker lines, pages;
};

static void walker_init(struct walker *walker, const struct ifr_pass *pass, size_t lot,
                        struct ifr_cache_shape shape, unsigned shift) {
	walker->lot = ifr_lot_at(pass, lot);
	walker->shift = shift;
	ifr_resident_init(&walker->resident, shape, walker->lot.count);
}

static void *create(const struct ifr_pass *pass) {
	struct fetch *all = ifr_alloc(ifr_lots_of(pass) * sizeof *all);
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		walker_init(&all[i].lines, pass, i, ifr_machine_cache(pass->machine, IFR_L1I_BYTES), pass->line_shift);
		walker_init(&all[i].pages, pass, i, ifr_machine_tlb(pass->machine, IFR_ITLB_ENTRIES), pass->page_shift);
	}
	return all;
}

static void walker_release(struct walker *walker) {
	ifr_resident_release(&walker->resident);
	free(walker->pieces);
	free(walker->spans);
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct fetch *all = state;
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		walker_release(&all[i].lines);
		walker_release(&all[i].pages);
	}
	free(all);
}

static void add_piece(struct walker *walker, const uint64_t *keys) {
	if (walker->pieces_count == walker->pieces_room) {
		walker->pieces_room = 2 * walker->pieces_room + 64;
		walker->pieces = ifr_realloc(walker->pieces, walker->pieces_room, sizeof *walker->pieces);
	}
	walker->pieces[walker->pieces_count++] = ifr_resident_piece(&walker->resident, keys);
}

static void place_block(struct walker *walker, const struct ifr_lane *lanes, size_t block) {
	uint64_t keys[IFR_RESIDENT_LANES];
	bool more = true;
	for (uint64_t k = 0; more; k++) {
		more = false;
		for (size_t i = 0; i < walker->lot.count; i++) {
			const struct ifr_geometry *place = &lanes[walker->lot.first + i].blocks[block];
			const uint64_t key = (place->address >> walker->shift) + k;
			const bool enters = place->bytes && key <= (place->address + place->bytes - 1) >> walker->shift;
			keys[i] = enters ? key : IFR_NO_KEY;
			more |= enters;
		}
		if (more)
			add_piece(walker, keys);
	}
}

/* A piece without a key in any lane. */
static uint32_t no_piece(struct walker *walker) {
	uint64_t keys[IFR_RESIDENT_LANES];
	for (size_t i = 0; i < walker->lot.count; i++)
		keys[i] = IFR_NO_KEY;
	return ifr_resident_piece(&walker->resident, keys);
}

static void place(struct walker *walker, const struct ifr_pass *pass) {
	const size_t count = pass->blocks_count;
	const uint32_t none = no_piece(walker);
	walker->spans = ifr_realloc(walker->spans, count + 1, sizeof *walker->spans);
	for (; walker->lot.placed < count; walker->lot.placed++) {
		struct span *span = &walker->spans[walker->lot.placed];
		*span = (struct span){{none, none}, (uint32_t)walker->pieces_count, 0};
		place_block(walker, pass->lanes, walker->lot.placed);
		span->end = (uint32_t)walker->pieces_count;
		for (size_t k = 0; k < 2 && span->first < span->end; k++)
			span->pieces[k] = walker->pieces[span->first++];
	}
}

static void miss(struct walker *walker, const struct ifr_pass *pass, struct ifr_misses *misses, size_t step,
                 uint32_t k, uint64_t missed) {
	const uint32_t block = pass->chunk->steps[step] >> 1;
	for (; missed; missed &= missed - 1) {
		const size_t i = (size_t)__builtin_ctzll(missed), lane = walker->lot.first + i;
		const uint64_t key = (pass->lanes[lane].blocks[block].address >> walker->shift) + k;
		ifr_fetch_miss(pass, &misses[lane], lane, step, key, walker->shift);
		walker->lot.misses[i]++;
	}
}

/* k: which piece of the block it is. */
static inline void touch(struct walker *walker, const struct ifr_pass *pass, struct ifr_misses *misses,
                         size_t step, uint32_t k, uint32_t piece) {
	const uint64_t missed = ifr_resident_touch(&walker->resident, piece);
	if (missed)
		miss(walker, pass, misses, step, k, missed);
}

static void walk(struct walker *walker, const struct ifr_pass *pass, struct ifr_misses *misses) {
	const uint32_t *steps = pass->chunk->steps;
	if (!walker->resident.shape.sets)
		return;
	place(walker, pass);
	for (size_t i = 0; i < pass->chunk->steps_count; i++) {
		if (steps[i] == IFR_STEP_BREAK)
			continue;
		const struct span span = walker->spans[steps[i] >> 1];
		/* How many pieces a block has is hard to foresee: two are touched whether there are so many or not. */
		touch(walker, pass, misses, i, 0, span.pieces[0]);
		touch(walker, pass, misses, i, 1, span.pieces[1]);
		for (uint32_t at = span.first; at < span.end; at++)
			touch(walker, pass, misses, i, 2 + at - span.first, walker->pieces[at]);
	}
}

static void run(void *state, struct ifr_pass *pass) {
	struct fetch *all = state;
	for (size_t lane = 0; lane < pass->lanes_count; lane++)
		pass->fetch_lines[lane].count = pass->fetch_pages[lane].count = 0;
	for (size_t i = 0; i < ifr_lots_of(pass); i++) {
		walk(&all[i].lines, pass, pass->fetch_lines);
		walk(&all[i].pages, pass, pass->fetch_pages);
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct fetch *fetch = (const struct fetch *)state + lane / IFR_RESIDENT_LANES;
	(void)pass;
	counters->value[IFR_EVENT_L1I_MISSES] += fetch->lines.lot.misses[lane % IFR_RESIDENT_LANES];
	counters->value[IFR_EVENT_ITLB_MISSES] += fetch->pages.lot.misses[lane % IFR_RESIDENT_LANES];
}

const struct ifr_stage ifr_lanes_stage_fetch = {"lanes", create, run, count, destroy};
