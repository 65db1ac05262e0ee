/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of machines that do not execute x86 (Fields et al. 2004; the MIPS R10000). Private to the decoder. */
#ifndef IFR_MODEL_SIMULATED_UNITS_H
#define IFR_MODEL_SIMULATED_UNITS_H

#include "model/core/memory_operations.h"

/* Gives an instruction's operations the units and latencies of the core's machine. */
void take_simulated_units(struct builder *builder);

#endif
