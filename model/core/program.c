/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/program.h"

#include <string.h>

#include "model/trace/code.h"

#define ANY_PORT 0xffff

static void *grow(void *items, size_t count, size_t *room, size_t size) {
	if (count < *room)
		return items;
	*room = count + count / 2 + 64;
	return ifr_realloc(items, *room, size);
}

static struct ifr_core_op *add_op(struct ifr_core_program *program) {
	program->ops = grow(program->ops, program->ops_count, &program->ops_room, sizeof *program->ops);
	struct ifr_core_op *op = &program->ops[program->ops_count++];
	memset(op, 0, sizeof *op);
	return op;
}

static struct ifr_core_instruction *add_instruction(struct ifr_core_program *program) {
	program->instructions = grow(program->instructions, program->instructions_count, &program->instructions_room,
	                             sizeof *program->instructions);
	struct ifr_core_instruction *instruction = &program->instructions[program->instructions_count++];
	*instruction = (struct ifr_core_instruction){.first_op = (uint32_t)program->ops_count};
	return instruction;
}

static size_t add_block(struct ifr_core_program *program) {
	const size_t block = program->blocks_count++;
	if (block >= program->blocks_room) {
		program->blocks_room = block + block / 2 + 64;
		program->blocks = ifr_realloc(program->blocks, program->blocks_room, sizeof *program->blocks);
		program->jump_offsets =
			ifr_realloc(program->jump_offsets, program->blocks_room, sizeof *program->jump_offsets);
	}
	program->jump_offsets[block] = 0;
	program->blocks[block][0] = (struct ifr_core_code){(uint32_t)program->instructions_count, 0};
	return block;
}

static void convert_op(struct ifr_core_op *op, const struct ifr_operation *from, int32_t access, uint16_t pieces) {
	memcpy(op->sources, from->sources, sizeof op->sources);
	memcpy(op->destinations, from->destinations, sizeof op->destinations);
	op->kind = from->kind;
	op->ports = from->ports;
	op->taken_ports = from->taken_ports;
	op->latency = from->latency;
	op->occupancy = from->occupancy;
	op->unit = from->unit;
	op->late = from->late;
	op->name = from->name;
	op->name_bytes = from->bytes;
	op->stack = from->stack;
	op->displacement = from->displacement;
	op->flags = (uint8_t)((from->flags & IFR_OPERATION_DECODED_WITH_LAST ? 0 : IFR_CORE_OP_DECODED) |
	                      (from->flags & IFR_OPERATION_ISSUED_WITH_LAST ? 0 : IFR_CORE_OP_ISSUED) |
	                      (from->flags & IFR_OPERATION_ELIMINATED ? IFR_CORE_OP_ELIMINATED : 0));
	op->access = (uint16_t)(access < 0 ? 0 : access);
	op->pieces = (uint8_t)(access < 0 ? 0 : pieces < UINT8_MAX ? pieces : UINT8_MAX);
}

/* Adds up what each slot of an instruction needs; its first operation may take the slot of the one before it. */
static void count_entries(struct ifr_core_program *program, const struct ifr_core_instruction *instruction) {
	struct ifr_core_op *slot = &program->ops[instruction->first_op];
	while (!(slot->flags & IFR_CORE_OP_ISSUED))
		slot--;
	for (unsigned i = 0; i < instruction->ops; i++) {
		struct ifr_core_op *op = &program->ops[instruction->first_op + i];
		if (op->flags & IFR_CORE_OP_ISSUED) {
			op->entries = op->loads = op->stores = 0;
			slot = op;
		}
		slot->entries = (uint8_t)(slot->entries + (op->ports && !(op->flags & IFR_CORE_OP_ELIMINATED)));
		slot->loads = (uint8_t)(slot->loads + (op->kind == IFR_OPERATION_LOAD));
		slot->stores = (uint8_t)(slot->stores + (op->kind == IFR_OPERATION_STORE_DATA));
	}
}

