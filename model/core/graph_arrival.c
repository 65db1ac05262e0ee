/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrival: what delays the first slot of an instruction, of a delivery, of a window and of a block. */
#include "model/core/entry.h"
#include "model/core/graph_state.h"

/* Predecodes an instruction: it is in its aligned bytes by its last byte. Returns when it can be decoded. */
static int64_t predecode(struct ifr_graph *graph, const struct ifr_core_instruction *instruction,
                         uint64_t address) {
	const struct ifr_core *core = graph->core;
	const uint64_t bytes = (address + instruction->bytes - !!instruction->bytes) / core->fetch_bytes;
	if (bytes != graph->predecode_bytes) {
		if (graph->predecode_bytes != UINT64_MAX)
			graph->predecoded++;
		graph->predecode_bytes = bytes;
		graph->predecode_count = 0;
	} else if (graph->predecode_count == core->predecode) {
		graph->predecoded++;
		graph->predecode_count = 0;
	}
	graph->predecode_count++;
	if (instruction->flags & IFR_INSTRUCTION_LENGTH_CHANGING)
		graph->predecoded += core->length_change;
	return graph->predecoded;
}

void graph_decode(struct ifr_graph *graph, const struct ifr_core_instruction *instruction, uint64_t address) {
	const int64_t ready = predecode(graph, instruction, address);
	const bool first_only = instruction->decoded > 1 && !graph->core->unlimited;
	if (graph->decoded == graph->core->decoders || (first_only && graph->decoded)) {
		pace_next(&graph->arrival);
		graph->decoded = 0;
	}
	if (ready > graph->arrival.cycle) {
		pace_wait(&graph->arrival, ready);
		graph->decoded = 0;
	}
	graph->decoded++;
}

static void begin_group(struct ifr_graph *graph, uint32_t start) {
	graph->places = graph->core->branches;
	graph->groups = (struct groups){.before = graph->groups.last, .last = start};
}

void graph_predict_window(struct ifr_graph *graph, enum window_entry entry, uint32_t start, unsigned bubble,
                          unsigned fetch_wait) {
	const struct ifr_core *core = graph->core;
	const int64_t room = graph->window_arrivals[(graph->windows - core->ahead) & (WINDOWS_AHEAD - 1)];
	const bool blocks = core->pairs == IFR_PAIRS_BLOCKS;
	/* Of two windows that were found together the second one does not end with a taken branch. */
	if (!blocks && entry == WINDOW_GOES_ON && graph->paired)
		graph->predicted += core->prediction;
	if (entry == WINDOW_GOES_ON || !graph->places)
		begin_group(graph, start);
	const bool together = core->pairs && !graph->paired && room <= graph->predicted;
	graph->wide = together && blocks && entry == WINDOW_GOES_ON && !graph->wide;
	graph->paired = together && entry == WINDOW_JOINED;
	if (!graph->paired && !graph->wide)
		graph->predicted = later(graph->predicted + core->prediction + bubble, room);
	pace_wait(&graph->arrival, graph->predicted + fetch_wait);
}

/* Notes when a window could arrive. */
static void note_window(struct ifr_graph *graph) {
	graph->window_arrivals[graph->windows++ & (WINDOWS_AHEAD - 1)] = graph->arrival.cycle;
}

/* A window begins. No line of it arrives with those of the last one that were behind its first ones. */
static void enter_window(struct ifr_graph *graph) {
	if (graph->window_lines > graph->core->cache_reads)
		graph->lines_begun = graph->core->cache_reads;
	graph->window_entered = true;
	graph->window_lines = 0;
}

/* A line begins in a window. Those behind the first ones of the window arrive some cycles behind these. */
static void delay_further(struct ifr_graph *graph) {
	const unsigned reads = graph->core->cache_reads, lines = graph->window_lines++;
	if (lines % reads)
		return;
	if (lines)
		pace_wait(&graph->arrival, graph->window_cycle + graph->core->cache_further);
	graph->window_cycle = graph->arrival.cycle;
}

/* A delivery begins another cycle, unless its line of the op cache arrives with the last one. */
static void end_cycle(struct ifr_graph *graph, const struct ifr_delivery *delivery, bool joined) {
	const struct ifr_core *core = graph->core;
	if (core->cache_reads == 1 || delivery->source != IFR_SOURCE_OP_CACHE) {
		if (!joined && graph->arrival.used)
			pace_next(&graph->arrival);
		return;
	}
	const bool same = graph->arrival.used && graph->lines_cycle == graph->arrival.cycle;
	const unsigned lines = same ? graph->lines_begun : 0;
	const bool ends = (graph->window_entered && !joined && same) || lines == core->cache_reads;
	graph->window_entered = false;
	if (ends)
		pace_next(&graph->arrival);
	graph->lines_begun = ends ? 1 : lines + 1;
	if (core->cache_further)
		delay_further(graph);
	graph->lines_cycle = graph->arrival.cycle;
}

void graph_begin_delivery(struct ifr_graph *graph, const struct ifr_delivery *delivery) {
	const bool joined = graph->joined;
	graph->joined = false;
	if (delivery->window)
		enter_window(graph);
	if (delivery->boundary && !ifr_core_idealises(graph->core, IFR_CAUSE_FETCH))
		end_cycle(graph, delivery, joined);
	if (delivery->wait)
		pace_wait(&graph->arrival, graph->arrival.cycle + delivery->wait);
	if (delivery->window)
		note_window(graph);
	graph->decoding = delivery->source == IFR_SOURCE_DECODERS;
	if (graph->decoding && delivery->boundary) {
		graph->predecoded = graph->arrival.cycle;
		graph->predecode_bytes = UINT64_MAX;
		graph->predecode_count = 0;
		graph->decoded = joined && !delivery->wait ? graph->decoded : 0;
	}
}

