/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The native layout: the addresses that Linux gives the mappings of a program. */
#ifndef IFR_MODEL_NATIVE_H
#define IFR_MODEL_NATIVE_H

#include "model/layout/layout.h"

/* Delta of a mapping of objects, in which each object has an address of its own. */
#define NATIVE_PER_OBJECT UINT64_MAX

/* Computes by mapping its address less its normalised address; deltas has ifr_trace_mappings elements. Computes by
 * request the address of the object's own mapping, if request->objects gives it one; object_mappings has
 * ifr_trace_requests elements. */
void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas,
                   uint64_t *object_mappings);

/* Returns the start of the heap. */
/* The mapping that layouts lay out anew: the program, or the library that the trace names (IFR_TRACE_LAID_OUT); 0 if
 * there is none. */
size_t native_laid_out(const struct ifr_trace *trace);
uint64_t native_heap_start(const struct ifr_trace *trace, const struct ifr_layout_request *request);

#endif
