/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recorder/derive.h"

#include <string.h>

#include "model/recorder/accesses.h"
#include "model/replay/replay.h"

static bool is_register64(const ZydisDecodedOperand *operand) {
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value >= ZYDIS_REGISTER_RAX &&
	       operand->reg.value <= ZYDIS_REGISTER_R15;
}

/* --- what the registers hold behind an instruction ----------------------------------------------------------- */

static struct value fresh(struct state *state) {
	return (struct value){.origin = state->origins++};
}

/* What the first operand holds afterwards where that is another value plus a constant. */
static bool follows(const struct state *state, struct value *value) {
	const ZydisDecodedInstruction *insn = state->insn;
	const ZydisDecodedOperand *to = &state->operands[0], *from = &state->operands[1];
	if (insn->operand_count < 1 || !is_register64(to))
		return false;
	struct value old = state->registers[register_number(to->reg.value)];
	int64_t step;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (!is_register64(from))
			return false;
		*value = state->registers[register_number(from->reg.value)];
		return true;
	case ZYDIS_MNEMONIC_LEA:
		if (from->mem.index != ZYDIS_REGISTER_NONE || from->mem.base < ZYDIS_REGISTER_RAX ||
		    from->mem.base > ZYDIS_REGISTER_R15)
			return false;
		*value = state->registers[register_number(from->mem.base)];
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
		int reg = operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_number(operand->reg.value) : NOTHING;
		if (reg != NOTHING && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			state->registers[reg] = fresh(state);
	}
	if (known)
		state->registers[register_number(state->operands[0].reg.value)] = value;
	bool pops_it = state->insn->mnemonic == ZYDIS_MNEMONIC_POP &&
	               register_number(state->operands[0].reg.value) == STACK_POINTER;
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
	if (block->branch && block->branch != IFR_BRANCH_RETURN &&
	    state->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		block->target = state->end + state->operands[0].imm.value.u;
	if (state->insn->meta.category == ZYDIS_CATEGORY_SYSCALL)
		block->end = RING_END_SYSCALL;
	if (is_repeated(state->insn))
		block->end = RING_END_REPEAT;
}

void decode_block(uint64_t address, const struct derive_instruction *instructions, size_t count, bool everything,
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
		bool stacks = decode_stack_access(&state, &stack);
		bool known = stacks;
		if (stacks)
			shape = stack;
		else
			known = decode_memory_access(&state, &shape);
		if (touches_memory(&state) && !(known && !everything && derive(&state, &shape, i, decoded)))
			decoded->lengths[i] |=
				RING_RECORDED | (is_masked(insn.mnemonic) || is_repeated(&insn) ? RING_MAYBE : 0);
		decoded->reads_tsc |= insn.mnemonic == ZYDIS_MNEMONIC_RDTSC || insn.mnemonic == ZYDIS_MNEMONIC_RDTSCP;
		update(&state, stacks ? &stack : NULL);
		end_block(&state, &decoded->block);
	}
}
