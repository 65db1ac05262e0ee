/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What missed the first levels, of many lanes at once (model/replay/behind.c says what is counted). Lanes of a
 * data group differ in what they fetch; what of their data missed is the same. */
#include "model/replay/lanes/alike.h"
#include "model/replay/stages.h"

#include <stdlib.h>

/* Adds one to each of some lanes, which mostly are all. */
struct tally {
	uint64_t all, each[IFR_ALIKE_LANES];
};

/* Lanes of one data group, at most IFR_ALIKE_LANES. */
struct company {
	unsigned group;
	size_t lanes[IFR_ALIKE_LANES], count;
	uint64_t everyone; /* as bits */
	struct ifr_alike l2, l3, stlb;
	struct tally l2_misses, l3_misses, walks;
	uint64_t l2_references[IFR_ALIKE_LANES];
};

struct behind {
	struct company *companies;
	size_t count;
	struct place {
		size_t company, lane;
	} * places;   /* by lane */
	void *scalar; /* NULL: companies do it */
};

static bool fits(const struct ifr_machine *machine) {
	return ifr_machine_cache_shape(machine, IFR_L2_BYTES).policy == IFR_POLICY_LRU &&
	       ifr_machine_cache_shape(machine, IFR_L3_BYTES).policy == IFR_POLICY_LRU &&
	       ifr_machine_tlb_shape(machine, IFR_STLB_ENTRIES).policy == IFR_POLICY_LRU;
}

/* The company that a lane of this group joins: the group's last, if it is not full. */
static size_t company_of(struct behind *behind, unsigned group) {
	for (size_t i = 0; i < behind->count; i++)
		if (behind->companies[i].group == group && behind->companies[i].count < IFR_ALIKE_LANES)
			return i;
	behind->companies = ifr_realloc(behind->companies, behind->count + 1, sizeof *behind->companies);
	behind->companies[behind->count] = (struct company){.group = group};
	return behind->count++;
}

static void *create(const struct ifr_pass *pass) {
	struct behind *behind = ifr_alloc(sizeof *behind);
	if (!fits(pass->machine)) {
		behind->scalar = ifr_stage_behind.create(pass);
		return behind;
	}
	behind->places = ifr_alloc(pass->lanes_count * sizeof *behind->places);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		const size_t n = company_of(behind, pass->lanes[i].data_group);
		struct company *company = &behind->companies[n];
		behind->places[i] = (struct place){n, company->count};
		company->lanes[company->count++] = i;
	}
	for (size_t i = 0; i < behind->count; i++) {
		struct company *company = &behind->companies[i];
		company->everyone = UINT64_MAX >> (IFR_ALIKE_LANES - company->count);
		ifr_alike_init(&company->l2, ifr_machine_cache_shape(pass->machine, IFR_L2_BYTES), company->count);
		ifr_alike_init(&company->l3, ifr_machine_cache_shape(pass->machine, IFR_L3_BYTES), company->count);
		ifr_alike_init(&company->stlb, ifr_machine_tlb_shape(pass->machine, IFR_STLB_ENTRIES), company->count);
	}
	return behind;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct behind *behind = state;
	if (behind->scalar)
		ifr_stage_behind.destroy(behind->scalar, pass);
	for (size_t i = 0; i < behind->count; i++) {
		ifr_alike_release(&behind->companies[i].l2);
		ifr_alike_release(&behind->companies[i].l3);
		ifr_alike_release(&behind->companies[i].stlb);
	}
	free(behind->companies);
	free(behind->places);
	free(behind);
}

static void add(struct tally *tally, const struct company *company, uint64_t lanes) {
	if (lanes == company->everyone)
		tally->all++;
	else
		for (; lanes; lanes &= lanes - 1)
			tally->each[__builtin_ctzll(lanes)]++;
}

static void touch_line(struct company *company, uint64_t line, uint64_t lanes) {
	if (!company->l2.shape.sets)
		return;
	const uint64_t missed = ifr_alike_touch(&company->l2, line, lanes);
	if (!missed)
		return;
	add(&company->l2_misses, company, missed);
	if (company->l3.shape.sets)
		add(&company->l3_misses, company, ifr_alike_touch(&company->l3, line, missed));
}

