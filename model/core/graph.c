/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/graph.h"

#include <stdlib.h>

#include "model/core/graph_state.h"

/* The mask of a ring of so many at least. */
static uint32_t ring_mask(unsigned least, unsigned count) {
	uint32_t size = least;
	while (size < count)
		size *= 2;
	return size - 1;
}

static void allocate_rings(struct ifr_graph *graph) {
	const struct ifr_core *core = graph->core;
	graph->slots_mask = ring_mask(SLOTS_LEAST, core->window > core->queue ? core->window : core->queue);
	graph->loads_mask = ring_mask(LOADS_LEAST, core->loads);
	graph->stores_mask = ring_mask(STORES_LEAST, core->stores);
	graph->left = ifr_alloc((graph->slots_mask + 1u) * sizeof *graph->left);
	graph->retired = ifr_alloc((graph->slots_mask + 1u) * sizeof *graph->retired);
	graph->loads_retired = ifr_alloc((graph->loads_mask + 1u) * sizeof *graph->loads_retired);
	graph->queue = ifr_alloc((graph->stores_mask + 1u) * sizeof *graph->queue);
}

struct ifr_graph *ifr_graph_new(const struct ifr_core *core) {
	struct ifr_graph *graph = ifr_alloc(sizeof *graph);
	graph->core = core;
	graph->site_core = *core;
	ifr_core_idealise_site(&graph->site_core);
	graph->sites = (uint16_t)(core->ideal >> IFR_CAUSES);
	graph->ports.calendar = ifr_alloc(CALENDAR * sizeof *graph->ports.calendar);
	graph->ports.unlimited = core->unlimited;
	allocate_rings(graph);
	graph->counters = ifr_alloc(core->counters + 1);
	graph->predecode_bytes = UINT64_MAX;
	graph->taken_value = NO_VALUE;
	for (unsigned i = 0; i < LINES_KEPT; i++)
		graph->lines[i] = UINT64_MAX;
	return graph;
}

void ifr_graph_free(struct ifr_graph *graph) {
	if (!graph)
		return;
	free(graph->ports.calendar);
	free(graph->left);
	free(graph->retired);
	free(graph->loads_retired);
	free(graph->queue);
	free(graph->counters);
	free(graph);
}

int64_t ifr_graph_cycle(const struct ifr_graph *graph) {
	return graph->retire.cycle;
}

const struct ifr_core_counts *ifr_graph_counts(const struct ifr_graph *graph) {
	return &graph->counts;
}

void ifr_graph_set(struct ifr_graph *graph, int64_t cycle, const struct ifr_core_counts *counts) {
	graph->retire.cycle = cycle;
	graph->counts = *counts;
}

/* --- arrival ------------------------------------------------------------------------------------------------- */

/* A slot arrives, when the queue has room. */
static inline void arrive_slot(struct ifr_graph *graph, unsigned width) {
	pace_take(&graph->arrival, width);
	const int64_t room = graph->left[(graph->arrivals - graph->core->queue) & graph->slots_mask];
	if (room > graph->arrival.cycle) {
		graph->arrival.cycle = room;
		graph->arrival.used = 1;
	}
	graph->arrivals++;
}

/* --- rename and retirement ----------------------------------------------------------------------------------- */

void ifr_graph_note_stalls(struct ifr_graph *graph, uint64_t *stalls) {
	graph->stalls = stalls;
}

void ifr_graph_note_retirement(struct ifr_graph *graph, uint64_t *cycles) {
	graph->retirement = cycles;
}

/* Adds the cycles for which retirement waits for the open slot's load. */
static void note_stall(struct ifr_graph *graph) {
	const int64_t from = later(graph->retire.cycle, graph->slot_load_ready), to = graph->slot_load_done + 1;
	if (graph->stalls && to > from)
		graph->stalls[graph->slot_load_access] += (uint64_t)(to - from);
	graph->slot_load_done = 0;
}

