/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: recording costs what instrumented code does for each block and access; calls would cost most.
 *
 * Idea: the code itself stores the words of a block. At its begin it loads the ring's position once and stores the
 * block's word there; each recorded access stores its word at a constant distance; before each exit it stores the new
 * position. The only call is to writer_swap, when the chunk is full. An access that may not happen (a mask, a repeat
 * count of zero) stores its word always, and moves the position only if it happens.
 *
 * Invariant: words below the stored position are whole blocks. A block that a fault stops has stored words and no
 * position; instrument_complete_fault finds its word behind the position, and moves it behind the accesses that
 * happened. */
#include "model/recorder/valgrind/instrument.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"

#include "model/recorder/valgrind/core.h"
#include "model/recorder/valgrind/superblock.h"
#include "model/recorder/valgrind/writer.h"

enum { OPTIMISED = 2, NOT_OPTIMISED = 0 }; /* VEX's levels of optimisation */

/* A defined block: what a fault needs to know of it. */
struct known_block {
	Addr address;
	UChar instructions;
	UChar words; /* recorded, if none is guarded; 255: not known */
	UChar *lengths, *insn_of_word;
};

static Bool everything;
static struct known_block *known;
static UInt block_count, block_room;

void instrument_everything(void) {
	everything = True;
}

/* --- definitions --------------------------------------------------------------------------------------------- */

static void remember_block(const struct superblock *superblock) {
	if (block_count == block_room) {
		block_room = block_room ? 2 * block_room : 4096;
		known = VG_(realloc)("known blocks", known, block_room * sizeof *known);
	}
	const UInt instructions = superblock->block.instructions;
	struct known_block *block = &known[block_count];
	UInt words = 0;
	for (UInt i = 0; i < superblock->access_count; i++)
		words += access_words(&superblock->accesses[i]);
	*block = (struct known_block){.address = superblock->block.address,
	                              .instructions = (UChar)instructions,
	                              .words = (UChar)(words < 255 ? words : 255),
	                              .lengths = VG_(malloc)("lengths", instructions + words)};
	block->insn_of_word = block->lengths + instructions;
	for (UInt i = 0; i < instructions; i++)
		block->lengths[i] = superblock->lengths[i] & RING_LENGTH;
	for (UInt i = 0, at = 0; i < superblock->access_count; i++)
		for (UInt word = access_words(&superblock->accesses[i]); word; word--)
			block->insn_of_word[at++] = (UChar)superblock->accesses[i].insn;
}

static void define_block(struct superblock *superblock) {
	static UChar code[16 * SUPERBLOCK_INSTRUCTIONS];
	const UInt bytes = superblock->block.bytes;
	VG_(memcpy)(code, (const void *)(Addr)superblock->block.address, bytes);
	superblock->block.id = block_count;
	const struct writer_part parts[] = {
		{&superblock->block, sizeof superblock->block / 8},
		{superblock->lengths, (superblock->block.instructions + 7U) / 8},
		{superblock->derived, superblock->block.derived * sizeof superblock->derived[0] / 8},
		{code, (bytes + 7U) / 8}};
	writer_define(RING_DEFINE, parts, 4);
	remember_block(superblock);
	block_count++;
}

/* --- code ---------------------------------------------------------------------------------------------------- */

struct emitter {
	IRSB *to;
	IRTemp position; /* where the words go */
	UInt words;      /* behind that position */
	Bool stored;     /* the position behind them is stored */
};

static IRExpr *assign(IRSB *to, IRType type, IRExpr *value) {
	const IRTemp temporary = newIRTemp(to->tyenv, type);
	addStmtToIRSB(to, IRStmt_WrTmp(temporary, value));
	return IRExpr_RdTmp(temporary);
}

static IRExpr *number(ULong value) {
	return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *address_of(const void *object) {
	return number((ULong)(Addr)object);
}

static IRExpr *load(IRSB *to, const void *from) {
	return assign(to, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address_of(from)));
}

/* Address of the next word. */
static IRExpr *next_word(struct emitter *emitter) {
	if (!emitter->words)
		return IRExpr_RdTmp(emitter->position);
	return assign(emitter->to, Ity_I64,
	              IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(emitter->position), number(8 * (ULong)emitter->words)));
}

static void emit_word(struct emitter *emitter, IRExpr *word) {
	addStmtToIRSB(emitter->to, IRStmt_Store(Iend_LE, next_word(emitter), word));
	emitter->words++;
	emitter->stored = False;
}

/* Takes the last word back unless the guard holds. */
static void keep_word_if(struct emitter *emitter, const IRExpr *guard) {
	IRSB *to = emitter->to;
	emitter->words--;
	IRExpr *here = next_word(emitter);
	IRExpr *behind = assign(to, Ity_I64, IRExpr_Binop(Iop_Add64, here, number(8)));
	IRExpr *position = assign(to, Ity_I64, IRExpr_ITE(deepCopyIRExpr(guard), behind, here));
	emitter->position = position->Iex.RdTmp.tmp;
	emitter->words = 0;
}

