/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: LLVM's models say how many cycles of which ports an instruction takes, and its whole latency; a dependence
 * graph needs operations, each with what it waits for.
 *
 * Idea: loads and stores follow from the operands, alike for every instruction (memory_operations.c). What remains is
 * the table's. Of several computing operations the first feeds the last, which writes the results and has the rest of
 * the latency; those between wait for the sources alone. Branches, stack instructions, lea, string instructions, moves
 * and idioms have rules of their own, because LLVM's figures for them are the ones that differ from measurements.
 *
 * Invariant: operations that issue together, their ports and the latency of the longest path are the table's. */
#include "model/core/build.h"

#include <string.h>

#include "model/core/memory_operations.h"
#include "model/core/simulated_units.h"
#include "model/core/special_operations.h"
#include "model/core/zen4_units.h"
#include "model/core/zen5_units.h"

enum { COMPUTED = IFR_REGISTER_TEMPORARY + 2, STORED = IFR_REGISTER_TEMPORARY + 3, OPERATIONS_MAX = 96 };

static bool is_vector_register(uint8_t reg) {
	return reg >= IFR_REGISTER_VECTOR && reg < IFR_REGISTER_CARRY;
}

bool touches_vectors(const struct operand_set *set) {
	for (unsigned i = 0; i < set->writes.count; i++)
		if (is_vector_register(set->writes.items[i]))
			return true;
	for (unsigned i = 0; i < set->reads.count; i++)
		if (is_vector_register(set->reads.items[i]))
			return true;
	return false;
}

struct ifr_operation *add_operation(struct builder *builder, uint8_t kind, uint16_t ports, uint8_t latency) {
	static struct ifr_operation surplus;
	struct ifr_operations *to = builder->to;
	if (builder->instruction->count == OPERATIONS_MAX)
		return &surplus;
	builder->instruction->count++;
	struct ifr_operation *operation = &to->operations[to->operations_count++];
	*operation = (struct ifr_operation){.kind = kind, .ports = ports, .latency = latency, .occupancy = 1};
	return operation;
}

void add_source(struct ifr_operation *operation, uint8_t reg) {
	for (unsigned i = 0; reg && i < 4; i++) {
		if (operation->sources[i] == reg)
			return;
		if (!operation->sources[i]) {
			operation->sources[i] = reg;
			return;
		}
	}
}

bool add_destination(struct ifr_operation *operation, uint8_t reg) {
	for (unsigned i = 0; i < 3; i++)
		if (!operation->destinations[i]) {
			operation->destinations[i] = reg;
			return true;
		}
	return false;
}

/* Sources of a computation: results of loads, then registers. */
void add_sources(const struct builder *builder, struct ifr_operation *operation) {
	for (unsigned i = 0; i < builder->loaded; i++)
		add_source(operation, (uint8_t)(IFR_REGISTER_TEMPORARY + i));
	const struct operand_set *set = &builder->decoded->set;
	for (unsigned i = 0; i < set->reads.count; i++)
		add_source(operation, set->reads.items[i]);
	for (unsigned i = 0; i < 2; i++)
		add_source(operation, set->address[i]);
}

/* Destinations beyond the last operation's three go to the first's. */
void add_destinations(const struct builder *builder, struct ifr_operation *last, struct ifr_operation *first) {
	const struct operand_set *set = &builder->decoded->set;
	if (builder->stores)
		add_destination(last, STORED);
	for (unsigned i = 0; i < set->writes.count; i++)
		if (!add_destination(last, set->writes.items[i]))
			add_destination(first, set->writes.items[i]);
}

/* --- computing operations ------------------------------------------------------------------------------------ */

void add_simple(struct builder *builder, uint16_t ports, uint8_t latency) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, ports, latency);
	add_sources(builder, operation);
	add_destinations(builder, operation, operation);
	builder->computed = true;
}

