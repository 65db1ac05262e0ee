/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: counters where there is no hardware for them. A program is recorded once (record), in a form without
 * addresses (trace); a layout gives every place an address (layout); the structures of a described machine
 * (machine) see the execution under all layouts at once (replay), and count.
 *
 * What makes it trustworthy: replaying a recording of the shipped program under layout L gives exactly the
 * counters that a recording of the variant with layout L gives. Where the program itself looks at addresses, it
 * does not, and "interfero record --check" says so. */
#ifndef IFR_MODEL_MODEL_H
#define IFR_MODEL_MODEL_H

#include "model/layout/count.h"
#include "model/layout/layout.h"
#include "model/machines/machine.h"
#include "model/record/record.h"
#include "model/replay/replay.h"
#include "model/trace/trace.h"

#endif