/* Retires the open slot. */
static void close_slot(struct ifr_graph *graph) {
	if (!graph->slot_open)
		return;
	const int64_t before = graph->retire.cycle;
	if (graph->slot_load_done)
		note_stall(graph);
	pace_wait(&graph->retire, graph->slot_done + 1);
	pace_take(&graph->retire, graph->core->retire);
	const int64_t commit = graph->retire.cycle;
	if (graph->retirement)
		graph->retirement[graph->slot_instruction] += (uint64_t)(commit - before);
	graph->retired[(graph->renamed - 1) & graph->slots_mask] = commit;
	for (unsigned i = 0; i < graph->slot_loads; i++)
		graph->loads_retired[(graph->loads - 1 - i) & graph->loads_mask] = commit;
	for (; graph->slot_stores <= graph->stores; graph->slot_stores++)
		graph_store_retire(graph, graph->slot_stores, commit);
	graph->slot_open = false;
}

/* The causes for which rename waits. */
struct rename_waits {
	int64_t front, window, loads, stores, floor, scheduler;
};

/* Counts slots that the front end did not fill, or a stall of the back end, by the latest cause. */
static inline void count_waits(struct ifr_graph *graph, const struct rename_waits *waits, int64_t back) {
	struct ifr_core_counts *counts = &graph->counts;
	const int64_t from = graph->rename.cycle, front = waits->front;
	if (later(front, back) <= from)
		return;
	if (front > from && front > back)
		counts->undelivered +=
			(uint64_t)(front - later(from, back)) * graph->core->issue - (back > from ? 0 : graph->rename.used);
	if (back <= from || back <= front)
		return;
	const uint64_t cycles = (uint64_t)(back - later(from, front));
	counts->stalls += cycles;
	if (back == waits->scheduler)
		counts->stalls_scheduler += cycles;
	else if (back == waits->window)
		counts->stalls_window += cycles;
	else if (back == waits->loads)
		counts->stalls_loads += cycles;
	else if (back == waits->stores)
		counts->stalls_stores += cycles;
}

/* Waits for room in the scheduler. Returns the cycle of rename. */
static int64_t wait_for_scheduler(struct ifr_graph *graph, int64_t cycle, unsigned entries) {
	struct ports *ports = &graph->ports;
	ports_advance(ports, cycle);
	while (ports->in_scheduler && ports->in_scheduler + entries > graph->core->scheduler)
		ports_advance(ports, ++cycle);
	return cycle;
}

/* Waits for window, scheduler and queues. Returns the cycle in which they have room. */
static int64_t wait_for_room(struct ifr_graph *graph, const struct ifr_core_op *op, struct rename_waits *waits) {
	const struct ifr_core *core = graph->core;
	waits->window = graph->retired[(graph->renamed - core->window) & graph->slots_mask];
	waits->floor = later(graph->rename_floor, graph->retire.cycle - AHEAD_MOST);
	if (op->loads)
		waits->loads = graph->loads_retired[(graph->loads + op->loads - 1 - core->loads) & graph->loads_mask];
	if (op->stores)
		waits->stores = graph->queue[(graph->stores + op->stores - core->stores) & graph->stores_mask].drain;
	const int64_t back = later(later(waits->window, waits->floor), later(waits->loads, waits->stores));
	const int64_t before = later(later(graph->rename.cycle, waits->front), back);
	const int64_t scheduled = wait_for_scheduler(graph, before, op->entries);
	if (scheduled > before)
		waits->scheduler = scheduled;
	return later(back, waits->scheduler);
}

static void rename_slot(struct ifr_graph *graph, const struct ifr_core_op *op) {
	struct rename_waits waits = {.front = graph->arrival.cycle + 1};
	close_slot(graph);
	const int64_t back = wait_for_room(graph, op, &waits);
	count_waits(graph, &waits, back);
	pace_wait(&graph->rename, later(waits.front, back));
	if (graph->rename.used == graph->core->issue) {
		pace_next(&graph->rename);
		ports_advance(&graph->ports, graph->rename.cycle);
	}
	graph->rename.used++;
	graph->renamed++;
	graph->slot_open = true;
	graph->slot_instruction = graph->instruction;
	graph->slot_done = graph->rename.cycle;
	graph->slot_loads = op->loads;
	graph->loads += op->loads;
	graph->slot_stores = graph->stores + 1;
}

