/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of recorded objects in one layout. */
#ifndef IFR_MODEL_PLACED_OBJECTS_H
#define IFR_MODEL_PLACED_OBJECTS_H

#include "model/layout/layout.h"

struct placed_objects;

/* deltas: of the trace's mappings. request->objects says where each lies; without it, where the recording had it.
 * object_mappings: by request, the address of the mapping of an object that has one. NULL if the trace has no objects. */
struct placed_objects *placed_objects_new(const struct ifr_trace *trace, const struct ifr_layout_request *request,
                                          const uint64_t *deltas, const uint64_t *object_mappings);
void placed_objects_free(struct placed_objects *objects);

/* Of a normalised in a mapping of objects. */
uint64_t placed_objects_address(const struct placed_objects *objects, uint64_t normalised);

bool placed_objects_equal(const struct placed_objects *a, const struct placed_objects *b);

#endif
