/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/alike.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void ifr_alike_init(struct ifr_alike *alike, struct ifr_cache_shape shape, size_t lanes_count) {
	const size_t count = (size_t)shape.sets * shape.ways;
	*alike = (struct ifr_alike){.shape = shape, .lanes = UINT64_MAX >> (IFR_ALIKE_LANES - lanes_count)};
	alike->apart = ifr_alloc((shape.sets + 1) * sizeof *alike->apart);
	alike->keys = ifr_alloc((count + 1) * sizeof *alike->keys);
	memset(alike->keys, 0xff, count * sizeof *alike->keys);
	/* Pages that no lane's own set comes to lie in are never touched. */
	for (size_t i = 0; i < lanes_count; i++)
		alike->own[i] = ifr_alloc((count + 1) * sizeof *alike->own[i]);
}

void ifr_alike_release(struct ifr_alike *alike) {
	for (size_t i = 0; i < IFR_ALIKE_LANES; i++)
		free(alike->own[i]);
	free(alike->apart);
	free(alike->keys);
}

static void part(struct ifr_alike *alike, size_t set, uint64_t lanes) {
	const size_t ways = alike->shape.ways;
	alike->apart[set] |= lanes;
	for (; lanes; lanes &= lanes - 1)
		memcpy(alike->own[__builtin_ctzll(lanes)] + set * ways, alike->keys + set * ways, ways * sizeof(uint64_t));
}

static uint64_t touch_own(struct ifr_alike *alike, size_t set, uint64_t key, uint64_t lanes) {
	const unsigned ways = alike->shape.ways;
	const uint64_t *keys = alike->keys + set * ways;
	uint64_t missed = 0;
	for (; lanes; lanes &= lanes - 1) {
		const uint64_t lane = lanes & -lanes;
		uint64_t *own = alike->own[__builtin_ctzll(lanes)] + set * ways;
		missed |= ifr_recency_touch(own, ways, key) ? 0 : lane;
		if (!memcmp(own, keys, ways * sizeof *keys))
			alike->apart[set] &= ~lane;
	}
	return missed;
}

/* Where only some of the lanes that share a set touch it, the fewer leave it. A touch by all lanes reaches it even
 * when all are apart, so that they can come back. */
uint64_t ifr_alike_touch(struct ifr_alike *alike, uint64_t key, uint64_t lanes) {
	const unsigned ways = alike->shape.ways;
	if (!alike->shape.sets)
		return lanes;
	const size_t set = ifr_cache_set(&alike->shape, key);
	const uint64_t together = alike->lanes & ~alike->apart[set], touching = together & lanes;
	uint64_t missed = 0;
	if (touching && touching != together)
		part(alike, set,
		     2 * __builtin_popcountll(touching) > __builtin_popcountll(together) ? together & ~lanes : touching);
	const uint64_t own = lanes & alike->apart[set];
	if ((touching & ~own) || lanes == alike->lanes)
		missed = ifr_recency_touch(alike->keys + set * ways, ways, key) ? 0 : lanes & ~own;
	return own ? missed | touch_own(alike, set, key, own) : missed;
}
