/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports and scheduler of sixteen lanes, as model/core/ports.h has them of one. Operations that wait are counted in bytes,
 * four ports a lane and vector: no machine's scheduler has room for 256. */
#ifndef INTERFERO_MODEL_GRAPH_PORTS_H
#define INTERFERO_MODEL_GRAPH_PORTS_H

#include "model/replay/vector/graph_lanes.h"

/* Calendars begin small, so that those of all lanes stay in the second cache, and grow up to CALENDAR. */
static inline vec calendar_index(const struct lanes_graph *graph, vec cycle) {
	return vec_add(vec_left(vec_lanes(), graph->calendar_bits), vec_and(cycle, vec_set(graph->calendar_mask)));
}

/* Of the ports 4 * number to 4 * number + 3 of a day: all ones in the byte of each that an operation leaves for. */
static inline vec spread_day(vec day, unsigned number) {
	const vec nibble = vec_and(vec_right(day, 4 * number), vec_set(15));
	const vec bits = vec_set(0x08040201);
	return vec_equal_bytes(vec_and(vec_multiply(nibble, vec_set(0x01010101)), bits), bits);
}

/* The sum of a lane's four bytes, each 0 or all ones, as a number from 0 to 4. */
static inline vec count_bytes(vec spread) {
	const vec ones = vec_and(spread, vec_set(0x01010101));
	return vec_right(vec_multiply(ones, vec_set(0x01010101)), 24);
}

static inline void lanes_forget_day(struct lanes_graph *graph, vec_mask behind) {
	const vec cursor = words_get(&graph->cursor), index = calendar_index(graph, cursor);
	const vec day = vec_gather(behind, graph->calendar, index, vec_set(0));
	const vec_mask full = mask_not_zero(day, behind);
	words_put(&graph->cursor, behind, vec_add(cursor, vec_set(1)));
	if (!mask_bits(full))
		return;
	vec left = vec_set(0);
	for (unsigned i = 0; i < graph->port_vectors; i++) {
		const vec spread = spread_day(day, i);
		words_set(&graph->waiting[i], vec_add_bytes(words_get(&graph->waiting[i]), spread));
		left = vec_add(left, count_bytes(spread));
	}
	words_set(&graph->in_scheduler, vec_sub(words_get(&graph->in_scheduler), left));
	vec_scatter(graph->calendar, full, index, vec_set(0));
}

/* Moves the cursors to a cycle. */
static inline void lanes_advance(struct lanes_graph *graph, vec_mask on, vec cycle) {
	for (;;) {
		const vec_mask behind = mask_and(on, vec_greater(cycle, words_get(&graph->cursor)));
		if (!mask_bits(behind))
			return;
		lanes_forget_day(graph, behind);
	}
}

/* The port of the mask that the fewest operations wait for, the highest of them. */
static inline vec lanes_choose(const struct lanes_graph *graph, uint16_t mask) {
	vec counts[PORT_VECTORS], least = vec_set(UINT32_MAX), best = vec_set(0);
	if (!(mask & (mask - 1)))
		return vec_set((uint32_t)__builtin_ctz(mask));
	for (unsigned i = 0; i < graph->port_vectors; i++) {
		const uint32_t bits = mask >> 4 * i & 15;
		const uint32_t allowed = (bits & 1) * 0xffu | (bits >> 1 & 1) * 0xff00u | (bits >> 2 & 1) * 0xff0000u |
		                         (bits >> 3) * 0xff000000u;
		counts[i] = vec_or(words_get(&graph->waiting[i]), vec_set(~allowed));
		least = vec_min_bytes(least, counts[i]);
	}
	least = vec_min_bytes(least, vec_or(vec_left(least, 16), vec_right(least, 16)));
	least = vec_min_bytes(least, vec_or(vec_left(least, 8), vec_right(least, 24)));
	for (unsigned i = 0; i < graph->port_vectors; i++)
		best =
			vec_max_bytes(best, vec_and(vec_equal_bytes(counts[i], least), vec_set(0x03020100 + i * 0x04040404)));
	best = vec_max_bytes(best, vec_right(best, 16));
	best = vec_max_bytes(best, vec_right(best, 8));
	return vec_and(best, vec_set(15));
}

static inline void lanes_hold(struct lanes_graph *graph, vec_mask on, vec port, vec cycle) {
	const vec index = calendar_index(graph, cycle), held = vec_left_each(vec_set(1u << PORTS), port);
	if (mask_bits(on))
		vec_scatter(graph->calendar, on, index, vec_or(held, vec_gather(on, graph->calendar, index, held)));
}

static inline void count_waiting(struct lanes_graph *graph, vec_mask fresh, vec port, uint16_t mask) {
	const vec one = vec_left_each(vec_set(1), vec_left(vec_and(port, vec_set(3)), 3)), number = vec_right(port, 2);
	for (unsigned i = 0; i < graph->port_vectors; i++)
		if (mask >> 4 * i & 15)
			words_add(&graph->waiting[i], mask_and(fresh, vec_equal(number, vec_set(i))), one);
	words_add(&graph->in_scheduler, fresh, vec_set(1));
}

/* Finds the first day from `ready` on in which none of the lane's ports `taken` is. */
static inline vec find_day(struct lanes_graph *graph, vec_mask on, vec taken, vec *ready) {
	for (;;) {
		const vec last = vec_add(words_get(&graph->cursor), vec_set(graph->calendar_mask + 1 - 256));
		vec cycle = vec_min(*ready, last);
		vec day = vec_gather(on, graph->calendar, calendar_index(graph, cycle), vec_set(0));
		vec_mask busy = mask_and(mask_not_zero(vec_and(day, taken), on), vec_greater(last, cycle));
		while (mask_bits(busy)) {
			cycle = vec_add(cycle, vec_ones(busy));
			day = vec_gather(busy, graph->calendar, calendar_index(graph, cycle), day);
			busy = mask_and(mask_not_zero(vec_and(day, taken), busy), vec_greater(last, cycle));
		}
		if (graph->calendar_bits == CALENDAR_BITS || !mask_bits(mask_without(on, vec_greater(last, cycle)))) {
			*ready = cycle;
			return day;
		}
		IFR_VECTOR(graph_grow)(graph);
	}
}

/* Books the first cycle from `ready` on. Returns it. */
static inline vec lanes_book(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec port,
                             vec ready) {
	const vec own = vec_left_each(vec_set(1), port), taken = vec_or(own, vec_left(own, PORTS));
	if (op->unit)
		ready = vec_max(ready, words_get(&graph->unit_free[op->unit]));
	vec day = find_day(graph, on, taken, &ready);
	count_waiting(graph, mask_and(on, vec_equal(vec_and(day, own), vec_set(0))), port, op->ports);
	vec_scatter(graph->calendar, on, calendar_index(graph, ready), vec_or(day, own));
	if (op->unit)
		words_put(&graph->unit_free[op->unit], on, vec_add(ready, vec_set(op->occupancy)));
	for (unsigned i = 1; !op->unit && i < op->occupancy; i++)
		lanes_hold(graph, on, port, vec_add(ready, vec_set(i)));
	return ready;
}

#endif
