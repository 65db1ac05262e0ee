/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots and operations of sixteen lanes, as model/core/graph.c has them of one. */
#include "model/core/entry.h"
#include "model/replay/vector/graph_ports.h"

static vec latest(vec a, vec b) {
	return vec_max(a, b);
}

/* --- arrival -------------------------------------------------------------------------------------------------- */

/* Takes a place of a cycle; a full cycle is left first. */
static inline void take_place(vec *cycle, vec *used, vec width) {
	const vec_mask full = vec_equal(*used, width);
	*cycle = vec_increment(full, *cycle);
	*used = vec_add(vec_select(full, vec_set(0), *used), vec_set(1));
}

static inline void arrive_slot(struct lanes_graph *graph, struct lanes_on on) {
	vec cycle = words_get(&graph->arrival), used = words_get(&graph->arrival_used);
	take_place(&cycle, &used, words_get(&graph->width));
	const vec room = words_get(&graph->left[(graph->arrivals - graph->core.queue) & graph->slots_mask]);
	used = vec_select(vec_greater(room, cycle), vec_set(1), used);
	words_keep(&graph->arrival, on, vec_max(room, cycle));
	words_keep(&graph->arrival_used, on, used);
	graph->arrivals++;
}

/* --- rename and retirement ------------------------------------------------------------------------------------ */

/* Retires the open slot. */
static inline void close_slot(struct lanes_graph *graph, struct lanes_on on) {
	if (!graph->slot_open)
		return;
	const vec done = vec_add(words_get(&graph->slot_done), vec_set(1));
	vec commit = words_get(&graph->retire), used = words_get(&graph->retire_used);
	used = vec_select(vec_greater(done, commit), vec_set(0), used);
	commit = latest(done, commit);
	take_place(&commit, &used, vec_set(graph->core.retire));
	words_keep(&graph->retire, on, commit);
	words_keep(&graph->retire_used, on, used);
	words_keep(&graph->retired[(graph->renamed - 1) & graph->slots_mask], on, commit);
	for (unsigned i = 0; i < graph->slot_loads_most; i++) {
		const vec_mask has = vec_greater(words_get(&graph->slot_loads), vec_set(i));
		words_put(&graph->loads_retired[(graph->loads - 1 - i) & graph->loads_mask], mask_and(on.mask, has),
		          commit);
	}
	for (; graph->slot_stores <= graph->stores; graph->slot_stores++)
		IFR_VECTOR(graph_store_retire)(graph, on, graph->slot_stores, commit);
	graph->slot_open = false;
}

/* The causes for which rename waits. */
struct rename_waits {
	vec front, window, loads, stores, floor, scheduler;
};

