/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The levels that instructions and data share: what missed the first levels, merged in the order of events. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct behind_lane {
	struct ifr_cache l2, l3, stlb;
	uint64_t l2_references, l2_misses, l3_misses, walks;
};

static void *create(const struct ifr_pass *pass) {
	struct behind_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_init(&lanes[i].l2, ifr_machine_cache_shape(pass->machine, IFR_L2_BYTES));
		ifr_cache_init(&lanes[i].l3, ifr_machine_cache_shape(pass->machine, IFR_L3_BYTES));
		ifr_cache_init(&lanes[i].stlb, ifr_machine_tlb_shape(pass->machine, IFR_STLB_ENTRIES));
	}
	return lanes;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct behind_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_release(&lanes[i].l2);
		ifr_cache_release(&lanes[i].l3);
		ifr_cache_release(&lanes[i].stlb);
	}
	free(lanes);
}

static void touch_line(struct behind_lane *lane, uint64_t line) {
	lane->l2_references++;
	if (!lane->l2.shape.sets || ifr_cache_touch(&lane->l2, line))
		return;
	lane->l2_misses++;
	if (lane->l3.shape.sets && !ifr_cache_touch(&lane->l3, line))
		lane->l3_misses++;
}

/* Without a second TLB every miss of the first is a walk. */
static void touch_page(struct behind_lane *lane, uint64_t page) {
	lane->walks += !lane->stlb.shape.sets || !ifr_cache_touch(&lane->stlb, page);
}

static inline __attribute__((always_inline)) void merge(const struct ifr_misses *fetches,
                                                        const struct ifr_misses *data, struct behind_lane *lane,
                                                        void (*touch)(struct behind_lane *, uint64_t)) {
	size_t f = 0;
	for (size_t d = 0; d < data->count; d++) {
		for (; f < fetches->count && fetches->items[f].position <= data->items[d].position; f++)
			touch(lane, fetches->items[f].key);
		touch(lane, data->items[d].key);
	}
	for (; f < fetches->count; f++)
		touch(lane, fetches->items[f].key);
}

static void run(void *state, struct ifr_pass *pass) {
	struct behind_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		const unsigned group = pass->lanes[i].data_group;
		merge(&pass->fetch_lines[i], &pass->data_lines[group], &lanes[i], touch_line);
		merge(&pass->fetch_pages[i], &pass->data_pages[group], &lanes[i], touch_page);
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct behind_lane *behind = (const struct behind_lane *)state + lane;
	const bool third = behind->l3.shape.sets;
	(void)pass;
	counters->value[IFR_EVENT_L2_REFERENCES] += behind->l2_references;
	counters->value[IFR_EVENT_L2_MISSES] += behind->l2_misses;
	counters->value[IFR_EVENT_LLC_REFERENCES] += third ? behind->l2_misses : behind->l2_references;
	counters->value[IFR_EVENT_LLC_MISSES] += third ? behind->l3_misses : behind->l2_misses;
	counters->value[IFR_EVENT_STLB_MISSES] += behind->walks;
}

const struct ifr_stage ifr_stage_behind = {
	.name = "scalar", .create = create, .run = run, .count = count, .destroy = destroy};