/* Accesses of the block that belong to an instruction: the first, and how many. */
static size_t find_accesses(const struct ifr_trace_access *accesses, size_t count, unsigned end, size_t *own) {
	size_t first = 0;
	while (first < count && accesses[first].end < end)
		first++;
	*own = 0;
	while (first + *own < count && accesses[first + *own].end == end)
		++*own;
	return first;
}

static void convert_instruction(struct ifr_core_program *program, const struct ifr_operations *operations,
                                const struct ifr_operations_of *from, const struct ifr_trace_access *accesses,
                                size_t accesses_count) {
	struct ifr_core_instruction *instruction = add_instruction(program);
	int32_t first[UINT8_MAX];
	uint16_t pieces[UINT8_MAX];
	size_t own;
	const size_t at = find_accesses(accesses, accesses_count, from->offset + from->length, &own);
	ifr_operations_bind(operations, from, accesses + at, own, first, pieces);
	instruction->offset = from->offset;
	instruction->flags = from->flags;
	instruction->bytes = from->length;
	instruction->ops = from->count;
	instruction->decoded = from->decoded;
	instruction->branch = from->branch;
	for (unsigned i = 0; i < from->count; i++)
		convert_op(add_op(program), &operations->operations[from->first + i],
		           first[i] < 0 ? -1 : first[i] + (int32_t)at, pieces[i]);
	count_entries(program, &program->instructions[program->instructions_count - 1]);
}

/* Adds the instruction that a test and its jump are when they fuse. */
static void add_fused(struct ifr_core_program *program, const struct ifr_core_instruction *test,
                      const struct ifr_core_instruction *jump) {
	const struct ifr_core_instruction first = *test, second = *jump;
	struct ifr_core_instruction *fused = add_instruction(program);
	const uint32_t first_op = fused->first_op;
	*fused = first;
	fused->first_op = first_op;
	fused->bytes = (uint8_t)(first.bytes + second.bytes);
	fused->branch = second.branch;
	for (unsigned i = 0; i < first.ops; i++) {
		const struct ifr_core_op copy = program->ops[first.first_op + i];
		*add_op(program) = copy;
	}
	struct ifr_core_op *last = &program->ops[program->ops_count - 1];
	const struct ifr_core_op *branch = &program->ops[second.first_op + second.ops - 1];
	last->ports = branch->ports;
	last->taken_ports = branch->taken_ports;
	last->kind = IFR_OPERATION_BRANCH;
	fused->ops = first.ops;
	count_entries(program, fused);
}

static void add_fused_version(struct ifr_core_program *program, size_t block) {
	const struct ifr_core_code plain = program->blocks[block][0];
	const size_t first = program->instructions_count;
	for (unsigned i = 0; i + 2 < plain.count; i++) {
		const struct ifr_core_instruction copy = program->instructions[plain.first + i];
		*add_instruction(program) = copy;
	}
	const struct ifr_core_instruction test = program->instructions[plain.first + plain.count - 2];
	const struct ifr_core_instruction jump = program->instructions[plain.first + plain.count - 1];
	add_fused(program, &test, &jump);
	program->jump_offsets[block] = jump.offset;
	program->blocks[block][1] = (struct ifr_core_code){(uint32_t)first, (uint16_t)(plain.count - 1)};
}

void ifr_core_program_add(struct ifr_core_program *program, const struct ifr_operations *operations, size_t from,
                          size_t count, const struct ifr_trace_access *accesses, size_t accesses_count) {
	const size_t block = add_block(program);
	for (size_t i = 0; i < count; i++)
		convert_instruction(program, operations, &operations->instructions[from + i], accesses, accesses_count);
	program->blocks[block][0].count = (uint16_t)count;
	program->blocks[block][1] = program->blocks[block][0];
	if (count < 2)
		return;
	const struct ifr_operations_of *test = &operations->instructions[from + count - 2];
	if (test->flags & IFR_INSTRUCTION_FUSES && test->count && test[1].count)
		add_fused_version(program, block);
}

