/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of perf in a piece of code that the calling thread runs. */
#ifndef IFR_HARNESS_OWN_EVENTS_H
#define IFR_HARNESS_OWN_EVENTS_H

#include "common/error.h"

struct ifr_own_events;

/* Opens perf's events of a sum, names with "+" between them, as one pinned group of the calling thread; they count in
 * user mode between start and stop. The caller closes. Errors: those of ifr_counters_open for a named event. */
int ifr_own_events_open(const char *sum, struct ifr_own_events **events, struct ifr_error *err);
void ifr_own_events_close(struct ifr_own_events *events);
void ifr_own_events_start(struct ifr_own_events *events);
/* Stores the sum of what was counted since the start. Errors: IFR_E_ENVIRONMENT if it is not exact. */
int ifr_own_events_stop(struct ifr_own_events *events, double *count, struct ifr_error *err);

#endif
