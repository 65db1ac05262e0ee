/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of addresses, which never overlap, by address. */
#ifndef IFR_MODEL_SPANS_H
#define IFR_MODEL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of addresses of one region. Spans live as long as their table does; one that is no more has no bytes. */
struct extent {
	uint64_t start, bytes;
	uint64_t delta; /* normalised = address + delta */
	uint32_t mapping;
	bool shared; /* with objects, which are extents of their own */
};

struct extents {
	struct extent **items; /* those that have bytes */
	size_t count;
	struct extent **all;
	size_t all_count;
};

void extents_release(struct extents *extents);
/* The one that holds an address, NULL. */
struct extent *extents_at(const struct extents *extents, uint64_t address);
bool extents_have_mapping(const struct extents *extents, uint32_t region);
/* The extent is copied; nothing else lies there. */
struct extent *extents_insert(struct extents *extents, const struct extent *extent);
/* Another extent of the same range takes its normalised. */
struct extent *extents_replace(struct extents *extents, struct extent *extent);
/* Takes a range away from whatever extents it. gone is told of each that has no bytes any more. */
void extents_clear(struct extents *extents, uint64_t start, uint64_t bytes,
                   void (*gone)(void *owner, struct extent *extent), void *owner);

#endif
