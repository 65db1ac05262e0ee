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

#include "model/core/idioms.h"
#include "model/core/memory_operations.h"

enum {
	COMPUTED = IFR_REGISTER_TEMPORARY + 2,
	STORED = IFR_REGISTER_TEMPORARY + 3,
	OPERATIONS_MAX = 96,
	COUNTER = IFR_REGISTER_GENERAL + 1
};

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
static void add_sources(const struct builder *builder, struct ifr_operation *operation) {
	for (unsigned i = 0; i < builder->loaded; i++)
		add_source(operation, (uint8_t)(IFR_REGISTER_TEMPORARY + i));
	const struct operand_set *set = &builder->decoded->set;
	for (unsigned i = 0; i < set->reads.count; i++)
		add_source(operation, set->reads.items[i]);
	for (unsigned i = 0; i < 2; i++)
		add_source(operation, set->address[i]);
}

/* Destinations beyond the last operation's three go to the first's. */
static void add_destinations(const struct builder *builder, struct ifr_operation *last,
                             struct ifr_operation *first) {
	const struct operand_set *set = &builder->decoded->set;
	if (builder->stores)
		add_destination(last, STORED);
	for (unsigned i = 0; i < set->writes.count; i++)
		if (!add_destination(last, set->writes.items[i]))
			add_destination(first, set->writes.items[i]);
}

/* --- computing operations ------------------------------------------------------------------------------------ */

static void add_simple(struct builder *builder, uint16_t ports, uint8_t latency) {
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
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, group->ports, 1);
	add_sources(builder, operation);
	operation->occupancy = group->occupancy ? group->occupancy : 1;
	if (divides) {
		operation->unit = divider_of(builder);
		operation->occupancy = group->divider;
	}
	return operation;
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
	if (count > 1 && row->latency > 1) {
		add_destination(begin, COMPUTED);
		if (last->sources[3])
			last->sources[3] = COMPUTED;
		else
			add_source(last, COMPUTED);
		last->latency--;
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

/* --- instructions with rules of their own -------------------------------------------------------------------- */

static void add_branch(struct builder *builder) {
	const bool conditional = builder->instruction->branch == IFR_BRANCH_CONDITIONAL;
	struct ifr_operation *operation = add_operation(
		builder, IFR_OPERATION_BRANCH, conditional ? builder->core->ports.branch : builder->core->ports.jump, 1);
	add_sources(builder, operation);
	if (builder->decoded->set.writes.count) /* loop */
		add_destinations(builder, operation, operation);
}

/* Ref: A. Abel and J. Reineke, uops.info, LEA; Intel 64 and IA-32 Architectures Optimization Reference Manual, "Using
 * LEA". */
static void add_lea(struct builder *builder) {
	const struct ifr_core *core = builder->core;
	const ZydisDecodedOperandMem *memory = &builder->decoded->operands[1].mem;
	const bool three = memory->base != ZYDIS_REGISTER_NONE && memory->index != ZYDIS_REGISTER_NONE &&
	                   memory->disp.has_displacement,
			   scaled = memory->index != ZYDIS_REGISTER_NONE && memory->scale > 1;
	const bool relative = memory->base == ZYDIS_REGISTER_RIP;
	bool complex = three;
	if (ifr_core_is_amd(core))
		complex = scaled || three;
	else if (core->generation >= IFR_ICE_LAKE)
		complex = scaled || (core->generation == IFR_GOLDEN_COVE && three);
	else
		complex = three || relative;
	const bool slow = complex && !(relative && core->generation >= IFR_HASWELL);
	add_simple(builder, complex ? core->ports.complex_lea : core->ports.lea, slow ? core->complex_lea_latency : 1);
	if (builder->decoded->insn.operand_width == 16) { /* merges into the register */
		builder->loaded = 0;
		add_simple(builder, core->ports.alu, 1);
	}
}

static bool is_string(const ZydisDecodedInstruction *insn) {
	return insn->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static void add_step(struct builder *builder, uint8_t reg) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, builder->core->ports.alu, 1);
	add_source(operation, reg);
	add_destination(operation, reg);
}

/* rsi and rdi advance, rcx counts repetitions, each by an operation behind the access; scas and cmps compare. */
static void add_string(struct builder *builder) {
	const struct operand_set *set = &builder->decoded->set;
	for (unsigned i = 0; i < set->memory_count; i++)
		add_step(builder, set->memories[i].base);
	if (register_in(&set->writes, COUNTER))
		add_step(builder, COUNTER);
	if (!register_in(&set->writes, IFR_REGISTER_FLAGS))
		return;
	struct ifr_operation *compare = add_operation(builder, IFR_OPERATION_COMPUTE, builder->core->ports.alu, 1);
	add_sources(builder, compare);
	add_destination(compare, IFR_REGISTER_CARRY);
	add_destination(compare, IFR_REGISTER_FLAGS);
}

/* leave: rsp becomes rbp + 8. */
static void add_leave(struct builder *builder) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, builder->core->ports.alu, 1);
	add_source(operation, IFR_REGISTER_STACK_POINTER + 1);
	add_destination(operation, IFR_REGISTER_STACK_POINTER);
}

static bool add_idiom(struct builder *builder) {
	struct operand_set *set = &builder->decoded->set;
	const enum idiom idiom = idiom_of(builder->core, builder->decoded);
	if (idiom == IDIOM_NONE)
		return false;
	if (idiom != IDIOM_MOVE)
		set->reads.count = 0;
	if (idiom == IDIOM_INDEPENDENT)
		return false;
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, 0, 0);
	operation->flags = IFR_OPERATION_ELIMINATED;
	add_sources(builder, operation);
	add_destinations(builder, operation, operation);
	return true;
}

/* Dependences that the instruction set does not have. Ref: uops.info, POPCNT, LZCNT, TZCNT; A. Fog, microarchitecture.pdf
 * (shifts by cl keep the flags where cl is 0). */
static void add_false_dependences(struct builder *builder) {
	struct operand_set *set = &builder->decoded->set;
	const enum ifr_generation generation = builder->core->generation;
	const ZydisDecodedOperand *operands = builder->decoded->operands;
	switch (builder->decoded->insn.mnemonic) {
	case ZYDIS_MNEMONIC_POPCNT:
		if (generation < IFR_ICE_LAKE)
			register_add(&set->reads, register_of(operands[0].reg.value));
		break;
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_TZCNT:
		if (generation < IFR_SKYLAKE)
			register_add(&set->reads, register_of(operands[0].reg.value));
		break;
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
		if (generation < IFR_ZEN2 && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
			register_add(&set->reads, IFR_REGISTER_FLAGS);
		break;
	default:
		break;
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

static void add_prefetch(struct builder *builder) {
	const ZydisDecodedOperandMem *memory = &builder->decoded->operands[0].mem;
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_PREFETCH, builder->core->ports.load, 1);
	add_source(operation, register_of(memory->base));
	add_source(operation, register_of(memory->index));
}

static void lengthen_locked(struct builder *builder) {
	const uint8_t least = builder->core->lock_latency;
	struct ifr_operation *last = &builder->to->operations[builder->to->operations_count - 1];
	if (builder->instruction->flags & IFR_INSTRUCTION_LOCKED && builder->computed && last->latency < least)
		last->latency = least;
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
	if (!instruction->count)
		add_operation(&builder, IFR_OPERATION_NOP, 0, 0);
	count_slots(&builder);
}
