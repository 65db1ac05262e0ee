/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/parameters.h"

#include <stdio.h>
#include <string.h>

#include "model/memory/power.h"

bool ifr_machine_has_core(const struct ifr_machine *machine) {
	return machine->values[IFR_PIPELINE_ISSUE];
}

const char *ifr_core_table(const struct ifr_machine *machine, char name[32]) {
	const char *words = ifr_settings[IFR_PIPELINE_TABLE].words;
	for (unsigned i = 0; i < machine->values[IFR_PIPELINE_TABLE]; i++)
		words = strchr(words, ' ') + 1;
	snprintf(name, 32, "%.*s", (int)strcspn(words, " "), words);
	return name;
}

/* Latencies add up from level to level. Without a third cache the second is followed by memory. */
static void add_latencies(const unsigned *v, unsigned first, unsigned *lines) {
	lines[1] = first;
	lines[2] = first + v[IFR_PENALTY_L2];
	lines[3] = (v[IFR_L3_BYTES] ? lines[2] : v[IFR_L2_BYTES] ? first : 0) + v[IFR_PENALTY_LLC];
}

/* A description without a redirect has that of its penalty, which is of the whole misprediction. */
static unsigned redirect_of(const unsigned *v) {
	const unsigned whole = v[IFR_PENALTY_CONDITIONAL], rest = IFR_CORE_REDIRECT_REST;
	return v[IFR_FETCH_REDIRECT] ? v[IFR_FETCH_REDIRECT] : whole > rest ? whole - rest : 1;
}

static void init_back(struct ifr_core *core, const unsigned *v) {
	core->issue = v[IFR_PIPELINE_ISSUE];
	core->retire = v[IFR_PIPELINE_RETIRE];
	core->window = v[IFR_PIPELINE_WINDOW];
	core->scheduler = v[IFR_PIPELINE_SCHEDULER];
	core->loads = v[IFR_PIPELINE_LOADS];
	core->stores = v[IFR_PIPELINE_STORES];
	core->fills = v[IFR_PIPELINE_FILLS];
	core->load_latency = v[IFR_PIPELINE_LOAD_LATENCY];
	core->forward = v[IFR_PIPELINE_FORWARD];
	core->renamed = v[IFR_PIPELINE_RENAMED];
	core->blocked = v[IFR_PIPELINE_BLOCKED];
	core->alias = v[IFR_PIPELINE_ALIAS];
	core->line_split = v[IFR_PIPELINE_LINE_SPLIT];
	core->page_split = v[IFR_PIPELINE_PAGE_SPLIT];
	core->clear = v[IFR_PIPELINE_CLEAR];
	core->counters = v[IFR_PIPELINE_COUNTERS];
	core->wakeup = v[IFR_PIPELINE_WAKEUP];
	core->longest = v[IFR_PIPELINE_LONGEST];
	core->unlimited = v[IFR_PIPELINE_UNITS];
	core->drain = !core->unlimited;
	core->commit = v[IFR_PIPELINE_COMMIT];
	core->own_fills = v[IFR_PREFETCH_FILL];
	core->mispredicted = redirect_of(v);
	add_latencies(v, v[IFR_PENALTY_L1D], core->miss_latency);
	core->page_latency[1] = v[IFR_PENALTY_DTLB];
	core->page_latency[2] = v[IFR_PENALTY_DTLB] + v[IFR_PENALTY_STLB];
}

static void init_front(struct ifr_core *core, const unsigned *v) {
	core->fetch_bytes = v[IFR_FETCH_BYTES];
	core->predecode = v[IFR_FETCH_PREDECODE];
	core->decoders = v[IFR_FETCH_DECODERS];
	core->length_change = v[IFR_FETCH_LENGTH_CHANGE];
	core->queue = v[IFR_FETCH_QUEUE];
	core->unknown_branch = v[IFR_PENALTY_BTB];
	for (unsigned i = 0; i < 3; i++)
		core->bubble[i] = v[IFR_FETCH_BUBBLE1 + i];
	core->taken = v[IFR_FETCH_TAKEN];
	core->fusion_anywhere = v[IFR_FETCH_FUSION];
	core->calls = v[IFR_FETCH_CALLS];
	core->indirect = v[IFR_FETCH_INDIRECT];
	core->targets = v[IFR_FETCH_TARGETS];
	core->several = v[IFR_FETCH_SEVERAL];
	core->far = v[IFR_FETCH_FAR];
	core->branches = v[IFR_FETCH_BRANCHES];
	core->prediction = v[IFR_FETCH_PREDICTION];
	core->ahead = v[IFR_FETCH_AHEAD];
	core->pairs = (uint8_t)v[IFR_FETCH_PAIRS];
	add_latencies(v, v[IFR_PENALTY_L1I], core->fetch_latency);
	core->fetch_page_latency[1] = v[IFR_PENALTY_ITLB];
	core->fetch_page_latency[2] = v[IFR_PENALTY_ITLB] + v[IFR_PENALTY_STLB];
}

static void init_buffers(struct ifr_core *core, const unsigned *v) {
	core->cache_sets = v[IFR_OP_CACHE_SETS];
	core->cache_ways = v[IFR_OP_CACHE_WAYS];
	core->cache_ops = v[IFR_OP_CACHE_OPS];
	core->cache_branches = v[IFR_OP_CACHE_BRANCHES];
	core->cache_lines = v[IFR_OP_CACHE_LINES];
	core->cache_width = v[IFR_OP_CACHE_WIDTH];
	core->cache_switch = v[IFR_OP_CACHE_SWITCH];
	core->cache_reads = v[IFR_OP_CACHE_READS];
	core->cache_further = v[IFR_FETCH_PREDICTION] ? v[IFR_OP_CACHE_FURTHER] : 0;
	core->cache_spans = v[IFR_OP_CACHE_EXTENT] && v[IFR_OP_CACHE_TAG];
	core->one_constant = v[IFR_OP_CACHE_CONSTANTS] == 1;
	core->cache_nru = v[IFR_OP_CACHE_POLICY];
	core->cache_boundary = v[IFR_OP_CACHE_JUMP_BOUNDARY];
	core->cache_by_start = v[IFR_OP_CACHE_TAG];
	core->cache_by_last = v[IFR_OP_CACHE_BYTE];
	core->cache_goes_on = v[IFR_OP_CACHE_ENDS];
	core->cache_window_shift = ifr_log2_of(v[IFR_OP_CACHE_SETS] ? v[IFR_OP_CACHE_WINDOW] : 32);
	core->loop_ops = v[IFR_LOOP_BUFFER_OPS];
	core->loop_windows = v[IFR_LOOP_BUFFER_WINDOWS];
	core->loop_window_shift = ifr_log2_of(v[IFR_LOOP_BUFFER_OPS] ? v[IFR_LOOP_BUFFER_WINDOW] : 32);
	core->loop_branches = v[IFR_LOOP_BUFFER_BRANCHES];
	core->loop_unroll = v[IFR_LOOP_BUFFER_UNROLL];
}

void ifr_core_init(struct ifr_core *core, const struct ifr_machine *machine) {
	const unsigned *v = machine->values;
	*core = (struct ifr_core){
		.page_shift = ifr_log2_of(v[IFR_CORE_PAGE_BYTES]), .line_shift = 6, .level_mask = UINT8_MAX};
	for (unsigned first = IFR_L1I_BYTES; first <= IFR_L3_BYTES; first += 4)
		if (v[first])
			core->line_shift = ifr_log2_of(v[first + 2]);
	init_back(core, v);
	init_front(core, v);
	init_buffers(core, v);
}
