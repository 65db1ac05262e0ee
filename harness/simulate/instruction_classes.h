/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executed instructions by class. Two programs that execute as many instructions of each class differ in where their
 * code and data lie, not in what they compute. */
#ifndef IFR_HARNESS_INSTRUCTION_CLASSES_H
#define IFR_HARNESS_INSTRUCTION_CLASSES_H

#include "common/buffer.h"
#include "model/model.h"

/* Reads a trace and appends the executed instructions of each class, in the order of the classes' names, as in
 * "BINARY 45; DATAXFER 123". The classes are Zydis's categories; instructions that are in no file, or not as they ran,
 * are of the class "unknown". Errors: IFR_E_ENVIRONMENT if interrupted. */
int ifr_instruction_classes_count(struct ifr_trace *trace, struct ifr_buffer *text, struct ifr_error *err);

#endif
