/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes heap and blocks in layouts of a recording: the addresses that the runtime's allocator gives to the
 * recorded heap objects. */
#ifndef IFR_HARNESS_HEAP_OBJECTS_H
#define IFR_HARNESS_HEAP_OBJECTS_H

#include "common/plan.h"
#include "harness/exec/exec.h"
#include "model/model.h"

/* The axes that place heap objects, as a mask of 1u << enum ifr_axis, and whether a plan has one of them. */
unsigned ifr_object_axes(void);
bool ifr_plan_places_objects(const struct ifr_plan *plan);

/* Fails with IFR_E_USAGE: heap objects of several threads cannot be placed. */
int ifr_objects_refuse_threads(struct ifr_error *err);

/* Whether the heap objects of a trace can be placed. Errors: IFR_E_USAGE if they were not recorded, or several threads
 * requested them. */
int ifr_objects_check(const struct ifr_trace *trace, struct ifr_error *err);

/* Finds the position of each heap object of the trace under the context's runtime settings: one element for each
 * request of the trace, NULL where there was none; the caller frees. The player (libexec/interfero/player) runs the
 * requests through the runtime's allocator. Errors: those of ifr_objects_check; IFR_E_ENVIRONMENT if the player
 * fails. */
int ifr_objects_place(const struct ifr_trace *trace, const struct ifr_context *context,
                      struct ifr_object_place **places, struct ifr_error *err);

#endif
