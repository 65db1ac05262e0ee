/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: each recorded access costs a callback inside qemu and eight bytes in the ring.
 *
 * Idea: symbolic execution of one block. Every register holds a value number plus a constant. mov between
 * registers, lea, add, sub, inc, dec and the stack instructions keep track of it; any other write gives the
 * register a fresh value number. A memory operand is then a key (base and index value numbers, scale, segment)
 * plus an offset. The first access with a key is recorded and becomes the key's anchor; later ones derive from it.
 *
 * Invariant: two accesses with equal keys have addresses that differ by the difference of their offsets. It holds
 * because equal value numbers mean equal run-time values within one execution of the block, and because address
 * arithmetic of 64 bits wraps as int64_t additions of the constants do. Instructions that the decoder does not
 * know invalidate all registers; addresses of 32 bits, locked, repeated and masked accesses are always recorded.
 */
#include "model/recorder/qemu/derive.h"

#include <string.h>

#include "model/recorder/qemu/accesses.h"
#include "model/replay/replay.h"

static bool is_register64(const ZydisDecodedOperand *operand) {
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value >= ZYDIS_REGISTER_RAX &&
	       operand->reg.value <= ZYDIS_REGISTER_R15;
}

/* --- symbolic values of registers ---------------------------------------------------------------------------- */

static struct symbolic_value fresh_value(struct state *state) {
	return (struct symbolic_value){.origin = state->origins++};
}

/* Computes the first operand's new value, if it is another value plus a constant. Returns false otherwise. */
static bool find_new_value(const struct state *state, struct symbolic_value *value) {
	const ZydisDecodedInstruction *insn = state->insn;
	const ZydisDecodedOperand *to = &state->operands[0], *from = &state->operands[1];
	if (insn->operand_count < 1 || !is_register64(to))
		return false;
	struct symbolic_value old = state->registers[register_number(to->reg.value)];
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
	*value = (struct symbolic_value){old.origin, old.offset + step};
	return true;
}

static void update_registers(struct state *state, const struct decoded_access *stack) {
	struct symbolic_value value, pointer = state->registers[STACK_POINTER];
	bool known = find_new_value(state, &value);
	for (unsigned i = 0; i < state->insn->operand_count; i++) {
		const ZydisDecodedOperand *operand = &state->operands[i];
		int reg = operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_number(operand->reg.value) : NO_REGISTER;
		if (reg != NO_REGISTER && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			state->registers[reg] = fresh_value(state);
	}
	if (known)
		state->registers[register_number(state->operands[0].reg.value)] = value;
	bool pops_pointer = state->insn->mnemonic == ZYDIS_MNEMONIC_POP &&
	                    register_number(state->operands[0].reg.value) == STACK_POINTER;
	if (stack && !pops_pointer)
		state->registers[STACK_POINTER] =
			(struct symbolic_value){pointer.origin, pointer.offset + (stack->store ? -8 : 8)};
}

/* --- a block ------------------------------------------------------------------------------------------------- */

static const struct anchor *find_anchor(const struct state *state, const struct address_key *key) {
	for (size_t i = 0; i < state->anchor_count; i++) {
		const struct address_key *other = &state->anchors[i].key;
		if (other->base == key->base && other->index == key->index && other->scale == key->scale &&
		    other->segment == key->segment)
			return &state->anchors[i];
	}
	return NULL;
}

static void add_derived(const struct decoded_access *access, unsigned insn, int anchor, int64_t offset,
                        struct decoded_block *decoded) {
	for (int store = 0; store < 2; store++)
		for (unsigned part = 0; part < access->parts && (store ? access->store : access->load); part++)
			decoded->derived[decoded->block.derived++] =
				(struct ring_derived){.offset = offset + 8 * (int64_t)part,
			                          .insn = (uint16_t)insn,
			                          .anchor = (int16_t)anchor,
			                          .shift = (uint8_t)access->shift,
			                          .store = (uint8_t)store};
}

/* Adds derived accesses for the instruction. Returns false if its accesses must be recorded. */
static bool derive_accesses(struct state *state, const struct decoded_access *access, unsigned insn,
                            struct decoded_block *decoded) {
	if (access->absolute) {
		add_derived(access, insn, NO_REGISTER, access->offset - (int64_t)decoded->block.address, decoded);
		return true;
	}
	const struct anchor *anchor = find_anchor(state, &access->key);
	if (anchor) {
		add_derived(access, insn, (int)anchor->insn, access->offset - anchor->offset, decoded);
		return true;
	}
	if (state->anchor_count < ANCHORS_MAX)
		state->anchors[state->anchor_count++] = (struct anchor){access->key, access->offset, insn};
	return false;
}

static void add_prefetch(const struct state *state, unsigned insn, struct decoded_block *decoded) {
	struct decoded_prefetch prefetch;
	if (!decode_prefetch(state, &prefetch))
		return;
	prefetch.insn = (uint16_t)insn;
	decoded->lengths[insn] |= prefetch.known ? RING_RECORDED : 0;
	decoded->prefetches[decoded->prefetch_count++] = prefetch;
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
	decoded->prefetch_count = 0;
	for (unsigned i = 0; i < count && i < DERIVE_INSTRUCTIONS; i++) {
		bool whole = ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, instructions[i].bytes, instructions[i].length,
		                                                 &insn, operands)) &&
		             insn.length == instructions[i].length;
		if (!whole && i + 1 == count && i)
			break; /* the instruction crosses a page and runs from another block */
		decoded->lengths[i] = (uint8_t)instructions[i].length;
		decoded->loads_twice[i] =
			whole && insn.mnemonic == ZYDIS_MNEMONIC_NEG && insn.attributes & ZYDIS_ATTRIB_HAS_LOCK;
		decoded->block.instructions++;
		decoded->block.bytes = (uint16_t)(decoded->block.bytes + instructions[i].length);
		state.end += instructions[i].length;
		if (!whole) { /* unknown to the decoder: record its accesses, forget all registers */
			decoded->lengths[i] |= RING_RECORDED;
			for (int reg = 0; reg < REGISTERS; reg++)
				state.registers[reg] = fresh_value(&state);
			continue;
		}
		struct decoded_access access, stack;
		bool is_stack = decode_stack_access(&state, &stack);
		bool known = is_stack;
		if (is_stack)
			access = stack;
		else
			known = decode_memory_access(&state, &access);
		if (touches_memory(&state) && !(known && !everything && derive_accesses(&state, &access, i, decoded)))
			decoded->lengths[i] |=
				RING_RECORDED | (is_masked(insn.mnemonic) || is_repeated(&insn) ? RING_MAYBE : 0);
		add_prefetch(&state, i, decoded);
		decoded->reads_tsc |= insn.mnemonic == ZYDIS_MNEMONIC_RDTSC || insn.mnemonic == ZYDIS_MNEMONIC_RDTSCP;
		update_registers(&state, is_stack ? &stack : NULL);
		end_block(&state, &decoded->block);
	}
}
