/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A site is a number that only the compiler knows. So layouts with nops at one site of the function are made, and
 * bisection finds the last site whose nops move the branch: sites are numbered in the order of the code. As many nops as
 * the largest alignment of a label (64 bytes) are not lost in the padding before one. Ref: Milenković et al. 2004, figure
 * 6. */
#include "harness/optimize/place_nops.h"

#include <stdlib.h>
#include <string.h>

#include "harness/optimize/hot_code.h"
#include "harness/simulate/simulate.h"

enum { ALL_MOVED = 64, BRANCHES_MOST = 4 };
static const unsigned bytes_tried[] = {1, 2, 4, 8, 16, 32};
enum { BYTES_TRIED = sizeof bytes_tried / sizeof *bytes_tried };
#define LEAST_GAIN 0.0005
#define NEARLY 0.95

struct nops_search {
	const struct ifr_place_request *request;
	struct ifr_kit *kit;
	struct ifr_builder *builder;
	uint64_t program; /* the mapping's normalised address */
};

static void make_plan(struct ifr_plan *plan, const char *function, uint64_t site, unsigned bytes) {
	char *words =
		ifr_format("seed=0 rate=0 site=%llu bytes=%u only=%s", (unsigned long long)site, bytes, function);
	struct ifr_error ignored = {0};
	ifr_plan_init(plan);
	ifr_plan_set(plan, IFR_AXIS_NOPS, words, &ignored);
	free(words);
}

/* The address of a branch under a map: the instruction map moves instructions of blocks. */
static int read_address(const struct ifr_trace *trace, const struct ifr_address_map *map, uint64_t branch,
                        uint64_t *address, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	struct ifr_geometry *geometry = ifr_alloc((count + 1) * sizeof *geometry);
	uint16_t *ends = ifr_alloc((ifr_trace_accesses(trace, &accesses) + 1) * sizeof *ends);
	const int result = ifr_address_map_blocks(map, trace, IFR_ENTRY_JUMP, geometry, ends, err);
	for (size_t i = 0; i < count && !result; i++)
		if (blocks[i].normalised + blocks[i].bytes - blocks[i].branch_bytes == branch)
			*address = geometry[i].address + geometry[i].bytes - geometry[i].branch_bytes;
	free(geometry);
	free(ends);
	return result;
}

/* The address of a branch with nops at a site. */
static int find_address(const struct nops_search *search, const char *function, uint64_t branch, uint64_t site,
                        uint64_t *address, struct ifr_error *err) {
	const struct ifr_trace *trace = search->request->trace;
	struct ifr_address_map *map = NULL;
	struct ifr_plan plan;
	make_plan(&plan, function, site, ALL_MOVED);
	int result = ifr_layout_of_plan(trace, search->builder, &plan, &map, err);
	if (!result)
		result = read_address(trace, map, search->program | branch, address, err);
	ifr_address_map_free(map);
	ifr_plan_release(&plan);
	return result;
}

/* *found: whether there is such a site. bytes: of the function; an instruction has one or more. */
static int find_site(const struct nops_search *search, const char *function, uint64_t bytes, uint64_t branch,
                     uint64_t *site, bool *found, struct ifr_error *err) {
	uint64_t moves = 0, stays = bytes + 1, unmoved = 0, address = 0;
	int result = find_address(search, function, branch, stays, &unmoved, err);
	if (!result)
		result = find_address(search, function, branch, moves, &address, err);
	*found = address >= unmoved + ALL_MOVED;
	while (!result && *found && stays - moves > 1) {
		const uint64_t middle = moves + (stays - moves) / 2;
		result = find_address(search, function, branch, middle, &address, err);
		if (address >= unmoved + ALL_MOVED)
			moves = middle;
		else
			stays = middle;
	}
	*site = moves;
	return result;
}

static double find_gain(const struct ifr_counts *counters, size_t with) {
	const double before = (double)counters[0].value[IFR_EVENT_CYCLES];
	return before > 0 ? (before - (double)counters[with].value[IFR_EVENT_CYCLES]) / before : 0;
}

