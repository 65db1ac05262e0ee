/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/core/build.h"
#include "model/core/idioms.h"

int ifr_decoder_new(const char *name, struct ifr_decoder **out, struct ifr_error *err) {
	const struct ifr_core *core = ifr_core_find(name);
	if (!core) {
		struct ifr_buffer names = {0};
		ifr_decoder_print_names(&names);
		ifr_fail(err, IFR_E_USAGE, "no core is named %s; there are: %s", name, ifr_buffer_text(&names));
		ifr_buffer_release(&names);
		return -IFR_E_USAGE;
	}
	struct ifr_decoder *decoder = ifr_alloc(sizeof *decoder);
	decoder->core = core;
	ZydisDecoderInit(&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ifr_instruction_table_init(&decoder->table, core->name, core->column, core->other_column);
	*out = decoder;
	return 0;
}

void ifr_decoder_free(struct ifr_decoder *decoder) {
	if (!decoder)
		return;
	ifr_instruction_table_release(&decoder->table);
	free(decoder);
}

void ifr_decoder_print_names(struct ifr_buffer *out) {
	for (unsigned i = 0; ifr_core_number(i); i++)
		ifr_buffer_printf(out, "%s%s", i ? " " : "", ifr_core_number(i)->name);
}

const char *ifr_decoder_port(const struct ifr_decoder *decoder, unsigned port) {
	return ifr_core_port(decoder->core, port);
}

void operations_reserve(struct ifr_operations *operations, size_t instructions, size_t more) {
	if (operations->operations_count + more > operations->operations_room) {
		operations->operations_room = 2 * operations->operations_room + more;
		operations->operations =
			ifr_realloc(operations->operations, operations->operations_room, sizeof *operations->operations);
	}
	if (operations->instructions_count + instructions > operations->instructions_room) {
		operations->instructions_room = 2 * operations->instructions_room + instructions;
		operations->instructions =
			ifr_realloc(operations->instructions, operations->instructions_room, sizeof *operations->instructions);
	}
}

void ifr_operations_release(struct ifr_operations *operations) {
	free(operations->operations);
	free(operations->instructions);
	*operations = (struct ifr_operations){0};
}

/* --- flags --------------------------------------------------------------------------------------------------- */

static uint8_t branch_of(const struct decoded *decoded) {
	const bool direct = decoded->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	switch (decoded->insn.meta.category) {
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

static bool is_serialising(const ZydisDecodedInstruction *insn) {
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_CPUID:
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_SERIALIZE:
		return true;
	default:
		return false;
	}
}

/* xchg with memory locks without a prefix. */
static bool is_locked(const struct decoded *decoded) {
	const ZydisMnemonic mnemonic = decoded->insn.mnemonic;
	return decoded->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK || mnemonic == ZYDIS_MNEMONIC_MFENCE ||
	       (mnemonic == ZYDIS_MNEMONIC_XCHG && decoded->set.memory_count);
}

/* A 16-bit immediate behind a prefix 66; mov does not stall. Ref: A. Fog, microarchitecture.pdf, Sandy Bridge,
 * "Instruction length decoding". */
static bool changes_length(const ZydisDecodedInstruction *insn) {
	return insn->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && insn->raw.imm[0].size == 16 &&
	       insn->mnemonic != ZYDIS_MNEMONIC_MOV;
}

/* Ref: A. Fog, microarchitecture.pdf, Sandy Bridge, "Micro-op cache". */
static bool has_wide_immediate(const ZydisDecodedInstruction *insn) {
	return insn->raw.imm[0].size == 64 || (insn->raw.imm[0].size == 32 && insn->raw.disp.size == 32);
}

static bool has_two_constants(const ZydisDecodedInstruction *insn) {
	return insn->raw.disp.size && insn->raw.imm[0].size && !insn->raw.imm[0].is_relative;
}

static uint16_t flags_of(const struct decoded *decoded) {
	const ZydisDecodedInstruction *insn = &decoded->insn;
	const bool repeated =
		insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
	return (uint16_t)((changes_length(insn) ? IFR_INSTRUCTION_LENGTH_CHANGING : 0) |
	                  (has_wide_immediate(insn) ? IFR_INSTRUCTION_WIDE_IMMEDIATE : 0) |
	                  (has_two_constants(insn) ? IFR_INSTRUCTION_TWO_CONSTANTS : 0) |
	                  (repeated && insn->meta.category == ZYDIS_CATEGORY_STRINGOP ? IFR_INSTRUCTION_REPEATED : 0) |
	                  (is_locked(decoded) ? IFR_INSTRUCTION_LOCKED : 0) |
	                  (is_serialising(insn) ? IFR_INSTRUCTION_SERIALISING : 0) |
	                  (decoded->set.relative ? IFR_INSTRUCTION_RIP_RELATIVE : 0));
}

/* Intel's microcode sequencer gives more than four operations, AMD's more than two. */
static void add_decoder_flags(const struct ifr_core *core, struct ifr_operations_of *instruction) {
	const bool repeated = instruction->flags & IFR_INSTRUCTION_REPEATED;
	if (instruction->decoded > (ifr_core_is_amd(core) ? 2 : 4) || repeated)
		instruction->flags |= IFR_INSTRUCTION_MICROCODED;
	if (instruction->decoded > 1)
		instruction->flags |= IFR_INSTRUCTION_COMPLEX;
}

/* --- blocks -------------------------------------------------------------------------------------------------- */

static void add_undecoded(struct ifr_operations *to, struct ifr_operations_of *instruction, size_t bytes) {
	operations_reserve(to, 1, 1);
	instruction->first = (uint32_t)to->operations_count;
	instruction->flags = IFR_INSTRUCTION_NOT_DECODED;
	instruction->length = (uint8_t)(bytes < UINT8_MAX ? bytes : UINT8_MAX);
	instruction->count = instruction->decoded = instruction->issued = 1;
	to->operations[to->operations_count++] =
		(struct ifr_operation){.kind = IFR_OPERATION_NOP, .occupancy = 1, .flags = IFR_OPERATION_END};
}

static bool decode_one(const struct ifr_decoder *decoder, const uint8_t *code, size_t bytes,
                       struct decoded *decoded, struct ifr_operations *to, struct ifr_operations_of *instruction) {
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder->zydis, code, bytes, &decoded->insn, decoded->operands))) {
		add_undecoded(to, instruction, bytes);
		return false;
	}
	operands_read(decoded);
	instruction->length = decoded->insn.length;
	instruction->branch = branch_of(decoded);
	instruction->flags = flags_of(decoded);
	build_operations(decoder, decoded, to, instruction);
	add_decoder_flags(decoder->core, instruction);
	return true;
}

