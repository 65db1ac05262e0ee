/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live heap objects of the recorded allocator, by address. */
#ifndef IFR_MODEL_OBJECTS_H
#define IFR_MODEL_OBJECTS_H

#include "model/record/address_space.h"

struct objects;

struct objects *objects_new(struct ifr_trace_writer *writer);
void objects_free(struct objects *objects);

/* Applies an answered request and adds it to the trace. numbers: operands of IFR_RECORDER_LEAVE. recorded_at:
 * normalised address of the object in the recording. Requests without effect and invalid releases are not added.
 */
void objects_apply_request(struct objects *objects, uint16_t thread, const uint64_t *numbers,
                           uint64_t recorded_at);

/* Returns the extent of the object that holds an address; NULL if none does. The extent outlives the object,
 * without bytes or as another object's. */
const struct extent *objects_find(const struct objects *objects, uint64_t address);

#endif