/* The fewest bytes that gain nearly what the best ones do; 0: none gains anything. counters[0]: without nops. */
static size_t choose_bytes(const struct ifr_counts *counters) {
	size_t best = 0, chosen = 1;
	for (size_t i = 1; i <= BYTES_TRIED; i++)
		if (find_gain(counters, i) > find_gain(counters, best))
			best = i;
	while (best && chosen < best && find_gain(counters, chosen) < NEARLY * find_gain(counters, best))
		chosen++;
	return best && find_gain(counters, chosen) >= LEAST_GAIN ? chosen : 0;
}

static int try_bytes(const struct nops_search *search, const char *function, uint64_t site,
                     struct ifr_place_result *result, struct ifr_error *err) {
	struct ifr_plan plans[1 + BYTES_TRIED];
	struct ifr_counts counters[1 + BYTES_TRIED] = {{{0}}};
	struct ifr_plan_replay run = {.trace = search->request->trace,
	                              .machines = &search->request->machine,
	                              .machine_count = 1,
	                              .core = IFR_CORE_NONE,
	                              .kit = search->kit,
	                              .progress = search->request->progress};
	ifr_plan_init(&plans[0]);
	for (size_t i = 0; i < BYTES_TRIED; i++)
		make_plan(&plans[1 + i], function, site, bytes_tried[i]);
	const int rc = ifr_replay_plans(&run, plans, 1 + BYTES_TRIED, counters, err);
	const size_t chosen = rc ? 0 : choose_bytes(counters);
	if (chosen)
		result->nops[result->nops_count++] = (struct ifr_placed_nops){
			.function = ifr_strdup(function),
			.site = site,
			.bytes = bytes_tried[chosen - 1],
			.misses = {counters[0].value[IFR_EVENT_CONDITIONAL_MISSES],
		               counters[chosen].value[IFR_EVENT_CONDITIONAL_MISSES]},
			.btb_misses = {counters[0].value[IFR_EVENT_BTB_MISSES], counters[chosen].value[IFR_EVENT_BTB_MISSES]},
			.gain = find_gain(counters, chosen)};
	for (size_t i = 0; i <= BYTES_TRIED; i++)
		ifr_plan_release(&plans[i]);
	return rc;
}

static int by_gain(const void *a, const void *b) {
	const struct ifr_placed_nops *x = a, *y = b;
	return (x->gain < y->gain) - (x->gain > y->gain);
}

/* Whether a branch is among those before it: several pairs may share one. */
static bool is_repeated(const struct nops_branch *branches, size_t index) {
	for (size_t i = 0; i < index; i++)
		if (branches[i].address == branches[index].address)
			return true;
	return false;
}

static bool find_program(const struct ifr_trace *trace, uint64_t *normalised) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	char *library = ifr_trace_fact(trace, IFR_TRACE_LAID_OUT);
	size_t i = IFR_MAPPING_FIRST;
	while (i < count && mappings[i].kind != IFR_MAPPING_PROGRAM)
		i++;
	*normalised = (uint64_t)i << IFR_MAPPING_SHIFT;
	free(library);
	return i < count && !library;
}

int place_nops_find(const struct ifr_place_request *request, struct ifr_kit *kit, struct ifr_builder *builder,
                    const struct nops_branch *branches, size_t count, struct ifr_place_result *result,
                    struct ifr_error *err) {
	struct nops_search search = {request, kit, builder, 0};
	struct ifr_error ignored = {0};
	int rc = 0;
	result->nops = ifr_alloc((count + 1) * sizeof *result->nops);
	if (ifr_builder_check(builder, 1u << IFR_AXIS_NOPS, &ignored) ||
	    !find_program(request->trace, &search.program))
		return 0;
	for (size_t i = 0; i < count && i < BRANCHES_MOST && !rc; i++) {
		struct ifr_relinker_unit unit;
		uint64_t site = 0;
		bool found = false;
		ifr_relinker_unit(ifr_builder_relinker(builder), branches[i].unit, &unit);
		const char *symbol = hot_unit_symbol(unit.name);
		if (!symbol || is_repeated(branches, i))
			continue;
		rc = find_site(&search, symbol, unit.bytes, branches[i].address, &site, &found, err);
		if (!rc && found)
			rc = try_bytes(&search, symbol, site, result, err);
	}
	qsort(result->nops, result->nops_count, sizeof *result->nops, by_gain);
	return rc;
}
