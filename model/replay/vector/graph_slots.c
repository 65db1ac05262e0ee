/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots and operations of sixteen lanes, as model/core/graph.c has them of one. */
#include "model/replay/vector/graph_ports.h"

/* --- arrival -------------------------------------------------------------------------------------------------- */

static vec latest(vec a, vec b) {
	return vec_max(a, b);
}

/* Takes a place of a cycle; a full cycle is left first. */
static void take_place(struct lane_words *cycle, struct lane_words *used, vec_mask on, vec width) {
	const vec taken = words_get(used);
	const vec_mask full = vec_equal(taken, width);
	words_add(cycle, mask_and(on, full), vec_set(1));
	words_put(used, on, vec_add(vec_select(full, vec_set(0), taken), vec_set(1)));
}

static vec ring_row(const struct lane_words *count, unsigned behind, uint32_t mask) {
	return vec_and(vec_sub(words_get(count), vec_set(behind)), vec_set(mask));
}

static void arrive_slot(struct lanes_graph *graph, vec_mask on) {
	take_place(&graph->arrival, &graph->arrival_used, on, words_get(&graph->width));
	const vec row = ring_row(&graph->arrivals, graph->core.queue, graph->slots_mask);
	const vec room = rows_gather(on, graph->left, row, vec_set(0)), cycle = words_get(&graph->arrival);
	const vec_mask late = mask_and(on, vec_greater(room, cycle));
	words_put(&graph->arrival, late, room);
	words_put(&graph->arrival_used, late, vec_set(1));
	words_add(&graph->arrivals, on, vec_set(1));
}

/* --- rename and retirement ------------------------------------------------------------------------------------ */

/* Retires the open slot. */
static void close_slot(struct lanes_graph *graph, vec_mask on) {
	if (!graph->slot_open)
		return;
	const vec done = vec_add(words_get(&graph->slot_done), vec_set(1));
	const vec_mask waits = mask_and(on, vec_greater(done, words_get(&graph->retire)));
	words_put(&graph->retire, waits, done);
	words_put(&graph->retire_used, waits, vec_set(0));
	take_place(&graph->retire, &graph->retire_used, on, vec_set(graph->core.retire));
	const vec commit = words_get(&graph->retire), loads = words_get(&graph->slot_loads);
	rows_scatter(graph->retired, on, ring_row(&graph->renamed, 1, graph->slots_mask), commit);
	for (unsigned i = 0; i < graph->slot_loads_most; i++)
		words_put(&graph->loads_retired[(graph->loads - 1 - i) & graph->loads_mask],
		          mask_and(on, vec_greater(loads, vec_set(i))), commit);
	for (; graph->slot_stores <= graph->stores; graph->slot_stores++)
		IFR_VECTOR(graph_store_retire)(graph, on, graph->slot_stores, commit);
	graph->slot_open = false;
}

/* The causes for which rename waits. */
struct rename_waits {
	vec front, window, loads, stores, floor, scheduler;
};

/* Counts slots that the front end did not fill, or a stall of the back end, by the latest cause. */
static void count_waits(struct lanes_graph *graph, vec_mask on, const struct rename_waits *waits, vec back) {
	const vec from = words_get(&graph->rename), front = waits->front;
	const vec_mask fetches = mask_and(on, mask_and(vec_greater(front, from), vec_greater(front, back)));
	vec_mask stalls = mask_and(on, mask_and(vec_greater(back, from), vec_greater(back, front)));
	if (mask_bits(fetches)) {
		const vec slots = vec_multiply(vec_sub(front, latest(from, back)), vec_set(graph->core.issue));
		const vec used = vec_select(vec_greater(back, from), vec_set(0), words_get(&graph->rename_used));
		words_add(&graph->undelivered, fetches, vec_sub(slots, used));
	}
	if (!mask_bits(stalls))
		return;
	const vec cycles = vec_sub(back, latest(from, front));
	words_add(&graph->stalls, stalls, cycles);
	const vec causes[] = {waits->scheduler, waits->window, waits->loads, waits->stores};
	struct lane_words *const counts[] = {&graph->stalls_scheduler, &graph->stalls_window, &graph->stalls_loads,
	                                     &graph->stalls_stores};
	for (unsigned i = 0; i < 4; i++) {
		const vec_mask by = mask_and(stalls, vec_equal(back, causes[i]));
		words_add(counts[i], by, cycles);
		stalls = mask_without(stalls, by);
	}
}

/* Waits for room in the scheduler. Returns the cycle of rename. */
static vec wait_for_scheduler(struct lanes_graph *graph, vec_mask on, vec cycle, unsigned entries) {
	vec_mask full = on;
	for (;;) {
		lanes_advance(graph, full, cycle);
		const vec held = words_get(&graph->in_scheduler);
		full = mask_not_zero(
			held, mask_and(full, vec_greater(vec_add(held, vec_set(entries)), vec_set(graph->core.scheduler))));
		if (!mask_bits(full))
			return cycle;
		cycle = vec_add(cycle, vec_ones(full));
	}
}

