/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches and TLBs of a described machine, and its store buffer. */
#include "harness/probe/described.h"
#include "harness/probe/findings.h"
#include "harness/probe/lru.h"
#include "harness/probe/way_tag.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/random.h"

enum { LINES_MOST = 1 << 22, PAGES_MOST = 1 << 17, LONGEST_LINE = 512, STORES_MOST = 256 };
#define BYTES_MOST (UINT64_C(1) << 31)
/* Of chases over pages, which need few bytes of each. */
#define PAGES_SPAN (UINT64_C(1) << 40)

static void build_chase(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_chase(kernel, places, 0);
}

/* In a random order, so that a processor fetches no line ahead. */
static void build_shuffled_chase(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_chase(kernel, places, 1);
}

/* Jumps that lie `granule` apart at least: each is in a line of its own. */
static void build_jumps(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_branch_chain(kernel, places);
}

struct structure {
	const char *size, *ways, *line, *policy; /* keys; line: NULL of a TLB */
	void (*build)(struct probe_kernel *kernel, const struct probe_places *places);
	enum ifr_probe_part part;
	enum ifr_event event;
};

enum { L1I, L1D, L2, L3, ITLB, DTLB, STLB };

#define CACHE(name, build, event) \
	{ name ".bytes", name ".ways", name ".line_bytes", name ".policy", build, IFR_PROBE_CACHES, event }
#define TLB(name, build, event) \
	{ name ".entries", name ".ways", NULL, name ".policy", build, IFR_PROBE_TLBS, event }
static const struct structure structures[] = {
	[L1I] = CACHE("l1i", build_jumps, IFR_EVENT_L1I_MISSES),
	[L1D] = CACHE("l1d", build_chase, IFR_EVENT_L1D_LOAD_MISSES),
	[L2] = CACHE("l2", build_chase, IFR_EVENT_L2_MISSES),
	[L3] = CACHE("l3", build_chase, IFR_EVENT_LLC_MISSES),
	[ITLB] = TLB("itlb", build_jumps, IFR_EVENT_ITLB_MISSES),
	[DTLB] = TLB("dtlb", build_chase, IFR_EVENT_DTLB_LOAD_MISSES),
	[STLB] = TLB("stlb", build_chase, IFR_EVENT_STLB_MISSES),
};

/* Events for each element at these places. */
static double rate_of(struct probe_described *probe, const struct structure *structure,
                      const struct probe_places *places) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	structure->build(&kernel, places);
	return probe_modelled_rate(&probe->model, &kernel, structure->event);
}

/* The smallest distance at which each load of a region of `bytes`, larger than the cache, misses. Returns 0 if none. */
static unsigned find_line(struct probe_described *probe, uint64_t bytes) {
	for (unsigned distance = 16; distance <= LONGEST_LINE; distance *= 2) {
		const struct probe_places places = {bytes / distance, 1, distance, distance};
		if (rate_of(probe, &structures[L1D], &places) > 0.99)
			return distance;
	}
	return 0;
}

/* Misses of a structure in a period of a kernel over elements at these addresses. */
static double count_misses(struct probe_described *probe, const struct structure *structure,
                           const uint64_t *addresses, size_t count) {
	struct probe_kernel kernel;
	probe_kernel_init(&kernel, 0);
	if (structure->build == build_jumps)
		probe_jump_list(&kernel, addresses, count);
	else
		probe_chase_list(&kernel, addresses, count);
	return probe_modelled_rate(&probe->model, &kernel, structure->event) * (double)count;
}

static uint64_t first_address(const struct structure *structure) {
	enum { ROOM = 1 << 16 };
	return structure->build == build_jumps ? PROBE_CODE + ROOM : PROBE_DATA;
}

/* Lines in one set in a random order, each as often as it has elements: a kernel passes each element once. */
static uint64_t *draw_visits(struct probe_described *probe, const struct structure *structure,
                             const struct probe_organisation *found, unsigned elements, uint64_t draw,
                             size_t count) {
	uint64_t *addresses = ifr_realloc(NULL, count, sizeof *addresses);
	for (size_t i = 0; i < count; i++) { /* Knuth 1997, section 3.4.2, algorithm P, inside out */
		const size_t j = ifr_random_below(ifr_siphash(probe->seed, 2 + draw, &i, sizeof i), i + 1);
		addresses[i] = addresses[j];
		addresses[j] = first_address(structure) + i / elements * found->span + i % elements * 8;
	}
	return addresses;
}

/* Whether a random order in one set misses as often as under LRU. */
static bool misses_as_lru(struct probe_described *probe, const struct structure *structure,
                          const struct probe_organisation *found, unsigned elements, uint64_t draw) {
	const size_t count = (found->ways + found->ways / 2) * elements;
	uint64_t *addresses = draw_visits(probe, structure, found, elements, draw, count);
	const size_t expected = probe_lru_misses(addresses, count, found->ways, found->span);
	const double missed = count_misses(probe, structure, addresses, count);
	free(addresses);
	return fabs(missed - (double)expected) < 0.5;
}

