/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model: counters without hardware.
 *
 *   record/   records one execution of a program, as a trace without addresses (trace/)
 *   layout/   gives every normalised address of the trace an address
 *   replay/   counts the events of that execution, under all layouts at once,
 *             with the structures of a described machine (machines/)
 *   loads/    counts the misses of each load, and in which context it misses
 *   shotgun/  computes costs of causes from samples of a run
 *   core/     knows a block's instructions as a described core executes them, and computes cycles by their dependences
 *
 * Replaying a recording of the shipped program under layout L gives exactly the counters that a recording of the
 * variant with layout L gives. This fails where the program's behaviour depends on addresses; "interfero record
 * --check" finds that out. */
#ifndef IFR_MODEL_MODEL_H
#define IFR_MODEL_MODEL_H

#include "model/core/causes.h"
#include "model/core/operation.h"
#include "model/core/parameters.h"
#include "model/core/program.h"
#include "model/core/sites.h"
#include "model/layout/aliases.h"
#include "model/layout/changes.h"
#include "model/layout/conflicts.h"
#include "model/layout/count.h"
#include "model/layout/layout.h"
#include "model/layout/loops.h"
#include "model/loads/loads.h"
#include "model/machines/machine.h"
#include "model/record/record.h"
#include "model/replay/idealised.h"
#include "model/replay/replay.h"
#include "model/shotgun/shotgun.h"
#include "model/trace/code.h"
#include "model/trace/trace.h"
#include "model/trace/writer.h"

#endif
