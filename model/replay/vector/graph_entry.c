/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrival of a lane, as model/core/graph_arrival.c has it. A layout's windows and lines begin where no other's do, so
 * this part goes lane by lane; it is asked for blocks and deliveries, not for operations. */
#include "model/replay/vector/graph_lanes.h"

static int32_t *word(struct lane_words *words, unsigned lane) {
	return (int32_t *)&words->at[lane];
}

static void wait_until(struct lanes_graph *graph, unsigned lane, int32_t cycle) {
	if (cycle > *word(&graph->arrival, lane)) {
		*word(&graph->arrival, lane) = cycle;
		graph->arrival_used.at[lane] = 0;
	}
}

static void begin_cycle(struct lanes_graph *graph, unsigned lane) {
	++*word(&graph->arrival, lane);
	graph->arrival_used.at[lane] = 0;
}

static int32_t predecode(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                         uint64_t address, unsigned lane) {
	const struct ifr_core *core = &graph->core;
	const uint64_t bytes = (address + instruction->bytes - !!instruction->bytes) / core->fetch_bytes;
	if (bytes != graph->predecode_bytes[lane]) {
		graph->predecoded[lane] += graph->predecode_bytes[lane] != UINT64_MAX;
		graph->predecode_bytes[lane] = bytes;
		graph->predecode_count[lane] = 0;
	} else if (graph->predecode_count[lane] == core->predecode) {
		graph->predecoded[lane]++;
		graph->predecode_count[lane] = 0;
	}
	graph->predecode_count[lane]++;
	if (instruction->flags & IFR_INSTRUCTION_LENGTH_CHANGING)
		graph->predecoded[lane] += (int32_t)core->length_change;
	return graph->predecoded[lane];
}

void IFR_VECTOR(graph_decode)(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                              uint64_t address, unsigned lane) {
	const int32_t ready = predecode(graph, instruction, address, lane);
	if (graph->decoded[lane] == graph->core.decoders || (instruction->decoded > 1 && graph->decoded[lane])) {
		begin_cycle(graph, lane);
		graph->decoded[lane] = 0;
	}
	if (ready > *word(&graph->arrival, lane)) {
		wait_until(graph, lane, ready);
		graph->decoded[lane] = 0;
	}
	graph->decoded[lane]++;
}

static void predict_window(struct lanes_graph *graph, unsigned lane, unsigned bubble, unsigned fetch_wait) {
	const struct ifr_core *core = &graph->core;
	const int32_t room = graph->window_arrivals[lane][(graph->windows[lane] - core->ahead) & (WINDOWS_AHEAD - 1)];
	const int32_t found = graph->predicted[lane] + (int32_t)(core->prediction + bubble);
	graph->predicted[lane] = found > room ? found : room;
	wait_until(graph, lane, graph->predicted[lane] + (int32_t)fetch_wait);
}

void IFR_VECTOR(graph_begin)(struct lanes_graph *graph, const struct ifr_delivery *delivery, bool first,
                             unsigned lane) {
	const bool joined = graph->joined >> lane & 1;
	if (!first && delivery->window)
		predict_window(graph, lane, 0, 0);
	graph->joined &= ~(1u << lane);
	if (delivery->boundary && !joined && graph->arrival_used.at[lane])
		begin_cycle(graph, lane);
	if (delivery->wait)
		wait_until(graph, lane, *word(&graph->arrival, lane) + delivery->wait);
	if (delivery->window)
		graph->window_arrivals[lane][graph->windows[lane]++ & (WINDOWS_AHEAD - 1)] = *word(&graph->arrival, lane);
	const bool decoders = delivery->source == IFR_SOURCE_DECODERS;
	if (decoders && delivery->boundary) {
		graph->predecoded[lane] = *word(&graph->arrival, lane);
		graph->predecode_bytes[lane] = UINT64_MAX;
		graph->predecode_count[lane] = 0;
		graph->decoded[lane] = joined && !delivery->wait ? graph->decoded[lane] : 0;
	}
	graph->decoding = (graph->decoding & ~(1u << lane)) | (unsigned)decoders << lane;
	graph->width.at[lane] = decoders                                  ? UINT32_MAX
	                        : delivery->source == IFR_SOURCE_OP_CACHE ? graph->core.cache_width
	                                                                  : graph->core.issue;
}

/* Whether fetch goes on behind a taken branch in the same cycle. */
static bool passes_branch(struct lanes_graph *graph, unsigned lane) {
	if (graph->passed_cycle[lane] != *word(&graph->arrival, lane))
		graph->passed[lane] = 0;
	graph->passed_cycle[lane] = *word(&graph->arrival, lane);
	return ++graph->passed[lane] < graph->core.taken;
}

void IFR_VECTOR(graph_enter)(struct lanes_graph *graph, const struct lanes_step *step, unsigned lane) {
	const struct ifr_core *core = &graph->core;
	const struct ifr_core_outcome *outcome = step->outcomes[lane];
	const struct ifr_delivery *first = step->deliveries[lane];
	bool decoders = outcome->decoded;
	unsigned bubble = 0;
	for (uint32_t i = 0; i < step->deliveries_count[lane]; i++)
		decoders |= first[i].source == IFR_SOURCE_DECODERS;
	const unsigned fetch_wait = decoders ? outcome->fetch_wait + outcome->page_wait : 0;
	if (outcome->mispredicted) {
		wait_until(graph, lane, *word(&graph->branch_done, lane) + (int32_t)core->mispredicted - 1);
		graph->predicted[lane] = *word(&graph->arrival, lane) - (int32_t)core->prediction;
	} else if (outcome->taken && first->source != IFR_SOURCE_LOOP_BUFFER) {
		bubble = outcome->btb < IFR_CORE_BTB_NONE ? core->bubble[outcome->btb] : core->unknown_branch;
		const bool joined = !bubble && passes_branch(graph, lane);
		graph->joined = (graph->joined & ~(1u << lane)) | (unsigned)joined << lane;
		if (!joined)
			begin_cycle(graph, lane);
	}
	if (first->window)
		predict_window(graph, lane, bubble, fetch_wait);
	else
		wait_until(graph, lane, *word(&graph->arrival, lane) + (int32_t)(bubble + fetch_wait));
}