static void store_position(struct emitter *emitter) {
	if (!emitter->stored)
		addStmtToIRSB(emitter->to,
		              IRStmt_Store(Iend_LE, address_of(&writer_position()->next), next_word(emitter)));
	emitter->stored = True;
}

/* Whether an exit may leave the block before all of its words are there. */
static Bool leaves_early(const IRSB *code, const struct superblock *superblock) {
	const struct access *access = superblock->accesses, *end = access + superblock->access_count;
	while (access < end && !access->recorded)
		access++;
	for (Int i = 0; i < code->stmts_used && access < end; i++) {
		if (code->stmts[i]->tag == Ist_Exit)
			return True;
		while (access < end && (!access->recorded || access->statement == code->stmts[i]))
			access++;
	}
	return False;
}

/* The word of a block: its id, and the number of its words unless a guard or an exit decides over some of them. */
static ULong block_word(const IRSB *code, const struct superblock *superblock) {
	ULong words = leaves_early(code, superblock) ? RING_WORDS_UNKNOWN : 0;
	for (UInt i = 0; i < superblock->access_count && words != RING_WORDS_UNKNOWN; i++)
		words = superblock->accesses[i].guard || superblock->block.end == RING_END_REPEAT
		            ? RING_WORDS_UNKNOWN
		            : words + access_words(&superblock->accesses[i]);
	return RING_BLOCK | words << RING_WORDS_SHIFT | superblock->block.id;
}

static void begin_block(struct emitter *emitter, ULong word) {
	IRSB *to = emitter->to;
	struct ring_cpu *cpu = writer_position();
	IRDirty *swap = unsafeIRDirty_0_N(0, "writer_swap", VG_(fnptr_to_fnentry)(&writer_swap), mkIRExprVec_0());
	swap->guard = assign(to, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, load(to, &cpu->limit), load(to, &cpu->next)));
	addStmtToIRSB(to, IRStmt_Dirty(swap));
	emitter->position = load(to, &cpu->next)->Iex.RdTmp.tmp;
	emitter->words = 0;
	emit_word(emitter, number(word));
}

static void emit_address(struct emitter *emitter, const struct access *access, UInt shift, UInt offset,
                         Bool store) {
	const ULong tag = (ULong)access->insn << RING_INSN_SHIFT | (ULong)shift << RING_SIZE_SHIFT |
	                  (ULong)store << RING_STORE_SHIFT;
	IRExpr *address = deepCopyIRExpr(access->address);
	if (offset)
		address = assign(emitter->to, Ity_I64, IRExpr_Binop(Iop_Add64, address, number(offset)));
	emit_word(emitter, tag ? assign(emitter->to, Ity_I64, IRExpr_Binop(Iop_Or64, address, number(tag))) : address);
	if (access->guard)
		keep_word_if(emitter, access->guard);
}

static void emit_access(struct emitter *emitter, const struct access *access) {
	UInt shift, offset;
	if (!access->recorded)
		return;
	for (UInt store = access->load ? 0 : 1; store <= (UInt)access->store; store++)
		for (UInt part = 0; access_part(access->bytes, part, &shift, &offset); part++) {
			emit_address(emitter, access, shift, offset, store);
			if (!access->in_parts)
				return;
		}
}

static IRExpr *add_to(IRSB *to, IRExpr *sum, IRExpr *value) {
	return assign(to, Ity_I64, IRExpr_Binop(Iop_Add64, sum, value));
}

static IRExpr *read_register(IRSB *to, SizeT offset) {
	return assign(to, Ity_I64, IRExpr_Get((Int)offset, Ity_I64));
}

static SizeT general_register(Int number) {
	return offsetof(VexGuestAMD64State, guest_RAX) + 8 * (SizeT)number;
}

/* Computes the address of an operand. next: address of the next instruction. */
static IRExpr *compute_address(IRSB *to, const struct opcode_address *operand, Addr next) {
	IRExpr *sum = number((ULong)operand->displacement + (operand->relative ? next : 0));
	if (operand->base >= 0)
		sum = add_to(to, read_register(to, general_register(operand->base)), sum);
	if (operand->index >= 0) {
		IRExpr *index = read_register(to, general_register(operand->index));
		IRExpr *by = IRExpr_Const(IRConst_U8((UChar)operand->shift));
		sum = add_to(to, sum, assign(to, Ity_I64, IRExpr_Binop(Iop_Shl64, index, by)));
	}
	if (operand->narrow)
		sum = assign(to, Ity_I64, IRExpr_Binop(Iop_And64, sum, number(0xffffffff)));
	if (operand->segment)
		sum = add_to(to, sum,
		             read_register(to, operand->segment == 0x64 ? offsetof(VexGuestAMD64State, guest_FS_CONST)
		                                                        : offsetof(VexGuestAMD64State, guest_GS_CONST)));
	return sum;
}

