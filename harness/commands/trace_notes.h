/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits of a trace that is replayed, for the user. */
#ifndef IFR_HARNESS_TRACE_NOTES_H
#define IFR_HARNESS_TRACE_NOTES_H

#include "common/plan.h"
#include "model/model.h"

/* Refuses plans for the trace of a variant: a plan moves units from their shipped addresses. Errors: IFR_E_USAGE. */
int trace_notes_check_plans(const struct ifr_trace *trace, const struct ifr_plan *plans, size_t count,
                            struct ifr_error *err);
/* Says that the trace is damaged, and that only the part before is `done` ("counted"); that layouts are approximate. */
void trace_notes_say(const struct ifr_trace *trace, const char *path, const char *done);
/* Says that functions and lines have no names, where the program was built again since it was recorded. */
void trace_notes_say_names(const struct ifr_trace *trace);

#endif