static uint8_t divider_of(const struct builder *builder) {
	const ZydisMnemonic mnemonic = builder->decoded->insn.mnemonic;
	const bool integer = mnemonic == ZYDIS_MNEMONIC_DIV || mnemonic == ZYDIS_MNEMONIC_IDIV;
	return integer && builder->core->generation >= IFR_ICE_LAKE ? IFR_UNIT_INTEGER_DIVIDER : IFR_UNIT_DIVIDER;
}

static struct ifr_operation *add_of_group(struct builder *builder, const struct ifr_port_group *group,
                                          bool divides) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, group->ports, !!group->ports);
	add_sources(builder, operation);
	operation->occupancy = group->occupancy ? group->occupancy : 1;
	if (!group->ports)
		operation->flags |= IFR_OPERATION_ELIMINATED;
	if (divides) {
		operation->unit = divider_of(builder);
		operation->occupancy = group->divider;
	}
	return operation;
}

static bool is_general_register(uint8_t reg) {
	return reg >= IFR_REGISTER_GENERAL && reg < IFR_REGISTER_VECTOR;
}

/* Where a general register is put into a vector, the first operation moves it, and waits for no vector. */
static void wait_for_general(struct ifr_operation *operation) {
	uint8_t general[4] = {0};
	unsigned kept = 0;
	for (unsigned i = 0; i < 4; i++)
		if (is_general_register(operation->sources[i]))
			general[kept++] = operation->sources[i];
	if (kept)
		memcpy(operation->sources, general, sizeof general);
}

/* Adds a row's operations: the first feeds the last, which has the rest of the latency. */
static void add_row(struct builder *builder, const struct ifr_instruction_row *row) {
	const struct ifr_port_group *groups = builder->groups + row->first_group;
	const struct ifr_port_group *divider = NULL;
	const uint32_t first = (uint32_t)builder->to->operations_count;
	unsigned count = 0;
	for (unsigned i = 0; i < row->groups; i++) {
		unsigned number = groups[i].count;
		if (groups[i].divider && !divider) {
			divider = &groups[i];
			number--;
		}
		for (; number; number--, count++)
			add_of_group(builder, &groups[i], false);
	}
	if (divider) {
		add_of_group(builder, divider, true);
		count++;
	}
	struct ifr_operation *begin = &builder->to->operations[first],
						 *last = begin + builder->to->operations_count - 1 - first;
	last->latency = row->latency;
	builder->measured = row->measured;
	if (count > 1 && row->latency > 1) {
		if (groups[0].latency)
			begin->latency = groups[0].latency;
		if (builder->decoded->set.writes.count && is_vector_register(builder->decoded->set.writes.items[0]))
			wait_for_general(begin);
		add_destination(begin, COMPUTED);
		if (last->sources[3])
			last->sources[3] = COMPUTED;
		else
			add_source(last, COMPUTED);
		last->latency = (uint8_t)(last->latency - begin->latency);
	}
	add_destinations(builder, last, begin);
	builder->computed = true;
}

static uint16_t usual_ports(const struct builder *builder) {
	return touches_vectors(&builder->decoded->set) ? builder->core->ports.vector : builder->core->ports.alu;
}

static bool only_moves(const struct builder *builder) {
	return builder->loads || builder->stores;
}

static void add_from_table(struct builder *builder) {
	const struct ifr_form form = ifr_form_of(&builder->decoded->insn, builder->decoded->operands);
	const struct ifr_instruction_row *row = ifr_instruction_table_find(builder->table, form);
	if (row && row->groups) {
		add_row(builder, row);
	} else if (row && !only_moves(builder)) {
		add_simple(builder, usual_ports(builder), row->latency ? row->latency : 1);
	} else if (row && builder->decoded->set.merges && builder->loads && !ifr_core_is_amd(builder->core)) {
		add_simple(builder, usual_ports(builder), 1); /* a load into a part of a register */
	} else if (!row) {
		builder->instruction->flags |= IFR_INSTRUCTION_UNKNOWN;
		add_simple(builder, usual_ports(builder), 1);
	}
}

