/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes heap and blocks in layouts of a recording: where the runtime puts the objects that it holds. */
#ifndef IFR_HARNESS_MODEL_OBJECTS_H
#define IFR_HARNESS_MODEL_OBJECTS_H

#include "common/plan.h"
#include "model/model.h"

/* Those axes, as a mask of 1u << enum ifr_axis, and whether a plan has one of them. */
unsigned ifr_object_axes(void);
bool ifr_plan_places_objects(const struct ifr_plan *plan);

/* The runtime's settings for a plan, NULL for none: as many bytes for all plans. The caller frees. */
char *ifr_object_settings(const struct ifr_plan *plan);

/* Says that a recording of several threads cannot be laid out so. */
int ifr_objects_refuse_threads(struct ifr_error *err);

/* Where the allocator puts each object of the trace under the settings, by request; the caller frees. A program of
 * our own answers the requests natively. Errors: IFR_E_USAGE if the trace has no objects, or several threads asked
 * for them; IFR_E_ENVIRONMENT if the allocator could not answer. */
int ifr_objects_place(const struct ifr_trace *trace, const char *settings, struct ifr_object_place **places,
                      struct ifr_error *err);

#endif
