/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: every recorded address costs a store in the program and eight bytes in the ring, and every access must be
 * there, as the program's code makes it.
 *
 * Idea: VEX's code for an instruction names its accesses and computes their addresses. The first access of each origin
 * (symbolic.h) is recorded, as the anchor of the later ones, which derive from it.
 *
 * Invariant: the accesses are those of the instructions. VEX drops a load whose value nobody uses, so an instruction
 * that may load by its bytes and does not in VEX's code marks the superblock (lost_load); it is translated again
 * without optimisation then, which keeps all loads. So does a prefetch, whose address VEX may leave out: it is computed
 * from the operand's registers, which are up to date at each instruction without optimisation. */
#include "model/recorder/valgrind/superblock.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"

#include "model/recorder/valgrind/core.h"
#include "model/recorder/valgrind/opcodes.h"

enum { ANCHORS = 128, OBJECT_BYTES = 4096 };

struct anchor {
	struct symbolic value;
	UInt insn;
};

static struct anchor anchors[ANCHORS];
static UInt anchor_count;

Bool access_part(UInt bytes, UInt part, UInt *shift, UInt *offset) {
	UInt at = 8 * part;
	if (at < bytes - bytes % 8) {
		*shift = 3;
		*offset = at;
		return True;
	}
	/* The rest, in parts of four, two and one bytes. */
	UInt rest = bytes % 8, begins = bytes - rest;
	for (UInt i = bytes / 8, size = 4, log = 2; size; size /= 2, log--) {
		if (!(rest & size))
			continue;
		if (i++ == part) {
			*shift = log;
			*offset = begins;
			return True;
		}
		begins += size;
	}
	return False;
}

static UInt part_count(UInt bytes) {
	UInt count = 0, shift, offset;
	while (access_part(bytes, count, &shift, &offset))
		count++;
	return count;
}

UInt access_words(const struct access *access) {
	if (!access->recorded)
		return 0;
	return access->in_parts ? part_count(access->bytes) * (UInt)(access->load + access->store) : 1;
}

static __attribute__((noreturn)) void refuse_block(UInt most) {
	VG_(umsg)("a block of the program makes more than %u accesses, which cannot be recorded\n", most);
	VG_(exit)(1);
}

/* --- accesses of the code ------------------------------------------------------------------------------------ */

/* Value of a constant address that a register holds: it may lie in another mapping than the code. What one instruction
 * accesses at such addresses is one object. */
static struct symbolic constant_address(struct superblock *superblock, struct symbolic constant, UInt insn) {
	struct constant *first = &superblock->constant;
	const Long distance = constant.offset - first->address;
	if (first->insn != insn + 1 || distance < 0 || distance >= OBJECT_BYTES)
		*first = (struct constant){insn + 1, constant.offset, symbolic_address(constant)};
	return (struct symbolic){first->value.origin, first->value.offset + constant.offset - first->address};
}

static void add_access(struct superblock *superblock, const IRStmt *statement, const IRExpr *address,
                       const IRExpr *guard, UInt bytes, Bool load, Bool store) {
	struct symbolic value = symbolic_value(address);
	const UInt insn = superblock->block.instructions - 1U;
	if (value.origin == SYMBOLIC_CONSTANT &&
	    !opcode_is_relative((const UChar *)superblock->last, superblock->lengths[insn] & RING_LENGTH))
		value = constant_address(superblock, value, insn);
	if (superblock->access_count == SUPERBLOCK_ACCESSES)
		refuse_block(SUPERBLOCK_ACCESSES);
	superblock->accesses[superblock->access_count++] = (struct access){.statement = statement,
	                                                                   .address = address,
	                                                                   .guard = guard,
	                                                                   .value = value,
	                                                                   .insn = (UShort)insn,
	                                                                   .bytes = (UShort)bytes,
	                                                                   .load = load,
	                                                                   .store = store};
}

/* Adds the prefetch that the last instruction is. */
static void add_prefetch(struct superblock *superblock, const struct opcode_address *operand) {
	const UInt insn = superblock->block.instructions - 1U;
	if (superblock->access_count == SUPERBLOCK_ACCESSES)
		refuse_block(SUPERBLOCK_ACCESSES);
	superblock->accesses[superblock->access_count++] = (struct access){.statement = superblock->mark,
	                                                                   .insn = (UShort)insn,
	                                                                   .bytes = 1,
	                                                                   .operand = *operand,
	                                                                   .prefetch = True,
	                                                                   .recorded = True};
	superblock->lengths[insn] |= RING_RECORDED;
	superblock->reads_registers = True;
}

static UInt bytes_of(const IRSB *code, const IRExpr *expression) {
	return (UInt)sizeofIRType(typeOfIRExpr(code->tyenv, expression));
}

static const IRExpr *real_guard(const IRExpr *guard) {
	return guard->tag == Iex_Const ? NULL : guard;
}