/* Waits for window, scheduler and queues. Returns the cycle in which they have room. */
static vec wait_for_room(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op,
                         struct rename_waits *waits) {
	const struct ifr_core *core = &graph->core;
	const vec never = vec_set((uint32_t)LANE_LONG_AGO);
	waits->window =
		rows_gather(on, graph->retired, ring_row(&graph->renamed, core->window, graph->slots_mask), vec_set(0));
	waits->floor =
		latest(words_get(&graph->rename_floor), vec_sub(words_get(&graph->retire), vec_set(AHEAD_MOST)));
	waits->loads = waits->stores = waits->scheduler = never;
	if (op->loads)
		waits->loads =
			words_get(&graph->loads_retired[(graph->loads + op->loads - 1 - core->loads) & graph->loads_mask]);
	if (op->stores)
		waits->stores =
			words_get(&graph->queue[(graph->stores + op->stores - core->stores) & graph->stores_mask].drain);
	const vec back = latest(latest(waits->window, waits->floor), latest(waits->loads, waits->stores));
	const vec before = latest(latest(words_get(&graph->rename), waits->front), back);
	const vec scheduled = wait_for_scheduler(graph, on, before, op->entries);
	waits->scheduler = vec_select(vec_greater(scheduled, before), scheduled, never);
	return latest(back, waits->scheduler);
}

static void rename_slot(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op) {
	struct rename_waits waits = {.front = vec_add(words_get(&graph->arrival), vec_set(1))};
	close_slot(graph, on);
	const vec back = wait_for_room(graph, on, op, &waits);
	count_waits(graph, on, &waits, back);
	vec cycle = words_get(&graph->rename), used = words_get(&graph->rename_used);
	const vec from = latest(waits.front, back);
	const vec_mask waited = vec_greater(from, cycle);
	used = vec_select(waited, vec_set(0), used);
	cycle = latest(cycle, from);
	const vec_mask full = mask_and(on, vec_equal(used, vec_set(graph->core.issue)));
	cycle = vec_add(cycle, vec_ones(full));
	used = vec_select(full, vec_set(0), used);
	lanes_advance(graph, full, cycle);
	words_put(&graph->rename, on, cycle);
	words_put(&graph->rename_used, on, vec_add(used, vec_set(1)));
	words_add(&graph->renamed, on, vec_set(1));
	words_put(&graph->slot_done, on, cycle);
	words_put(&graph->slot_loads, on, vec_set(op->loads));
	graph->slot_loads_most = op->loads;
	graph->slot_open = true;
	graph->loads += op->loads;
	graph->slot_stores = graph->stores + 1;
}

/* --- execution ------------------------------------------------------------------------------------------------ */

static vec sources_ready(const struct lanes_graph *graph, const struct ifr_core_op *op, vec ready) {
	for (unsigned i = 0; i < 4; i++)
		if (op->sources[i])
			ready = latest(ready, words_get(&graph->registers[op->sources[i]]));
	return ready;
}

static vec execute(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec pc,
                   const struct lanes_step *step) {
	const vec rename = words_get(&graph->rename);
	if (!op->ports || op->flags & IFR_CORE_OP_ELIMINATED)
		return sources_ready(graph, op, rename);
	const vec ready = sources_ready(graph, op, vec_add(rename, vec_set(1)));
	const vec port = lanes_choose(graph, op->ports);
	if (op->kind == IFR_OPERATION_LOAD && op->pieces)
		return IFR_VECTOR(graph_load)(graph, on, op, port, ready, pc, step);
	const vec cycle = lanes_book(graph, on, op, port, ready), next = vec_add(cycle, vec_set(1));
	if (op->kind == IFR_OPERATION_STORE_ADDRESS && op->pieces)
		IFR_VECTOR(graph_store_address)(graph, on, op, next, step);
	if (op->kind == IFR_OPERATION_STORE_DATA && op->pieces)
		IFR_VECTOR(graph_store_data)(graph, on, next);
	if (op->kind == IFR_OPERATION_LOAD)
		return vec_add(cycle, vec_set(graph->core.load_latency + op->latency));
	return vec_add(cycle, vec_set(op->latency ? op->latency : op->kind != IFR_OPERATION_COMPUTE));
}

static void add_op(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec pc,
                   const struct lanes_step *step) {
	const vec done = execute(graph, on, op, pc, step);
	for (unsigned i = 0; i < 3 && op->destinations[i]; i++)
		words_put(&graph->registers[op->destinations[i]], on, done);
	words_put(&graph->slot_done, on, latest(done, words_get(&graph->slot_done)));
	if (op->kind == IFR_OPERATION_BRANCH)
		words_put(&graph->branch_done, on, done);
}

static void serialise(struct lanes_graph *graph, vec_mask on) {
	close_slot(graph, on);
	const vec after = vec_add(words_get(&graph->retire), vec_set(1));
	words_put(&graph->rename_floor, on, latest(after, words_get(&graph->rename_floor)));
}

