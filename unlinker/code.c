/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unlinker/code.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void code_init(struct code *code, const struct part *part) {
	code->part = part;
	code->marks = ifr_alloc(part->header.sh_size + 1);
	code->rest = ifr_alloc(part->header.sh_size + 1);
	code->readable = false;
}

void code_release(struct code *code) {
	free(code->marks);
	free(code->rest);
}

static bool is_padding(const ZydisDecodedInstruction *insn, const uint8_t *bytes) {
	return insn->mnemonic == ZYDIS_MNEMONIC_NOP || insn->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       (insn->length == 2 && bytes[0] == 0x66 && bytes[1] == 0x90);
}

/* A call at the end of a function does not come back: compilers emit nothing behind it. */
static bool runs_on(const ZydisDecodedInstruction *insn) {
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_CALL:
		return false;
	default:
		return insn->mnemonic != ZYDIS_MNEMONIC_UD2 && insn->mnemonic != ZYDIS_MNEMONIC_HLT;
	}
}

static void mark_field(struct code *code, uint64_t insn, const ZydisDecodedInstruction *decoded, unsigned offset,
                       unsigned mark) {
	code->marks[insn + offset] |= (uint8_t)mark;
	code->rest[insn + offset] = (uint8_t)(decoded->length - offset);
}

static void mark_instruction(struct code *code, uint64_t insn, const ZydisDecodedInstruction *decoded) {
	code->marks[insn] |= MARK_START;
	if (decoded->raw.disp.size >= 32) {
		const bool relative = (decoded->attributes & ZYDIS_ATTRIB_HAS_MODRM) && decoded->raw.modrm.mod == 0 &&
		                      decoded->raw.modrm.rm == 5;
		mark_field(code, insn, decoded, decoded->raw.disp.offset,
		           decoded->raw.disp.size == 64 ? MARK_WIDE
		           : relative                   ? MARK_MEMORY
		                                        : MARK_ABSOLUTE);
	}
	for (int i = 0; i < 2; i++) {
		const unsigned size = decoded->raw.imm[i].size;
		if (!size)
			continue;
		unsigned mark = size == 64 ? MARK_WIDE : size == 32 ? MARK_ABSOLUTE : 0;
		if (decoded->raw.imm[i].is_relative)
			mark = size == 8 ? MARK_BRANCH8 : size == 32 ? MARK_BRANCH32 : 0;
		if (mark)
			mark_field(code, insn, decoded, decoded->raw.imm[i].offset, mark);
	}
}

static bool all_zero(const uint8_t *bytes, uint64_t count) {
	for (uint64_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

bool code_decode(struct code *code, uint64_t from, uint64_t to, struct code_run *run, uint64_t *at) {
	const uint64_t base = code->part->header.sh_addr;
	const uint8_t *bytes = code->part->bytes;
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint64_t offset = from - base; offset < to - base; offset += decoded.length) {
		*at = base + offset;
		if (all_zero(bytes + offset, to - *at))
			return true;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes + offset, to - *at, &decoded)))
			return false;
		mark_instruction(code, offset, &decoded);
		if (is_padding(&decoded, bytes + offset))
			continue;
		run->end = *at + decoded.length;
		run->runs_on = runs_on(&decoded);
	}
	return true;
}

int64_t code_value(const struct part *part, uint64_t address, unsigned bytes) {
	const uint8_t *from = part->bytes + (address - part->header.sh_addr);
	int64_t wide;
	int32_t word;
	int16_t half;
	/* A damaged file may lead anywhere. */
	if (!part->bytes || address - part->header.sh_addr > part->header.sh_size ||
	    bytes > part->header.sh_size - (address - part->header.sh_addr))
		return 0;
	switch (bytes) {
	case 8:
		memcpy(&wide, from, 8);
		return wide;
	case 4:
		memcpy(&word, from, 4);
		return word;
	case 2:
		memcpy(&half, from, 2);
		return half;
	default:
		return (int8_t)*from;
	}
}

uint64_t code_target(const struct code *code, uint64_t address) {
	const unsigned bytes = code_marks(code, address) & MARK_BRANCH8 ? 1 : 4;
	return address + code_rest(code, address) + (uint64_t)code_value(code->part, address, bytes);
}
