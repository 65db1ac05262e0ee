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

static void touch_line(struct outer_lane *lane, uint64_t line) {
	lane->l2_references++;
	if (!lane->l2.shape.sets || ifr_cache_touch(&lane->l2, line))
		return;
	lane->l2_misses++;
	if (lane->l3.shape.sets && !ifr_cache_touch(&lane->l3, line))
		lane->l3_misses++;
}

/* Without a second TLB every miss of the first is a page walk. */
static void touch_page(struct outer_lane *lane, uint64_t page) {
	lane->walks += !lane->stlb.shape.sets || !ifr_cache_touch(&lane->stlb, page);
}

static inline __attribute__((always_inline)) void merge_misses(const struct ifr_misses *fetches,
                                                               const struct ifr_misses *data,
                                                               struct outer_lane *lane,
                                                               void (*touch)(struct outer_lane *, uint64_t)) {
	size_t f = 0;
	for (size_t d = 0; d < data->count; d++) {
		for (; f < fetches->count && fetches->items[f].position <= data->items[d].position; f++)
			touch(lane, fetches->items[f].key);
		touch(lane, data->items[d].key);
	}
	for (; f < fetches->count; f++)
		touch(lane, fetches->items[f].key);
}

static void run_outer(void *state, struct ifr_pass *pass) {
	struct outer_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		const unsigned group = pass->lanes[i].data_group;
		merge_misses(&pass->fetch_lines[i], &pass->data_lines[group], &lanes[i], touch_line);
		merge_misses(&pass->fetch_pages[i], &pass->data_pages[group], &lanes[i], touch_page);
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
