/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/model_kernel.h"

#include <stdlib.h>
#include <string.h>

void kernel_init(struct kernel *kernel) {
	*kernel = (struct kernel){0};
	kernel->program.ops = ifr_alloc(8192 * sizeof *kernel->program.ops);
	kernel->program.instructions = ifr_alloc(8192 * sizeof *kernel->program.instructions);
	kernel->program.blocks = ifr_alloc(64 * sizeof *kernel->program.blocks);
	kernel->program.jump_offsets = ifr_alloc(64 * sizeof *kernel->program.jump_offsets);
	kernel->steps = ifr_alloc(KERNEL_STEPS * sizeof *kernel->steps);
	kernel->addresses = ifr_alloc(KERNEL_STEPS * sizeof *kernel->addresses);
	kernel->levels = ifr_alloc(KERNEL_STEPS * sizeof *kernel->levels);
}

void kernel_release(struct kernel *kernel) {
	ifr_core_program_release(&kernel->program);
	free(kernel->steps);
	free(kernel->addresses);
	free(kernel->levels);
}

uint32_t kernel_block(struct kernel *kernel) {
	const uint32_t block = (uint32_t)kernel->program.blocks_count++;
	kernel->program.blocks[block][0] = (struct ifr_core_code){(uint32_t)kernel->program.instructions_count, 0};
	kernel->next_access = 0;
	return block;
}

static struct ifr_core_instruction *last_instruction(struct kernel *kernel) {
	return &kernel->program.instructions[kernel->program.instructions_count - 1];
}

void kernel_instruction(struct kernel *kernel, unsigned bytes, uint8_t branch, unsigned flags) {
	const size_t block = kernel->program.blocks_count - 1;
	kernel->program.instructions[kernel->program.instructions_count++] =
		(struct ifr_core_instruction){.first_op = (uint32_t)kernel->program.ops_count,
	                                  .offset = kernel->block_bytes[block],
	                                  .bytes = (uint8_t)bytes,
	                                  .branch = branch,
	                                  .flags = (uint16_t)flags};
	kernel->block_bytes[block] = (uint16_t)(kernel->block_bytes[block] + bytes);
	kernel->program.blocks[block][0].count++;
}

struct ifr_core_op *kernel_op(struct kernel *kernel, unsigned kind, unsigned ports, unsigned latency, unsigned to,
                              unsigned from, unsigned from2, bool with_last) {
	struct ifr_core_instruction *instruction = last_instruction(kernel);
	struct ifr_core_op *op = &kernel->program.ops[kernel->program.ops_count++];
	*op = (struct ifr_core_op){.kind = (uint8_t)kind,
	                           .ports = (uint16_t)ports,
	                           .latency = (uint8_t)latency,
	                           .occupancy = 1,
	                           .destinations = {(uint8_t)to},
	                           .sources = {(uint8_t)from, (uint8_t)from2},
	                           .flags = with_last ? 0 : IFR_CORE_OP_DECODED | IFR_CORE_OP_ISSUED};
	instruction->ops++;
	instruction->decoded = (uint8_t)(instruction->decoded + !with_last);
	struct ifr_core_op *slot = op;
	while (!(slot->flags & IFR_CORE_OP_ISSUED))
		slot--;
	slot->entries = (uint8_t)(slot->entries + !!ports);
	slot->loads = (uint8_t)(slot->loads + (kind == IFR_OPERATION_LOAD));
	slot->stores = (uint8_t)(slot->stores + (kind == IFR_OPERATION_STORE_DATA));
	return op;
}

void kernel_alu(struct kernel *kernel, unsigned bytes, unsigned to, unsigned from, unsigned ports,
                unsigned latency) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_NONE, 0);
	kernel_op(kernel, IFR_OPERATION_COMPUTE, ports, latency, to, from, 0, false);
}

void kernel_nop(struct kernel *kernel, unsigned bytes) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_NONE, IFR_INSTRUCTION_NOP);
	kernel_op(kernel, IFR_OPERATION_NOP, 0, 0, 0, 0, 0, false);
}

static void set_access(struct kernel *kernel, struct ifr_core_op *op, unsigned access, unsigned bytes,
                       bool store) {
	op->access = (uint16_t)access;
	op->pieces = 1;
	kernel->accesses[access] = (struct ifr_access){.bytes = (uint8_t)bytes, .store = store};
}

