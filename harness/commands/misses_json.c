/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `interfero misses --json`: everything that the text tells, of every length of context. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/commands/misses_against.h"
#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1, CURVE_POINTS = 20 };

static json_t *json_levels(const uint64_t *counts, unsigned levels) {
	json_t *list = json_array();
	for (unsigned i = 0; i < levels; i++)
		json_array_append_new(list, ifr_json_count(counts[i]));
	return list;
}

static json_t *json_predicted(const struct ifr_miss_prediction *predicted, struct ifr_latency latency) {
	json_t *object = json_object();
	ifr_json_set(object, "hit_as_hit", ifr_json_count(predicted->hit_as_hit));
	ifr_json_set(object, "hit_as_miss", ifr_json_count(predicted->hit_as_miss));
	ifr_json_set(object, "miss_as_hit", ifr_json_count(predicted->miss_as_hit));
	ifr_json_set(object, "miss_as_miss", ifr_json_count(predicted->miss_as_miss));
	ifr_json_set(object, "cycles", ifr_json_number(ifr_miss_prediction_cycles(predicted, latency)));
	return object;
}

static json_t *json_judged(const struct ifr_judged *judged, struct ifr_latency latency) {
	json_t *object = json_predicted(&judged->predicted, latency), *bins = json_array();
	for (unsigned i = 0; i < IFR_MISS_RATIO_BINS; i++)
		json_array_append_new(bins, ifr_json_count(judged->bins[i]));
	ifr_json_set(object, "contexts", ifr_json_count(judged->groups));
	ifr_json_set(object, "left_out", json_predicted(&judged->left_out, latency));
	ifr_json_set(object, "bins", bins);
	return object;
}

/* --- loads ------------------------------------------------------------------------------------------------------- */

static json_t *json_load(const struct misses_result *result, size_t rank) {
	const struct ifr_load_summary *summary = &result->profile.summary;
	const struct ifr_load_site *site = &summary->sites.items[result->profile.order[rank]];
	const struct ifr_load_count *load = &summary->loads[result->profile.order[rank]];
	json_t *object = json_object();
	const bool named = rank < result->profile.named;
	ifr_json_set(object, "code", ifr_json_text(named ? result->profile.names[rank].code : NULL));
	ifr_json_set(object, "data", ifr_json_text(named ? result->profile.names[rank].data : NULL));
	ifr_json_set(object, "mapping", ifr_json_count(site->normalised >> IFR_MAPPING_SHIFT));
	ifr_json_set(object, "last_byte", ifr_json_count(site->normalised & IFR_OFFSET_MASK));
	ifr_json_set(object, "references", ifr_json_count(load->references));
	ifr_json_set(object, "misses", json_levels(load->misses, summary->levels));
	ifr_json_set(object, "lines", json_levels(load->lines, summary->levels));
	if (result->profile.prefetches.executed)
		ifr_json_set(object, "misses_with_prefetches",
		             ifr_json_count(result->profile.prefetches.load_misses[result->profile.order[rank]]));
	if (result->against)
		ifr_json_set(object, "misses_against",
		             ifr_json_count(result->profile.against[result->profile.order[rank]]));
	ifr_json_set(object, "stall_cycles", ifr_json_number_if(result->core, load->stalls));
	return object;
}

/* The core's counters with what prefetches bring, and without. */
static json_t *json_in_core(const uint64_t *with, const uint64_t *without) {
	json_t *object = json_object();
	ifr_json_set(object, "cycles", ifr_json_count(with[IFR_EVENT_CYCLES]));
	ifr_json_set(object, "cycles_without", ifr_json_count(without[IFR_EVENT_CYCLES]));
	ifr_json_set(object, "late_loads", ifr_json_count(with[IFR_EVENT_PREFETCHES_LATE]));
	ifr_json_set(object, "lines_from_memory", ifr_json_count(with[IFR_EVENT_LLC_MISSES]));
	ifr_json_set(object, "lines_from_memory_without", ifr_json_count(without[IFR_EVENT_LLC_MISSES]));
	return object;
}