/* The same of an outer structure. Problem: the inner one hides what it has. So as many other lines as its set has ways,
 * and some, lie between the visits: in the inner set of all, and in other sets of the outer one. They come round so
 * seldom that the inner one never has them, and the outer one misses them as under LRU, too, or not. */
static bool misses_as_lru_behind(struct probe_described *probe, const struct structure *structure,
                                 const struct probe_organisation *found, const struct probe_organisation *inner,
                                 unsigned elements, uint64_t draw) {
	const size_t visits = (found->ways + found->ways / 2) * elements, others = inner->ways + 2,
				 count = visits * (1 + others), groups = found->span / inner->span - 1,
				 lines = visits * others / elements + 1 > 3 * others ? visits * others / elements + 1 : 3 * others;
	uint64_t *targets = draw_visits(probe, structure, found, elements, draw, visits),
			 *addresses = ifr_realloc(NULL, count, sizeof *addresses);
	size_t other = 0;
	for (size_t i = 0; i < count; i++) {
		if (i % (1 + others) == 0) {
			addresses[i] = targets[i / (1 + others)];
			continue;
		}
		const size_t line = other % lines;
		addresses[i] = first_address(structure) + (line / groups + 64) * found->span +
		               (1 + line % groups) * inner->span + other / lines * 8;
		other++;
	}
	const size_t expected =
		probe_lru_misses_of_sets(addresses, count, found->ways, found->granule, found->span / found->granule);
	const double missed = count_misses(probe, structure, addresses, count);
	free(addresses);
	free(targets);
	return fabs(missed - (double)expected) < 0.5;
}

/* Another policy may miss as often as LRU by chance, but hardly so in all of some draws. A description knows one other
 * policy. */
static void tell_policy(struct probe_described *probe, const struct structure *structure,
                        const struct probe_organisation *found, const struct probe_organisation *inner,
                        unsigned elements) {
	enum { DRAWS = 4 };
	unsigned agreed = 0;
	if (found->ways < 3) {
		probe_tell_nothing(probe->result, structure->part, structure->policy, "policies are the same in two ways");
		return;
	}
	if (inner && (!inner->ways || found->span < 2 * inner->span)) {
		probe_tell_nothing(probe->result, structure->part, structure->policy,
		                   "lines of one set of the inner one lie in one set of this one");
		return;
	}
	for (unsigned draw = 0; draw < DRAWS; draw++)
		agreed += inner ? misses_as_lru_behind(probe, structure, found, inner, elements, draw)
		                : misses_as_lru(probe, structure, found, elements, draw);
	probe_tell_word(
		probe->result, structure->part, structure->policy, agreed == DRAWS ? "lru" : "plru",
		inner ? "misses of random loads in one set, which the inner one misses, too: as under lru, or not"
			  : "misses of random elements in one set: as many as under lru, or not");
}

/* `line`: bytes of an element: of a line, or 1 of a TLB, whose size is in entries. inner: the structure before it, or
 * NULL. Returns what is found; of a structure that holds no more than the inner one, which is none, its entries. */
static struct probe_organisation tell_structure(struct probe_described *probe, const struct structure *structure,
                                                uint64_t granule, unsigned line,
                                                const struct probe_organisation *inner) {
	enum { TLB_ELEMENTS = 32 };
	struct probe_events_question events = {
		&probe->model, probe->model.source ? build_shuffled_chase : structure->build, structure->event};
	const struct probe_question question = {probe_events_fit, &events, line > 1 ? LINES_MOST : PAGES_MOST,
	                                        line > 1 ? BYTES_MOST : PAGES_SPAN};
	struct probe_organisation found = {.granule = granule};
	found.entries = probe_find_capacity(&question, 1, granule, granule, 0);
	if (!found.entries) {
		probe_tell_nothing(probe->result, structure->part, structure->size, "no number of them is too many");
		return found;
	}
	if (inner && found.entries <= inner->entries)
		return found;
	probe_tell(probe->result, structure->part, structure->size, line > 1 ? "bytes" : "",
	           (double)(found.entries * line), "the most that is used over and over without a miss");
	probe_find_ways(&question, &found, inner ? inner->entries : 0);
	if (found.ways) {
		probe_tell(probe->result, structure->part, structure->ways, "", (double)found.ways,
		           "the most that stay at any distance");
		if (!probe->model.source)
			tell_policy(probe, structure, &found, inner, line > 8 ? line / 8 : TLB_ELEMENTS);
	} else {
		probe_tell_nothing(probe->result, structure->part, structure->ways,
		                   "capacities do not halve with distances");
	}
	return found;
}

static void tell_line(struct probe_described *probe, const char *key, unsigned line) {
	probe_tell(probe->result, IFR_PROBE_CACHES, key, "bytes", line,
	           "the smallest distance at which every load of a large region misses");
}

/* Lines of a processor are CPUID's, and its pages the kernel's: what it fetches ahead hides them. Its code is fetched
 * ahead in any order, and what the third cache holds is shared. */
void probe_counted_caches(struct probe_described *probe) {
	const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	if (line < 16)
		return;
	const struct probe_organisation first =
		tell_structure(probe, &structures[L1D], (uint64_t)line, (unsigned)line, NULL);
	if (first.entries)
		tell_structure(probe, &structures[L2], (uint64_t)line, (unsigned)line, &first);
}