static void add_instruction(struct lanes_graph *graph, vec_mask on, const struct ifr_core_program *program,
                            const struct ifr_core_instruction *instruction, const struct lanes_step *step) {
	const vec pc = vec_add(words_get(&graph->address), vec_set(instruction->offset));
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING)
		serialise(graph, on);
	for (unsigned i = 0; i < instruction->ops; i++) {
		const struct ifr_core_op *op = &program->ops[instruction->first_op + i];
		if (op->flags & IFR_CORE_OP_DECODED)
			arrive_slot(graph, on);
		if (op->flags & IFR_CORE_OP_ISSUED) {
			rename_slot(graph, on, op);
			rows_scatter(graph->left, on, ring_row(&graph->arrivals, 1, graph->slots_mask),
			             words_get(&graph->rename));
		}
		add_op(graph, on, op, pc, step);
	}
	if (instruction->flags & IFR_INSTRUCTION_LOCKED)
		words_put(&graph->loads_floor, on, latest(words_get(&graph->slot_done), words_get(&graph->loads_floor)));
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING)
		serialise(graph, on);
}

/* --- a block -------------------------------------------------------------------------------------------------- */

/* Notes where the lanes' deliveries begin. */
static void note_begins(struct lanes_graph *graph, const struct lanes_step *step) {
	const size_t count = step->codes[0].count + 1u;
	if (count > graph->begins_room) {
		graph->begins_room = 2 * count;
		graph->begins = ifr_realloc(graph->begins, graph->begins_room, sizeof *graph->begins);
	}
	for (size_t i = 0; i < count; i++)
		graph->begins[i] = 0;
	for (unsigned lane = 0; lane < LANES; lane++) {
		graph->next[lane] = step->deliveries[lane];
		for (uint32_t i = 0; i < step->deliveries_count[lane]; i++)
			graph->begins[step->deliveries[lane][i].first] |= (uint16_t)(1u << lane);
	}
}

static void run_instruction(struct lanes_graph *graph, unsigned lanes, const struct ifr_core_program *program,
                            const struct ifr_core_instruction *instruction, unsigned index,
                            const struct lanes_step *step) {
	for (unsigned left = graph->begins[index] & lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		IFR_VECTOR(graph_begin)(graph, graph->next[lane], graph->next[lane] == step->deliveries[lane], lane);
		graph->next[lane]++;
	}
	for (unsigned left = graph->decoding & lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		IFR_VECTOR(graph_decode)(graph, instruction, step->placed[lane]->address + instruction->offset, lane);
	}
	add_instruction(graph, mask_of_bits(lanes), program, instruction, step);
}

/* Runs the last pair of a block in lanes in which it is not fused, and the fused one in the others. */
static void run_pair(struct lanes_graph *graph, unsigned unfused, const struct ifr_core_program *program,
                     const struct lanes_step *step) {
	const struct ifr_core_code *codes = step->codes;
	const struct ifr_core_instruction *instructions = program->instructions;
	const unsigned test = codes[1].count - 1u, fused = ALL_LANES & ~unfused;
	const uint32_t loads = graph->loads, slot_stores = graph->slot_stores;
	const unsigned slot_loads = graph->slot_loads_most;
	const bool open = graph->slot_open;
	unsigned most = 0;
	if (unfused) {
		for (unsigned i = test; i < codes[0].count; i++)
			run_instruction(graph, unfused, program, &instructions[codes[0].first + i], i, step);
		most = graph->slot_loads_most;
	}
	if (!fused)
		return;
	graph->loads = loads;
	graph->slot_stores = slot_stores;
	graph->slot_open = open;
	graph->slot_loads_most = slot_loads;
	run_instruction(graph, fused, program, &instructions[codes[1].first + test], test, step);
	graph->slot_loads_most = most > graph->slot_loads_most ? most : graph->slot_loads_most;
}

void IFR_VECTOR(graph_add)(struct lanes_graph *graph, const struct ifr_core_program *program,
                           const struct lanes_step *step) {
	const struct ifr_core_code *codes = step->codes;
	const struct ifr_core_instruction *instructions = program->instructions;
	const bool pair = codes[0].first != codes[1].first;
	const unsigned common = pair ? codes[1].count - 1u : codes[0].count;
	unsigned unfused = 0;
	for (unsigned lane = 0; lane < LANES; lane++) {
		graph->address.at[lane] = (uint32_t)step->placed[lane]->address;
		unfused |= (unsigned)(step->placed[lane]->instructions == instructions + codes[0].first) << lane;
		if (step->deliveries_count[lane])
			IFR_VECTOR(graph_enter)(graph, step, lane);
	}
	note_begins(graph, step);
	for (unsigned i = 0; i < common; i++)
		run_instruction(graph, ALL_LANES, program, &instructions[codes[0].first + i], i, step);
	if (pair)
		run_pair(graph, unfused, program, step);
	IFR_VECTOR(graph_follow)(graph);
}
