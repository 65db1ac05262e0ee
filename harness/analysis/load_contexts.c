/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/load_contexts.h"

#include <stdlib.h>

#include "common/buffer.h"

const char *const ifr_miss_scheme_names[IFR_MISS_SCHEMES] = {"summary", "control flow", "self", "global",
                                                             "best of each load"};

/* Costs that differ by less than this share of the summary's count as equal. */
#define MARGIN 0.01

static double left_out_cycles(const struct ifr_judged *judged, struct ifr_latency latency) {
	return ifr_miss_prediction_cycles(&judged->left_out, latency);
}

static void add_group(struct ifr_judged *judged, uint64_t references, uint64_t misses, struct ifr_latency latency,
                      bool otherwise) {
	ifr_miss_prediction_add(&judged->predicted, references, misses, latency);
	ifr_miss_prediction_add_left_out(&judged->left_out, references, misses, latency, otherwise);
	judged->bins[ifr_miss_ratio_bin(references, misses)] += references;
	judged->groups++;
}

static void judge_list(const struct ifr_load_context_list *list, struct ifr_latency latency, bool otherwise,
                       struct ifr_judged *judged) {
	judged->known = !list->too_many;
	for (size_t i = 0; i < list->count; i++)
		add_group(judged, list->items[i].references, list->items[i].misses, latency, otherwise);
}

static int choose_length(const struct ifr_judged_load *load, unsigned kind, size_t lengths,
                         struct ifr_latency latency) {
	const double margin = MARGIN * left_out_cycles(&load->summary, latency);
	const struct ifr_judged *judged = load->contexts[kind];
	double least = 0;
	size_t known = 0;
	for (; known < lengths && judged[known].known; known++) {
		const double cycles = left_out_cycles(&judged[known], latency);
		least = !known || cycles < least ? cycles : least;
	}
	for (size_t i = 0; i < known; i++)
		if (left_out_cycles(&judged[i], latency) <= least + margin)
			return (int)i;
	return -1;
}

static int choose_kind(const struct ifr_judged_load *load, struct ifr_latency latency) {
	const double summary = left_out_cycles(&load->summary, latency);
	double least = summary;
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
		if (load->lengths[kind] >= 0) {
			const double cycles = left_out_cycles(&load->contexts[kind][load->lengths[kind]], latency);
			least = cycles < least ? cycles : least;
		}
	if (least >= summary - MARGIN * summary)
		return -1;
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
		if (load->lengths[kind] >= 0 &&
		    left_out_cycles(&load->contexts[kind][load->lengths[kind]], latency) <= least + MARGIN * summary)
			return (int)kind;
	return -1;
}

static void judge_load(const struct ifr_profiled_load *from, size_t lengths, struct ifr_latency latency,
                       struct ifr_judged_load *load) {
	const bool pays = ifr_tolerance_pays(from->references, from->misses, latency);
	load->references = from->references;
	load->misses = from->misses;
	load->summary.known = true;
	if (from->references)
		add_group(&load->summary, from->references, from->misses, latency, pays);
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++) {
		for (size_t i = 0; i < lengths; i++)
			judge_list(&from->lists[kind][i], latency, pays, &load->contexts[kind][i]);
		load->lengths[kind] = choose_length(load, kind, lengths, latency);
	}
	load->kind = choose_kind(load, latency);
}

/* The list of a load that a scheme looks at; NULL: the summary. */
static int kind_of(const struct ifr_judged_load *load, enum ifr_miss_scheme scheme) {
	const int kind = scheme == IFR_SCHEME_SUMMARY ? -1
	                 : scheme == IFR_SCHEME_BEST  ? load->kind
	                                              : (int)(scheme - IFR_SCHEME_CONTROL_FLOW);
	return kind >= 0 && load->lengths[kind] >= 0 ? kind : -1;
}

const struct ifr_judged *ifr_judged_of(const struct ifr_judged_load *load, enum ifr_miss_scheme scheme) {
	const int kind = kind_of(load, scheme);
	return kind < 0 ? &load->summary : &load->contexts[kind][load->lengths[kind]];
}

static void sum_up(struct ifr_judged *sum, const struct ifr_judged *more) {
	ifr_miss_prediction_sum(&sum->predicted, &more->predicted);
	ifr_miss_prediction_sum(&sum->left_out, &more->left_out);
	for (unsigned i = 0; i < IFR_MISS_RATIO_BINS; i++)
		sum->bins[i] += more->bins[i];
	sum->groups += more->groups;
	sum->known = true;
}

void ifr_load_contexts_judge(const struct ifr_profiled_load *loads, size_t count, size_t lengths,
                             struct ifr_latency latency, struct ifr_judged_loads *judged) {
	*judged = (struct ifr_judged_loads){.count = count, .latency = latency};
	judged->items = ifr_alloc((count + 1) * sizeof *judged->items);
	for (size_t i = 0; i < count; i++) {
		judge_load(&loads[i], lengths, latency, &judged->items[i]);
		judged->references += loads[i].references;
		judged->misses += loads[i].misses;
		for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++)
			sum_up(&judged->schemes[scheme], ifr_judged_of(&judged->items[i], scheme));
	}
}

double ifr_scheme_cycles(const struct ifr_judged_loads *judged, const struct ifr_profiled_load *loads,
                         enum ifr_miss_scheme scheme, struct ifr_latency latency) {
	struct ifr_miss_prediction sum = {0};
	for (size_t i = 0; i < judged->count; i++) {
		const struct ifr_judged_load *load = &judged->items[i];
		const int kind = kind_of(load, scheme);
		if (kind < 0) {
			ifr_miss_prediction_add(&sum, load->references, load->misses, latency);
			continue;
		}
		const struct ifr_load_context_list *list = &loads[i].lists[kind][load->lengths[kind]];
		for (size_t k = 0; k < list->count; k++)
			ifr_miss_prediction_add(&sum, list->items[k].references, list->items[k].misses, latency);
	}
	return ifr_miss_prediction_cycles(&sum, latency);
}

void ifr_judged_loads_release(struct ifr_judged_loads *judged) {
	free(judged->items);
	*judged = (struct ifr_judged_loads){0};
}
