/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/load_misses.h"

#include <stdlib.h>

#include "common/clock.h"
#include "harness/exec/exec.h"
#include "harness/simulate/load_names.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/plan_replay.h"

/* --- progress and interruption ----------------------------------------------------------------------------------- */

struct pace {
	const struct ifr_load_misses_request *request;
	uint64_t done, planned; /* block executions */
	int64_t begun_ns, shown_ns;
};

static bool go_on(void *data, size_t executions) {
	enum { SHOW_EACH_NS = 250000000 };
	struct pace *pace = data;
	pace->done += executions;
	if (pace->request->progress) {
		const int64_t now = ifr_clock_ns();
		if (now - pace->shown_ns >= SHOW_EACH_NS && pace->planned)
			pace->request->progress((double)pace->done / (double)pace->planned, now - pace->begun_ns);
		pace->shown_ns = now - pace->shown_ns >= SHOW_EACH_NS ? now : pace->shown_ns;
	}
	return !ifr_launch_interrupted();
}

/* --- choice of loads --------------------------------------------------------------------------------------------- */

struct ranked {
	uint64_t misses;
	uint32_t load;
};

static int compare_ranked(const void *left, const void *right) {
	const struct ranked *a = left, *b = right;
	if (a->misses != b->misses)
		return a->misses < b->misses ? 1 : -1;
	return (a->load > b->load) - (a->load < b->load);
}

/* Orders the loads that miss the level. */
static void order_loads(struct ifr_load_misses *profile, unsigned level, size_t top) {
	const struct ifr_load_summary *summary = &profile->summary;
	struct ranked *ranked = ifr_alloc((summary->sites.count + 1) * sizeof *ranked);
	for (size_t i = 0; i < summary->sites.count; i++) {
		const struct ifr_load_count *load = &summary->loads[i];
		profile->references += load->references;
		profile->misses += load->misses[level];
		if (load->misses[level])
			ranked[profile->count++] = (struct ranked){load->misses[level], (uint32_t)i};
	}
	qsort(ranked, profile->count, sizeof *ranked, compare_ranked);
	profile->order = ifr_alloc((profile->count + 1) * sizeof *profile->order);
	for (size_t i = 0; i < profile->count; i++)
		profile->order[i] = ranked[i].load;
	profile->named = profile->count < top ? profile->count : top;
	free(ranked);
}

/* Stores the loads of the top whose miss ratio is intermediate. Returns their number. */
static size_t choose_loads(const struct ifr_load_misses *profile, const struct ifr_load_misses_request *request,
                           uint32_t *chosen) {
	size_t count = 0;
	for (size_t i = 0; i < profile->named; i++) {
		const struct ifr_load_count *load = &profile->summary.loads[profile->order[i]];
		const double ratio = (double)load->misses[request->level] / (double)load->references;
		if (ratio >= request->least && ratio <= request->most)
			chosen[count++] = profile->order[i];
	}
	return count;
}

/* --- the profile ------------------------------------------------------------------------------------------------- */

/* The kit of a recorded program, and its builder, for plans that need them. */
struct opened_kit {
	struct ifr_kit kit;
	struct ifr_builder *builder;
};

static int open_kit(const struct ifr_trace *trace, const struct ifr_plan *const plans[2],
                    struct opened_kit *opened, struct ifr_error *err) {
	opened->builder = NULL;
	ifr_kit_init(&opened->kit);
	if (!ifr_layout_needs_kit(plans[0]) && !ifr_layout_needs_kit(plans[1]))
		return 0;
	const int result = ifr_recorded_kit_load(trace, &opened->kit, err);
	return result ? result : ifr_builder_open(&opened->kit, &opened->builder, err);
}

static void close_kit(struct opened_kit *opened) {
	ifr_builder_close(opened->builder);
	ifr_kit_release(&opened->kit);
}