static void add_guarded_load(const IRSB *code, const IRStmt *statement, struct superblock *superblock) {
	const IRLoadG *load = statement->Ist.LoadG.details;
	IRType result, loaded;
	typeOfIRLoadGOp(load->cvt, &result, &loaded);
	(void)code;
	add_access(superblock, statement, load->addr, real_guard(load->guard), (UInt)sizeofIRType(loaded), True,
	           False);
}

static Bool same_atom(const IRExpr *a, const IRExpr *b) {
	if (a->tag == Iex_RdTmp && b->tag == Iex_RdTmp)
		return a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
	return a->tag == Iex_Const && b->tag == Iex_Const && a->Iex.Const.con->Ico.U64 == b->Iex.Const.con->Ico.U64;
}

/* Whether the instruction has loaded from an address already. */
static Bool is_loaded(const struct superblock *superblock, const IRExpr *address) {
	const struct access *last = superblock->accesses + superblock->access_count - 1;
	return superblock->access_count && last->insn == superblock->block.instructions - 1 && last->load &&
	       !last->store && same_atom(last->address, address);
}

static void add_accesses_of(const IRSB *code, const IRStmt *statement, struct superblock *superblock) {
	switch (statement->tag) {
	case Ist_WrTmp: {
		const IRExpr *data = statement->Ist.WrTmp.data;
		if (data->tag == Iex_Load)
			add_access(superblock, statement, data->Iex.Load.addr, NULL, (UInt)sizeofIRType(data->Iex.Load.ty),
			           True, False);
		break;
	}
	case Ist_Store:
		add_access(superblock, statement, statement->Ist.Store.addr, NULL,
		           bytes_of(code, statement->Ist.Store.data), False, True);
		break;
	case Ist_LoadG:
		add_guarded_load(code, statement, superblock);
		break;
	case Ist_StoreG: {
		const IRStoreG *store = statement->Ist.StoreG.details;
		add_access(superblock, statement, store->addr, real_guard(store->guard), bytes_of(code, store->data),
		           False, True);
		break;
	}
	case Ist_CAS: {
		const IRCAS *cas = statement->Ist.CAS.details;
		const Bool loaded = is_loaded(superblock, cas->addr); /* lock add: VEX loads the old value first */
		add_access(superblock, statement, cas->addr, NULL, bytes_of(code, cas->dataLo) * (cas->dataHi ? 2 : 1),
		           !loaded, True);
		break;
	}
	case Ist_Dirty: {
		const IRDirty *call = statement->Ist.Dirty.details;
		if (VG_(strstr)(call->cee->name, "RDTSC"))
			superblock->reads_tsc = True;
		if (call->mFx != Ifx_None)
			add_access(superblock, statement, call->mAddr, real_guard(call->guard), (UInt)call->mSize,
			           call->mFx != Ifx_Write, call->mFx != Ifx_Read);
		break;
	}
	default:
		break;
	}
}

/* --- recorded or derived ------------------------------------------------------------------------------------- */

static const struct anchor *find_anchor(UInt origin) {
	for (UInt i = 0; i < anchor_count; i++)
		if (anchors[i].value.origin == origin)
			return &anchors[i];
	return NULL;
}

/* Adds the parts of an access from `part` on, relative to an anchor; anchor -1: to the block. */
static void derive(struct superblock *superblock, const struct access *access, Bool store, UInt part, Int anchor,
                   Long offset) {
	UInt shift, at;
	for (; access_part(access->bytes, part, &shift, &at); part++) {
		if (superblock->block.derived == SUPERBLOCK_DERIVED)
			refuse_block(SUPERBLOCK_DERIVED);
		superblock->derived[superblock->block.derived++] = (struct ring_derived){.offset = offset + at,
		                                                                         .insn = access->insn,
		                                                                         .anchor = (Short)anchor,
		                                                                         .shift = (UChar)shift,
		                                                                         .store = store};
	}
}

static void derive_from(struct superblock *superblock, const struct access *access, UInt first_part, Int anchor,
                        Long offset) {
	if (access->load)
		derive(superblock, access, False, first_part, anchor, offset);
	if (access->store)
		derive(superblock, access, True, access->load ? 0 : first_part, anchor, offset);
}

static void derive_known(struct superblock *superblock, const struct access *access) {
	if (access->value.origin == SYMBOLIC_CONSTANT) {
		derive_from(superblock, access, 0, -1, access->value.offset - (Long)superblock->block.address);
		return;
	}
	const struct anchor *anchor = find_anchor(access->value.origin);
	derive_from(superblock, access, 0, (Int)anchor->insn, access->value.offset - anchor->value.offset);
}

static Bool is_known(const struct access *access) {
	return access->value.origin == SYMBOLIC_CONSTANT || find_anchor(access->value.origin);
}

/* Makes the first access of an instruction, if it is recorded, the anchor of its origin. */
static void add_anchor(const struct access *access) {
	if (anchor_count < ANCHORS && !find_anchor(access->value.origin) && access->value.origin != SYMBOLIC_CONSTANT)
		anchors[anchor_count++] = (struct anchor){access->value, access->insn};
}

