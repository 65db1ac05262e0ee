/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outer cache levels, lane by lane: L2, L3 and STLB, which instructions and data share. Their input is the misses
 * of the first levels, merged by position. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct outer_lane {
	struct ifr_cache l2, l3, stlb;
	uint64_t l2_references, l2_misses, l3_misses, walks;
};

static void *create_outer(const struct ifr_pass *pass) {
	struct outer_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_init(&lanes[i].l2, ifr_machine_cache_shape(pass->machine, IFR_L2_BYTES));
		ifr_cache_init(&lanes[i].l3, ifr_machine_cache_shape(pass->machine, IFR_L3_BYTES));
		ifr_cache_init(&lanes[i].stlb, ifr_machine_tlb_shape(pass->machine, IFR_STLB_ENTRIES));
	}
	return lanes;
}

static void destroy_outer(void *state, const struct ifr_pass *pass) {
	struct outer_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_release(&lanes[i].l2);
		ifr_cache_release(&lanes[i].l3);
		ifr_cache_release(&lanes[i].stlb);
	}
	free(lanes);
}

/* Returns the level that has the line. Without a second cache nothing outside the first is counted as a miss. */
static unsigned touch_line(struct outer_lane *lane, uint64_t line) {
	lane->l2_references++;
	if (!lane->l2.shape.sets)
		return IFR_LEVEL_MEMORY;
	if (ifr_cache_touch(&lane->l2, line))
		return IFR_LEVEL_SECOND;
	lane->l2_misses++;
	if (!lane->l3.shape.sets)
		return IFR_LEVEL_MEMORY;
	if (ifr_cache_touch(&lane->l3, line))
		return IFR_LEVEL_THIRD;
	lane->l3_misses++;
	return IFR_LEVEL_MEMORY;
}

/* Without a second TLB every miss of the first is a page walk. */
static unsigned touch_page(struct outer_lane *lane, uint64_t page) {
	const bool walk = !lane->stlb.shape.sets || !ifr_cache_touch(&lane->stlb, page);
	lane->walks += walk;
	return walk ? IFR_LEVEL_PAGE_WALK : 1;
}

/* fetch_levels, data_levels: NULL if nothing is noted. line_levels: by miss of data; NULL for pages. */
static inline __attribute__((always_inline)) void
merge_misses(const struct ifr_misses *fetches, const struct ifr_misses *data, struct outer_lane *lane,
             unsigned (*touch)(struct outer_lane *, uint64_t), uint8_t *fetch_levels, uint8_t *data_levels,
             uint8_t *line_levels, unsigned shift) {
	size_t f = 0;
	for (size_t d = 0; d <= data->count; d++) {
		for (; f < fetches->count && (d == data->count || fetches->items[f].position <= data->items[d].position);
		     f++) {
			const unsigned level = touch(lane, fetches->items[f].key);
			if (fetch_levels)
				fetch_levels[f] = (uint8_t)level;
		}
		if (d == data->count)
			break;
		const unsigned level = touch(lane, data->items[d].key);
		if (data_levels)
			ifr_outcome_note(data_levels, data->items[d].position, level, shift);
		if (line_levels)
			line_levels[d] = (uint8_t)level;
	}
}

static void run_outer(void *state, struct ifr_pass *pass) {
	struct outer_lane *lanes = state;
	ifr_outcomes_reserve_misses(pass);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		const unsigned group = pass->lanes[i].data_group;
		struct ifr_outcomes none = {0}, *outcomes = pass->outcomes ? &pass->outcomes[i] : &none;
		merge_misses(&pass->fetch_lines[i], &pass->data_lines[group], &lanes[i], touch_line, outcomes->fetch_lines,
		             outcomes->data, outcomes->data_lines, 0);
		merge_misses(&pass->fetch_pages[i], &pass->data_pages[group], &lanes[i], touch_page, outcomes->fetch_pages,
		             outcomes->data, NULL, IFR_OUTCOME_PAGE_SHIFT);
	}
}

static void count_outer(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct outer_lane *outer = (const struct outer_lane *)state + lane;
	const bool third = outer->l3.shape.sets;
	(void)pass;
	counters->value[IFR_EVENT_L2_REFERENCES] += outer->l2_references;
	counters->value[IFR_EVENT_L2_MISSES] += outer->l2_misses;
	counters->value[IFR_EVENT_LLC_REFERENCES] += third ? outer->l2_misses : outer->l2_references;
	counters->value[IFR_EVENT_LLC_MISSES] += third ? outer->l3_misses : outer->l2_misses;
	counters->value[IFR_EVENT_STLB_MISSES] += outer->walks;
}

const struct ifr_stage ifr_stage_outer = {
	.name = "scalar", .create = create_outer, .run = run_outer, .count = count_outer, .destroy = destroy_outer};
