/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Caches of sixteen lanes, asked for the same piece of code at once. A key that was the last one touched in its
 * set changes nothing when it is touched again: one gather tells the lanes where it was not, and only these touch
 * their caches, one by one. Keys are compared by number (model/replay/ids.h). */
#ifndef INTERFERO_MODEL_RECENT_H
#define INTERFERO_MODEL_RECENT_H

#include <stdlib.h>

#include "model/memory/cache.h"
#include "model/replay/ids.h"
#include "model/replay/vector/bundle.h"

#define RECENT_NONE UINT32_MAX          /* a set that nothing has touched */
#define RECENT_PADDING (UINT32_MAX - 1) /* a key of no lane: always the last of a set of its own */

/* A key of each lane, and where in lasts its set is. */
struct recent_row {
	uint32_t id[LANES], at[LANES];
};

struct recent {
	struct ifr_cache_shape shape;
	struct ifr_cache caches[LANES];
	struct ifr_ids ids[LANES];
	uint32_t *lasts; /* by set and lane; behind them those of RECENT_PADDING */
};

static inline void recent_init(struct recent *recent, const struct bundle *bundle, struct ifr_cache_shape shape) {
	const size_t count = (size_t)shape.sets * LANES;
	recent->shape = shape;
	recent->lasts = ifr_alloc((count + LANES) * sizeof *recent->lasts);
	for (size_t i = 0; i < count + LANES; i++)
		recent->lasts[i] = i < count ? RECENT_NONE : RECENT_PADDING;
	for (size_t i = 0; i < bundle->count; i++)
		ifr_cache_init(&recent->caches[i], shape);
}

static inline void recent_release(struct recent *recent) {
	free(recent->lasts);
	for (size_t i = 0; i < LANES; i++) {
		ifr_cache_release(&recent->caches[i]);
		ifr_ids_release(&recent->ids[i]);
	}
}

static inline void recent_pad(const struct recent *recent, struct recent_row *row, size_t lane) {
	row->id[lane] = RECENT_PADDING;
	row->at[lane] = (uint32_t)(recent->shape.sets * LANES + lane);
}

static inline void recent_place(struct recent *recent, struct recent_row *row, size_t lane, uint64_t key) {
	const uint64_t set = (key >> recent->shape.index_shift) & (recent->shape.sets - 1);
	row->id[lane] = ifr_ids_of(&recent->ids[lane], key);
	row->at[lane] = (uint32_t)(set * LANES + lane);
}

/* The lanes that must touch their caches, as bits. */
static inline unsigned recent_stale(const struct recent *recent, const struct recent_row *row) {
	const vec id = vec_load(row->id), last = vec_gather(recent->lasts, vec_load(row->at));
	return ~mask_bits(vec_equal(id, last)) & 0xffff;
}

/* Whether a lane's cache had the key, which is the row's. */
static inline bool recent_touch(struct recent *recent, const struct recent_row *row, size_t lane, uint64_t key) {
	recent->lasts[row->at[lane]] = row->id[lane];
	return ifr_cache_touch(&recent->caches[lane], key);
}

#endif
