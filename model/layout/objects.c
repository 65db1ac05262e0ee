/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/objects.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/layout/native.h"

/* An object: normalised addresses from `from` up to the next object's; address = normalised + delta. */
struct placed {
	uint64_t from, delta;
};

struct placed_objects {
	struct placed *items;
	size_t count;
	uint64_t start; /* `from` of the first object */
	unsigned grain_shift;
	uint32_t *first; /* by grain: the last object that begins at or before its start, or the first object */
	size_t grains;
};

static uint64_t object_delta(const struct ifr_trace_request *asked, const struct ifr_object_place *put,
                             uint64_t heap, const uint64_t *deltas, uint64_t mapping) {
	if (!put)
		return asked->recorded_at + deltas[asked->recorded_at >> IFR_MAPPING_SHIFT] - asked->normalised;
	switch (put->home) {
	case IFR_OBJECT_IN_HEAP:
		return heap + put->offset - asked->normalised;
	case IFR_OBJECT_IN_MAPPING:
		return mapping + put->offset - asked->normalised;
	default:
		return put->offset - asked->normalised;
	}
}

/* Builds the index; a grain is as large as the mean object. */
static void index_objects(struct placed_objects *objects) {
	const uint64_t span = objects->items[objects->count - 1].from - objects->start;
	objects->grain_shift = 7;
	while (span >> objects->grain_shift > 2 * objects->count)
		objects->grain_shift++;
	objects->grains = (size_t)(span >> objects->grain_shift) + 1;
	objects->first = ifr_alloc((objects->grains + 1) * sizeof *objects->first);
	size_t object = 0;
	for (size_t grain = 0; grain < objects->grains; grain++) {
		const uint64_t begins = objects->start + ((uint64_t)grain << objects->grain_shift);
		while (object + 1 < objects->count && objects->items[object + 1].from <= begins)
			object++;
		objects->first[grain] = (uint32_t)object;
	}
	objects->first[objects->grains] = (uint32_t)objects->count - 1;
}

struct placed_objects *placed_objects_new(const struct ifr_trace *trace, const struct ifr_layout_request *request,
                                          const uint64_t *deltas, const uint64_t *object_mappings) {
	const struct ifr_trace_request *asked;
	const size_t count = ifr_trace_requests(trace, &asked);
	const uint64_t heap = native_heap_start(trace, request);
	if (!count)
		return NULL;
	struct placed_objects *objects = ifr_alloc(sizeof *objects);
	objects->count = count;
	objects->items = ifr_alloc(count * sizeof *objects->items);
	for (size_t i = 0; i < count; i++)
		objects->items[i] = (struct placed){asked[i].normalised - IFR_OBJECT_MARGIN,
		                                    object_delta(&asked[i], request->objects ? &request->objects[i] : NULL,
		                                                 heap, deltas, object_mappings[i])};
	objects->start = objects->items[0].from;
	index_objects(objects);
	return objects;
}

void placed_objects_free(struct placed_objects *objects) {
	if (!objects)
		return;
	free(objects->items);
	free(objects->first);
	free(objects);
}

uint64_t placed_objects_address(const struct placed_objects *objects, uint64_t normalised) {
	size_t grain = (size_t)((normalised - objects->start) >> objects->grain_shift);
	grain = grain < objects->grains ? grain : objects->grains - 1;
	size_t low = objects->first[grain], high = objects->first[grain + 1];
	while (low < high) {
		const size_t middle = (low + high + 1) / 2;
		if (objects->items[middle].from <= normalised)
			low = middle;
		else
			high = middle - 1;
	}
	return normalised + objects->items[low].delta;
}

bool placed_objects_equal(const struct placed_objects *a, const struct placed_objects *b) {
	if (!a || !b)
		return a == b;
	return a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof *a->items);
}
