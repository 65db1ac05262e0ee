/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process context of recordings: that of measured runs, without what only measuring adds. */
#ifndef IFR_HARNESS_RECORDING_CONTEXT_H
#define IFR_HARNESS_RECORDING_CONTEXT_H

#include "common/plan.h"
#include "harness/exec/exec.h"

/* Makes the process context of a recording under a plan (NULL: the shipped layout), with more_stack_bytes of
 * additional environment. Its runtime settings place the heap objects. The caller releases it. */
void ifr_recording_context(struct ifr_context *context, const struct ifr_strings *more_environment,
                           const struct ifr_plan *plan, uint64_t more_stack_bytes);

#endif
