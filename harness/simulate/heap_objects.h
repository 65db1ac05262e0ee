/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes heap and blocks in layouts of a recording: where the runtime puts the objects that it holds. */
#ifndef IFR_HARNESS_MODEL_OBJECTS_H
#define IFR_HARNESS_MODEL_OBJECTS_H

#include "common/plan.h"
#include "harness/exec/exec.h"
#include "model/model.h"

/* Those axes, as a mask of 1u << enum ifr_axis, and whether a plan has one of them. */
unsigned ifr_object_axes(void);
bool ifr_plan_places_objects(const struct ifr_plan *plan);

/* Makes the process context that a recording under a plan has (NULL: the shipped layout), with so many bytes more
 * of environment. Its runtime settings place the heap's objects. The caller releases it. */
void ifr_recording_context(struct ifr_context *context, const struct ifr_strings *more_environment,
                           const struct ifr_plan *plan, uint64_t more_stack_bytes);

/* Says that a recording of several threads cannot be laid out so. */
int ifr_objects_refuse_threads(struct ifr_error *err);

/* Finds where the allocator puts each object of the trace under the context's runtime settings, by request; the
 * caller frees. A program of our own answers the requests natively. Errors: IFR_E_USAGE if the trace has no objects,
 * or several threads asked for them; IFR_E_ENVIRONMENT if the allocator could not answer. */
int ifr_objects_place(const struct ifr_trace *trace, const struct ifr_context *context,
                      struct ifr_object_place **places, struct ifr_error *err);

#endif