/* Cycles that a block waits for lines and pages of its code. */
static unsigned code_wait(const struct ifr_core *core, const struct ifr_core_outcome *outcome) {
	return (ifr_core_idealises(core, IFR_CAUSE_IMISS) ? 0 : outcome->fetch_wait) +
	       (ifr_core_idealises(core, IFR_CAUSE_ITLB) ? 0 : outcome->page_wait);
}

/* Whether fetch goes on behind a taken branch in the same cycle. source: of the instructions behind it. Decoders beside
 * an op cache begin a cycle, and so do lines behind what they decoded.
 *
 * On a Zen 5 by the clock (2026; tests/bench/lines): chains of blocks of up to four instructions take a cycle each where
 * the op cache has none of them, and half a cycle where it has all. */
static bool passes_branch(struct ifr_graph *graph, uint8_t source) {
	if (graph->core->cache_sets && (graph->decoding || source == IFR_SOURCE_DECODERS))
		return false;
	if (graph->passed_cycle != graph->arrival.cycle)
		graph->passed = 0;
	graph->passed_cycle = graph->arrival.cycle;
	return ++graph->passed < graph->core->taken;
}

/* Cycles that fetch loses behind an indirect jump that leads far, has led to several targets, or whose groups told
 * another target. */
static unsigned target_bubble(struct ifr_graph *graph, const struct ifr_placed *placed, bool several) {
	const struct ifr_core *core = graph->core;
	if (!ifr_branch_is_indirect(graph->left_by))
		return 0;
	const unsigned far = leads_far(graph->left_at, placed->address) ? core->far : 0;
	const bool again = !core->targets || target_again(graph->rows, graph->groups, (uint32_t)placed->address);
	return far + (several ? core->several : 0) + (again ? 0 : core->targets);
}

/* The predictor finds the branch that ended the last block, and led to this one. */
static void find_branch(struct ifr_graph *graph, uint32_t to, const struct ifr_core_outcome *outcome) {
	if (!graph->core->branches || !outcome->known)
		return;
	if (!graph->places) {
		begin_group(graph, (uint32_t)graph->left_at);
		graph->predicted += graph->core->prediction;
	}
	const bool ends = ends_group(graph->left_by) || outcome->mispredicted ||
	                  (outcome->taken && leaves_page(graph->core, (uint32_t)graph->left_at, to));
	graph->places = ends ? 0 : graph->places - 1;
}

/* A misprediction starts the predictor anew: where no window begins, it finds the rest of the last one again. */
static void find_again(struct ifr_graph *graph, uint32_t to, bool window) {
	graph->predicted = graph->arrival.cycle - (window ? graph->core->prediction : 0);
	graph->paired = graph->wide = false;
	if (!window)
		begin_group(graph, to);
}

/* A block of code ends behind a branch that is not taken: the rest of its window is the second of two, or the first of
 * the next two. window: a window begins behind the branch. */
static void divide_block(struct ifr_graph *graph, bool window) {
	if (graph->paired && !window)
		graph->predicted += graph->core->prediction;
	graph->paired = window || !graph->paired;
	graph->wide = false;
	if (!window)
		pace_wait(&graph->arrival, graph->predicted);
}

void graph_enter_block(struct ifr_graph *graph, const struct ifr_placed *placed, const struct ifr_delivery *first,
                       const struct ifr_core_outcome *outcome, bool decoders) {
	const struct ifr_core *core = graph->core;
	const unsigned fetch_wait = decoders ? code_wait(core, outcome) : 0;
	const uint32_t at = (uint32_t)placed->address;
	find_branch(graph, at, outcome);
	if (outcome->divides && core->pairs == IFR_PAIRS_BLOCKS && !outcome->mispredicted)
		divide_block(graph, first->window);
	const unsigned elsewhere = outcome->taken ? target_bubble(graph, placed, outcome->several) : 0;
	unsigned bubble = 0;
	enum window_entry entry = WINDOW_GOES_ON;
	const bool mispredicted =
		outcome->mispredicted && !ifr_core_idealises(core, IFR_CAUSE_BMISP) && !graph->branch_ideal;
	if (mispredicted) {
		pace_wait(&graph->arrival, graph->branch_done + core->mispredicted - 1);
		find_again(graph, at, first->window);
		entry = WINDOW_OTHER;
	} else if (outcome->taken && first->source != IFR_SOURCE_LOOP_BUFFER) {
		bubble = graph->branch_ideal                ? core->bubble[0]
		         : outcome->btb < IFR_CORE_BTB_NONE ? core->bubble[outcome->btb]
		                                            : core->unknown_branch;
		bubble += kind_bubble(core, graph->left_by) + elsewhere;
		entry = !bubble && is_direct_jump(graph->left_by) ? WINDOW_JOINED : WINDOW_OTHER;
		graph->joined = !bubble && passes_branch(graph, first->source);
		if (!graph->joined && !ifr_core_idealises(core, IFR_CAUSE_FETCH))
			pace_next(&graph->arrival);
	}
	if (first->window && entry != WINDOW_GOES_ON && begins_before(core, at, &placed->instructions[0])) {
		graph_predict_window(graph, entry, at, bubble, 0);
		note_window(graph);
		/* The first window takes a place among the cycle's lines. */
		if (core->cache_reads > 1) {
			pace_next(&graph->arrival);
			graph->joined = false;
		}
		graph_predict_window(graph, WINDOW_GOES_ON, at, 0, fetch_wait);
	} else if (first->window)
		graph_predict_window(graph, entry, at, bubble, fetch_wait);
	else
		pace_wait(&graph->arrival, graph->arrival.cycle + bubble + fetch_wait);
}