static void add_computation(struct builder *builder) {
	const ZydisDecodedInstruction *insn = &builder->decoded->insn;
	if (builder->instruction->branch == IFR_BRANCH_CONDITIONAL && insn->mnemonic >= ZYDIS_MNEMONIC_LOOP &&
	    insn->mnemonic <= ZYDIS_MNEMONIC_LOOPNE)
		add_from_table(builder);
	else if (builder->instruction->branch)
		add_branch(builder);
	else if (insn->mnemonic == ZYDIS_MNEMONIC_LEA)
		add_lea(builder);
	else if (insn->mnemonic == ZYDIS_MNEMONIC_LEAVE)
		add_leave(builder);
	else if (!is_string(insn) && insn->mnemonic != ZYDIS_MNEMONIC_PUSH && insn->mnemonic != ZYDIS_MNEMONIC_POP)
		add_from_table(builder);
}

static bool is_nop(const ZydisDecodedInstruction *insn) {
	return insn->meta.category == ZYDIS_CATEGORY_NOP || insn->meta.category == ZYDIS_CATEGORY_WIDENOP ||
	       insn->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
}

static void lengthen_locked(struct builder *builder) {
	const uint8_t least = builder->core->lock_latency;
	struct ifr_operation *last = &builder->to->operations[builder->to->operations_count - 1];
	if (builder->instruction->flags & IFR_INSTRUCTION_LOCKED && builder->computed && last->latency < least)
		last->latency = least;
}

/* Additions of a constant to rsp, which push and pop do beside them (names.h). */
static void note_stack_move(struct builder *builder) {
	const ZydisDecodedInstruction *insn = &builder->decoded->insn;
	const ZydisDecodedOperand *operands = builder->decoded->operands;
	const bool adds = insn->mnemonic == ZYDIS_MNEMONIC_ADD, subtracts = insn->mnemonic == ZYDIS_MNEMONIC_SUB;
	if ((!adds && !subtracts) || operands[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    operands[0].reg.value != ZYDIS_REGISTER_RSP || operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return;
	const int64_t moved = adds ? operands[1].imm.value.s : -operands[1].imm.value.s;
	if (moved == (int16_t)moved)
		builder->to->operations[builder->instruction->first].stack = (int16_t)moved;
}

void build_operations(const struct ifr_decoder *decoder, struct decoded *decoded, struct ifr_operations *to,
                      struct ifr_operations_of *instruction) {
	struct builder builder = {.core = decoder->core,
	                          .table = &decoder->table,
	                          .groups = decoder->table.groups,
	                          .decoded = decoded,
	                          .to = to,
	                          .instruction = instruction};
	operations_reserve(to, 1, OPERATIONS_MAX);
	instruction->first = (uint32_t)to->operations_count;
	add_false_dependences(&builder);
	if (is_nop(&decoded->insn)) {
		instruction->flags |= IFR_INSTRUCTION_NOP;
		add_operation(&builder, IFR_OPERATION_NOP, 0, 0);
	} else if (decoded->insn.meta.category == ZYDIS_CATEGORY_PREFETCH) {
		add_prefetch(&builder);
	} else if (!add_idiom(&builder)) {
		add_loads(&builder);
		add_computation(&builder);
		lengthen_locked(&builder);
		settle_loads(&builder);
		add_stores(&builder, builder.computed ? STORED : IFR_REGISTER_NONE);
		if (is_string(&decoded->insn))
			add_string(&builder);
	}
	note_stack_move(&builder);
	if (!instruction->count)
		add_operation(&builder, IFR_OPERATION_NOP, 0, 0);
	if (decoder->core->simulated)
		take_simulated_units(&builder);
	if (decoder->core->generation == IFR_ZEN4)
		take_zen4_units(&builder);
	if (decoder->core->generation == IFR_ZEN5)
		take_zen5_units(&builder);
	count_slots(&builder);
}
