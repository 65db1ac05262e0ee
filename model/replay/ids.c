/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/ids.h"

#include <stdlib.h>

#include "common/buffer.h"

#define SMALLEST 64

/* Ref: Knuth 1973, The Art of Computer Programming 3, section 6.4 (multiplicative hashing, open addressing). */
static size_t slot_of(const struct ifr_ids *ids, uint64_t key) {
	size_t slot = (key * 0x9e3779b97f4a7c15) >> 32 & (ids->size - 1);
	while (ids->values[slot] && ids->keys[slot] != key)
		slot = (slot + 1) & (ids->size - 1);
	return slot;
}

static void grow(struct ifr_ids *ids) {
	const struct ifr_ids old = *ids;
	ids->size = old.size ? 2 * old.size : SMALLEST;
	ids->keys = ifr_alloc(ids->size * sizeof *ids->keys);
	ids->values = ifr_alloc(ids->size * sizeof *ids->values);
	for (size_t i = 0; i < old.size; i++) {
		if (!old.values[i])
			continue;
		const size_t slot = slot_of(ids, old.keys[i]);
		ids->keys[slot] = old.keys[i];
		ids->values[slot] = old.values[i];
	}
	free(old.keys);
	free(old.values);
}

uint32_t ifr_ids_assign(struct ifr_ids *ids, uint64_t key) {
	if (2 * ids->count >= ids->size)
		grow(ids);
	const size_t slot = slot_of(ids, key);
	if (!ids->values[slot]) {
		ids->keys[slot] = key;
		ids->values[slot] = (uint32_t)++ids->count;
	}
	return ids->values[slot] - 1;
}

void ifr_ids_release(struct ifr_ids *ids) {
	free(ids->keys);
	free(ids->values);
	*ids = (struct ifr_ids){0};
}
