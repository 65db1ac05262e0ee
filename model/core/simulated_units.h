/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of the simulated machine of Fields et al. 2004. Private to the decoder. */
#ifndef IFR_MODEL_SIMULATED_UNITS_H
#define IFR_MODEL_SIMULATED_UNITS_H

#include "model/core/memory_operations.h"

/* Gives an instruction's operations the units and latencies of that machine. */
void take_simulated_units(struct builder *builder);

#endif
