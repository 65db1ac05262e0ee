/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ext-TSP objective for functions: short jumps are cheap, by their distance and direction. Private to this room.
 *
 *     a call forward over d bytes     count * 0.1 * (1 - d / 1024), nothing beyond 1024 bytes
 *     a call backward over d bytes    count * 0.1 * (1 - d / 640), nothing beyond 640 bytes
 *
 * The objective is of blocks, where a jump over no byte falls through and counts ten times as much. A call is taken
 * wherever its function lies, so that it has no such bonus.
 *
 * Ref: Newell and Pupyrev 2020 (arXiv 2018), section 3 (the objective) and 4 (merges of chains, split in two or not). */
#ifndef IFR_HARNESS_EXT_TSP_H
#define IFR_HARNESS_EXT_TSP_H

#include "harness/optimize/function_order.h"

/* The objective's value for hot functions in that order, side by side. */
double ext_tsp_score(const struct hot_code *code, const size_t *units, size_t count);

/* Orders the most executed functions that move: chains are merged as long as that raises the objective, the merge that
 * raises it most first; then the densest chain first. */
void ext_tsp_order(const struct hot_code *code, struct function_order *order);

#endif
