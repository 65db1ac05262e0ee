/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order of units around fixed ones. */
#include <inttypes.h>
#include <string.h>

#include "relinker/placement/placement_parts.h"

static uint64_t aligned(uint64_t offset, uint64_t align) {
	return align ? (offset + align - 1) & ~(align - 1) : offset;
}

static int check_overlaps(const struct region_work *work, struct ifr_error *err) {
	for (size_t i = 1; i < work->fixed_count; i++) {
		const struct unit *first = &work->units->items[work->fixed[i - 1].unit],
						  *second = &work->units->items[work->fixed[i].unit];
		uint64_t start = work->units->outputs[work->output].address;
		if (work->fixed[i - 1].offset + first->span_bytes > work->fixed[i].offset)
			return ifr_fail(err, IFR_E_USAGE,
			                "%s at 0x%" PRIx64 " (%" PRIu64 " bytes) and %s at 0x%" PRIx64
			                " overlap: give the plan another address, or an order for what may make room",
			                first->name, start + work->fixed[i - 1].offset, first->span_bytes, second->name,
			                start + work->fixed[i].offset);
	}
	return 0;
}

static void put(struct placed_output *placed, size_t unit, uint64_t padding_bytes) {
	placed->order[placed->count++] = (struct placed_unit){unit, padding_bytes};
}

/* Without fixed units the engines align: padding is just what the axes ask for. */
static void put_all(const struct region_work *work, uint64_t base_bytes, struct placed_output *placed) {
	for (size_t i = 0; i < work->count; i++) {
		uint64_t bytes = placement_padding(work, &work->units->items[work->sequence[i]]);
		placed->padding_bytes += bytes;
		put(placed, work->sequence[i], bytes + (i ? 0 : base_bytes));
	}
}

/* Around fixed units every place is worked out here, and padding reaches exactly to it. */
static void put_around(const struct region_work *work, uint64_t base_bytes, struct placed_output *placed,
                       uint64_t *end) {
	uint64_t at = 0, more = base_bytes;
	size_t next = 0;
	for (size_t i = 0; i < work->count; i++) {
		const struct unit *unit = &work->units->items[work->sequence[i]];
		uint64_t bytes = placement_padding(work, unit), place = aligned(at + more + bytes, unit->align);
		for (; next < work->fixed_count && place + unit->span_bytes > work->fixed[next].offset; next++) {
			const struct fixed_unit *fixed = &work->fixed[next];
			put(placed, fixed->unit, fixed->offset - at);
			at = fixed->offset + work->units->items[fixed->unit].span_bytes;
			place = aligned(at + more + bytes, unit->align);
		}
		put(placed, work->sequence[i], place - at);
		placed->padding_bytes += bytes;
		at = place + unit->span_bytes;
		more = 0;
	}
	for (; next < work->fixed_count; next++) {
		put(placed, work->fixed[next].unit, work->fixed[next].offset - at);
		at = work->fixed[next].offset + work->units->items[work->fixed[next].unit].span_bytes;
	}
	*end = at;
}

int placement_flow(const struct region_work *work, uint64_t base_bytes, struct placed_output *placed,
                   uint64_t *end, struct ifr_error *err) {
	int result = check_overlaps(work, err);
	*end = 0;
	if (result)
		return result;
	if (work->fixed_count)
		put_around(work, base_bytes, placed, end);
	else
		put_all(work, base_bytes, placed);
	return 0;
}
