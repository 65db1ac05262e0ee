/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic values of the temporaries of one superblock: a value is an unknown number (its origin) plus a constant. Two
 * addresses of one origin differ by a constant, so that one of them need not be recorded. */
#ifndef IFR_MODEL_VALGRIND_SYMBOLIC_H
#define IFR_MODEL_VALGRIND_SYMBOLIC_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

enum { SYMBOLIC_CONSTANT = 0 }; /* origin of constants */

struct symbolic {
	UInt origin;
	Long offset;
};

/* Forgets all values: a superblock with so many temporaries begins. */
void symbolic_begin(UInt temporaries);
/* Follows one statement of flat code. */
void symbolic_step(const IRTypeEnv *types, const IRStmt *statement);
/* Value of an atom (a temporary or a constant) of 64 bits. */
struct symbolic symbolic_value(const IRExpr *atom);

/* A constant as an address: of an origin of its own, since what lies at two constant addresses moves apart. */
struct symbolic symbolic_address(struct symbolic constant);

#endif
