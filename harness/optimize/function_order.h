/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of hot functions that follow from a recording's counts alone.
 *
 *     hottest         the most executed function first
 *     split           hot functions in the order that ships, parted from cold ones (as GCC's .text.hot)
 *     clustered       call-chain clusters (C3): in the order of their executed instructions, functions with their cluster
 *                     are appended to that of their most frequent caller, up to 2 MiB; then the densest cluster first
 *     cache-directed  clusters joined, in either order, where that shortens the most frequent calls and packs hot code
 *                     most densely; then the densest first
 *     ext-TSP         chains of functions by the distance of calls (ext_tsp.h)
 *     drawn           clusters as of C3, in an order that a number draws
 *
 * Ref: Ottoni and Maher 2017, section 3 (C3). Newell and Pupyrev 2020 (the greedy joining of chains by a score, which
 * LLVM's cache-directed sort of 2023 took over to functions). */
#ifndef IFR_HARNESS_FUNCTION_ORDER_H
#define IFR_HARNESS_FUNCTION_ORDER_H

#include "harness/optimize/hot_code.h"

enum function_rule {
	FUNCTIONS_CLUSTERED,
	FUNCTIONS_CACHE_DIRECTED,
	FUNCTIONS_EXT_TSP,
	FUNCTIONS_HOTTEST,
	FUNCTIONS_SPLIT,
	FUNCTIONS_DRAWN
};
enum { ORDERED_FUNCTIONS_MOST = 64 };

struct function_order {
	size_t unit[ORDERED_FUNCTIONS_MOST]; /* of the hot code */
	size_t count;
};

/* Orders the most executed functions that move, so many at most. seed: of drawn orders. */
void function_order_make(const struct hot_code *code, enum function_rule rule, uint64_t seed,
                         struct function_order *order);

#endif
