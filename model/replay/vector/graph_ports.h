/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports and scheduler of sixteen lanes, as model/core/ports.h has them of one.
 *
 * Problem: each lane looks for a free day of a port of its own, from a day of its own on.
 * Idea: a port's days are bits of a word, from a first day of each lane on that follows its cycle of rename. The first
 * free day is the lowest bit of a complement, and what waits for a port is a number of bits. The rare days beyond the
 * word are in a calendar, lane by lane, and come into the words when the first day has followed.
 * Invariant: bits from the cycle of rename on, with the calendar's, are those of the scalar graph's calendar; those
 * before count no more. in_scheduler is their number, and that of bits between the first day and rename. */
#ifndef INTERFERO_MODEL_GRAPH_PORTS_H
#define INTERFERO_MODEL_GRAPH_PORTS_H

#include "model/replay/vector/graph_lanes.h"

enum { DAYS = 32, DAYS_BEHIND = 8 }; /* of a word; that the first day may be behind rename */

struct port_choice {
	vec port, taken; /* taken: its days */
};

static inline vec taken_days(const struct lanes_graph *graph, unsigned port) {
	const vec own = words_get(&graph->own[port]);
	return graph->any_held ? vec_or(own, words_get(&graph->held[port])) : own;
}

/* The port of the mask that the fewest operations wait for, the highest of them. */
static inline struct port_choice lanes_choose(const struct lanes_graph *graph, uint16_t mask) {
	unsigned port = (unsigned)__builtin_ctz(mask);
	struct port_choice choice = {vec_set(port), taken_days(graph, port)};
	unsigned left = mask & (mask - 1u);
	if (!left)
		return choice;
	const vec behind = vec_sub(words_get(&graph->rename), words_get(&graph->day));
	vec least = vec_popcount(vec_right_each(words_get(&graph->own[port]), behind));
	if (graph->far)
		least = vec_add(least, words_get(&graph->far_own[port]));
	for (; left; left &= left - 1) {
		port = (unsigned)__builtin_ctz(left);
		vec count = vec_popcount(vec_right_each(words_get(&graph->own[port]), behind));
		if (graph->far)
			count = vec_add(count, words_get(&graph->far_own[port]));
		const vec_mask more = vec_greater(count, least);
		least = vec_min(count, least);
		choice.port = vec_select(more, choice.port, vec_set(port));
		choice.taken = vec_select(more, choice.taken, taken_days(graph, port));
	}
	return choice;
}

/* Sets bits of each lane's own port, which is one of a mask. */
static inline void set_days(struct lane_words *days, uint16_t mask, vec port, vec bits) {
	if (!(mask & (mask - 1))) {
		struct lane_words *own = &days[__builtin_ctz(mask)];
		words_set(own, vec_or(words_get(own), bits));
		return;
	}
	for (unsigned left = mask; left; left &= left - 1) {
		const unsigned number = (unsigned)__builtin_ctz(left);
		words_set(&days[number],
		          vec_or(words_get(&days[number]), vec_where(vec_equal(port, vec_set(number)), bits)));
	}
}

/* Holds a port in a cycle: nothing leaves for it. */
static inline void lanes_hold(struct lanes_graph *graph, vec_mask on, uint16_t mask, vec port, vec cycle) {
	const vec ahead = vec_sub(cycle, words_get(&graph->day));
	const vec_mask far = mask_and(on, vec_greater(ahead, vec_set(DAYS - 1)));
	graph->any_held = true;
	set_days(graph->held, mask, port, vec_where(on, vec_left_each(vec_set(1), ahead)));
	if (!mask_bits(far))
		return;
	struct lane_words ports, cycles;
	words_set(&ports, port);
	words_set(&cycles, cycle);
	for (unsigned left = mask_bits(far); left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		IFR_VECTOR(graph_far_hold)(graph, lane, ports.at[lane], (int32_t)cycles.at[lane]);
	}
}

/* Issues operations that have left once more, as ports_issue_again does. */
static inline vec lanes_issue_again(struct lanes_graph *graph, vec_mask on, uint16_t mask, vec port, vec ready) {
	vec taken = vec_set(0);
	for (unsigned left = mask; left; left &= left - 1) {
		const unsigned number = (unsigned)__builtin_ctz(left);
		taken = vec_select(vec_equal(port, vec_set(number)), taken_days(graph, number), taken);
	}
	const vec day = words_get(&graph->day), ahead = vec_sub(ready, day);
	const vec free = vec_without_bits(vec_left_each(vec_set(UINT32_MAX), ahead), taken);
	const vec first = vec_and(free, vec_sub(vec_set(0), free));
	struct lane_words ports, from, cycles;
	words_set(&ports, port);
	words_set(&from, ready);
	words_set(&cycles, vec_add(day, vec_index_of_bit(first)));
	for (unsigned far = mask_bits(mask_without(on, mask_not_zero(first, on))); far; far &= far - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(far);
		cycles.at[lane] =
			(uint32_t)IFR_VECTOR(graph_far_free)(graph, lane, ports.at[lane], (int32_t)from.at[lane]);
	}
	const vec cycle = words_get(&cycles);
	for (unsigned i = 0; i < 2; i++)
		lanes_hold(graph, on, mask, port, vec_add(cycle, vec_set(i)));
	return cycle;
}

static inline vec book_far(struct lanes_graph *graph, unsigned lanes, vec port, vec ready, vec cycle) {
	struct lane_words ports, from, cycles;
	words_set(&ports, port);
	words_set(&from, ready);
	words_set(&cycles, cycle);
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		cycles.at[lane] = (uint32_t)IFR_VECTOR(graph_far)(graph, lane, ports.at[lane], (int32_t)from.at[lane]);
	}
	return words_get(&cycles);
}

/* Books the first cycle from `ready` on. Returns it. */
static inline vec lanes_book(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                             const struct port_choice *choice, vec ready) {
	if (op->unit)
		ready = vec_max(ready, words_get(&graph->unit_free[op->unit]));
	const vec day = words_get(&graph->day), ahead = vec_sub(ready, day);
	const vec free = vec_without_bits(vec_left_each(vec_set(UINT32_MAX), ahead), choice->taken);
	const vec first = vec_and(free, vec_sub(vec_set(0), free));
	const vec_mask near = mask_not_zero(first, on.mask), far = mask_without(on.mask, near);
	const vec bits = on.all ? first : vec_where(on.mask, first);
	vec cycle = vec_add(day, vec_index_of_bit(first));
	set_days(graph->own, op->ports, choice->port, bits);
	words_set(&graph->in_scheduler, vec_increment(near, words_get(&graph->in_scheduler)));
	if (mask_bits(far))
		cycle = book_far(graph, mask_bits(far), choice->port, ready, cycle);
	if (op->unit)
		words_keep(&graph->unit_free[op->unit], on, vec_add(cycle, vec_set(op->occupancy)));
	for (unsigned i = 1; !op->unit && i < op->occupancy; i++)
		lanes_hold(graph, on.mask, op->ports, choice->port, vec_add(cycle, vec_set(i)));
	return cycle;
}

#endif
