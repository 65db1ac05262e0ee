/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruments superblocks so that they write their executions into the ring. */
#ifndef IFR_MODEL_VALGRIND_INSTRUMENT_H
#define IFR_MODEL_VALGRIND_INSTRUMENT_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

/* Records all accesses and derives none, for tests. */
void instrument_everything(void);

/* Returns a superblock's code with the code that records it. address: of the superblock. */
IRSB *instrument_superblock(IRSB *code, Addr address);

/* Prepares for handlers of faults, which see and change the program's registers: from now on, registers are as the
 * program has them at every access. */
void instrument_for_fault_handlers(void);

/* Adds the accesses of a block that an instruction's fault stopped to the executions. address: of that instruction. */
void instrument_complete_fault(Addr address);

#endif
