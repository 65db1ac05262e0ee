/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The execution of programs: one run (launch.h) in a process context (context.h) with one of several allocators
 * (allocators.h) and a working directory of a chosen length (directory.h), one in the foreground
 * (foreground.h), jobs of a campaign (executor.h), programs that load variants of a library (library.h), and this
 * machine's name (host.h). */
#ifndef IFR_HARNESS_EXEC_H
#define IFR_HARNESS_EXEC_H

#include "harness/exec/allocators.h"
#include "harness/exec/context.h"
#include "harness/exec/directory.h"
#include "harness/exec/executor.h"
#include "harness/exec/foreground.h"
#include "harness/exec/host.h"
#include "harness/exec/launch.h"
#include "harness/exec/library.h"
#include "harness/exec/patience.h"
#include "harness/exec/process_tree.h"
#include "harness/exec/stand_in.h"

#endif
