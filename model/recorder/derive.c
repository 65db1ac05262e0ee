/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/derive.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "model/replay/replay.h"

enum { REGISTERS = 16, NOTHING = -1, STACK_POINTER = 4, KEYS = 64 };

/* What a register holds: the value number `origin`, plus offset. Registers begin with origins of their own. */
struct value {
	int origin;
	int64_t offset;
};

/* Accesses that agree in all of this lie a constant apart. */
struct key {
	int base, index;
	unsigned scale, segment;
};

struct anchor {
	struct key key;
	int64_t offset;
	unsigned insn;
};

struct state {
	struct value registers[REGISTERS];
	int origins;
	struct anchor anchors[KEYS];
	size_t anchor_count;
	uint64_t end; /* address behind the instruction */
	const ZydisDecodedInstruction *insn;
	const ZydisDecodedOperand *operands;
};

static int number_of(ZydisRegister reg) {
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15 ? (int)(whole - ZYDIS_REGISTER_RAX)
	                                                                  : NOTHING;
}

static bool is_gpr64(const ZydisDecodedOperand *operand) {
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value >= ZYDIS_REGISTER_RAX &&
	       operand->reg.value <= ZYDIS_REGISTER_R15;
}

/* --- which instructions derive: those whose accesses are known beforehand ----------------------------------- */