static void prefetch_line(const struct company *company, uint64_t line) {
	ifr_alike_prefetch(&company->l2, line);
	ifr_alike_prefetch(&company->l3, line);
}

/* Without a second TLB every miss of the first is a walk. */
static void touch_page(struct company *company, uint64_t page, uint64_t lanes) {
	add(&company->walks, company, ifr_alike_touch(&company->stlb, page, lanes));
}

static void prefetch_page(const struct company *company, uint64_t page) {
	ifr_alike_prefetch(&company->stlb, page);
}

/* What lines, or pages, that missed are asked for. */
struct level {
	void (*touch)(struct company *company, uint64_t key, uint64_t lanes);
	void (*prefetch)(const struct company *company, uint64_t key);
};

/* Sets of large caches are far away: they are sent for so many misses ahead. */
#define AHEAD 12

/* Fetches that come before the access at a position; at: by lane, how many did so far. Returns the position of the
 * first that does not. */
static uint64_t fetch_until(struct company *company, const struct ifr_misses *fetches, size_t *at,
                            uint64_t position, const struct level *level) {
	uint64_t next = UINT64_MAX;
	for (size_t i = 0; i < company->count; i++) {
		const struct ifr_misses *own = &fetches[company->lanes[i]];
		for (; at[i] < own->count && own->items[at[i]].position <= position; at[i]++)
			level->touch(company, own->items[at[i]].key, 1ull << i);
		if (at[i] < own->count && own->items[at[i]].position < next)
			next = own->items[at[i]].position;
	}
	return next;
}

static void merge(struct company *company, const struct ifr_misses *fetches, const struct ifr_misses *data,
                  const struct level *level) {
	size_t at[IFR_ALIKE_LANES] = {0};
	uint64_t next = 0;
	for (size_t i = 0; i < data->count; i++) {
		if (i + AHEAD < data->count)
			level->prefetch(company, data->items[i + AHEAD].key);
		if (next <= data->items[i].position)
			next = fetch_until(company, fetches, at, data->items[i].position, level);
		level->touch(company, data->items[i].key, company->everyone);
	}
	fetch_until(company, fetches, at, UINT64_MAX, level);
}

static void run(void *state, struct ifr_pass *pass) {
	static const struct level lines = {touch_line, prefetch_line}, pages = {touch_page, prefetch_page};
	struct behind *behind = state;
	if (behind->scalar)
		ifr_stage_behind.run(behind->scalar, pass);
	for (size_t i = 0; i < behind->count; i++) {
		struct company *company = &behind->companies[i];
		const struct ifr_misses *data = &pass->data_lines[company->group];
		merge(company, pass->fetch_lines, data, &lines);
		merge(company, pass->fetch_pages, &pass->data_pages[company->group], &pages);
		for (size_t k = 0; k < company->count; k++)
			company->l2_references[k] += data->count + pass->fetch_lines[company->lanes[k]].count;
	}
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct behind *behind = state;
	if (behind->scalar) {
		ifr_stage_behind.count(behind->scalar, pass, lane, counters);
		return;
	}
	const struct place place = behind->places[lane];
	const struct company *company = &behind->companies[place.company];
	const uint64_t l2_references = company->l2_references[place.lane];
	const uint64_t l2_misses = company->l2_misses.all + company->l2_misses.each[place.lane];
	const uint64_t l3_misses = company->l3_misses.all + company->l3_misses.each[place.lane];
	const bool third = company->l3.shape.sets;
	counters->value[IFR_EVENT_L2_REFERENCES] += l2_references;
	counters->value[IFR_EVENT_L2_MISSES] += l2_misses;
	counters->value[IFR_EVENT_LLC_REFERENCES] += third ? l2_misses : l2_references;
	counters->value[IFR_EVENT_LLC_MISSES] += third ? l3_misses : l2_misses;
	counters->value[IFR_EVENT_STLB_MISSES] += company->walks.all + company->walks.each[place.lane];
}

const struct ifr_stage ifr_lanes_stage_behind = {
	.name = "lanes", .create = create, .run = run, .count = count, .destroy = destroy};