static json_t *json_prefetches(const struct misses_result *result) {
	const struct ifr_load_prefetches *prefetches = &result->profile.prefetches;
	json_t *object = prefetches->executed ? json_object() : json_null();
	if (!prefetches->executed)
		return object;
	ifr_json_set(object, "executed", ifr_json_count(prefetches->executed));
	ifr_json_set(object, "present", ifr_json_count(prefetches->present));
	ifr_json_set(object, "used", ifr_json_count(prefetches->used));
	ifr_json_set(object, "unused", ifr_json_count(prefetches->unused));
	ifr_json_set(object, "misses_of_loads", ifr_json_count(prefetches->misses));
	ifr_json_set(object, "in_core",
	             prefetches->in_core
	                 ? json_in_core(prefetches->counters.value, result->profile.summary.counts.value)
	                 : json_null());
	return object;
}

static json_t *json_described(const struct misses_result *result, size_t i) {
	json_t *list = json_array();
	for (unsigned k = 0; k < MISSES_DESCRIBED && result->described[i][k].context; k++) {
		const struct ifr_described_context *described = &result->described[i][k];
		const struct ifr_load_context *context = described->context;
		json_t *object = json_object();
		char key[17];
		snprintf(key, sizeof key, "%016" PRIx64, context->key);
		ifr_json_set(object, "key", json_string(key));
		ifr_json_set(object, "after", ifr_json_text(described->text));
		ifr_json_set(object, "references", ifr_json_count(context->references));
		ifr_json_set(object, "misses", ifr_json_count(context->misses));
		ifr_json_set(object, "tolerated",
		             json_boolean(ifr_tolerance_pays(context->references, context->misses, result->latency)));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *json_kind(const struct misses_result *result, const struct ifr_judged_load *load, unsigned kind) {
	json_t *object = json_object(), *lengths = json_array();
	const int chosen = load->lengths[kind];
	for (size_t i = 0; i < result->length_count; i++) {
		json_t *length =
			load->contexts[kind][i].known ? json_judged(&load->contexts[kind][i], result->latency) : json_object();
		ifr_json_set(length, "length", ifr_json_count(result->lengths[i]));
		ifr_json_set(length, "too_many", json_boolean(!load->contexts[kind][i].known));
		json_array_append_new(lengths, length);
	}
	ifr_json_set(object, "best_length", chosen < 0 ? json_null() : ifr_json_count(result->lengths[chosen]));
	ifr_json_set(object, "lengths", lengths);
	return object;
}

static json_t *json_profiled(const struct misses_result *result, size_t i) {
	const struct ifr_judged_load *load = &result->judged.items[i];
	json_t *object = json_object();
	ifr_json_set(object, "load", ifr_json_count(misses_rank(result, i)));
	ifr_json_set(object, "code", ifr_json_text(result->profile.names[misses_rank(result, i)].code));
	ifr_json_set(object, "references", ifr_json_count(load->references));
	ifr_json_set(object, "misses", ifr_json_count(load->misses));
	ifr_json_set(object, "best",
	             ifr_json_text(load->kind < 0 ? ifr_miss_scheme_names[IFR_SCHEME_SUMMARY]
	                                          : ifr_load_context_kind_names[load->kind]));
	ifr_json_set(object, "summary", json_judged(&load->summary, result->latency));
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
		ifr_json_set(object, ifr_load_context_kind_names[kind], json_kind(result, load, kind));
	ifr_json_set(object, "contexts", json_described(result, i));
	return object;
}

/* --- schemes ----------------------------------------------------------------------------------------------------- */

static json_t *json_scheme(const struct misses_result *result, enum ifr_miss_scheme scheme) {
	const struct misses_time time = misses_time_of(result, scheme);
	json_t *object = json_judged(&result->judged.schemes[scheme], result->latency), *parts = json_object();
	ifr_json_set(parts, "busy", ifr_json_number(time.busy));
	ifr_json_set(parts, "other_stalls", ifr_json_number(time.other_stalls));
	ifr_json_set(parts, "useful_overhead", ifr_json_number(time.useful));
	ifr_json_set(parts, "wasted_overhead", ifr_json_number(time.wasted));
	ifr_json_set(parts, "stalls", ifr_json_number(time.untolerated));
	ifr_json_set(object, "time", parts);
	return object;
}

/* Cycles a reference by overhead, from 0 to the latency of a miss. Ref: Mowry and Luk 1997, figure 5. */
static json_t *json_curve(const struct misses_result *result) {
	const double latency = result->judged.latency.miss;
	json_t *points = json_array();
	for (unsigned i = 0; i <= CURVE_POINTS && result->judged.count; i++) {
		const double overhead = latency * i / CURVE_POINTS;
		const struct misses_point at = misses_point_at(result, overhead);
		json_t *point = json_object();
		ifr_json_set(point, "overhead", ifr_json_number(overhead));
		ifr_json_set(point, "never", ifr_json_number(at.never));
		ifr_json_set(point, "always", ifr_json_number(at.always));
		ifr_json_set(point, "ideal", ifr_json_number(at.ideal));
		for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++)
			ifr_json_set(point, ifr_miss_scheme_names[scheme], ifr_json_number(at.schemes[scheme]));
		json_array_append_new(points, point);
	}
	return points;
}

/* --- the document ------------------------------------------------------------------------------------------------ */

static json_t *json_cache(const struct misses_result *result) {
	const unsigned *cache = &result->machine->values[misses_level_setting(result->level)];
	json_t *object = json_object();
	ifr_json_set(object, "level", json_string(misses_level_name(result->level)));
	ifr_json_set(object, "bytes", ifr_json_count(cache[0]));
	ifr_json_set(object, "ways", ifr_json_count(cache[1]));
	ifr_json_set(object, "line_bytes", ifr_json_count(cache[2]));
	return object;
}

static json_t *json_totals(const struct misses_result *result) {
	static const enum ifr_event events[] = {
		IFR_EVENT_INSTRUCTIONS,  IFR_EVENT_CYCLES,          IFR_EVENT_L1I_LOADS,      IFR_EVENT_L1I_MISSES,
		IFR_EVENT_L1D_LOADS,     IFR_EVENT_L1D_LOAD_MISSES, IFR_EVENT_L1D_STORES,     IFR_EVENT_L1D_STORE_MISSES,
		IFR_EVENT_L2_REFERENCES, IFR_EVENT_L2_MISSES,       IFR_EVENT_LLC_REFERENCES, IFR_EVENT_LLC_MISSES};
	const struct ifr_load_summary *summary = &result->profile.summary;
	uint64_t lines[IFR_DATA_LEVELS] = {0};
	json_t *object = json_object(), *counters = json_object();
	for (size_t i = 0; i < summary->sites.count; i++)
		for (unsigned level = 0; level < summary->levels; level++)
			lines[level] += summary->loads[i].lines[level];
	for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
		if (result->core || events[i] != IFR_EVENT_CYCLES)
			ifr_json_set(counters, ifr_event_name(events[i]), ifr_json_count(summary->counts.value[events[i]]));
	ifr_json_set(object, "references", ifr_json_count(result->profile.references));
	ifr_json_set(object, "misses", ifr_json_count(result->profile.misses));
	ifr_json_set(object, "lines_of_loads", json_levels(lines, summary->levels));
	ifr_json_set(object, "lines_of_stores", json_levels(summary->stores, summary->levels));
	ifr_json_set(object, "lines_of_fetches", json_levels(summary->fetches, summary->levels));
	ifr_json_set(object, "counters", counters);
	return object;
}

static json_t *json_latency(const struct misses_result *result) {
	json_t *object = json_object();
	ifr_json_set(object, "miss", ifr_json_number(result->latency.miss));
	ifr_json_set(object, "miss_given", json_boolean(result->latency_given));
	ifr_json_set(object, "overhead", ifr_json_number(result->latency.overhead));
	return object;
}

void misses_print_json(const struct misses_result *result, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *loads = json_array(), *profiled = json_array(),
		   *schemes = json_object();
	for (size_t i = 0; i < result->profile.count; i++)
		json_array_append_new(loads, json_load(result, i));
	for (size_t i = 0; i < result->judged.count; i++)
		json_array_append_new(profiled, json_profiled(result, i));
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++)
		ifr_json_set(schemes, ifr_miss_scheme_names[scheme], json_scheme(result, scheme));
	ifr_json_set(root, "trace", ifr_json_text(result->trace));
	ifr_json_set(root, "recording", ifr_json_text(result->recording));
	ifr_json_set(root, "damage", ifr_json_text(result->damage));
	ifr_json_set(root, "machine", ifr_json_text(result->machine_name));
	ifr_json_set(root, "cache", json_cache(result));
	ifr_json_set(root, "latency", json_latency(result));
	ifr_json_set(root, "totals", json_totals(result));
	ifr_json_set(root, "prefetches", json_prefetches(result));
	ifr_json_set(root, "against", misses_json_against(result));
	ifr_json_set(root, "loads", loads);
	ifr_json_set(root, "profiled", profiled);
	ifr_json_set(root, "schemes", schemes);
	ifr_json_set(root, "curve", json_curve(result));
	ifr_json_print(root, out);
}
