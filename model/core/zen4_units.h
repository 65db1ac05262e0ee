/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latencies of Zen 4 that LLVM's scheduling model does not have. Private to the decoder. */
#ifndef IFR_MODEL_ZEN4_UNITS_H
#define IFR_MODEL_ZEN4_UNITS_H

#include "model/core/memory_operations.h"

/* Changes an instruction's operations from those of LLVM's Zen 4. */
void take_zen4_units(struct builder *builder);

#endif