enum { WITH_LAST = IFR_OPERATION_DECODED_WITH_LAST | IFR_OPERATION_ISSUED_WITH_LAST };

/* An instruction of one operation takes the slot of the move before it. */
static void join_last(struct ifr_operations *to, struct ifr_operations_of *instruction) {
	to->operations[instruction->first].flags |= WITH_LAST;
	instruction->decoded = instruction->issued = 0;
}

/* The last instruction fuses with a jump: with that, not with a move. */
static void fuse_last(struct ifr_operations *to) {
	struct ifr_operations_of *last = &to->instructions[to->instructions_count - 1];
	last->flags |= IFR_INSTRUCTION_FUSES;
	if (last->decoded)
		return;
	to->operations[last->first].flags &= (uint8_t)~WITH_LAST;
	last->decoded = last->issued = 1;
}

size_t ifr_decoder_decode(const struct ifr_decoder *decoder, const uint8_t *code, size_t bytes, size_t count,
                          struct ifr_operations *to) {
	struct decoded pair[2];
	size_t at = 0, done = 0;
	bool decodable = true;
	for (; done < count && at < bytes && decodable; done++) {
		struct ifr_operations_of instruction = {.offset = (uint16_t)at};
		decodable = decode_one(decoder, code + at, bytes - at, &pair[done & 1], to, &instruction);
		if (done && instruction.branch == IFR_BRANCH_CONDITIONAL &&
		    fuses_with(decoder->core, &pair[~done & 1], &pair[done & 1]))
			fuse_last(to);
		else if (done && decodable && joins_move(decoder->core, &pair[~done & 1], &pair[done & 1]))
			join_last(to, &instruction);
		to->instructions[to->instructions_count++] = instruction;
		at += instruction.length;
	}
	return done;
}

/* --- accesses ------------------------------------------------------------------------------------------------ */

static uint8_t access_kind(const struct ifr_operation *operation) {
	switch (operation->kind) {
	case IFR_OPERATION_LOAD:
		return IFR_ACCESS_LOAD;
	case IFR_OPERATION_PREFETCH:
		return IFR_ACCESS_PREFETCH;
	case IFR_OPERATION_STORE_ADDRESS:
	case IFR_OPERATION_STORE_DATA:
		return IFR_ACCESS_STORE;
	default:
		return IFR_ACCESS_KINDS;
	}
}

/* Takes the pieces of the number-th access of a kind: as many as make up its bytes. */
static void bind_one(const struct ifr_operations_of *instruction, const struct ifr_operation *operation,
                     const struct ifr_trace_access *accesses, size_t count, int32_t *first, uint16_t *pieces) {
	const uint8_t kind = access_kind(operation);
	const unsigned all = kind == IFR_ACCESS_STORE ? instruction->stores : instruction->loads;
	unsigned number = 0, bytes = 0;
	*first = -1;
	*pieces = 0;
	for (size_t i = 0; i < count; i++) {
		if (accesses[i].end != instruction->offset + instruction->length || accesses[i].kind != kind)
			continue;
		if (number == operation->access) {
			if (*first < 0)
				*first = (int32_t)i;
			*pieces = (uint16_t)(*pieces + 1);
		}
		bytes += accesses[i].bytes;
		if (operation->bytes && bytes >= operation->bytes && number + 1 < all) {
			number++;
			bytes = 0;
		}
	}
}

void ifr_operations_bind(const struct ifr_operations *operations, const struct ifr_operations_of *instruction,
                         const struct ifr_trace_access *accesses, size_t count, int32_t *first, uint16_t *pieces) {
	for (unsigned i = 0; i < instruction->count; i++)
		bind_one(instruction, &operations->operations[instruction->first + i], accesses, count, &first[i],
		         &pieces[i]);
}