static void add_access_op(struct ifr_core_program *program, struct ifr_core_instruction *instruction,
                          const struct ifr_trace_access *access, size_t index, uint8_t kind, uint8_t flags) {
	struct ifr_core_op *op = add_op(program);
	op->kind = kind;
	op->ports = ANY_PORT;
	op->occupancy = 1;
	op->latency = kind != IFR_OPERATION_LOAD;
	op->flags = flags;
	op->access = (uint16_t)index;
	op->pieces = 1;
	instruction->ops++;
	(void)access;
}

/* Adds the accesses that end at this offset to an instruction of unknown operations. */
static void add_access_ops(struct ifr_core_program *program, struct ifr_core_instruction *instruction,
                           const struct ifr_trace_access *accesses, size_t from, size_t to) {
	for (size_t i = from; i < to && instruction->ops < 64; i++) {
		const uint8_t slot = instruction->ops ? 0 : IFR_CORE_OP_DECODED | IFR_CORE_OP_ISSUED;
		if (accesses[i].kind == IFR_ACCESS_STORE) {
			add_access_op(program, instruction, &accesses[i], i, IFR_OPERATION_STORE_ADDRESS, slot);
			add_access_op(program, instruction, &accesses[i], i, IFR_OPERATION_STORE_DATA, 0);
		} else {
			add_access_op(program, instruction, &accesses[i], i,
			              accesses[i].kind == IFR_ACCESS_PREFETCH ? IFR_OPERATION_PREFETCH : IFR_OPERATION_LOAD,
			              slot);
		}
	}
}

void ifr_core_program_add_unknown(struct ifr_core_program *program, unsigned instructions, unsigned bytes,
                                  uint8_t branch, const struct ifr_trace_access *accesses, size_t accesses_count) {
	const size_t block = add_block(program);
	const unsigned count = instructions ? instructions : 1;
	size_t at = 0;
	for (unsigned i = 0; i < count; i++) {
		struct ifr_core_instruction *instruction = add_instruction(program);
		const unsigned end = (i + 1) * bytes / count;
		const size_t from = at;
		instruction->offset = (uint16_t)(i * bytes / count);
		instruction->bytes = (uint8_t)(end - instruction->offset);
		instruction->branch = i + 1 == count ? branch : IFR_BRANCH_NONE;
		while (at < accesses_count && (i + 1 == count || accesses[at].end <= end))
			at++;
		add_access_ops(program, instruction, accesses, from, at);
		if (!instruction->ops || instruction->branch) {
			struct ifr_core_op *op = add_op(program);
			op->kind = instruction->branch ? IFR_OPERATION_BRANCH : IFR_OPERATION_COMPUTE;
			op->ports = ANY_PORT;
			op->latency = op->occupancy = 1;
			op->flags = instruction->ops ? 0 : IFR_CORE_OP_DECODED | IFR_CORE_OP_ISSUED;
			instruction->ops++;
		}
		instruction->decoded = 1;
		count_entries(program, instruction);
	}
	program->blocks[block][0].count = (uint16_t)count;
	program->blocks[block][1] = program->blocks[block][0];
}

int ifr_core_program_make(struct ifr_core_program *program, const char *core, const struct ifr_trace *trace,
                          struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	const size_t count = ifr_trace_blocks(trace, &blocks);
	struct ifr_operations operations = {0};
	struct ifr_decoder *decoder;
	const int result = ifr_decoder_new(core, &decoder, err);
	if (result)
		return result;
	ifr_trace_accesses(trace, &accesses);
	for (size_t i = 0; i < count; i++) {
		const struct ifr_trace_block *block = &blocks[i];
		const struct ifr_trace_access *own = accesses + block->first_access;
		operations.operations_count = operations.instructions_count = 0;
		if (block->bytes && ifr_decoder_decode(decoder, ifr_trace_code(trace, i), block->bytes,
		                                       block->instructions, &operations) == block->instructions)
			ifr_core_program_add(program, &operations, 0, block->instructions, own, block->accesses);
		else
			ifr_core_program_add_unknown(program, block->instructions, block->bytes, block->branch, own,
			                             block->accesses);
	}
	ifr_operations_release(&operations);
	ifr_decoder_free(decoder);
	return 0;
}
