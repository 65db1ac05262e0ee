/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disjoint ranges of addresses, sorted by address. */
#ifndef IFR_MODEL_SPANS_H
#define IFR_MODEL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of addresses of one mapping. An extent lives as long as its table; one that was removed has no bytes. */
struct extent {
	uint64_t start, bytes;
	uint64_t delta; /* normalised address = address + delta */
	uint32_t mapping;
	bool shared; /* contains heap objects, which are extents of their own */
};

struct extents {
	struct extent **items; /* extents with bytes, by address */
	size_t count;
	struct extent **all; /* every extent, to be freed at the end */
	size_t all_count;
};

void extents_release(struct extents *extents);
/* Returns the extent that holds an address; NULL if none does. */
struct extent *extents_at(const struct extents *extents, uint64_t address);
bool extents_have_mapping(const struct extents *extents, uint32_t region);
/* Adds a copy of an extent whose range is free. */
struct extent *extents_insert(struct extents *extents, const struct extent *extent);
/* Replaces an extent by a copy of its own, so that pointers to the old one see no bytes. */
struct extent *extents_replace(struct extents *extents, struct extent *extent);
/* Removes a range from all extents. gone: called for each extent that has no bytes left. */
void extents_clear(struct extents *extents, uint64_t start, uint64_t bytes,
                   void (*gone)(void *owner, struct extent *extent), void *owner);

#endif
