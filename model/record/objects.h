/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects of an allocator that are alive, by their addresses. */
#ifndef IFR_MODEL_OBJECTS_H
#define IFR_MODEL_OBJECTS_H

#include "model/record/address_space.h"

struct objects;

struct objects *objects_new(struct ifr_trace_writer *writer);
void objects_free(struct objects *objects);

/* A request was answered: what became of it goes into the trace. numbers as IFR_MARK_LEAVE has them; had: the
 * place of the address. Requests that change nothing, and releases of what was never taken, leave no trace. */
void objects_apply_request(struct objects *objects, uint16_t thread, const uint64_t *numbers,
                           uint64_t recorded_at);

/* The object that holds an address, NULL if none does. Its extent stays, as another's, when the object is gone. */
const struct extent *objects_find(const struct objects *objects, uint64_t address);

#endif
