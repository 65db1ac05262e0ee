/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports and scheduler: a calendar of the cycles in which operations leave the scheduler.
 *
 * Problem: an operation leaves the scheduler when its operands are there and its port is free, and it keeps its entry
 * until then; a younger operation may leave before it.
 * Idea: operations book cycles in program order. An operation takes the first cycle from its readiness on in which its
 * port is free. That is oldest-first selection: the older operations have booked, and the younger ones have not. The
 * booked operations of cycles to come are those in the scheduler, and, by port, those that wait for it. A cursor
 * follows the cycle of rename and forgets what lies behind it.
 * Invariant: in_scheduler and waiting count the bits of the calendar from the cursor on. */
#ifndef IFR_MODEL_CORE_PORTS_H
#define IFR_MODEL_CORE_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/core/operation.h"

enum { CALENDAR = 1 << 17, PORTS = 16 };

struct ports {
	uint32_t *calendar; /* by cycle: ports that an operation leaves for, and, above, ports that are held */
	int64_t cursor;
	unsigned in_scheduler;
	uint16_t waiting[PORTS];
	bool unlimited; /* an operation leaves when it is ready; a day of the calendar is their number */
	int64_t unit_free[IFR_UNITS];
};

static inline uint32_t *calendar_at(struct ports *ports, int64_t cycle) {
	return &ports->calendar[cycle & (CALENDAR - 1)];
}

/* Moves the cursor to a cycle. */
static inline void ports_advance(struct ports *ports, int64_t cycle) {
	for (; ports->cursor < cycle; ports->cursor++) {
		uint32_t *day = calendar_at(ports, ports->cursor);
		if (ports->unlimited)
			ports->in_scheduler -= *day;
		for (uint32_t left = ports->unlimited ? 0 : *day & 0xffff; left; left &= left - 1) {
			ports->waiting[__builtin_ctz(left)]--;
			ports->in_scheduler--;
		}
		*day = 0;
	}
}

static inline unsigned ports_choose(const struct ports *ports, uint16_t mask) {
	unsigned best = 0, least = UINT32_MAX;
	for (uint32_t left = mask; left; left &= left - 1) {
		const unsigned port = (unsigned)__builtin_ctz(left);
		if (ports->waiting[port] <= least) {
			least = ports->waiting[port];
			best = port;
		}
	}
	return best;
}

/* Holds a port in a cycle: nothing leaves for it. */
static inline void ports_hold(struct ports *ports, unsigned port, int64_t cycle) {
	if (!ports->unlimited)
		*calendar_at(ports, cycle) |= 1u << (port + PORTS);
}

static inline int64_t book_unlimited(struct ports *ports, int64_t ready) {
	++*calendar_at(ports, ready);
	ports->in_scheduler++;
	return ready;
}

/* Books the first cycle from `ready` on. Returns it. */
static inline int64_t ports_book(struct ports *ports, unsigned port, int64_t ready, unsigned unit,
                                 unsigned occupancy) {
	const uint32_t taken = 1u << port | 1u << (port + PORTS);
	const int64_t last = ports->cursor + CALENDAR - 256;
	if (ports->unlimited)
		return book_unlimited(ports, ready < last ? ready : last);
	if (unit && ports->unit_free[unit] > ready)
		ready = ports->unit_free[unit];
	while (ready < last && *calendar_at(ports, ready) & taken)
		ready++;
	if (ready > last)
		ready = last;
	const uint32_t before = *calendar_at(ports, ready);
	const unsigned counted = !(before >> port & 1);
	*calendar_at(ports, ready) = before | 1u << port;
	ports->waiting[port] = (uint16_t)(ports->waiting[port] + counted);
	ports->in_scheduler += counted;
	if (unit)
		ports->unit_free[unit] = ready + occupancy;
	for (unsigned i = 1; !unit && i < occupancy; i++)
		ports_hold(ports, port, ready + i);
	return ready;
}

#endif
