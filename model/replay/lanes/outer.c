/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outer cache levels (L2, L3, STLB) of many lanes at once. model/replay/outer.c is the scalar stage and defines
 * the counters.
 *
 * Problem: each lane has its own L2, L3 and STLB, of up to megabytes, and the scalar stage touches them once for
 * each miss and lane.
 * Idea: the misses of L1D and DTLB are the same in all lanes of a data group, so one touch serves them all, in a
 * cache that shares the sets in which these lanes do not differ (shared_cache.h). Only misses of fetches belong to
 * one lane.
 * Invariant: each lane sees its own misses in the order of their positions, fetches before data at equal positions
 * (stages.h). merge_misses brings in every lane's fetches up to the position of a data miss before that miss;
 * lanes share no state that a lane's own fetch can change.
 * Gain: whole replays of 16 layouts twice as fast (skylake with gshare, 118 to 243 M conditional branches/s, git
 * log 737d743). */
#include "model/replay/lanes/shared_cache.h"
#include "model/replay/stages.h"

#include <stdlib.h>

/* Lanes of one data group, at most IFR_SHARED_CACHE_LANES. */
struct batch {
	unsigned group;
	size_t lanes[IFR_SHARED_CACHE_LANES], count;
	uint64_t all_lanes; /* as bits */
	struct ifr_shared_cache l2, l3, stlb;
	uint64_t l2_references[IFR_SHARED_CACHE_LANES], l2_misses[IFR_SHARED_CACHE_LANES];
	uint64_t l3_misses[IFR_SHARED_CACHE_LANES], walks[IFR_SHARED_CACHE_LANES];
};

struct outer {
	struct batch *batches;
	size_t count;
	struct lane_position {
		size_t batch, lane;
	} * positions; /* by lane */
	void *scalar;  /* state of the scalar stage; NULL: the batches do it */
};

static bool fits(const struct ifr_machine *machine) {
	return ifr_machine_cache_shape(machine, IFR_L2_BYTES).policy == IFR_POLICY_LRU &&
	       ifr_machine_cache_shape(machine, IFR_L3_BYTES).policy == IFR_POLICY_LRU &&
	       ifr_machine_tlb_shape(machine, IFR_STLB_ENTRIES).policy == IFR_POLICY_LRU;
}

/* The batch that takes the next lane of a data group: the group's last one unless it is full, or a new one. */
static size_t batch_for(struct outer *outer, unsigned group) {
	for (size_t i = 0; i < outer->count; i++)
		if (outer->batches[i].group == group && outer->batches[i].count < IFR_SHARED_CACHE_LANES)
			return i;
	outer->batches = ifr_realloc(outer->batches, outer->count + 1, sizeof *outer->batches);
	outer->batches[outer->count] = (struct batch){.group = group};
	return outer->count++;
}

static void *create_outer(const struct ifr_pass *pass) {
	struct outer *outer = ifr_alloc(sizeof *outer);
	if (!fits(pass->machine)) {
		outer->scalar = ifr_stage_outer.create(pass);
		return outer;
	}
	outer->positions = ifr_alloc(pass->lanes_count * sizeof *outer->positions);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		const size_t n = batch_for(outer, pass->lanes[i].data_group);
		struct batch *batch = &outer->batches[n];
		outer->positions[i] = (struct lane_position){n, batch->count};
		batch->lanes[batch->count++] = i;
	}
	for (size_t i = 0; i < outer->count; i++) {
		struct batch *batch = &outer->batches[i];
		batch->all_lanes = UINT64_MAX >> (IFR_SHARED_CACHE_LANES - batch->count);
		ifr_shared_cache_init(&batch->l2, ifr_machine_cache_shape(pass->machine, IFR_L2_BYTES), batch->count);
		ifr_shared_cache_init(&batch->l3, ifr_machine_cache_shape(pass->machine, IFR_L3_BYTES), batch->count);
		ifr_shared_cache_init(&batch->stlb, ifr_machine_tlb_shape(pass->machine, IFR_STLB_ENTRIES), batch->count);
	}
	return outer;
}

static void destroy_outer(void *state, const struct ifr_pass *pass) {
	struct outer *outer = state;
	if (outer->scalar)
		ifr_stage_outer.destroy(outer->scalar, pass);
	for (size_t i = 0; i < outer->count; i++) {
		ifr_shared_cache_release(&outer->batches[i].l2);
		ifr_shared_cache_release(&outer->batches[i].l3);
		ifr_shared_cache_release(&outer->batches[i].stlb);
	}
	free(outer->batches);
	free(outer->positions);
	free(outer);
}

/* Adds one to the counters of some lanes (bits). */
static void count_lanes(uint64_t *counters, uint64_t lanes) {
	for (; lanes; lanes &= lanes - 1)
		counters[__builtin_ctzll(lanes)]++;
}

/* The lanes (bits) in which a line or page comes from a level beyond the second, by level; from the second in the rest.
 */
struct missed {
	uint64_t second, third; /* a page: `second` are its walks */
};

/* As in the scalar stage. */
static struct missed touch_line(struct batch *batch, uint64_t line, uint64_t lanes) {
	if (!batch->l2.shape.sets)
		return (struct missed){lanes, lanes};
	const uint64_t missed = ifr_shared_cache_touch(&batch->l2, line, lanes);
	if (!missed)
		return (struct missed){0, 0};
	count_lanes(batch->l2_misses, missed);
	if (!batch->l3.shape.sets)
		return (struct missed){missed, missed};
	const uint64_t far = ifr_shared_cache_touch(&batch->l3, line, missed);
	count_lanes(batch->l3_misses, far);
	return (struct missed){missed, far};
}

