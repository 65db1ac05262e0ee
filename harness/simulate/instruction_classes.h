/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executed instructions by class. Two programs that execute as many instructions of each class differ in where their
 * code and data lie, not in what they compute. */
#ifndef IFR_HARNESS_INSTRUCTION_CLASSES_H
#define IFR_HARNESS_INSTRUCTION_CLASSES_H

#include "common/buffer.h"
#include "harness/simulate/executed_code.h"

/* Appends the executed instructions of each class of a trace, in the order of the classes' names, as in
 * "BINARY 45; DATAXFER 123". The classes are Zydis's categories; bytes that are not as many instructions as the block has
 * are of the class "unknown". */
void ifr_instruction_classes_count(const struct ifr_trace *trace, const struct ifr_executed_code *code,
                                   struct ifr_buffer *text);

#endif
