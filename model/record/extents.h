/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of addresses, which never overlap, by address. */
#ifndef IFR_MODEL_SPANS_H
#define IFR_MODEL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of addresses of one region. Spans live as long as their table does; one that is no more has no bytes. */
struct span {
	uint64_t start, bytes;
	uint64_t delta; /* place = address + delta */
	uint32_t region;
	bool shared; /* with objects, which are spans of their own */
};

struct spans {
	struct span **items; /* those that have bytes */
	size_t count;
	struct span **all;
	size_t all_count;
};

void extents_release(struct spans *spans);
/* The one that holds an address, NULL. */
struct span *extents_at(const struct spans *spans, uint64_t address);
bool extents_have_mapping(const struct spans *spans, uint32_t region);
/* The span is copied; nothing else lies there. */
struct span *extents_insert(struct spans *spans, const struct span *span);
/* Another span of the same range takes its place. */
struct span *extents_replace(struct spans *spans, struct span *span);
/* Takes a range away from whatever spans it. gone is told of each that has no bytes any more. */
void extents_clear(struct spans *spans, uint64_t start, uint64_t bytes,
                   void (*gone)(void *owner, struct span *span), void *owner);

#endif
