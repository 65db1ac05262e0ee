/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ports and scheduler: a calendar of the cycles in which operations leave the scheduler.
 *
 * Problem: an operation leaves the scheduler when its operands are there and its port is free, and it keeps its entry
 * until then; a younger operation may leave before it.
 * Idea: operations book cycles in program order. An operation takes the first cycle from its readiness on in which its
 * port is free. That is oldest-first selection: the older operations have booked, and the younger ones have not. The
 * booked operations of cycles to come are those in the scheduler, and, by port, those that wait for it. A cursor
 * follows the cycle of rename and forgets what lies behind it.
 * Invariant: in_scheduler and waiting count the bits of the calendar from the cursor on.
 *
 * The choice of a port, and a day that is forgotten, concern several ports at once: with a loop over bits the host
 * mispredicts its end almost every time. So `waiting` is two vectors of SSE2, which every x86-64 has. */
#ifndef IFR_MODEL_CORE_PORTS_H
#define IFR_MODEL_CORE_PORTS_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/core/operation.h"

enum { CALENDAR = 1 << 17, PORTS = 16, PORTS_OF_VECTOR = 8 };

struct ports {
	__m128i waiting[2]; /* by port, 16 bits each */
	uint32_t *calendar; /* by cycle: ports that an operation leaves for, and, above, ports that are held */
	int64_t cursor;
	unsigned in_scheduler;
	bool unlimited; /* an operation leaves when it is ready; a day of the calendar is their number */
	int64_t unit_free[IFR_UNITS];
};

static inline uint32_t *calendar_at(struct ports *ports, int64_t cycle) {
	return &ports->calendar[cycle & (CALENDAR - 1)];
}

/* All ones for the ports of a mask, from port 8 * half on. */
static inline __m128i ports_spread(uint32_t mask, unsigned half) {
	const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
	return _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((short)(mask >> PORTS_OF_VECTOR * half)), bits), bits);
}

static inline unsigned ports_count(uint32_t mask) {
	mask -= mask >> 1 & 0x5555;
	mask = (mask & 0x3333) + (mask >> 2 & 0x3333);
	mask = (mask + (mask >> 4)) & 0x0f0f;
	return (mask + (mask >> 8)) & 31;
}

/* Moves the cursor to a cycle. */
static inline void ports_advance(struct ports *ports, int64_t cycle) {
	for (; ports->cursor < cycle; ports->cursor++) {
		uint32_t *day = calendar_at(ports, ports->cursor);
		if (ports->unlimited) {
			ports->in_scheduler -= *day;
		} else if (*day) {
			const uint32_t left = *day & 0xffff;
			for (unsigned half = 0; half < 2; half++)
				ports->waiting[half] = _mm_add_epi16(ports->waiting[half], ports_spread(left, half));
			ports->in_scheduler -= ports_count(left);
		}
		*day = 0;
	}
}

/* Returns the port of the mask that the fewest operations wait for, the highest of them. */
static inline unsigned ports_choose(const struct ports *ports, uint16_t mask) {
	const __m128i most = _mm_set1_epi16(INT16_MAX);
	const __m128i low = _mm_or_si128(ports->waiting[0], _mm_andnot_si128(ports_spread(mask, 0), most));
	const __m128i high = _mm_or_si128(ports->waiting[1], _mm_andnot_si128(ports_spread(mask, 1), most));
	__m128i least = _mm_min_epi16(low, high);
	least = _mm_min_epi16(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
	least = _mm_min_epi16(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
	least = _mm_min_epi16(
		least, _mm_shufflehi_epi16(_mm_shufflelo_epi16(least, _MM_SHUFFLE(2, 3, 0, 1)), _MM_SHUFFLE(2, 3, 0, 1)));
	const __m128i equal = _mm_packs_epi16(_mm_cmpeq_epi16(low, least), _mm_cmpeq_epi16(high, least));
	return 31 - (unsigned)__builtin_clz((unsigned)_mm_movemask_epi8(equal));
}

/* Holds a port in a cycle: nothing leaves for it. */
static inline void ports_hold(struct ports *ports, unsigned port, int64_t cycle) {
	if (!ports->unlimited)
		*calendar_at(ports, cycle) |= 1u << (port + PORTS);
}

/* Issues an operation that has left once more: takes the first two cycles of the port, from `ready` on, whose first is
 * free. Such an operation waits outside of the scheduler. Returns the first. */
static inline int64_t ports_issue_again(struct ports *ports, unsigned port, int64_t ready) {
	const uint32_t own = 1u << port, taken = own | own << PORTS;
	const int64_t last = ports->cursor + CALENDAR - 256;
	while (!ports->unlimited && ready < last && *calendar_at(ports, ready) & taken)
		ready++;
	if (ready < last)
		for (unsigned i = 0; i < 2; i++)
			ports_hold(ports, port, ready + i);
	return ready;
}

static inline int64_t book_unlimited(struct ports *ports, int64_t ready) {
	++*calendar_at(ports, ready);
	ports->in_scheduler++;
	return ready;
}

/* One more waits for a port. The vector is read from a table, as the next choice waits for it. */
static inline void ports_wait(struct ports *ports, unsigned port) {
	static const int16_t ones[2 * PORTS] = {[PORTS] = 1};
	const int16_t *from = ones + PORTS - port;
	ports->waiting[0] = _mm_add_epi16(ports->waiting[0], _mm_loadu_si128((const __m128i *)(const void *)from));
	ports->waiting[1] =
		_mm_add_epi16(ports->waiting[1], _mm_loadu_si128((const __m128i *)(const void *)(from + PORTS_OF_VECTOR)));
	ports->in_scheduler++;
}

/* Books the first cycle from `ready` on. Returns it. */
static inline int64_t ports_book(struct ports *ports, unsigned port, int64_t ready, unsigned unit,
                                 unsigned occupancy) {
	const uint32_t own = 1u << port, taken = own | own << PORTS;
	const int64_t last = ports->cursor + CALENDAR - 256;
	if (ports->unlimited)
		return book_unlimited(ports, ready < last ? ready : last);
	if (unit && ports->unit_free[unit] > ready)
		ready = ports->unit_free[unit];
	while (ready < last && *calendar_at(ports, ready) & taken)
		ready++;
	if (ready >= last)
		ready = last;
	if (ready < last || !(*calendar_at(ports, last) & own))
		ports_wait(ports, port);
	*calendar_at(ports, ready) |= own;
	if (unit)
		ports->unit_free[unit] = ready + occupancy;
	for (unsigned i = 1; !unit && i < occupancy; i++)
		ports_hold(ports, port, ready + i);
	return ready;
}

#endif
