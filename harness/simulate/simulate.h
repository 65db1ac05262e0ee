/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns plans into modelled events.
 *
 *     recording.h        record a program in the process context of measured runs
 *     address_check.h    check whether its behaviour depends on addresses
 *     plan_layouts.h     plan -> address map of a trace; heap_objects.h places its heap objects
 *     plan_replay.h      replay a trace under plans
 *     idealised_replay.h   replay a trace with causes idealised
 *     alias_pairs.h      the loads and stores that alias in a layout, by name
 *     change_names.h     the accesses and blocks by which two layouts differ, by name
 *     branch_copies.h    loops in parts and copied joins, and what they save
 *     code_lines.h       the instructions of a recording by function and source line
 *     conflict_names.h   the lines and branches that meet in a set of a cache or BTB, by name
 *     loop_names.h       the loops that a core gets from other sources in another layout, by name
 *     load_misses.h      the loads that miss in a layout, and in which context, by name
 *     load_paths.h       contexts of loads in words
 *     load_positions.h   loads by their places in the source, and by their callers
 *     site.h             the kind of memory that a name is of
 *     executed_code.h    the blocks of a recording, and how often each was executed
 *     instruction_classes.h  executed instructions by class
 *     model_executor.h   the executor of campaigns that replays instead of running
 */
#ifndef IFR_HARNESS_SIMULATE_H
#define IFR_HARNESS_SIMULATE_H

#include "harness/simulate/address_check.h"
#include "harness/simulate/alias_pairs.h"
#include "harness/simulate/branch_copies.h"
#include "harness/simulate/change_names.h"
#include "harness/simulate/code_lines.h"
#include "harness/simulate/conflict_names.h"
#include "harness/simulate/executed_code.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/idealised_replay.h"
#include "harness/simulate/instruction_classes.h"
#include "harness/simulate/load_misses.h"
#include "harness/simulate/load_paths.h"
#include "harness/simulate/load_positions.h"
#include "harness/simulate/loop_names.h"
#include "harness/simulate/model_executor.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/plan_replay.h"
#include "harness/simulate/recording.h"

#endif
