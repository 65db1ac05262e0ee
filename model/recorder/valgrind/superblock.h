/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One superblock: its instructions and their accesses, and which of those are recorded. Private to instrument.c. */
#ifndef IFR_MODEL_VALGRIND_SUPERBLOCK_H
#define IFR_MODEL_VALGRIND_SUPERBLOCK_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

#include "model/record/ring.h"
#include "model/recorder/valgrind/opcodes.h"
#include "model/recorder/valgrind/symbolic.h"

/* VEX takes at most 50 instructions into a superblock, as the recording's command line says; an instruction makes few
 * accesses, xsave the most. A definition must fit into the ring's reserve. */
enum {
	SUPERBLOCK_INSTRUCTIONS = 64,
	SUPERBLOCK_ACCESSES = 1024,
	SUPERBLOCK_DERIVED = (RING_RESERVE_WORDS - 256) / (sizeof(struct ring_derived) / 8)
};

struct access {
	const IRStmt *statement;
	const IRExpr *address; /* an atom */
	const IRExpr *guard;   /* NULL: always */
	struct symbolic value;
	UShort insn, bytes;
	Bool load, store;
	Bool prefetch; /* neither: of `operand`, at the begin of the instruction, which is its statement */
	Bool recorded; /* its address goes into the ring */
	struct opcode_address operand;
	Bool in_parts; /* with one word for each eight bytes, of loads and of stores, instead of one in all */
};

/* The first constant address of an instruction: 1 + the instruction's number, the address, its value. */
struct constant {
	UInt insn;
	Long address;
	struct symbolic value;
};

struct superblock {
	struct ring_block block;
	UChar lengths[SUPERBLOCK_INSTRUCTIONS];
	struct access accesses[SUPERBLOCK_ACCESSES];
	UInt access_count;
	struct ring_derived derived[SUPERBLOCK_DERIVED];
	struct constant constant;
	Addr last; /* address of the last instruction */
	Bool reads_tsc;
	const IRStmt *mark;   /* of the last instruction */
	Bool reads_registers; /* at the begin of an instruction: VEX must keep them up to date */
	Bool lost_load;       /* VEX has left out an access whose value nobody uses */
};

/* Fills in a superblock, without its id. everything: records all accesses and derives none. Panics if it has more
 * accesses than fit. */
void superblock_read(const IRSB *code, Bool everything, struct superblock *superblock);

/* Words that an access takes in the ring. */
UInt access_words(const struct access *access);

/* Part `part` of an access of so many bytes: log2 of its size, its offset. Returns False behind the last part. */
Bool access_part(UInt bytes, UInt part, UInt *shift, UInt *offset);

#endif
