/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last stores of a program, and the one that a load meets.
 *
 * Problem: a processor looks for the store that a load must wait for by the low 12 bits of their addresses. Comparing
 * every load with the last 36 to 112 stores would cost more than the rest of a replay.
 * Idea: a table over the 512 granules of 8 bytes of a 4 KiB page has the number of the latest store to each. A load whose
 * granules have no store among the last ones meets none; else the search begins at the latest of them, and mostly ends
 * there.
 * Invariant: a store enters its number into every granule that it touches modulo 4096, and a later store a larger one. So
 * no store behind the largest number of a load's granules touches them.
 * Ref: Intel, Optimization Reference Manual (2012), section 11.8 (4-KByte aliasing); Melhus 2013, section 4.1. */
#ifndef INTERFERO_MODEL_STORE_BUFFER_H
#define INTERFERO_MODEL_STORE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { IFR_STORES_MOST = 256, IFR_ALIAS_BYTES = 4096, IFR_ALIAS_GRANULE_SHIFT = 3, IFR_ALIAS_GRANULES = 512 };

struct ifr_store {
	uint64_t address;
	uint32_t bytes;
	uint32_t tag; /* the caller's */
};

struct ifr_store_buffer {
	unsigned entries; /* the number of stores that loads are compared with, at most IFR_STORES_MOST */
	uint64_t count;   /* of all stores; the first has the number 1 */
	struct ifr_store ring[IFR_STORES_MOST];
	uint64_t latest[IFR_ALIAS_GRANULES]; /* 0: none */
};

static inline void ifr_store_buffer_add(struct ifr_store_buffer *buffer, uint64_t address, uint32_t bytes,
                                        uint32_t tag) {
	const unsigned first = (unsigned)(address % IFR_ALIAS_BYTES) >> IFR_ALIAS_GRANULE_SHIFT,
				   last = (unsigned)(address % IFR_ALIAS_BYTES + bytes - 1) >> IFR_ALIAS_GRANULE_SHIFT;
	buffer->ring[++buffer->count % IFR_STORES_MOST] = (struct ifr_store){address, bytes, tag};
	for (unsigned i = first; i <= last; i++)
		buffer->latest[i % IFR_ALIAS_GRANULES] = buffer->count;
}

/* Whether two ranges of bytes meet modulo 4096. */
static inline bool ifr_ranges_meet(uint64_t load, uint32_t load_bytes, const struct ifr_store *store) {
	const uint64_t above = (load - store->address) % IFR_ALIAS_BYTES;
	return above < store->bytes || IFR_ALIAS_BYTES - above < load_bytes;
}

/* Searches from the store of a number back. */
static inline const struct ifr_store *ifr_store_buffer_search(const struct ifr_store_buffer *buffer, uint64_t load,
                                                              uint32_t bytes, uint64_t number) {
	for (; number && number + buffer->entries > buffer->count; number--) {
		const struct ifr_store *store = &buffer->ring[number % IFR_STORES_MOST];
		if (ifr_ranges_meet(load, bytes, store))
			return store;
	}
	return 0;
}

/* The youngest of the last stores whose bytes meet those of a load modulo 4096; NULL without one. */
static inline const struct ifr_store *ifr_store_buffer_find(const struct ifr_store_buffer *buffer, uint64_t load,
                                                            uint32_t bytes) {
	const unsigned first = (unsigned)(load % IFR_ALIAS_BYTES) >> IFR_ALIAS_GRANULE_SHIFT,
				   last = (unsigned)(load % IFR_ALIAS_BYTES + bytes - 1) >> IFR_ALIAS_GRANULE_SHIFT;
	uint64_t number = buffer->latest[first];
	for (unsigned i = first + 1; i <= last; i++)
		if (buffer->latest[i % IFR_ALIAS_GRANULES] > number)
			number = buffer->latest[i % IFR_ALIAS_GRANULES];
	if (number + buffer->entries <= buffer->count)
		return 0;
	return ifr_store_buffer_search(buffer, load, bytes, number);
}

/* Whether a load takes a store for one that it must wait for: their bytes meet modulo 4096 and in truth do not. */
static inline bool ifr_store_is_alias(const struct ifr_store *store, uint64_t load, uint32_t bytes) {
	return !(load < store->address + store->bytes && store->address < load + bytes);
}

#endif
