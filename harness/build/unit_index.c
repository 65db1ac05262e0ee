/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/unit_index.h"

#include <stdlib.h>

#include "common/buffer.h"

static int by_address(const void *a, const void *b) {
	const struct ifr_unit_index_entry *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

void ifr_unit_index_make(const struct ifr_relinker *relinker, struct ifr_unit_index *index) {
	const size_t count = ifr_relinker_unit_count(relinker);
	*index = (struct ifr_unit_index){.extents = ifr_alloc((count + 1) * sizeof *index->extents), .none = count};
	for (size_t i = 0; i < count; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		if (unit.bytes)
			index->extents[index->count++] = (struct ifr_unit_index_entry){unit.address, unit.bytes, i};
	}
	qsort(index->extents, index->count, sizeof *index->extents, by_address);
}

void ifr_unit_index_release(struct ifr_unit_index *index) {
	free(index->extents);
	*index = (struct ifr_unit_index){0};
}

size_t ifr_unit_index_find(const struct ifr_unit_index *index, uint64_t address) {
	size_t low = 0, high = index->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (index->extents[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - index->extents[low - 1].address < index->extents[low - 1].bytes
	           ? index->extents[low - 1].unit
	           : index->none;
}