/* Counts slots that the front end did not fill, or a stall of the back end, by the latest cause. */
static inline void count_waits(struct lanes_graph *graph, vec_mask on, const struct rename_waits *waits,
                               vec back) {
	const vec from = words_get(&graph->rename), front = waits->front;
	const vec_mask fetches = mask_and(on, vec_greater(front, latest(from, back)));
	vec_mask stalls = mask_and(on, vec_greater(back, latest(from, front)));
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
static inline vec wait_for_scheduler(struct lanes_graph *graph, vec_mask on, vec cycle, unsigned entries) {
	const vec most = vec_set(graph->core.scheduler - entries);
	if (graph->core.scheduler >= entries &&
	    !mask_bits(mask_and(on, vec_greater(words_get(&graph->in_scheduler), most))))
		return cycle;
	for (vec_mask full = on;;) {
		const vec day = words_get(&graph->day);
		IFR_VECTOR(graph_days)(graph, vec_select(full, latest(day, cycle), day));
		const vec held = words_get(&graph->in_scheduler);
		full = mask_not_zero(
			held, mask_and(full, vec_greater(vec_add(held, vec_set(entries)), vec_set(graph->core.scheduler))));
		if (!mask_bits(full))
			return cycle;
		cycle = vec_increment(full, cycle);
	}
}

/* Waits for window, scheduler and queues. Returns the cycle in which they have room. */
static inline vec wait_for_room(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                                struct rename_waits *waits) {
	const struct ifr_core *core = &graph->core;
	const vec never = vec_set((uint32_t)LANE_LONG_AGO);
	waits->window = words_get(&graph->retired[(graph->renamed - core->window) & graph->slots_mask]);
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
	const vec scheduled = wait_for_scheduler(graph, on.mask, before, op->entries);
	waits->scheduler = vec_select(vec_greater(scheduled, before), scheduled, never);
	return latest(back, waits->scheduler);
}

static inline void rename_slot(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op) {
	struct rename_waits waits = {.front = vec_add(words_get(&graph->arrival), vec_set(1))};
	close_slot(graph, on);
	const vec back = wait_for_room(graph, on, op, &waits);
	count_waits(graph, on.mask, &waits, back);
	vec cycle = words_get(&graph->rename), used = words_get(&graph->rename_used);
	const vec from = latest(waits.front, back);
	used = vec_select(vec_greater(from, cycle), vec_set(0), used);
	cycle = latest(cycle, from);
	take_place(&cycle, &used, vec_set(graph->core.issue));
	words_keep(&graph->rename, on, cycle);
	words_keep(&graph->rename_used, on, used);
	const vec behind = vec_sub(words_get(&graph->rename), words_get(&graph->day));
	if (mask_bits(vec_greater(behind, vec_set(DAYS_BEHIND))))
		IFR_VECTOR(graph_days)(graph, words_get(&graph->rename));
	words_keep(&graph->slot_done, on, cycle);
	words_keep(&graph->slot_loads, on, vec_set(op->loads));
	graph->renamed++;
	graph->slot_loads_most = op->loads;
	graph->slot_open = true;
	graph->loads += op->loads;
	graph->slot_stores = graph->stores + 1;
}

/* --- execution ------------------------------------------------------------------------------------------------ */

static inline vec sources_ready(const struct lanes_graph *graph, const struct ifr_core_op *op, vec ready) {
	for (unsigned i = 0; i < 4 && op->sources[i]; i++)
		ready =
			latest(ready, vec_add(words_get(&graph->registers[op->sources[i]]), vec_set(i == 1 ? op->late : 0)));
	return ready;
}

static inline vec execute(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op, vec pc,
                          const struct lanes_step *step) {
	const vec rename = words_get(&graph->rename),
			  sources = sources_ready(graph, op, vec_set((uint32_t)LANE_LONG_AGO));
	if (!op->ports || op->flags & IFR_CORE_OP_ELIMINATED) {
		const vec done = latest(rename, sources);
		if (op->kind == IFR_OPERATION_STORE_DATA && op->pieces)
			IFR_VECTOR(graph_store_data)(graph, on, sources, done);
		return done;
	}
	const vec ready = latest(vec_add(rename, vec_set(1)), sources);
	const struct port_choice port = lanes_choose(graph, ifr_core_op_ports(op, step->leaves));
	if (op->kind == IFR_OPERATION_LOAD && op->pieces)
		return IFR_VECTOR(graph_load)(graph, on, op, &port, ready, pc, step);
	const vec cycle = lanes_book(graph, on, op, &port, ready), next = vec_add(cycle, vec_set(1));
	if (op->kind == IFR_OPERATION_STORE_ADDRESS && op->pieces)
		IFR_VECTOR(graph_store_address)(graph, on, op, next, step);
	if (op->kind == IFR_OPERATION_STORE_DATA && op->pieces)
		IFR_VECTOR(graph_store_data)(graph, on, sources, vec_add(cycle, vec_set(op->latency)));
	if (op->kind == IFR_OPERATION_PREFETCH && op->pieces)
		IFR_VECTOR(graph_prefetch)(graph, on, op, cycle, step);
	if (op->kind == IFR_OPERATION_LOAD)
		return vec_add(cycle, vec_set(graph->core.load_latency + op->latency));
	return vec_add(cycle, vec_set(op->latency ? op->latency : op->kind != IFR_OPERATION_COMPUTE));
}

static inline void add_op(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op, vec pc,
                          const struct lanes_step *step) {
	const vec done = execute(graph, on, op, pc, step);
	vec result = done;
	if (graph->value_lanes) {
		const vec value = latest(words_get(&graph->values), words_get(&graph->rename));
		result = vec_select(mask_of_bits(graph->value_lanes), value, done);
		graph->value_lanes = 0;
	}
	for (unsigned i = 0; i < 3 && op->destinations[i]; i++)
		words_keep(&graph->registers[op->destinations[i]], on, result);
	if (graph->core.renamed)
		names_follow(&graph->names, op);
	words_keep(&graph->slot_done, on, latest(done, words_get(&graph->slot_done)));
	if (op->kind == IFR_OPERATION_BRANCH)
		words_keep(&graph->branch_done, on, done);
}

static void serialise(struct lanes_graph *graph, struct lanes_on on) {
	close_slot(graph, on);
	const vec after = vec_add(words_get(&graph->retire), vec_set(1));
	words_keep(&graph->rename_floor, on, latest(after, words_get(&graph->rename_floor)));
}

static inline __attribute__((always_inline)) void add_instruction(struct lanes_graph *graph, struct lanes_on on,
                                                                  const struct ifr_core_program *program,
                                                                  const struct ifr_core_instruction *instruction,
                                                                  const struct lanes_step *step) {
	const vec pc = vec_add(vec_load(step->entry->addresses), vec_set(instruction->offset));
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING)
		serialise(graph, on);
	for (unsigned i = 0; i < instruction->ops; i++) {
		const struct ifr_core_op *op = &program->ops[instruction->first_op + i];
		if (op->flags & IFR_CORE_OP_DECODED)
			arrive_slot(graph, on);
		if (op->flags & IFR_CORE_OP_ISSUED) {
			rename_slot(graph, on, op);
			words_keep(&graph->left[(graph->arrivals - 1) & graph->slots_mask], on, words_get(&graph->rename));
		}
		add_op(graph, on, op, pc, step);
	}
	if (instruction->flags & IFR_INSTRUCTION_LOCKED)
		words_keep(&graph->loads_floor, on, latest(words_get(&graph->slot_done), words_get(&graph->loads_floor)));
	if (instruction->flags & IFR_INSTRUCTION_SERIALISING)
		serialise(graph, on);
}

