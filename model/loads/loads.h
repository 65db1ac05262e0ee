/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of a trace by their misses: the face of this room.
 *
 *     sites.h       the instructions that load
 *     summary.h     references and misses of each of them, by level
 *     contexts.h    the same of chosen loads by control-flow, self and global context
 *     prefetches.h  the same with the software prefetches of the trace, and their use
 *     paths.h       the basic blocks of control-flow contexts
 *
 * Both profiles come from a replay of one layout (model/layout/count.h), and equal its counters. */
#ifndef IFR_MODEL_LOADS_H
#define IFR_MODEL_LOADS_H

#include "model/loads/contexts.h"
#include "model/loads/paths.h"
#include "model/loads/prefetches.h"
#include "model/loads/sites.h"
#include "model/loads/summary.h"

#endif
