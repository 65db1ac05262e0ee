/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/special_operations.h"

#include "model/core/idioms.h"

enum { COUNTER = IFR_REGISTER_GENERAL + 1 };

void add_branch(struct builder *builder) {
	const bool conditional = builder->instruction->branch == IFR_BRANCH_CONDITIONAL;
	struct ifr_operation *operation = add_operation(
		builder, IFR_OPERATION_BRANCH, conditional ? builder->core->ports.branch : builder->core->ports.jump, 1);
	operation->taken_ports = builder->core->taken_ports;
	add_sources(builder, operation);
	if (builder->decoded->set.writes.count) /* loop */
		add_destinations(builder, operation, operation);
}

/* Ref: A. Abel and J. Reineke, uops.info, LEA; Intel 64 and IA-32 Architectures Optimization Reference Manual, "Using
 * LEA". */
void add_lea(struct builder *builder) {
	const struct ifr_core *core = builder->core;
	const ZydisDecodedOperandMem *memory = &builder->decoded->operands[1].mem;
	const bool three = memory->base != ZYDIS_REGISTER_NONE && memory->index != ZYDIS_REGISTER_NONE &&
	                   memory->disp.has_displacement,
			   scaled = memory->index != ZYDIS_REGISTER_NONE && memory->scale > 1;
	const bool relative = memory->base == ZYDIS_REGISTER_RIP;
	bool complex = three;
	if (ifr_core_is_amd(core))
		complex = three || (scaled && core->generation < IFR_ZEN5);
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

bool is_string(const ZydisDecodedInstruction *insn) {
	return insn->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

static void add_step(struct builder *builder, uint8_t reg) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, builder->core->ports.alu, 1);
	add_source(operation, reg);
	add_destination(operation, reg);
}

/* rsi and rdi advance, rcx counts repetitions, each by an operation behind the access; scas and cmps compare. */
void add_string(struct builder *builder) {
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
void add_leave(struct builder *builder) {
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_COMPUTE, builder->core->ports.alu, 1);
	add_source(operation, IFR_REGISTER_STACK_POINTER + 1);
	add_destination(operation, IFR_REGISTER_STACK_POINTER);
}

bool add_idiom(struct builder *builder) {
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
void add_false_dependences(struct builder *builder) {
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

void add_prefetch(struct builder *builder) {
	const ZydisDecodedOperandMem *memory = &builder->decoded->operands[0].mem;
	struct ifr_operation *operation = add_operation(builder, IFR_OPERATION_PREFETCH, builder->core->ports.load, 1);
	add_source(operation, register_of(memory->base));
	add_source(operation, register_of(memory->index));
}
