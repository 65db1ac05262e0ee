/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A linker lays each unit at the next multiple of its alignment behind the one before it, and the relinker behind that
 * one's room. All else that lies between two units is padding, which an edit leaves as it is. */
#include "harness/optimize/stability.h"

static uint64_t align_up(uint64_t at, unsigned align) {
	return align ? (at + align - 1) & ~(uint64_t)(align - 1) : at;
}

/* The earliest address behind a unit that begins at an address and has so many bytes. */
static uint64_t next_address(const struct stability_unit *unit, uint64_t at, uint64_t bytes, unsigned align) {
	return align_up(at + (bytes > unit->room ? bytes : unit->room), align);
}

size_t stability_count_moved(const struct stability_unit *units, size_t count, size_t grown, uint64_t bytes) {
	uint64_t at = units[grown].address;
	size_t moved = 0;
	for (size_t i = grown; i + 1 < count; i++) {
		const struct stability_unit *unit = &units[i], *next = &units[i + 1];
		const uint64_t padding = next->address - next_address(unit, unit->address, unit->bytes, next->align);
		at = padding + next_address(unit, at, unit->bytes + (i == grown ? bytes : 0), next->align);
		/* From the first unit that stays on, all stay. */
		if (at == next->address)
			return moved;
		moved += next->counts;
	}
	return moved;
}

double stability_mean_moved(const struct stability_unit *units, size_t count, uint64_t bytes) {
	double moved = 0, counted = 0;
	for (size_t i = 0; i < count; i++) {
		counted += units[i].counts;
		moved += units[i].counts ? (double)stability_count_moved(units, count, i, bytes) : 0;
	}
	return counted > 1 ? moved / (counted * (counted - 1)) : 0;
}
