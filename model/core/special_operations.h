/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions with rules of their own, which the table does not decide. Private to the decoder. */
#ifndef IFR_MODEL_SPECIAL_OPERATIONS_H
#define IFR_MODEL_SPECIAL_OPERATIONS_H

#include "model/core/memory_operations.h"

bool is_string(const ZydisDecodedInstruction *insn);
void add_branch(struct builder *builder);
void add_lea(struct builder *builder);
void add_string(struct builder *builder);
void add_leave(struct builder *builder);
void add_prefetch(struct builder *builder);
/* Adds the operation of an idiom that needs no port. Returns false for all others; an idiom that waits for nothing and
 * needs a port has lost its sources then. */
bool add_idiom(struct builder *builder);
/* Adds registers that the instruction waits for in vain. */
void add_false_dependences(struct builder *builder);

#endif