/* --- a block -------------------------------------------------------------------------------------------------- */

/* Notes where the slow lanes' deliveries begin. */
static void note_begins(struct lanes_graph *graph, const struct lanes_step *step) {
	const size_t count = step->codes[0].count + 1u;
	if (count > graph->begins_room) {
		graph->begins_room = 2 * count;
		graph->begins = ifr_realloc(graph->begins, graph->begins_room, sizeof *graph->begins);
	}
	for (size_t i = 0; i < count; i++)
		graph->begins[i] = 0;
	for (unsigned left = step->front->slow; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		graph->next[lane] = step->front->deliveries[lane];
		for (uint32_t i = 0; i < step->front->deliveries_count[lane]; i++)
			graph->begins[graph->next[lane][i].first] |= (uint16_t)(1u << lane);
	}
}

/* Arrival of an instruction in the slow lanes. */
static void begin_slow(struct lanes_graph *graph, unsigned lanes, const struct ifr_core_instruction *instruction,
                       unsigned index, const struct lanes_step *step) {
	for (unsigned left = graph->begins[index] & lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		IFR_VECTOR(graph_begin)
		(graph, graph->next[lane], graph->next[lane] == step->front->deliveries[lane],
		 step->entry->addresses[lane] + instruction->offset, lane);
		graph->next[lane]++;
	}
	for (unsigned left = graph->decoding & lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		const uint64_t address = joint_placed(step->front, lane, step->entry->block)->address;
		IFR_VECTOR(graph_decode)(graph, instruction, address + instruction->offset, lane);
	}
}

static inline __attribute__((always_inline)) void run_instruction(struct lanes_graph *graph, unsigned lanes,
                                                                  const struct ifr_core_program *program,
                                                                  const struct ifr_core_instruction *instruction,
                                                                  unsigned index, const struct lanes_step *step) {
	const struct joint_begin *begin = &step->entry->begins[index];
	const unsigned slow = step->front->slow & lanes, fast = lanes & ~slow;
	if (begin->lanes & fast)
		IFR_VECTOR(graph_begin_lanes)(graph, begin, fast, !index, step, instruction);
	if (slow)
		begin_slow(graph, slow, instruction, index, step);
	const struct lanes_on on = {mask_of_bits(lanes), lanes == ALL_LANES};
	add_instruction(graph, on, program, instruction, step);
}

