/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/operands.h"

#include "model/core/operation.h"

uint8_t register_of(ZydisRegister reg) {
	const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
		return (uint8_t)(IFR_REGISTER_GENERAL + whole - ZYDIS_REGISTER_RAX);
	if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
		return (uint8_t)(IFR_REGISTER_VECTOR + whole - ZYDIS_REGISTER_ZMM0);
	if (reg >= ZYDIS_REGISTER_K0 && reg <= ZYDIS_REGISTER_K7)
		return (uint8_t)(IFR_REGISTER_MASK + reg - ZYDIS_REGISTER_K0);
	if (reg >= ZYDIS_REGISTER_MM0 && reg <= ZYDIS_REGISTER_MM7)
		return (uint8_t)(IFR_REGISTER_MMX + reg - ZYDIS_REGISTER_MM0);
	if (reg >= ZYDIS_REGISTER_ST0 && reg <= ZYDIS_REGISTER_ST7)
		return IFR_REGISTER_X87;
	return IFR_REGISTER_NONE;
}

bool register_in(const struct register_set *set, uint8_t reg) {
	for (unsigned i = 0; i < set->count; i++)
		if (set->items[i] == reg)
			return true;
	return false;
}

void register_add(struct register_set *set, uint8_t reg) {
	if (reg != IFR_REGISTER_NONE && !register_in(set, reg) && set->count < OPERAND_REGISTERS)
		set->items[set->count++] = reg;
}

/* Scalar instructions without a prefix of VEX keep the upper part of their destination. */
static bool keeps_upper_part(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_CVTSD2SS:
	case ZYDIS_MNEMONIC_CVTSS2SD:
	case ZYDIS_MNEMONIC_SQRTSD:
	case ZYDIS_MNEMONIC_SQRTSS:
	case ZYDIS_MNEMONIC_RCPSS:
	case ZYDIS_MNEMONIC_RSQRTSS:
	case ZYDIS_MNEMONIC_ROUNDSD:
	case ZYDIS_MNEMONIC_ROUNDSS:
	case ZYDIS_MNEMONIC_MOVLPS:
	case ZYDIS_MNEMONIC_MOVLPD:
	case ZYDIS_MNEMONIC_MOVHPS:
	case ZYDIS_MNEMONIC_MOVHPD:
	case ZYDIS_MNEMONIC_MOVHLPS:
	case ZYDIS_MNEMONIC_MOVLHPS:
		return true;
	default:
		return false;
	}
}

static bool is_scalar_move(ZydisMnemonic mnemonic) {
	return mnemonic == ZYDIS_MNEMONIC_MOVSS || mnemonic == ZYDIS_MNEMONIC_MOVSD;
}

static void read_register(struct decoded *decoded, const ZydisDecodedOperand *operand) {
	struct operand_set *set = &decoded->set;
	const uint8_t reg = register_of(operand->reg.value);
	const bool general = reg >= IFR_REGISTER_GENERAL && reg < IFR_REGISTER_VECTOR;
	if (set->stack && reg == IFR_REGISTER_STACK_POINTER && operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		return;
	if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && reg == IFR_REGISTER_MASK)
		return; /* k0: no mask */
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ || reg == IFR_REGISTER_X87)
		register_add(&set->reads, reg);
	if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	register_add(&set->writes, reg);
	const bool partial = general && operand->size < 32,
			   kept = keeps_upper_part(decoded->insn.mnemonic) ||
	                  (is_scalar_move(decoded->insn.mnemonic) &&
	                   decoded->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER);
	if (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
		register_add(&set->reads, reg);
	if (partial || (operand->id == 0 && kept)) {
		register_add(&set->reads, reg);
		set->merges = true;
	}
}

static bool accesses_memory(const ZydisDecodedInstruction *insn) {
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_CLDEMOTE:
		return false;
	default:
		return insn->meta.category != ZYDIS_CATEGORY_NOP && insn->meta.category != ZYDIS_CATEGORY_WIDENOP;
	}
}

static void read_memory(struct decoded *decoded, const ZydisDecodedOperand *operand) {
	struct operand_set *set = &decoded->set;
	const uint8_t base = register_of(operand->mem.base), index = register_of(operand->mem.index);
	const int64_t displacement = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0;
	set->relative |= operand->mem.base == ZYDIS_REGISTER_RIP;
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
		set->address[0] = base;
		set->address[1] = index;
		return;
	}
	if (set->memory_count == OPERAND_MEMORIES || !accesses_memory(&decoded->insn))
		return;
	set->memories[set->memory_count++] = (struct memory_operand){
		.base = base,
		.index = index,
		.bytes = operand->size <= 512 ? (uint8_t)(operand->size / 8) : 0,
		.read = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
		.write = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
		.far = displacement >= 2048 || displacement < 0,
		.named = base && !index && displacement == (int32_t)displacement &&
	             operand->mem.segment != ZYDIS_REGISTER_FS && operand->mem.segment != ZYDIS_REGISTER_GS,
		.complex = index && (operand->mem.scale > 1 || displacement),
		.displacement = (int32_t)displacement};
}

static void read_flags(struct decoded *decoded) {
	const ZydisAccessedFlags *flags = decoded->insn.cpu_flags;
	const ZydisAccessedFlagsMask rest =
		ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
	struct operand_set *set = &decoded->set;
	if (!flags)
		return;
	const ZydisAccessedFlagsMask written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
	if (flags->tested & ZYDIS_CPUFLAG_CF)
		register_add(&set->reads, IFR_REGISTER_CARRY);
	if (flags->tested & rest)
		register_add(&set->reads, IFR_REGISTER_FLAGS);
	if (written & ZYDIS_CPUFLAG_CF)
		register_add(&set->writes, IFR_REGISTER_CARRY);
	if (written & rest)
		register_add(&set->writes, IFR_REGISTER_FLAGS);
}

static bool moves_stack(const ZydisDecodedInstruction *insn) {
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return true;
	default:
		return false;
	}
}

void operands_read(struct decoded *decoded) {
	decoded->set = (struct operand_set){.stack = moves_stack(&decoded->insn)};
	for (unsigned i = 0; i < decoded->insn.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			read_register(decoded, operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			read_memory(decoded, operand);
	}
	read_flags(decoded);
}
