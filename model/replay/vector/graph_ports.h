/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports and scheduler of sixteen lanes, as model/core/ports.h has them of one. Operations that wait are counted in
 * bytes, four ports a lane and vector: no machine's scheduler has room for 256. */
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

/* Books days lane by lane. A gather that reads what a scatter has just written waits until the scatter's stores have
 * left the host's queue, while a load forwards from a store: scalar code is as fast here, and shorter. fresh: 1 in
 * lanes in which no operation left for the port on that day. Returns whether calendars are too short; then nothing is
 * booked. */
static inline bool book_days(struct lanes_graph *graph, unsigned on, const struct lane_words *ports,
                             struct lane_words *cycles, struct lane_words *fresh) {
	const uint32_t mask = graph->calendar_mask, bits = graph->calendar_bits;
	unsigned most = 0;
	uint32_t *days[LANES];
	for (unsigned left = on; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		uint32_t *calendar = graph->calendar + ((size_t)lane << bits);
		const uint32_t taken = 0x10001u << ports->at[lane];
		const int32_t last = (int32_t)(graph->cursor.at[lane] + mask + 1 - 256);
		int32_t cycle = (int32_t)cycles->at[lane];
		while (cycle < last && calendar[(uint32_t)cycle & mask] & taken)
			cycle++;
		most |= (unsigned)(cycle >= last);
		cycles->at[lane] = (uint32_t)(cycle < last ? cycle : last);
		days[lane] = &calendar[cycles->at[lane] & mask];
	}
	if (most && bits < CALENDAR_BITS)
		return true;
	for (unsigned left = on; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		fresh->at[lane] = ~(*days[lane] >> ports->at[lane]) & 1;
		*days[lane] |= 1u << ports->at[lane];
	}
	return false;
}

/* Books the first cycle from `ready` on. Returns it. */
static inline vec lanes_book(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec port,
                             vec ready) {
	struct lane_words ports, cycles, fresh;
	if (op->unit)
		ready = vec_max(ready, words_get(&graph->unit_free[op->unit]));
	words_set(&ports, port);
	words_set(&cycles, ready);
	words_set(&fresh, vec_set(0));
	while (book_days(graph, mask_bits(on), &ports, &cycles, &fresh)) {
		words_set(&cycles, ready);
		IFR_VECTOR(graph_grow)(graph);
	}
	ready = words_get(&cycles);
	count_waiting(graph, mask_not_zero(words_get(&fresh), on), port, op->ports);
	if (op->unit)
		words_put(&graph->unit_free[op->unit], on, vec_add(ready, vec_set(op->occupancy)));
	for (unsigned i = 1; !op->unit && i < op->occupancy; i++)
		lanes_hold(graph, on, port, vec_add(ready, vec_set(i)));
	return ready;
}

#endif
