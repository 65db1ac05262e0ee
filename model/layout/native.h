/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where Linux puts the mappings of a program. */
#ifndef IFR_MODEL_NATIVE_H
#define IFR_MODEL_NATIVE_H

#include "model/layout/layout.h"

/* The delta of mappings of objects, each of which has an address of its own. */
#define NATIVE_PER_OBJECT UINT64_MAX

/* Stores for each mapping what is to be added to a normalised of it to get its address; count as ifr_trace_mappings.
 * Stores by request the address of its mapping, where request->objects gives it one; count as ifr_trace_requests.
 */
void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas,
                   uint64_t *object_mappings);

/* Where what brk gives begins. */
uint64_t native_heap_start(const struct ifr_trace *trace, const struct ifr_layout_request *request);

#endif
