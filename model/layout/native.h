/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where Linux puts the regions of a program. */
#ifndef IFR_MODEL_NATIVE_H
#define IFR_MODEL_NATIVE_H

#include "model/layout/layout.h"

/* Stores for each region what is to be added to a place of it to get its address; count as ifr_trace_regions. */
void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas);

#endif
