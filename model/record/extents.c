/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/extents.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void extents_release(struct spans *spans) {
	for (size_t i = 0; i < spans->all_count; i++)
		free(spans->all[i]);
	free(spans->items);
	free(spans->all);
}

/* The first that ends behind an address. */
static size_t position(const struct spans *spans, uint64_t address) {
	size_t low = 0, high = spans->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (spans->items[middle]->start + spans->items[middle]->bytes <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct span *extents_at(const struct spans *spans, uint64_t address) {
	size_t at = position(spans, address);
	return at < spans->count && spans->items[at]->start <= address ? spans->items[at] : NULL;
}

bool extents_have_mapping(const struct spans *spans, uint32_t region) {
	for (size_t i = 0; i < spans->count; i++)
		if (spans->items[i]->region == region)
			return true;
	return false;
}

static struct span *keep(struct spans *spans, const struct span *span) {
	struct span *kept = ifr_alloc(sizeof *kept);
	*kept = *span;
	spans->all = ifr_realloc(spans->all, spans->all_count + 1, sizeof *spans->all);
	spans->all[spans->all_count++] = kept;
	return kept;
}

struct span *extents_insert(struct spans *spans, const struct span *span) {
	struct span *kept = keep(spans, span);
	size_t at = position(spans, span->start);
	spans->items = ifr_realloc(spans->items, spans->count + 1, sizeof *spans->items);
	memmove(spans->items + at + 1, spans->items + at, (spans->count - at) * sizeof *spans->items);
	spans->items[at] = kept;
	spans->count++;
	return kept;
}

struct span *extents_replace(struct spans *spans, struct span *span) {
	size_t at = position(spans, span->start);
	spans->items[at] = keep(spans, span);
	span->bytes = 0;
	return spans->items[at];
}

static struct span *drop(struct spans *spans, size_t at) {
	struct span *span = spans->items[at];
	span->bytes = 0;
	memmove(spans->items + at, spans->items + at + 1, (--spans->count - at) * sizeof *spans->items);
	return span;
}

void extents_clear(struct spans *spans, uint64_t start, uint64_t bytes,
                   void (*gone)(void *owner, struct span *span), void *owner) {
	uint64_t end = start + bytes;
	for (size_t at = position(spans, start); at < spans->count && spans->items[at]->start < end;) {
		struct span *span = spans->items[at];
		struct span rest = *span;
		uint64_t span_end = span->start + span->bytes;
		if (span->start < start) {
			span->bytes = start - span->start;
			at++;
		} else if (span_end <= end) {
			gone(owner, drop(spans, at));
			continue;
		}
		if (span_end > end) {
			rest.start = end;
			rest.bytes = span_end - end;
			if (span->start >= start)
				*span = rest;
			else
				extents_insert(spans, &rest);
			break;
		}
	}
}
