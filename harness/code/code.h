/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code at an address: its instructions (instructions.h), its function and source line (source_lines.h). */
#ifndef IFR_HARNESS_CODE_H
#define IFR_HARNESS_CODE_H

#include "harness/code/instructions.h"
#include "harness/code/source_lines.h"

#endif