/* --- execution ----------------------------------------------------------------------------------------------- */

static inline int64_t sources_ready(const struct ifr_graph *graph, const struct ifr_core_op *op) {
	const int64_t *registers = graph->registers;
	return later(later(registers[op->sources[0]], registers[op->sources[1]] + op->late),
	             later(registers[op->sources[2]], registers[op->sources[3]]));
}

/* Cycles from E to P of an operation that is neither load nor store. */
static inline unsigned latency_of(const struct ifr_core *core, const struct ifr_core_op *op) {
	const unsigned latency = op->latency ? op->latency : op->kind != IFR_OPERATION_COMPUTE;
	if (op->kind != IFR_OPERATION_COMPUTE && op->kind != IFR_OPERATION_BRANCH)
		return latency;
	if (ifr_core_idealises(core, latency > 1 ? IFR_CAUSE_LGALU : IFR_CAUSE_SHALU))
		return 0;
	const unsigned woken = op->kind == IFR_OPERATION_BRANCH ? !!core->wakeup : core->wakeup;
	const unsigned longer = latency > woken ? latency : woken;
	return latency <= 1 ? latency * woken : longer < core->longest ? longer : core->longest;
}

static inline __attribute__((always_inline)) int64_t execute(struct ifr_graph *graph, const struct ifr_core_op *op,
                                                             uint64_t pc, const struct ifr_core_outcome *outcome) {
	const int64_t rename = graph->rename.cycle, sources = sources_ready(graph, op);
	if (!op->ports || op->flags & IFR_CORE_OP_ELIMINATED) {
		if (op->kind == IFR_OPERATION_STORE_DATA && op->pieces)
			graph_store_data(graph, sources, later(rename, sources));
		return later(rename, sources);
	}
	const int64_t ready = later(rename + 1, sources);
	const unsigned port = ports_choose(&graph->ports, ifr_core_op_ports(op, outcome->leaves));
	if (op->kind == IFR_OPERATION_LOAD && op->pieces) {
		const int64_t done = graph_load(graph, op, port, ready, pc, outcome);
		if (done > graph->slot_load_done) {
			graph->slot_load_ready = ready;
			graph->slot_load_done = done;
			graph->slot_load_access = outcome->first_access + op->access;
		}
		return done;
	}
	const int64_t cycle = ports_book(&graph->ports, port, ready, op->unit, op->occupancy);
	if (op->kind == IFR_OPERATION_STORE_ADDRESS && op->pieces)
		graph_store_address(graph, op, cycle + 1, outcome);
	if (op->kind == IFR_OPERATION_STORE_DATA && op->pieces)
		graph_store_data(graph, sources, cycle + op->latency);
	if (op->kind == IFR_OPERATION_PREFETCH && op->pieces)
		graph_prefetch(graph, op, cycle, outcome);
	if (op->kind == IFR_OPERATION_LOAD)
		return cycle + graph->core->load_latency + load_extra(graph->core, op);
	return cycle + latency_of(graph->core, op);
}

/* Executes an operation of an idealised site. */
static int64_t execute_ideal(struct ifr_graph *graph, const struct ifr_core_op *op, uint64_t pc,
                             const struct ifr_core_outcome *outcome) {
	const struct ifr_core *core = graph->core;
	graph->core = &graph->site_core;
	const int64_t done = execute(graph, op, pc, outcome);
	graph->core = core;
	return done;
}