/* The same for some of the lanes. */
static __attribute__((noinline)) void run_some(struct lanes_graph *graph, unsigned lanes,
                                               const struct ifr_core_program *program,
                                               const struct ifr_core_instruction *instruction, unsigned index,
                                               const struct lanes_step *step) {
	run_instruction(graph, lanes, program, instruction, index, step);
}

/* Moves a lane's column of a ring, so that its last row has another number. */
static void move_column(struct lane_words *ring, unsigned lane, uint32_t mask, uint32_t from, uint32_t to,
                        unsigned rows) {
	for (uint32_t i = 1; i <= rows && from != to; i++) {
		const uint32_t back = (int32_t)(from - to) > 0 ? rows + 1 - i : i;
		ring[(to - back) & mask].at[lane] = ring[(from - back) & mask].at[lane];
	}
}

/* Numbers of slots as in the fused lanes. */
static void move_rings(struct lanes_graph *graph, unsigned lanes, uint32_t arrivals, uint32_t renamed) {
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		move_column(graph->left, lane, graph->slots_mask, arrivals, graph->arrivals, graph->core.queue);
		move_column(graph->retired, lane, graph->slots_mask, renamed, graph->renamed, graph->core.window);
	}
}

/* Runs the last pair of a block in lanes in which it is not fused, and the fused one in the others. */
static void run_pair(struct lanes_graph *graph, unsigned unfused, const struct ifr_core_program *program,
                     const struct lanes_step *step) {
	const struct ifr_core_code *codes = step->codes;
	const struct ifr_core_instruction *instructions = program->instructions;
	const unsigned test = codes[1].count - 1u, fused = ALL_LANES & ~unfused;
	const uint32_t loads = graph->loads, slot_stores = graph->slot_stores;
	const uint32_t arrivals = graph->arrivals, renamed = graph->renamed;
	const unsigned slot_loads = graph->slot_loads_most;
	const bool open = graph->slot_open;
	const struct ifr_names names = graph->names;
	for (unsigned i = test; i < codes[0].count; i++)
		run_some(graph, unfused, program, &instructions[codes[0].first + i], i, step);
	if (!fused)
		return;
	const uint32_t unfused_arrivals = graph->arrivals, unfused_renamed = graph->renamed;
	const unsigned most = graph->slot_loads_most;
	graph->loads = loads;
	graph->slot_stores = slot_stores;
	graph->arrivals = arrivals;
	graph->renamed = renamed;
	graph->slot_open = open;
	graph->names = names;
	graph->slot_loads_most = slot_loads;
	run_some(graph, fused, program, &instructions[codes[1].first + test], test, step);
	graph->slot_loads_most = most > graph->slot_loads_most ? most : graph->slot_loads_most;
	move_rings(graph, unfused, unfused_arrivals, unfused_renamed);
}

void IFR_VECTOR(graph_add)(struct lanes_graph *graph, const struct ifr_core_program *program,
                           const struct lanes_step *step) {
	const struct ifr_core_code *codes = step->codes;
	const bool pair = codes[0].first != codes[1].first, fused = pair && !step->entry->unfused;
	const struct ifr_core_instruction *instructions = program->instructions + codes[fused].first;
	const unsigned common = pair && !fused ? codes[1].count - 1u : codes[fused].count;
	IFR_VECTOR(graph_enter)(graph, step);
	if (step->front->slow)
		note_begins(graph, step);
	for (unsigned i = 0; i < common; i++)
		run_instruction(graph, ALL_LANES, program, &instructions[i], i, step);
	if (pair && !fused)
		run_pair(graph, step->entry->unfused, program, step);
	const struct ifr_core_instruction *last = &program->instructions[codes[0].first + codes[0].count - 1u];
	graph->left_by = codes[0].count ? last->branch : IFR_BRANCH_NONE;
	graph->left_block = step->entry->block;
	if (codes[0].count)
		words_set(&graph->left_at, vec_add(vec_load(step->entry->addresses), vec_set(last->offset + last->bytes)));
	IFR_VECTOR(graph_follow)(graph);
}
