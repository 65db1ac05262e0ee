/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/misses_result.h"

#include <stdlib.h>

const char *misses_level_name(unsigned level) {
	static const char *const names[IFR_DATA_LEVELS] = {"L1D", "L2", "L3"};
	return names[level];
}

enum ifr_setting misses_level_setting(unsigned level) {
	static const enum ifr_setting settings[IFR_DATA_LEVELS] = {IFR_L1D_BYTES, IFR_L2_BYTES, IFR_L3_BYTES};
	return settings[level];
}

/* Cycles of a load's misses at a level, by the machine's penalties. */
static double miss_cycles(const struct ifr_load_count *load, unsigned levels, const struct ifr_machine *machine,
                          unsigned level) {
	const unsigned *values = machine->values;
	const unsigned last = levels - 1;
	double cycles = level == 0 ? (double)load->misses[0] * values[IFR_PENALTY_L1D] : 0;
	if (level <= 1 && last == 2)
		cycles += (double)load->misses[1] * values[IFR_PENALTY_L2];
	if (last)
		cycles += (double)load->misses[last] * values[IFR_PENALTY_LLC];
	return cycles;
}

double misses_mean_latency(const struct ifr_load_summary *summary, const struct ifr_machine *machine,
                           unsigned level) {
	double misses = 0, cycles = 0;
	for (size_t i = 0; i < summary->sites.count; i++) {
		misses += (double)summary->loads[i].misses[level];
		cycles += miss_cycles(&summary->loads[i], summary->levels, machine, level);
	}
	return misses > 0 ? cycles / misses : 0;
}

double misses_latency_of(const struct ifr_load_count *load, unsigned levels, const struct ifr_machine *machine,
                         unsigned level) {
	return load->misses[level] ? miss_cycles(load, levels, machine, level) / (double)load->misses[level] : 0;
}

struct misses_time misses_time_of(const struct misses_result *result, enum ifr_miss_scheme scheme) {
	const struct ifr_miss_prediction *predicted = &result->judged.schemes[scheme].predicted;
	const struct ifr_latency latency = result->latency;
	return (struct misses_time){.busy = (double)result->profile.summary.counts.value[IFR_EVENT_INSTRUCTIONS] /
	                                    result->machine->values[IFR_CORE_WIDTH],
	                            .other_stalls =
	                                (double)(result->profile.misses - result->judged.misses) * latency.miss,
	                            .useful = (double)predicted->miss_as_miss * latency.overhead,
	                            .wasted = (double)predicted->hit_as_miss * latency.overhead,
	                            .untolerated = (double)predicted->miss_as_hit * latency.miss};
}

double misses_time_plain(const struct misses_result *result) {
	const struct misses_time time = misses_time_of(result, IFR_SCHEME_SUMMARY);
	return time.busy + time.other_stalls + (double)result->judged.misses * result->latency.miss;
}

struct misses_point misses_point_at(const struct misses_result *result, double overhead) {
	const struct ifr_judged_loads *judged = &result->judged;
	const double references = (double)judged->references, misses = (double)judged->misses;
	const struct ifr_latency latency = {judged->latency.miss, overhead};
	struct misses_point point = {
		misses * latency.miss / references, overhead, misses * overhead / references, {0}};
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++)
		point.schemes[scheme] = ifr_scheme_cycles(judged, result->profile.contexts, scheme, latency) / references;
	return point;
}

size_t misses_rank(const struct misses_result *result, size_t load) {
	size_t rank = 0;
	while (result->profile.order[rank] != result->profile.contexts[load].load)
		rank++;
	return rank;
}

void misses_describe(struct misses_result *result, struct ifr_trace *trace) {
	const size_t count = result->profile.context_count;
	struct ifr_described_context *all = ifr_alloc((count + 1) * sizeof *result->described);
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ifr_judged_load *load = &result->judged.items[i];
		if (load->kind < 0)
			continue;
		const int length = load->lengths[load->kind];
		const struct ifr_load_context_list *list = &result->profile.contexts[i].lists[load->kind][length];
		for (size_t k = 0; k < list->count && k < MISSES_DESCRIBED; k++)
			all[used++] = (struct ifr_described_context){.kind = (enum ifr_load_context_kind)load->kind,
			                                             .length = result->lengths[length],
			                                             .context = &list->items[k],
			                                             .load = (unsigned)i};
	}
	ifr_contexts_describe(trace, &result->profile.summary.sites, all, used);
	result->described = ifr_alloc((count + 1) * sizeof *result->described);
	used = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ifr_judged_load *load = &result->judged.items[i];
		const size_t contexts =
			load->kind < 0 ? 0 : result->profile.contexts[i].lists[load->kind][load->lengths[load->kind]].count;
		for (size_t k = 0; k < contexts && k < MISSES_DESCRIBED; k++)
			result->described[i][k] = all[used++];
	}
	free(all);
}

void misses_result_release(struct misses_result *result) {
	for (size_t i = 0; i < result->profile.context_count && result->described; i++)
		for (unsigned k = 0; k < MISSES_DESCRIBED; k++)
			free(result->described[i][k].text);
	free(result->described);
	ifr_judged_loads_release(&result->judged);
	ifr_load_misses_release(&result->profile);
}