static inline void add_op(struct ifr_graph *graph, const struct ifr_core_op *op, uint16_t delayed, uint64_t pc,
                          const struct ifr_core_outcome *outcome) {
	const uint16_t sites = op->sites & graph->sites;
	const int64_t done =
		sites & ~delayed ? execute_ideal(graph, op, pc, outcome) : execute(graph, op, pc, outcome) + !!sites;
	const int64_t result = graph->taken_value == NO_VALUE ? done : later(graph->rename.cycle, graph->taken_value);
	graph->taken_value = NO_VALUE;
	for (unsigned i = 0; i < 3; i++)
		graph->registers[op->destinations[i]] = result;
	if (graph->core->renamed)
		names_follow(&graph->names, op);
	graph->registers[IFR_REGISTER_NONE] = 0;
	graph->slot_done = later(graph->slot_done, done);
	if (op->kind == IFR_OPERATION_BRANCH) {
		graph->branch_done = done;
		graph->branch_ideal = sites & ~delayed;
	}
}

static void add_instruction(struct ifr_graph *graph, const struct ifr_core_op *ops,
                            const struct ifr_core_instruction *instruction, uint16_t delayed, uint64_t pc,
                            unsigned width, const struct ifr_core_outcome *outcome) {
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING) {
		close_slot(graph);
		graph->rename_floor = later(graph->rename_floor, graph->retire.cycle + 1);
	}
	for (unsigned i = 0; i < instruction->ops; i++) {
		if (ops[i].flags & IFR_CORE_OP_DECODED)
			arrive_slot(graph, width);
		if (ops[i].flags & IFR_CORE_OP_ISSUED) {
			rename_slot(graph, &ops[i]);
			graph->left[(graph->arrivals - 1) & graph->slots_mask] = graph->rename.cycle;
		}
		add_op(graph, &ops[i], delayed, pc, outcome);
	}
	if (instruction->flags & IFR_INSTRUCTION_LOCKED)
		graph->loads_floor = later(graph->loads_floor, graph->slot_done);
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING) {
		close_slot(graph);
		graph->rename_floor = later(graph->rename_floor, graph->retire.cycle + 1);
	}
}

void ifr_graph_add(struct ifr_graph *graph, const struct ifr_core_program *program,
                   const struct ifr_placed *placed, const struct ifr_delivery *deliveries, size_t count,
                   const struct ifr_core_outcome *outcome) {
	static const unsigned all = UINT32_MAX;
	bool decoders = outcome->decoded;
	for (size_t i = 0; i < count; i++)
		decoders |= deliveries[i].source == IFR_SOURCE_DECODERS;
	if (count)
		graph_enter_block(graph, placed, &deliveries[0], outcome,
		                  decoders && !(placed->instructions[0].sites & graph->sites));
	for (size_t i = 0; i < count; i++) {
		const struct ifr_delivery *delivery = &deliveries[i];
		if (i && delivery->window)
			graph_predict_window(graph, WINDOW_GOES_ON,
			                     (uint32_t)placed->address + placed->instructions[delivery->first].offset, 0, 0);
		graph_begin_delivery(graph, delivery);
		const unsigned width = delivery->source == IFR_SOURCE_DECODERS   ? all
		                       : delivery->source == IFR_SOURCE_OP_CACHE ? graph->core->cache_width
		                                                                 : graph->core->issue;
		for (unsigned k = delivery->first; k < delivery->first + delivery->count; k++) {
			const struct ifr_core_instruction *instruction = &placed->instructions[k];
			const uint64_t pc = placed->address + instruction->offset;
			if (delivery->source == IFR_SOURCE_DECODERS)
				graph_decode(graph, instruction, pc);
			graph->instruction = (uint32_t)(instruction - program->instructions);
			add_instruction(graph, program->ops + instruction->first_op, instruction, program->delayed, pc, width,
			                outcome);
		}
	}
	graph->left_by = placed->count ? placed->instructions[placed->count - 1].branch : IFR_BRANCH_NONE;
	graph->left_at = placed->address + placed->bytes;
}

void ifr_graph_finish(struct ifr_graph *graph) {
	close_slot(graph);
}

void ifr_graph_drain(struct ifr_graph *graph) {
	close_slot(graph);
	pace_wait(&graph->arrival, graph->retire.cycle);
	graph->predicted = later(graph->predicted, graph->retire.cycle);
}
