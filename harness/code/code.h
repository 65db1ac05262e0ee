/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads machine code: functions of object files as instructions (instructions.h); function and source line of an
 * address (source_lines.h), and its place for a compiler (positions.h); the variable that an instruction accesses
 * (variables.h). */
#ifndef IFR_HARNESS_CODE_H
#define IFR_HARNESS_CODE_H

#include "harness/code/instructions.h"
#include "harness/code/positions.h"
#include "harness/code/source_lines.h"
#include "harness/code/variables.h"

#endif