/* Without a second TLB every miss of the first is a page walk. */
static struct missed touch_page(struct batch *batch, uint64_t page, uint64_t lanes) {
	const uint64_t walks = ifr_shared_cache_touch(&batch->stlb, page, lanes);
	count_lanes(batch->walks, walks);
	return (struct missed){walks, 0};
}

static unsigned level_of(struct missed missed, size_t lane) {
	return 1 + (missed.second >> lane & 1) + (missed.third >> lane & 1);
}

typedef struct missed touch_function(struct batch *batch, uint64_t key, uint64_t lanes);

/* One merge of fetches and data: lines, or pages. */
struct merge {
	touch_function *touch;
	struct ifr_outcomes *outcomes; /* by lane of the pass; NULL: levels are not noted */
	bool pages;
};

static void note_fetch(const struct merge *merge, struct missed missed, size_t i, size_t lane, size_t at) {
	struct ifr_outcomes *outcomes = &merge->outcomes[lane];
	(merge->pages ? outcomes->fetch_pages : outcomes->fetch_lines)[at] = (uint8_t)level_of(missed, i);
}

/* Notes the level of a data miss in all lanes, and of its access unless a piece of it was worse. */
static void note_data(const struct merge *merge, const struct batch *batch, struct missed missed,
                      const struct ifr_misses *data, size_t miss) {
	for (size_t i = 0; i < batch->count; i++) {
		struct ifr_outcomes *outcomes = &merge->outcomes[batch->lanes[i]];
		ifr_outcome_note(outcomes->data, data->items[miss].position, level_of(missed, i),
		                 merge->pages ? IFR_OUTCOME_PAGE_SHIFT : 0);
		if (!merge->pages)
			outcomes->data_lines[miss] = (uint8_t)level_of(missed, i);
	}
}

/* Touches the fetches that come before the access at a position. at: by lane, fetches done so far. Returns the
 * position of the first fetch left. */
static uint64_t fetch_until(struct batch *batch, const struct ifr_misses *fetches, size_t *at, uint64_t position,
                            const struct merge *merge) {
	uint64_t next = UINT64_MAX;
	for (size_t i = 0; i < batch->count; i++) {
		const struct ifr_misses *misses = &fetches[batch->lanes[i]];
		for (; at[i] < misses->count && misses->items[at[i]].position <= position; at[i]++) {
			const struct missed missed = merge->touch(batch, misses->items[at[i]].key, 1ull << i);
			if (merge->outcomes)
				note_fetch(merge, missed, i, batch->lanes[i], at[i]);
		}
		if (at[i] < misses->count && misses->items[at[i]].position < next)
			next = misses->items[at[i]].position;
	}
	return next;
}

static void merge_misses(struct batch *batch, const struct ifr_misses *fetches, const struct ifr_misses *data,
                         const struct merge *merge) {
	size_t at[IFR_SHARED_CACHE_LANES] = {0};
	uint64_t next = 0;
	for (size_t i = 0; i < data->count; i++) {
		if (next <= data->items[i].position)
			next = fetch_until(batch, fetches, at, data->items[i].position, merge);
		const struct missed missed = merge->touch(batch, data->items[i].key, batch->all_lanes);
		if (merge->outcomes)
			note_data(merge, batch, missed, data, i);
	}
	fetch_until(batch, fetches, at, UINT64_MAX, merge);
}

static void run_outer(void *state, struct ifr_pass *pass) {
	struct outer *outer = state;
	const struct merge lines = {touch_line, pass->outcomes, false}, pages = {touch_page, pass->outcomes, true};
	if (outer->scalar)
		ifr_stage_outer.run(outer->scalar, pass);
	else
		ifr_outcomes_reserve_misses(pass);
	for (size_t i = 0; i < outer->count; i++) {
		struct batch *batch = &outer->batches[i];
		const struct ifr_misses *data = &pass->data_lines[batch->group];
		merge_misses(batch, pass->fetch_lines, data, &lines);
		merge_misses(batch, pass->fetch_pages, &pass->data_pages[batch->group], &pages);
		for (size_t k = 0; k < batch->count; k++)
			batch->l2_references[k] += data->count + pass->fetch_lines[batch->lanes[k]].count;
	}
}

static void count_outer(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct outer *outer = state;
	if (outer->scalar) {
		ifr_stage_outer.count(outer->scalar, pass, lane, counters);
		return;
	}
	const struct lane_position lane_position = outer->positions[lane];
	const struct batch *batch = &outer->batches[lane_position.batch];
	const uint64_t l2_references = batch->l2_references[lane_position.lane];
	const uint64_t l2_misses = batch->l2_misses[lane_position.lane];
	const uint64_t l3_misses = batch->l3_misses[lane_position.lane];
	const bool third = batch->l3.shape.sets;
	counters->value[IFR_EVENT_L2_REFERENCES] += l2_references;
	counters->value[IFR_EVENT_L2_MISSES] += l2_misses;
	counters->value[IFR_EVENT_LLC_REFERENCES] += third ? l2_misses : l2_references;
	counters->value[IFR_EVENT_LLC_MISSES] += third ? l3_misses : l2_misses;
	counters->value[IFR_EVENT_STLB_MISSES] += batch->walks[lane_position.lane];
}

const struct ifr_stage ifr_lanes_stage_outer = {
	.name = "lanes", .create = create_outer, .run = run_outer, .count = count_outer, .destroy = destroy_outer};