void kernel_load(struct kernel *kernel, unsigned bytes, unsigned to, unsigned from, unsigned access_bytes) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_NONE, 0);
	struct ifr_core_op *op = kernel_op(kernel, IFR_OPERATION_LOAD, AGU, 0, to, from, 0, false);
	set_access(kernel, op, kernel->next_access++, access_bytes, false);
}

void kernel_prefetch(struct kernel *kernel, unsigned bytes, unsigned from) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_NONE, 0);
	struct ifr_core_op *op = kernel_op(kernel, IFR_OPERATION_PREFETCH, AGU, 1, 0, from, 0, false);
	set_access(kernel, op, kernel->next_access++, 1, false);
}

void kernel_store(struct kernel *kernel, unsigned bytes, unsigned address, unsigned data, unsigned access_bytes) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_NONE, 0);
	struct ifr_core_op *op = kernel_op(kernel, IFR_OPERATION_STORE_ADDRESS, AGU, 1, 0, address, 0, false);
	set_access(kernel, op, kernel->next_access, access_bytes, true);
	op = kernel_op(kernel, IFR_OPERATION_STORE_DATA, P4, 1, 0, data, 0, true);
	set_access(kernel, op, kernel->next_access++, access_bytes, true);
}

void kernel_jump(struct kernel *kernel, unsigned bytes, unsigned from) {
	kernel_instruction(kernel, bytes, IFR_BRANCH_CONDITIONAL, 0);
	kernel_op(kernel, IFR_OPERATION_BRANCH, P6, 1, 0, from, 0, false);
}

void kernel_test_jump(struct kernel *kernel, unsigned test_bytes, unsigned jump_bytes, unsigned from) {
	const size_t block = kernel->program.blocks_count - 1;
	kernel_alu(kernel, test_bytes, IFR_REGISTER_FLAGS, from, ALU, 1);
	kernel->program.jump_offsets[block] = kernel->block_bytes[block];
	kernel_jump(kernel, jump_bytes, IFR_REGISTER_FLAGS);
}

void kernel_end(struct kernel *kernel) {
	struct ifr_core_program *program = &kernel->program;
	const size_t block = program->blocks_count - 1;
	const struct ifr_core_code plain = program->blocks[block][0];
	program->blocks[block][1] = plain;
	if (!program->jump_offsets[block])
		return;
	program->blocks[block][1] =
		(struct ifr_core_code){(uint32_t)program->instructions_count, (uint16_t)(plain.count - 1)};
	memcpy(program->instructions + program->instructions_count, program->instructions + plain.first,
	       (plain.count - 1u) * sizeof *program->instructions);
	program->instructions_count += plain.count - 1u;
	struct ifr_core_instruction *fused = last_instruction(kernel);
	fused->bytes = (uint8_t)(fused->bytes + program->instructions[plain.first + plain.count - 1].bytes);
	fused->branch = IFR_BRANCH_CONDITIONAL;
	program->ops[program->ops_count] = program->ops[fused->first_op];
	fused->first_op = (uint32_t)program->ops_count++;
	program->ops[fused->first_op].ports = P6;
	program->ops[fused->first_op].kind = IFR_OPERATION_BRANCH;
}

uint32_t kernel_hop(struct kernel *kernel, uint8_t branch) {
	const uint32_t block = kernel_block(kernel);
	kernel_nop(kernel, 3);
	kernel_nop(kernel, 3);
	kernel_instruction(kernel, 1, branch, 0);
	kernel_op(kernel, IFR_OPERATION_BRANCH, ALU, 1, 0, IFR_REGISTER_NONE, 0, false);
	kernel_end(kernel);
	return block;
}

struct cycles_step *kernel_run(struct kernel *kernel, uint32_t block, uint64_t address, bool taken) {
	const size_t i = kernel->count++;
	if (i)
		kernel->steps[i - 1].outcome.leaves = taken;
	kernel->steps[i] = (struct cycles_step){.block = block,
	                                        .address = address,
	                                        .bytes = kernel->block_bytes[block],
	                                        .outcome = {.addresses = kernel->addresses[i],
	                                                    .accesses = kernel->accesses,
	                                                    .levels = kernel->levels[i],
	                                                    .taken = taken,
	                                                    .known = taken}};
	return &kernel->steps[i];
}

void kernel_repeat(struct kernel *kernel, uint32_t block, uint64_t address, unsigned times) {
	for (unsigned i = 0; i < times; i++)
		kernel_run(kernel, block, address, i);
}