static bool moves_vector(ZydisMnemonic mnemonic) {
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

/* Integer instructions that make one load, one store, or a load and a store of the operand's size. */
static bool plain_category(ZydisInstructionCategory category) {
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

static bool odd_mnemonic(ZydisMnemonic mnemonic) {
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

/* The one memory operand of an instruction, NULL if there is none or more. */
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

/* Prefetches, flushes and long nops name memory and leave it alone. */
static bool touches_memory(const struct state *state) {
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

/* What it touches, if anything, a mask says. */
static bool is_masked(ZydisMnemonic mnemonic) {
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

static bool repeats(const ZydisDecodedInstruction *insn) {
	return insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

/* An access that derives: its key and offset, how large (a power of two, 8 bytes a piece), load, store or both. */
struct shape {
	struct key key;
	int64_t offset;
	unsigned shift, pieces;
	bool load, store, absolute;
};

/* push, pop, call and ret of eight bytes. */
static bool stack_shape(const struct state *state, struct shape *shape) {
	const ZydisDecodedInstruction *insn = state->insn;
	const struct value *pointer = &state->registers[STACK_POINTER];
	bool store = insn->mnemonic == ZYDIS_MNEMONIC_PUSH || insn->mnemonic == ZYDIS_MNEMONIC_CALL;
	if (!store && insn->mnemonic != ZYDIS_MNEMONIC_POP && insn->mnemonic != ZYDIS_MNEMONIC_RET)
		return false;
	if (insn->operand_width != 64 || !only_memory(state) || insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	*shape = (struct shape){.key = {pointer->origin, NOTHING, 0, 0},
	                        .offset = pointer->offset - (store ? 8 : 0),
	                        .shift = 3,
	                        .pieces = 1,
	                        .load = !store,
	                        .store = store};
	return true;
}

static bool memory_shape(const struct state *state, struct shape *shape) {
	const ZydisDecodedInstruction *insn = state->insn;
	const ZydisDecodedOperand *operand = only_memory(state);
	if (!operand || (insn->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
	                                     ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_XACQUIRE)))
		return false;
	unsigned bits = operand->size;
	bool vector = moves_vector(insn->mnemonic) && (bits == 128 || bits == 256);
	bool plain = plain_category(insn->meta.category) && !odd_mnemonic(insn->mnemonic) &&
	             (bits == 8 || bits == 16 || bits == 32 || bits == 64);
	if ((!vector && !plain) || operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN || insn->address_width != 64)
		return false;
	bool far = operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS;
	*shape = (struct shape){.key = {NOTHING, NOTHING, 0, far ? operand->mem.segment : 0},
	                        .offset = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0,
	                        .shift = bits == 8    ? 0
	                                 : bits == 16 ? 1
	                                 : bits == 32 ? 2
	                                              : 3,
	                        .pieces = vector ? bits / 64 : 1,
	                        .load = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	                        .store = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE};
	if (operand->mem.base == ZYDIS_REGISTER_RIP) {
		shape->absolute = !far;
		shape->offset += (int64_t)state->end;
		return shape->absolute;
	}
	int base = number_of(operand->mem.base), index = number_of(operand->mem.index);
	if ((base == NOTHING && operand->mem.base != ZYDIS_REGISTER_NONE) ||
	    (index == NOTHING && operand->mem.index != ZYDIS_REGISTER_NONE))
		return false;
	if (base != NOTHING) {
		shape->key.base = state->registers[base].origin;
		shape->offset += state->registers[base].offset;
	}
	if (index != NOTHING) {
		shape->key.index = state->registers[index].origin;
		shape->key.scale = operand->mem.scale;
		shape->offset += state->registers[index].offset * operand->mem.scale;
	}
	return true;
}

/* --- what the registers hold behind an instruction ----------------------------------------------------------- */

static struct value fresh(struct state *state) {
	return (struct value){.origin = state->origins++};
}

/* What the first operand holds afterwards where that is another value plus a constant. */
static bool follows(const struct state *state, struct value *value) {
	const ZydisDecodedInstruction *insn = state->insn;
	const ZydisDecodedOperand *to = &state->operands[0], *from = &state->operands[1];
	if (insn->operand_count < 1 || !is_gpr64(to))
		return false;
	struct value old = state->registers[number_of(to->reg.value)];
	int64_t step;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (!is_gpr64(from))
			return false;
		*value = state->registers[number_of(from->reg.value)];
		return true;
	case ZYDIS_MNEMONIC_LEA:
		if (from->mem.index != ZYDIS_REGISTER_NONE || from->mem.base < ZYDIS_REGISTER_RAX ||
		    from->mem.base > ZYDIS_REGISTER_R15)
			return false;
		*value = state->registers[number_of(from->mem.base)];
		value->offset += from->mem.disp.has_displacement ? from->mem.disp.value : 0;
		return true;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (from->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return false;
		step = insn->mnemonic == ZYDIS_MNEMONIC_ADD ? from->imm.value.s : -from->imm.value.s;
		break;
	case ZYDIS_MNEMONIC_INC:
		step = 1;
		break;
	case ZYDIS_MNEMONIC_DEC:
		step = -1;
		break;
	default:
		return false;
	}
	*value = (struct value){old.origin, old.offset + step};
	return true;
}

static void update(struct state *state, const struct shape *stack) {
	struct value value, pointer = state->registers[STACK_POINTER];
	bool known = follows(state, &value);
	for (unsigned i = 0; i < state->insn->operand_count; i++) {
		const ZydisDecodedOperand *operand = &state->operands[i];
		int reg = operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(operand->reg.value) : NOTHING;
		if (reg != NOTHING && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			state->registers[reg] = fresh(state);
	}
	if (known)
		state->registers[number_of(state->operands[0].reg.value)] = value;
	bool pops_it =
		state->insn->mnemonic == ZYDIS_MNEMONIC_POP && number_of(state->operands[0].reg.value) == STACK_POINTER;
	if (stack && !pops_it)
		state->registers[STACK_POINTER] = (struct value){pointer.origin, pointer.offset + (stack->store ? -8 : 8)};
}

/* --- a block ------------------------------------------------------------------------------------------------- */

static const struct anchor *find_anchor(const struct state *state, const struct key *key) {
	for (size_t i = 0; i < state->anchor_count; i++) {
		const struct key *other = &state->anchors[i].key;
		if (other->base == key->base && other->index == key->index && other->scale == key->scale &&
		    other->segment == key->segment)
			return &state->anchors[i];
	}
	return NULL;
}

static void add_derived(const struct shape *shape, unsigned insn, int anchor, int64_t offset,
                        struct decoded_block *decoded) {
	for (int store = 0; store < 2; store++)
		for (unsigned piece = 0; piece < shape->pieces && (store ? shape->store : shape->load); piece++)
			decoded->derived[decoded->block.derived++] =
				(struct ring_derived){.offset = offset + 8 * (int64_t)piece,
			                          .insn = (uint16_t)insn,
			                          .anchor = (int16_t)anchor,
			                          .shift = (uint8_t)shape->shift,
			                          .store = (uint8_t)store};
}

/* True if the instruction's accesses need not be recorded. */
static bool derive(struct state *state, const struct shape *shape, unsigned insn, struct decoded_block *decoded) {
	if (shape->absolute) {
		add_derived(shape, insn, NOTHING, shape->offset - (int64_t)decoded->block.address, decoded);
		return true;
	}
	const struct anchor *anchor = find_anchor(state, &shape->key);
	if (anchor) {
		add_derived(shape, insn, (int)anchor->insn, shape->offset - anchor->offset, decoded);
		return true;
	}
	if (state->anchor_count < KEYS)
		state->anchors[state->anchor_count++] = (struct anchor){shape->key, shape->offset, insn};
	return false;
}

static uint8_t branch_kind(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand) {
	bool direct = operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return IFR_BRANCH_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? IFR_BRANCH_JUMP : IFR_BRANCH_INDIRECT_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return direct ? IFR_BRANCH_CALL : IFR_BRANCH_INDIRECT_CALL;
	case ZYDIS_CATEGORY_RET:
		return IFR_BRANCH_RETURN;
	default:
		return IFR_BRANCH_NONE;
	}
}

static void end_block(const struct state *state, struct ring_block *block) {
	block->branch = branch_kind(state->insn, &state->operands[0]);
	block->end = block->branch ? RING_END_BRANCH : RING_END_NONE;
	if (block->branch && state->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		block->target = state->end + state->operands[0].imm.value.u;
	if (state->insn->meta.category == ZYDIS_CATEGORY_SYSCALL)
		block->end = RING_END_SYSCALL;
	if (repeats(state->insn))
		block->end = RING_END_REPEAT;
}

void derive_block(uint64_t address, const struct derive_instruction *instructions, size_t count, bool everything,
                  struct decoded_block *decoded) {
	struct state state = {.origins = REGISTERS, .end = address};
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < REGISTERS; i++)
		state.registers[i].origin = i;
	state.insn = &insn;
	state.operands = operands;
	decoded->block = (struct ring_block){.address = address};
	decoded->reads_tsc = false;
	for (unsigned i = 0; i < count && i < DERIVE_INSTRUCTIONS; i++) {
		bool whole = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, instructions[i].bytes, instructions[i].length,
		                                                 &insn, operands)) &&
		             insn.length == instructions[i].length;
		if (!whole && i + 1 == count && i)
			break; /* it crosses a page, and runs from a block of its own */
		decoded->lengths[i] = (uint8_t)instructions[i].length;
		decoded->block.instructions++;
		decoded->block.bytes = (uint16_t)(decoded->block.bytes + instructions[i].length);
		state.end += instructions[i].length;
		if (!whole) { /* newer than the decoder: its accesses are recorded, and what it changes is not known */
			decoded->lengths[i] |= RING_RECORDED;
			for (int reg = 0; reg < REGISTERS; reg++)
				state.registers[reg] = fresh(&state);
			continue;
		}
		struct shape shape, stack;
		bool stacks = stack_shape(&state, &stack);
		bool known = stacks;
		if (stacks)
			shape = stack;
		else
			known = memory_shape(&state, &shape);
		if (touches_memory(&state) && !(known && !everything && derive(&state, &shape, i, decoded)))
			decoded->lengths[i] |= RING_RECORDED | (is_masked(insn.mnemonic) || repeats(&insn) ? RING_MAYBE : 0);
		decoded->reads_tsc |= insn.mnemonic == ZYDIS_MNEMONIC_RDTSC || insn.mnemonic == ZYDIS_MNEMONIC_RDTSCP;
		update(&state, stacks ? &stack : NULL);
		end_block(&state, &decoded->block);
	}
}
