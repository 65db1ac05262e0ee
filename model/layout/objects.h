/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of recorded heap objects in one layout. */
#ifndef IFR_MODEL_PLACED_OBJECTS_H
#define IFR_MODEL_PLACED_OBJECTS_H

#include "model/layout/layout.h"

struct placed_objects;

/* Builds the table of objects. deltas: of the mappings. object_mappings: by request, address of the object's own
 * mapping. Positions are those of request->objects; without it those of the recording. Returns NULL if the trace
 * has no objects. */
struct placed_objects *placed_objects_new(const struct ifr_trace *trace, const struct ifr_layout_request *request,
                                          const uint64_t *deltas, const uint64_t *object_mappings);
void placed_objects_free(struct placed_objects *objects);

/* Translates a normalised address in a mapping of objects. */
uint64_t placed_objects_address(const struct placed_objects *objects, uint64_t normalised);

bool placed_objects_equal(const struct placed_objects *a, const struct placed_objects *b);

#endif