/* A front end, and the blocks that it placed: programs here have few. */
struct kernel_front {
	struct ifr_core core;
	struct ifr_front *front;
	struct ifr_placed *placed;
	size_t placed_count;
};

static void front_init(struct kernel_front *front, const struct kernel *kernel, const struct ifr_machine *machine,
                       uint32_t set) {
	*front = (struct kernel_front){.placed = ifr_alloc((kernel->count + 1) * sizeof *front->placed)};
	ifr_core_init(&front->core, machine);
	ifr_core_idealise(&front->core, set);
	front->front = ifr_front_new(&front->core);
}

static void front_release(struct kernel_front *front) {
	for (size_t i = 0; i < front->placed_count; i++)
		free(front->placed[i].parts);
	free(front->placed);
	ifr_front_free(front->front);
}

/* A placed block by (block, address). */
static struct ifr_placed *find_placed(const struct kernel *kernel, struct kernel_front *front,
                                      const struct cycles_step *step) {
	for (size_t i = 0; i < front->placed_count; i++)
		if (front->placed[i].address == step->address)
			return &front->placed[i];
	struct ifr_placed *placed = &front->placed[front->placed_count++];
	ifr_core_place(&front->core, &kernel->program, step->block, step->address, step->bytes, placed);
	return placed;
}

static const struct ifr_delivery *enter(const struct kernel *kernel, struct kernel_front *front,
                                        const struct cycles_step *step, const struct ifr_placed **placed,
                                        size_t *count) {
	*placed = find_placed(kernel, front, step);
	return ifr_front_enter(front->front, *placed, (uint32_t)(*placed - front->placed), step->outcome.taken,
	                       step->call, count);
}

/* The graph behind a front end; plain: the front end that is not idealised. retirement: as
 * ifr_graph_note_retirement takes it. */
static struct ifr_graph *run_graph(const struct kernel *kernel, struct kernel_front *front,
                                   struct kernel_front *plain, uint64_t *retirement) {
	struct ifr_graph *graph = ifr_graph_new(&front->core);
	ifr_graph_note_retirement(graph, retirement);
	for (size_t i = 0; i < kernel->count; i++) {
		const struct cycles_step *step = &kernel->steps[i];
		struct ifr_core_outcome outcome = step->outcome;
		const struct ifr_placed *at;
		size_t count;
		const struct ifr_delivery *deliveries = plain ? enter(kernel, plain, step, &at, &count) : NULL;
		for (size_t k = 0; deliveries && k < count; k++)
			outcome.decoded |= deliveries[k].source == IFR_SOURCE_DECODERS;
		deliveries = enter(kernel, front, step, &at, &count);
		ifr_graph_add(graph, &kernel->program, at, deliveries, count, &outcome);
	}
	ifr_graph_finish(graph);
	return graph;
}

void kernel_graph(const struct kernel *kernel, const struct ifr_machine *machine, struct cycles_result *result,
                  struct ifr_core_counts *counts) {
	struct kernel_front front;
	front_init(&front, kernel, machine, 0);
	struct ifr_graph *graph = run_graph(kernel, &front, NULL, NULL);
	*counts = *ifr_graph_counts(graph);
	*result = (struct cycles_result){.cycle = ifr_graph_cycle(graph),
	                                 .aliases = counts->aliases,
	                                 .blocked = counts->blocked,
	                                 .late = counts->late,
	                                 .clears = counts->clears};
	memcpy(result->slots, ifr_front_slots(front.front), sizeof result->slots);
	ifr_graph_free(graph);
	front_release(&front);
}

int64_t kernel_idealised(const struct kernel *kernel, const struct ifr_machine *machine, uint32_t set) {
	return kernel_retirement(kernel, machine, set, NULL);
}

int64_t kernel_retirement(const struct kernel *kernel, const struct ifr_machine *machine, uint32_t set,
                          uint64_t *retirement) {
	struct kernel_front front, plain;
	front_init(&front, kernel, machine, set);
	front_init(&plain, kernel, machine, 0);
	struct ifr_graph *graph = run_graph(kernel, &front, set >> IFR_CAUSE_DSB & 1 ? &plain : NULL, retirement);
	const int64_t cycle = ifr_graph_cycle(graph);
	ifr_graph_free(graph);
	front_release(&front);
	front_release(&plain);
	return cycle;
}