/* Decides over the accesses of the last instruction, from `from` on. All are derived, or the first is recorded and the
 * others derive, or all are recorded: an instruction's recorded accesses precede its derived ones in the trace. */
static void settle_instruction(struct superblock *superblock, UInt from, Bool everything) {
	struct access *first = superblock->accesses + from, *end = superblock->accesses + superblock->access_count;
	Bool known = !everything, alike = !everything, guarded = False;
	if (first == end)
		return;
	for (const struct access *access = first; access < end; access++) {
		known = known && is_known(access) && !access->guard;
		alike = alike && access->value.origin == first->value.origin;
		guarded = guarded || access->guard;
	}
	UChar *length = &superblock->lengths[first->insn];
	if (known) {
		for (const struct access *access = first; access < end; access++)
			derive_known(superblock, access);
		return;
	}
	*length |= RING_RECORDED | (guarded ? RING_MAYBE : 0);
	if (alike && !guarded) {
		first->recorded = True;
		derive_from(superblock, first, 1, first->insn, 0);
		for (const struct access *access = first + 1; access < end; access++)
			derive_from(superblock, access, 0, first->insn, access->value.offset - first->value.offset);
	} else {
		for (struct access *access = first; access < end; access++)
			access->recorded = access->in_parts = True;
	}
	if (!everything && !first->guard)
		add_anchor(first);
}

/* --- the block ----------------------------------------------------------------------------------------------- */

static void settle(struct superblock *superblock, UInt from, Bool everything) {
	if (!superblock->block.instructions)
		return;
	const UInt insn = superblock->block.instructions - 1U;
	const UChar *bytes = (const UChar *)superblock->last;
	const UInt length = superblock->lengths[insn] & RING_LENGTH;
	struct opcode_address operand;
	if (opcode_prefetch(bytes, length, &operand)) {
		add_prefetch(superblock, &operand);
		return;
	}
	if (superblock->access_count == from && opcode_may_load(bytes, length))
		superblock->lost_load = True;
	const Bool repeated = opcode_is_repeated(bytes, length); /* perhaps not even once: nothing can be derived */
	settle_instruction(superblock, from, everything || repeated);
	if (superblock->access_count > from && repeated)
		superblock->lengths[insn] |= RING_MAYBE;
}

static void find_end(const IRSB *code, struct superblock *superblock) {
	struct ring_block *block = &superblock->block;
	const UChar *bytes = (const UChar *)superblock->last;
	const UInt length = superblock->lengths[block->instructions - 1] & RING_LENGTH;
	Addr target;
	block->branch = opcode_branch(bytes, length, superblock->last, &target);
	block->target = target;
	block->end = block->branch ? RING_END_BRANCH : RING_END_NONE;
	if (code->jumpkind == Ijk_Sys_syscall)
		block->end = RING_END_SYSCALL;
	if (opcode_is_repeated(bytes, length))
		block->end = RING_END_REPEAT;
}

/* Adds the instruction of a mark. A mark longer than an instruction is a request to Valgrind: four rotations, and an
 * exchange of a register with itself. */
static void add_instruction(struct superblock *superblock, const IRStmt *mark) {
	enum { LONGEST = 15, ROTATION = 4 };
	struct ring_block *block = &superblock->block;
	Addr at = mark->Ist.IMark.addr;
	const Addr end = at + mark->Ist.IMark.len;
	const Bool request = mark->Ist.IMark.len > LONGEST;
	if (!block->instructions)
		block->address = at;
	block->bytes = (UShort)(block->bytes + mark->Ist.IMark.len);
	while (at < end) {
		const UInt length = request && end - at > ROTATION ? ROTATION : (UInt)(end - at);
		tl_assert(block->instructions < SUPERBLOCK_INSTRUCTIONS);
		superblock->lengths[block->instructions++] = (UChar)length;
		superblock->last = at;
		at += length;
	}
	superblock->mark = mark;
}

void superblock_read(const IRSB *code, Bool everything, struct superblock *superblock) {
	UInt from = 0;
	superblock->block = (struct ring_block){0};
	superblock->access_count = 0;
	superblock->constant = (struct constant){0};
	superblock->lost_load = superblock->reads_registers = superblock->reads_tsc = False;
	anchor_count = 0;
	symbolic_begin((UInt)code->tyenv->types_used);
	for (Int i = 0; i < code->stmts_used; i++) {
		const IRStmt *statement = code->stmts[i];
		if (statement->tag == Ist_IMark) {
			settle(superblock, from, everything);
			from = superblock->access_count;
			add_instruction(superblock, statement);
			continue;
		}
		if (superblock->block.instructions)
			add_accesses_of(code, statement, superblock);
		symbolic_step(code->tyenv, statement);
	}
	settle(superblock, from, everything);
	if (superblock->block.instructions)
		find_end(code, superblock);
}
