/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which accesses of an instruction are known beforehand, and from what their addresses are made. Private to
 * derive.c. */
#ifndef IFR_MODEL_ACCESSES_H
#define IFR_MODEL_ACCESSES_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* An access that derives: its key and offset, how large (a power of two, 8 bytes a piece), load, store or both. */
struct shape {
	struct key key;
	int64_t offset;
	unsigned shift, pieces;
	bool load, store, absolute;
};

/* The number of a general register, of any width; NOTHING for others. */
int register_number(ZydisRegister reg);
bool is_repeated(const ZydisDecodedInstruction *insn);
/* It may make none of its accesses. */
bool is_masked(ZydisMnemonic mnemonic);
bool touches_memory(const struct state *state);
/* The one access of the instruction at hand, if that is all it makes: to the stack, or to where an operand says.
 */
bool decode_stack_access(const struct state *state, struct shape *shape);
bool decode_memory_access(const struct state *state, struct shape *shape);

#endif