/* A prefetch may name any address; outside of the program's half it has the address 0. */
static void emit_prefetch(struct emitter *emitter, const struct access *access) {
	IRSB *to = emitter->to;
	const IRStmt *mark = access->statement;
	IRExpr *address = compute_address(to, &access->operand, mark->Ist.IMark.addr + mark->Ist.IMark.len);
	IRExpr *inside = assign(to, Ity_I1, IRExpr_Binop(Iop_CmpLE64U, address, number(RING_ADDRESS)));
	address = assign(to, Ity_I64, IRExpr_ITE(inside, address, number(0)));
	const ULong tag = (ULong)access->insn << RING_INSN_SHIFT | RING_PREFETCH;
	emit_word(emitter, assign(to, Ity_I64, IRExpr_Binop(Iop_Or64, address, number(tag))));
}

static IRSB *add_recording(const IRSB *code, const struct superblock *superblock) {
	struct emitter emitter = {.to = deepCopyIRSBExceptStmts(code)};
	const struct access *access = superblock->accesses, *end = access + superblock->access_count;
	Bool begun = False;
	for (Int i = 0; i < code->stmts_used; i++) {
		IRStmt *statement = code->stmts[i];
		if (statement->tag == Ist_NoOp || statement->tag == Ist_AbiHint)
			continue;
		for (; begun && access < end && access->statement == statement && !access->prefetch; access++)
			emit_access(&emitter, access);
		if (begun && statement->tag == Ist_Exit)
			store_position(&emitter);
		addStmtToIRSB(emitter.to, statement);
		if (statement->tag == Ist_IMark && !begun) {
			begin_block(&emitter, block_word(code, superblock));
			begun = True;
		}
		if (begun && access < end && access->statement == statement)
			emit_prefetch(&emitter, access++);
	}
	if (begun)
		store_position(&emitter);
	return emitter.to;
}

/* Code that discards its own translation and begins again at the same address. */
static IRSB *translate_again(const IRSB *code, Addr address) {
	IRSB *to = deepCopyIRSBExceptStmts(code);
	addStmtToIRSB(to, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMSTART), number(address)));
	addStmtToIRSB(to, IRStmt_Put(offsetof(VexGuestAMD64State, guest_CMLEN), number(1)));
	to->next = number(address);
	to->jumpkind = Ijk_InvalICache;
	return to;
}

IRSB *instrument_superblock(IRSB *code, Addr address) {
	static struct superblock superblock;
	const Bool optimised = vex_control.iropt_level > NOT_OPTIMISED;
	superblock_read(code, everything, &superblock);
	vex_control.iropt_level = OPTIMISED;
	if (!superblock.block.instructions)
		return code;
	if ((superblock.lost_load || superblock.reads_registers) && optimised) {
		vex_control.iropt_level = NOT_OPTIMISED;
		return translate_again(code, address);
	}
	/* A request to Valgrind does nothing on a processor. */
	if (code->jumpkind == Ijk_ClientReq)
		code->jumpkind = Ijk_Boring;
	define_block(&superblock);
	if (superblock.reads_tsc)
		writer_define_note(IFR_RECORDING_NOTE_TSC, superblock.block.address);
	return add_recording(code, &superblock);
}

void instrument_for_fault_handlers(void) {
	if (vex_control.iropt_register_updates_default == VexRegUpdAllregsAtMemAccess)
		return;
	vex_control.iropt_register_updates_default = VexRegUpdAllregsAtMemAccess;
	VG_(discard_translations)(0, 1ULL << 47, "handlers of faults");
}

/* --- faults -------------------------------------------------------------------------------------------------- */

/* Number of the instruction at an address; the number of instructions if it is not in the block. */
static UInt find_instruction(const struct known_block *block, Addr address) {
	Addr at = block->address;
	UInt insn = 0;
	while (insn < block->instructions && at != address)
		at += block->lengths[insn++];
	return insn;
}

void instrument_complete_fault(Addr address) {
	struct ring_cpu *cpu = writer_position();
	const ULong word = *cpu->next;
	const UInt id = RING_ID(word);
	if ((word & RING_RECORD) != RING_BLOCK || id >= block_count || cpu->next > cpu->limit)
		return;
	const struct known_block *block = &known[id];
	const UInt insn = find_instruction(block, address);
	if (insn == block->instructions || block->words == 255)
		return;
	*cpu->next++ |= (ULong)RING_WORDS_UNKNOWN << RING_WORDS_SHIFT;
	for (UInt i = 0; i < block->words && block->insn_of_word[i] < insn; i++)
		cpu->next++;
}
