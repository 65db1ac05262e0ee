/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow of an output section's units around its fixed units.
 *
 * Problem: some units have an address (places of the plan with an address, units that an image pins, data that
 * must stay), and the others come in an order and with paddings that know nothing of these addresses.
 *
 * Idea: as text flows around pictures. Units are taken in their order, each at the next aligned address behind its
 * padding. If it would reach into the next fixed unit, the fixed unit comes first, and the unit tries again behind
 * it. Engines only know paddings, so the padding of every unit is computed here as the distance from the end of
 * the one before it.
 *
 * Invariant: units do not overlap and every fixed unit has its offset. check_overlaps refuses fixed units that
 * overlap one another; a free unit is appended only if it ends before the next fixed unit begins, and the flow
 * never goes back. The first unit that does not fit before a fixed unit needs more bytes than are left free there,
 * and this bounds the size of the section (output_size in placement.c). */
#include <inttypes.h>
#include <string.h>

#include "relinker/placement/placement_parts.h"

static uint64_t align_up(uint64_t offset, uint64_t align) {
	return align ? (offset + align - 1) & ~(align - 1) : offset;
}

static int check_overlaps(const struct placement_work *work, struct ifr_error *err) {
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

static void append_unit(struct placed_output *placed, size_t unit, uint64_t padding_bytes) {
	placed->order[placed->count++] = (struct placed_unit){unit, padding_bytes};
}

/* Without fixed units, paddings are those of the axes and the spare room of the unit before; the engines align the
 * units. */
static void append_in_order(const struct placement_work *work, uint64_t base_bytes, struct placed_output *placed) {
	uint64_t spare = base_bytes;
	for (size_t i = 0; i < work->count; i++) {
		uint64_t bytes = placement_padding(work, &work->units->items[work->sequence[i]]);
		placed->padding_bytes += bytes;
		append_unit(placed, work->sequence[i], bytes + spare);
		spare = placement_spare(work, work->sequence[i]);
	}
}

/* With fixed units, each padding reaches exactly to the offset that is computed here. */
static void append_around_fixed(const struct placement_work *work, uint64_t base_bytes,
                                struct placed_output *placed, uint64_t *end) {
	uint64_t at = 0, more = base_bytes, spare = 0; /* spare: of the unit before */
	size_t next = 0;
	for (size_t i = 0; i < work->count; i++) {
		const struct unit *unit = &work->units->items[work->sequence[i]];
		const uint64_t bytes = placement_padding(work, unit),
					   room = unit->span_bytes + placement_spare(work, work->sequence[i]);
		uint64_t place = align_up(at + spare + more + bytes, unit->align);
		for (; next < work->fixed_count && place + room > work->fixed[next].offset; next++) {
			const struct fixed_unit *fixed = &work->fixed[next];
			append_unit(placed, fixed->unit, fixed->offset - at);
			at = fixed->offset + work->units->items[fixed->unit].span_bytes;
			spare = 0;
			place = align_up(at + more + bytes, unit->align);
		}
		append_unit(placed, work->sequence[i], place - at);
		placed->padding_bytes += bytes;
		at = place + unit->span_bytes;
		spare = room - unit->span_bytes;
		more = 0;
	}
	for (; next < work->fixed_count; next++) {
		append_unit(placed, work->fixed[next].unit, work->fixed[next].offset - at);
		at = work->fixed[next].offset + work->units->items[work->fixed[next].unit].span_bytes;
	}
	*end = at;
}

int placement_flow(const struct placement_work *work, uint64_t base_bytes, struct placed_output *placed,
                   uint64_t *end, struct ifr_error *err) {
	int result = check_overlaps(work, err);
	*end = 0;
	if (result)
		return result;
	if (work->fixed_count)
		append_around_fixed(work, base_bytes, placed, end);
	else
		append_in_order(work, base_bytes, placed);
	return 0;
}
