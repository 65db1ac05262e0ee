/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Value numbering of a superblock's 64-bit temporaries and registers: sums and shifts of equal values get equal numbers,
 * sums with constants keep their origin.
 *
 * Invariant: temporaries of one origin differ at run time by the difference of their offsets. It holds because an
 * origin is made once for each temporary, register or operation on equal operands, because temporaries are assigned
 * once, because a register's value is forgotten at each write of it that is not followed here, and because offsets wrap
 * as 64-bit additions do. */
#include "model/recorder/valgrind/symbolic.h"

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { REGISTER_BYTES = 1024, OPERATIONS = 128, LOWEST_ADDRESS = 1 << 16 /* vm.mmap_min_addr */ };

/* A known operation on two origins, or on an origin and a constant. */
struct operation {
	IROp op;
	UInt left, right;
	Long constant;
	UInt origin;
};

static struct symbolic *values; /* by temporary; origin NONE: not computed */
static UInt room, origins;
static struct symbolic registers[REGISTER_BYTES]; /* by offset in the guest state; origin NONE: not known */
static struct operation operations[OPERATIONS];
static UInt operation_count;
static const UInt none = ~0U;

static void forget_registers(void) {
	VG_(memset)(registers, 0xff, sizeof registers);
}

void symbolic_begin(UInt temporaries) {
	if (temporaries > room) {
		room = 2 * temporaries;
		values = VG_(realloc)("symbolic values", values, room * sizeof *values);
	}
	VG_(memset)(values, 0xff, temporaries * sizeof *values);
	forget_registers();
	operation_count = 0;
	origins = SYMBOLIC_CONSTANT + 1;
}

static struct symbolic fresh(void) {
	return (struct symbolic){origins++, 0};
}

struct symbolic symbolic_value(const IRExpr *atom) {
	if (atom->tag == Iex_Const)
		return (struct symbolic){SYMBOLIC_CONSTANT, (Long)atom->Iex.Const.con->Ico.U64};
	struct symbolic *value = &values[atom->Iex.RdTmp.tmp];
	if (value->origin == none)
		*value = fresh();
	return *value;
}

static struct symbolic find_operation(IROp op, UInt left, UInt right, Long constant) {
	for (UInt i = 0; i < operation_count; i++) {
		const struct operation *known = &operations[i];
		if (known->op == op && known->left == left && known->right == right && known->constant == constant)
			return (struct symbolic){known->origin, 0};
	}
	const struct symbolic value = fresh();
	if (operation_count < OPERATIONS)
		operations[operation_count++] = (struct operation){op, left, right, constant, value.origin};
	return value;
}

struct symbolic symbolic_address(struct symbolic constant) {
	return find_operation(Iop_INVALID, 0, 0, constant.offset);
}

/* A constant that may be an address of code or data is no distance: what it names moves from layout to layout. */
static struct symbolic distinguish_address(struct symbolic value) {
	const Bool distance = value.offset > -LOWEST_ADDRESS && value.offset < LOWEST_ADDRESS;
	return value.origin != SYMBOLIC_CONSTANT || distance ? value : symbolic_address(value);
}

static struct symbolic add(struct symbolic a, struct symbolic b) {
	if (a.origin == SYMBOLIC_CONSTANT && b.origin == SYMBOLIC_CONSTANT)
		return (struct symbolic){SYMBOLIC_CONSTANT, (Long)((ULong)a.offset + (ULong)b.offset)};
	a = distinguish_address(a);
	b = distinguish_address(b);
	const Long offset = (Long)((ULong)a.offset + (ULong)b.offset);
	if (a.origin == SYMBOLIC_CONSTANT || b.origin == SYMBOLIC_CONSTANT)
		return (struct symbolic){a.origin + b.origin, offset};
	const Bool ordered = a.origin < b.origin;
	struct symbolic sum =
		find_operation(Iop_Add64, ordered ? a.origin : b.origin, ordered ? b.origin : a.origin, 0);
	sum.offset = offset;
	return sum;
}

static struct symbolic subtract(struct symbolic a, struct symbolic b) {
	if (a.origin != SYMBOLIC_CONSTANT)
		b = distinguish_address(b);
	if (b.origin == SYMBOLIC_CONSTANT)
		return (struct symbolic){a.origin, (Long)((ULong)a.offset - (ULong)b.offset)};
	return fresh();
}

static struct symbolic shift(struct symbolic a, UInt bits) {
	const Long offset = (Long)((ULong)a.offset << bits);
	if (a.origin == SYMBOLIC_CONSTANT)
		return (struct symbolic){SYMBOLIC_CONSTANT, offset};
	struct symbolic shifted = find_operation(Iop_Shl64, a.origin, 0, (Long)bits);
	shifted.offset = offset;
	return shifted;
}

static struct symbolic read_register(UInt at) {
	if (at >= REGISTER_BYTES)
		return fresh();
	if (registers[at].origin == none)
		registers[at] = fresh();
	return registers[at];
}

static void write_register(UInt at, UInt bytes, const struct symbolic *value) {
	const UInt first = at < 7 ? 0 : at - 7;
	for (UInt i = first; i < at + bytes && i < REGISTER_BYTES; i++)
		registers[i].origin = none;
	if (value && at < REGISTER_BYTES)
		registers[at] = *value;
}

static struct symbolic evaluate(const IRExpr *data) {
	switch (data->tag) {
	case Iex_RdTmp:
	case Iex_Const:
		return symbolic_value(data);
	case Iex_Get:
		return read_register((UInt)data->Iex.Get.offset);
	case Iex_Binop:
		if (data->Iex.Binop.op == Iop_Add64)
			return add(symbolic_value(data->Iex.Binop.arg1), symbolic_value(data->Iex.Binop.arg2));
		if (data->Iex.Binop.op == Iop_Sub64)
			return subtract(symbolic_value(data->Iex.Binop.arg1), symbolic_value(data->Iex.Binop.arg2));
		if (data->Iex.Binop.op == Iop_Shl64 && data->Iex.Binop.arg2->tag == Iex_Const)
			return shift(symbolic_value(data->Iex.Binop.arg1), data->Iex.Binop.arg2->Iex.Const.con->Ico.U8);
		return fresh();
	default:
		return fresh();
	}
}

void symbolic_step(const IRTypeEnv *types, const IRStmt *statement) {
	switch (statement->tag) {
	case Ist_WrTmp:
		if (typeOfIRTemp(types, statement->Ist.WrTmp.tmp) == Ity_I64)
			values[statement->Ist.WrTmp.tmp] = evaluate(statement->Ist.WrTmp.data);
		break;
	case Ist_Put: {
		const IRType type = typeOfIRExpr(types, statement->Ist.Put.data);
		struct symbolic value;
		if (type == Ity_I64)
			value = symbolic_value(statement->Ist.Put.data);
		write_register((UInt)statement->Ist.Put.offset, (UInt)sizeofIRType(type), type == Ity_I64 ? &value : NULL);
		break;
	}
	case Ist_PutI:
	case Ist_Dirty:
		forget_registers();
		break;
	default:
		break;
	}
}
