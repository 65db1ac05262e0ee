/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/qemu/accesses.h"

int register_number(ZydisRegister reg) {
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)(whole - ZYDIS_REGISTER_RAX)
	                                                                  : NO_REGISTER;
}

static bool is_vector_move(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVUPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVUPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQU:
		return true;
	default:
		return false;
	}
}

/* Integer instructions that make one load, one store, or one of each, of the operand's size. */
static bool is_plain_category(ZydisInstructionCategory category) {
	switch (category) {
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
		return true;
	default:
		return false;
	}
}

static bool is_irregular(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_XADD:
	case ZYDIS_MNEMONIC_CMPXCHG:
	case ZYDIS_MNEMONIC_CMPXCHG8B:
	case ZYDIS_MNEMONIC_CMPXCHG16B:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
		return true;
	default:
		return false;
	}
}

/* Returns the only memory operand of an instruction; NULL if there are none or several. */
static const ZydisDecodedOperand *only_memory(const struct state *state) {
	const ZydisDecodedOperand *found = NULL;
	for (unsigned i = 0; i < state->insn->operand_count; i++) {
		const ZydisDecodedOperand *operand = &state->operands[i];
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (found || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
			return NULL;
		found = operand;
	}
	return found;
}

/* Prefetches, flushes and long nops name memory without accessing it. */
bool touches_memory(const struct state *state) {
	switch (state->insn->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_CLDEMOTE:
		return false;
	default:
		break;
	}
	switch (state->insn->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
		return false;
	default:
		break;
	}
	for (unsigned i = 0; i < state->insn->operand_count; i++)
		if (state->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    state->operands[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN)
			return true;
	return false;
}

/* A mask decides which of its accesses happen. */
bool is_masked(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_VGATHERDPS:
	case ZYDIS_MNEMONIC_VGATHERDPD:
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VPGATHERDD:
	case ZYDIS_MNEMONIC_VPGATHERDQ:
	case ZYDIS_MNEMONIC_VPGATHERQD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XRSTOR:
		return true;
	default:
		return false;
	}
}

bool is_repeated(const ZydisDecodedInstruction *insn) {
	return insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_prefetch(ZydisMnemonic mnemonic) {
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1:
	case ZYDIS_MNEMONIC_PREFETCHNTA:
	case ZYDIS_MNEMONIC_PREFETCHT0:
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
		return true;
	default:
		return false;
	}
}

/* Finds the register whose value at the begin of the block an operand's register holds, plus *offset. Returns false if
 * the block computed the value. */
static bool find_origin(const struct state *state, ZydisRegister reg, int8_t *origin, int64_t *offset) {
	const int number = register_number(reg);
	*origin = NO_REGISTER;
	*offset = 0;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	if (number == NO_REGISTER || state->registers[number].origin >= REGISTERS)
		return false;
	*origin = (int8_t)state->registers[number].origin;
	*offset = state->registers[number].offset;
	return true;
}

bool decode_prefetch(const struct state *state, struct decoded_prefetch *prefetch) {
	const ZydisDecodedOperandMem *memory = &state->operands[0].mem;
	int64_t base = 0, index = 0;
	if (!is_prefetch(state->insn->mnemonic) || state->operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return false;
	*prefetch = (struct decoded_prefetch){.narrow = state->insn->address_width == 32,
	                                      .scale = memory->scale,
	                                      .offset = memory->disp.has_displacement ? memory->disp.value : 0};
	const bool relative = memory->base == ZYDIS_REGISTER_RIP;
	prefetch->known = find_origin(state, relative ? ZYDIS_REGISTER_NONE : memory->base, &prefetch->base, &base) &&
	                  find_origin(state, memory->index, &prefetch->index, &index) &&
	                  memory->segment != ZYDIS_REGISTER_FS && memory->segment != ZYDIS_REGISTER_GS;
	prefetch->offset += base + index * memory->scale + (relative ? (int64_t)state->end : 0);
	return true;
}

/* Decodes push, pop, call and ret of eight bytes. */
bool decode_stack_access(const struct state *state, struct decoded_access *access) {
	const ZydisDecodedInstruction *insn = state->insn;
	const struct symbolic_value *pointer = &state->registers[STACK_POINTER];
	bool store = insn->mnemonic == ZYDIS_MNEMONIC_PUSH || insn->mnemonic == ZYDIS_MNEMONIC_CALL;
	if (!store && insn->mnemonic != ZYDIS_MNEMONIC_POP && insn->mnemonic != ZYDIS_MNEMONIC_RET)
		return false;
	if (insn->operand_width != 64 || !only_memory(state) || insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	*access = (struct decoded_access){.key = {pointer->origin, NO_REGISTER, 0, 0},
	                                  .offset = pointer->offset - (store ? 8 : 0),
	                                  .shift = 3,
	                                  .parts = 1,
	                                  .load = !store,
	                                  .store = store};
	return true;
}

bool decode_memory_access(const struct state *state, struct decoded_access *access) {
	const ZydisDecodedInstruction *insn = state->insn;
	const ZydisDecodedOperand *operand = only_memory(state);
	if (!operand || (insn->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
	                                     ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_XACQUIRE)))
		return false;
	unsigned bits = operand->size;
	bool vector = is_vector_move(insn->mnemonic) && (bits == 128 || bits == 256);
	bool plain = is_plain_category(insn->meta.category) && !is_irregular(insn->mnemonic) &&
	             (bits == 8 || bits == 16 || bits == 32 || bits == 64);
	if ((!vector && !plain) || operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN || insn->address_width != 64)
		return false;
	bool far = operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS;
	*access = (struct decoded_access){.key = {NO_REGISTER, NO_REGISTER, 0, far ? operand->mem.segment : 0},
	                                  .offset = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0,
	                                  .shift = bits == 8    ? 0
	                                           : bits == 16 ? 1
	                                           : bits == 32 ? 2
	                                                        : 3,
	                                  .parts = vector ? bits / 64 : 1,
	                                  .load = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	                                  .store = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE};
	if (operand->mem.base == ZYDIS_REGISTER_RIP) {
		access->absolute = !far;
		access->offset += (int64_t)state->end;
		return access->absolute;
	}
	int base = register_number(operand->mem.base), index = register_number(operand->mem.index);
	/* An address of 32 bits and an index: two such tables move apart. */
	if (base == NO_REGISTER && operand->mem.base == ZYDIS_REGISTER_NONE && !far)
		return false;
	if ((base == NO_REGISTER && operand->mem.base != ZYDIS_REGISTER_NONE) ||
	    (index == NO_REGISTER && operand->mem.index != ZYDIS_REGISTER_NONE))
		return false;
	if (base != NO_REGISTER) {
		access->key.base = state->registers[base].origin;
		access->offset += state->registers[base].offset;
	}
	if (index != NO_REGISTER) {
		access->key.index = state->registers[index].origin;
		access->key.scale = operand->mem.scale;
		access->offset += state->registers[index].offset * operand->mem.scale;
	}
	return true;
}
