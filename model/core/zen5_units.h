/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units and latencies of Zen 5, which LLVM's scheduling models do not have. Private to the decoder. */
#ifndef IFR_MODEL_ZEN5_UNITS_H
#define IFR_MODEL_ZEN5_UNITS_H

#include "model/core/memory_operations.h"

/* Changes an instruction's operations from those of Zen 4 to Zen 5's. */
void take_zen5_units(struct builder *builder);

#endif
