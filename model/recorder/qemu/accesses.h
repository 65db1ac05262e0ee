/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses of an instruction that are known from its decoding, as symbolic addresses. Private to derive.c. */
#ifndef IFR_MODEL_ACCESSES_H
#define IFR_MODEL_ACCESSES_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/recorder/qemu/derive.h"

enum { REGISTERS = 16, NO_REGISTER = -1, STACK_POINTER = 4, ANCHORS_MAX = 64 };

/* A register's symbolic value: value number `origin`, plus offset. At the start of a block each register has an
 * origin of its own. */
struct symbolic_value {
	int origin;
	int64_t offset;
};

/* Key of a symbolic address. The addresses of accesses with equal keys differ by a constant. */
struct address_key {
	int base, index;
	unsigned scale, segment;
};

struct anchor {
	struct address_key key;
	int64_t offset;
	unsigned insn;
};

struct state {
	struct symbolic_value registers[REGISTERS];
	int origins;
	struct anchor anchors[ANCHORS_MAX];
	size_t anchor_count;
	uint64_t end; /* address of the next instruction */
	const ZydisDecodedInstruction *insn;
	const ZydisDecodedOperand *operands;
};

/* A decoded access: its key and offset, its size as a power of two (8 bytes a part of a vector), load, store or
 * both. */
struct decoded_access {
	struct address_key key;
	int64_t offset;
	unsigned shift, parts;
	bool load, store, absolute;
};

/* Returns the number of a general register of any width; NO_REGISTER for others. */
int register_number(ZydisRegister reg);
bool is_repeated(const ZydisDecodedInstruction *insn);
/* Whether a mask may suppress its accesses. */
bool is_masked(ZydisMnemonic mnemonic);
bool touches_memory(const struct state *state);
/* Decode the access of the current instruction, if it makes only one: to the stack, or to its memory operand.
 * Return false otherwise. */
/* Decodes a software prefetch, into all but its instruction's number. Returns false for other instructions. */
bool decode_prefetch(const struct state *state, struct decoded_prefetch *prefetch);
bool decode_stack_access(const struct state *state, struct decoded_access *access);
bool decode_memory_access(const struct state *state, struct decoded_access *access);

#endif