/* Counts the misses of the other layout, plans[0], and names the sets that miss less there. */
static int count_against(struct ifr_trace *trace, struct ifr_builder *builder,
                         const struct ifr_plan *const plans[2], const struct ifr_load_misses_request *request,
                         struct ifr_load_misses *profile, struct ifr_error *err) {
	static const enum ifr_conflict_structure structures[] = {IFR_CONFLICT_L1D, IFR_CONFLICT_L2};
	enum { NAMED_MOST = 8 };
	const struct ifr_count_settings settings = {.machine = request->machine, .core = IFR_CORE_NONE};
	struct ifr_address_map *map = NULL;
	struct ifr_load_summary summary = {0};
	int result = ifr_layout_of_plan(trace, builder, plans[0], &map, err);
	if (!result)
		result = ifr_load_summary_make(trace, map, &settings, NULL, &summary, err);
	if (!result)
		profile->against = ifr_alloc((summary.sites.count + 1) * sizeof *profile->against);
	for (size_t i = 0; i < summary.sites.count && !result; i++)
		profile->against_misses += profile->against[i] = summary.loads[i].misses[request->level];
	ifr_load_summary_release(&summary);
	ifr_address_map_free(map);
	if (!result && request->level < sizeof structures / sizeof *structures)
		result = ifr_conflicts_name(trace, builder, plans, request->machine, structures[request->level],
		                            NAMED_MOST, &profile->conflicts, err);
	return result;
}

static int profile_contexts(struct ifr_trace *trace, struct ifr_address_map *map,
                            const struct ifr_count_settings *settings,
                            const struct ifr_load_misses_request *request, const struct ifr_miss_stream *misses,
                            struct ifr_load_misses *profile, struct ifr_error *err) {
	uint32_t *chosen = ifr_alloc((profile->named + 1) * sizeof *chosen);
	const struct ifr_load_context_request contexts = {.level = request->level,
	                                                  .lengths = request->lengths,
	                                                  .length_count = request->length_count,
	                                                  .loads = chosen,
	                                                  .load_count = choose_loads(profile, request, chosen),
	                                                  .misses = misses,
	                                                  .most_bytes = request->most_bytes};
	int result = 0;
	if (contexts.load_count && request->length_count) {
		profile->context_count = contexts.load_count;
		result = ifr_load_contexts_make(trace, map, settings, &profile->summary.sites, &contexts,
		                                &profile->contexts, err);
	}
	free(chosen);
	return result;
}

int ifr_load_misses_make(struct ifr_trace *trace, const struct ifr_load_misses_request *request,
                         struct ifr_load_misses *profile, struct ifr_error *err) {
	struct ifr_address_map *map = NULL;
	struct ifr_trace_totals totals;
	struct ifr_plan shipped;
	struct opened_kit opened;
	struct ifr_miss_stream misses = {.level = request->level};
	struct pace pace = {.request = request, .begun_ns = ifr_clock_ns()};
	const struct ifr_count_settings settings = {
		.machine = request->machine, .core = request->core, .go_on = go_on, .data = &pace};
	*profile = (struct ifr_load_misses){0};
	if (request->level >= ifr_data_levels(request->machine))
		return ifr_fail(err, IFR_E_USAGE, "the machine %s has %u level%s of data caches, none with number %u",
		                request->machine->name, ifr_data_levels(request->machine),
		                ifr_data_levels(request->machine) == 1 ? "" : "s", request->level + 1);
	ifr_trace_totals(trace, &totals);
	pace.planned = 2 * totals.executions;
	ifr_plan_init(&shipped);
	const struct ifr_plan *const plans[] = {request->against ? request->against : &shipped,
	                                        request->plan ? request->plan : &shipped};
	int result = open_kit(trace, plans, &opened, err);
	if (!result)
		result = ifr_layout_of_plan(trace, opened.builder, plans[1], &map, err);
	if (!result)
		result = ifr_load_summary_make(trace, map, &settings, &misses, &profile->summary, err);
	if (!result)
		result = ifr_load_prefetches_make(trace, map, &settings, request->level, &profile->prefetches, err);
	if (!result && request->against)
		result = count_against(trace, opened.builder, plans, request, profile, err);
	if (!result) {
		order_loads(profile, request->level, request->top);
		result = profile_contexts(trace, map, &settings, request, &misses, profile, err);
	}
	if (!result)
		ifr_load_names_find(trace, profile);
	ifr_miss_stream_release(&misses);
	ifr_address_map_free(map);
	close_kit(&opened);
	ifr_plan_release(&shipped);
	return result;
}

void ifr_load_misses_release(struct ifr_load_misses *profile) {
	for (size_t i = 0; i < profile->named && profile->names; i++) {
		free(profile->names[i].code);
		free(profile->names[i].data);
	}
	free(profile->names);
	free(profile->order);
	if (profile->contexts)
		ifr_load_contexts_release(profile->contexts, profile->context_count);
	free(profile->against);
	ifr_named_conflicts_release(&profile->conflicts);
	ifr_load_prefetches_release(&profile->prefetches);
	ifr_load_summary_release(&profile->summary);
	*profile = (struct ifr_load_misses){0};
}
