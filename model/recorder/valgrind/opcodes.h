/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions by their bytes, as far as VEX's intermediate representation does not tell. */
#ifndef IFR_MODEL_VALGRIND_OPCODES_H
#define IFR_MODEL_VALGRIND_OPCODES_H

#include "pub_tool_basics.h"

/* The kind of branch (enum ifr_branch) that an instruction is, IFR_BRANCH_NONE for others. target: of a direct branch;
 * 0: none. */
UChar opcode_branch(const UChar *bytes, UInt length, Addr address, Addr *target);

/* Whether an instruction is repeated by a prefix: a string instruction with rep, repe or repne. */
Bool opcode_is_repeated(const UChar *bytes, UInt length);

/* Whether an instruction's memory operand is relative to the instruction pointer. */
Bool opcode_is_relative(const UChar *bytes, UInt length);

/* The address that an instruction's memory operand names: [base] + ([index] << shift) + displacement, relative to the
 * next instruction, or in a segment. Registers are numbered as the processor does; -1: none. */
struct opcode_address {
	Int base, index;
	UInt shift;
	Long displacement;
	Bool relative;
	Bool narrow;   /* cut to 32 bits */
	UChar segment; /* prefix of fs or gs; 0: neither */
};

/* Whether an instruction is a software prefetch, and of what address. */
Bool opcode_prefetch(const UChar *bytes, UInt length, struct opcode_address *address);

/* Whether an instruction may load from memory. True also for some that do not, never false for one that does. */
Bool opcode_may_load(const UChar *bytes, UInt length);

#endif