void probe_counted_tlbs(struct probe_described *probe) {
	const struct probe_organisation first = tell_structure(probe, &structures[DTLB], IFR_PAGE, 1, NULL);
	if (first.entries)
		tell_structure(probe, &structures[STLB], IFR_PAGE, 1, &first);
}

/* A description without a core does not say it. */
static void tell_way_tag(struct probe_described *probe) {
	enum probe_answer conflicts[PROBE_WAY_PAIRS];
	if (!ifr_machine_has_core(probe->model.machine))
		return;
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
		struct probe_kernel kernel;
		probe_kernel_init(&kernel, 0);
		probe_way_pair(&kernel, i);
		const double missed = probe_modelled_rate(&probe->model, &kernel, IFR_EVENT_L1D_LOAD_MISSES);
		conflicts[i] = missed < 0.01 ? PROBE_NO : missed > 0.99 / PROBE_WAY_LOADS ? PROBE_YES : PROBE_UNCLEAR;
	}
	probe_tell_way_tag(probe->result, conflicts);
}

void probe_described_caches(struct probe_described *probe) {
	const unsigned line = find_line(probe, UINT64_C(1) << 22);
	if (!line) {
		probe_tell_nothing(probe->result, IFR_PROBE_CACHES, "l1d.line_bytes",
		                   "loads of a large region do not miss");
		return;
	}
	tell_line(probe, "l1i.line_bytes", line); /* caches of a description have lines of one size */
	tell_structure(probe, &structures[L1I], line, line, NULL);
	tell_line(probe, "l1d.line_bytes", line);
	const struct probe_organisation first = tell_structure(probe, &structures[L1D], line, line, NULL);
	if (!first.entries)
		return;
	tell_way_tag(probe);
	const struct probe_organisation second = tell_structure(probe, &structures[L2], line, line, &first);
	if (second.entries <= first.entries)
		return;
	tell_line(probe, "l2.line_bytes", line);
	const struct probe_organisation third = tell_structure(probe, &structures[L3], line, line, &second);
	if (third.entries > second.entries)
		tell_line(probe, "l3.line_bytes", line);
}

/* The smallest distance at which each load of many misses the first TLB; 0 if none does. */
static uint64_t find_page(struct probe_described *probe) {
	enum { FEWEST = 1024, LEAST = 1 << 11, MOST = 1 << 30 };
	size_t count = FEWEST;
	while (count < PAGES_MOST &&
	       rate_of(probe, &structures[DTLB], &(struct probe_places){count, 1, MOST, MOST}) < 0.99)
		count *= 2;
	for (uint64_t distance = LEAST; distance <= MOST && count < PAGES_MOST; distance *= 2)
		if (rate_of(probe, &structures[DTLB], &(struct probe_places){count, 1, distance, distance}) > 0.99)
			return distance;
	return 0;
}

void probe_described_tlbs(struct probe_described *probe) {
	const uint64_t page = find_page(probe);
	if (!page) {
		probe_tell_nothing(probe->result, IFR_PROBE_TLBS, "core.page_bytes", "loads of many pages do not miss");
		return;
	}
	probe_tell(probe->result, IFR_PROBE_TLBS, "core.page_bytes", "bytes", (double)page,
	           "the smallest distance at which every load of many misses the first TLB");
	tell_structure(probe, &structures[ITLB], page, 1, NULL);
	const struct probe_organisation first = tell_structure(probe, &structures[DTLB], page, 1, NULL);
	if (first.entries)
		tell_structure(probe, &structures[STLB], page, 1, &first);
}

/* --- store buffer ------------------------------------------------------------------------------------------------ */

static void build_alias(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_store_load(kernel, places->count - 1, IFR_PAGE);
}

/* A number of stores "fits" if the load still waits for the first of them. */
static enum probe_answer still_waits(void *data, const struct probe_places *places) {
	return probe_events_fit(data, places) == PROBE_YES ? PROBE_NO : PROBE_YES;
}

void probe_described_memory(struct probe_described *probe) {
	static const char key[] = "store_buffer.entries";
	struct probe_events_question events = {&probe->model, build_alias, IFR_EVENT_ADDRESS_ALIAS};
	const struct probe_question question = {still_waits, &events, STORES_MOST, BYTES_MOST};
	const struct probe_places one = {1, 1, 1, 1};
	if (still_waits(&events, &one) == PROBE_NO) {
		probe_tell_nothing(probe->result, IFR_PROBE_MEMORY, key, "no load is compared with a store 4 KiB below");
		return;
	}
	const size_t entries = probe_find_capacity(&question, 1, 1, 1, 0);
	if (entries)
		probe_tell(probe->result, IFR_PROBE_MEMORY, key, "", (double)entries,
		           "stores from a store to a load 4096 bytes above it, for which the load still waits");
	else
		probe_tell_nothing(probe->result, IFR_PROBE_MEMORY, key, "%d stores between, and the load still waits",
		                   STORES_MOST);
}
