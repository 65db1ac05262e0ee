/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/extents.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void extents_release(struct extents *extents) {
	for (size_t i = 0; i < extents->all_count; i++)
		free(extents->all[i]);
	free(extents->items);
	free(extents->all);
}

/* Index of the first extent that ends behind an address. */
static size_t find_index(const struct extents *extents, uint64_t address) {
	size_t low = 0, high = extents->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (extents->items[middle]->start + extents->items[middle]->bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct extent *extents_at(const struct extents *extents, uint64_t address) {
	size_t at = find_index(extents, address);
	return at < extents->count && extents->items[at]->start <= address ? extents->items[at] : NULL;
}

bool extents_have_mapping(const struct extents *extents, uint32_t region) {
	for (size_t i = 0; i < extents->count; i++)
		if (extents->items[i]->mapping == region)
			return true;
	return false;
}

static struct extent *copy_extent(struct extents *extents, const struct extent *extent) {
	struct extent *kept = ifr_alloc(sizeof *kept);
	*kept = *extent;
	extents->all = ifr_realloc(extents->all, extents->all_count + 1, sizeof *extents->all);
	extents->all[extents->all_count++] = kept;
	return kept;
}

struct extent *extents_insert(struct extents *extents, const struct extent *extent) {
	struct extent *kept = copy_extent(extents, extent);
	size_t at = find_index(extents, extent->start);
	extents->items = ifr_realloc(extents->items, extents->count + 1, sizeof *extents->items);
	memmove(extents->items + at + 1, extents->items + at, (extents->count - at) * sizeof *extents->items);
	extents->items[at] = kept;
	extents->count++;
	return kept;
}

struct extent *extents_replace(struct extents *extents, struct extent *extent) {
	size_t at = find_index(extents, extent->start);
	extents->items[at] = copy_extent(extents, extent);
	extent->bytes = 0;
	return extents->items[at];
}

static struct extent *remove_extent(struct extents *extents, size_t at) {
	struct extent *extent = extents->items[at];
	extent->bytes = 0;
	memmove(extents->items + at, extents->items + at + 1, (--extents->count - at) * sizeof *extents->items);
	return extent;
}

void extents_clear(struct extents *extents, uint64_t start, uint64_t bytes,
                   void (*gone)(void *owner, struct extent *extent), void *owner) {
	uint64_t end = start + bytes;
	for (size_t at = find_index(extents, start); at < extents->count && extents->items[at]->start < end;) {
		struct extent *extent = extents->items[at];
		struct extent rest = *extent;
		uint64_t span_end = extent->start + extent->bytes;
		if (extent->start < start) {
			extent->bytes = start - extent->start;
			at++;
		} else if (span_end <= end) {
			gone(owner, remove_extent(extents, at));
			continue;
		}
		if (span_end > end) {
			rest.start = end;
			rest.bytes = span_end - end;
			if (extent->start >= start)
				*extent = rest;
			else
				extents_insert(extents, &rest);
			break;
		}
	}
}
