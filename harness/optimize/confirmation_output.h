/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A confirmation as text and as JSON, whichever layout it is of. Private to this room. */
#ifndef IFR_HARNESS_OPTIMIZE_CONFIRMATION_OUTPUT_H
#define IFR_HARNESS_OPTIMIZE_CONFIRMATION_OUTPUT_H

#include "harness/optimize/optimize.h"
#include "harness/output/output.h"

/* Appends the worst case, if its interval is known. */
void optimum_put_worst(const struct ifr_optimum *optimum, struct ifr_buffer *out);
/* Appends each workload of several, and held-out arguments. */
void optimum_put_runs(const struct ifr_optimum *optimum, struct ifr_buffer *out);
/* Sets ratio, interval, p, worst_case, workloads and held_out. */
void optimum_set_confirmation(const struct ifr_optimum *optimum, json_t *document);

#endif
