/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page offsets of large blocks. Loads and stores whose addresses share their low 12 bits look dependent to many
 * processors; blocks that all begin at the same page offset make sure of it.
 * Ref: Melhus 2013, sections 4.1.2, 4.1.3 (table 4.5) and 6.2.2. */
#include "runtime/heap.h"

#include "common/random.h"

/* 0, 128, 64, 192, 32, …: any first n of them are as far apart as n of 256 can be, to within a factor of two. */
static unsigned reverse(unsigned x) {
	x = (x & 0xf0) >> 4 | (x & 0x0f) << 4;
	x = (x & 0xcc) >> 2 | (x & 0x33) << 2;
	return (x & 0xaa) >> 1 | (x & 0x55) << 1;
}

/* The least used of the offsets in that order, which the seed rotates. */
static unsigned least_used(struct heap_blocks *blocks, unsigned step) {
	unsigned best = 0, best_use = UINT16_MAX + 1;
	for (unsigned i = 0; i < BLOCK_OFFSETS && best_use; i++) {
		unsigned place = (reverse(i) + blocks->rotation) % BLOCK_OFFSETS;
		if (place % step || blocks->in_use[place] >= best_use)
			continue;
		best = place;
		best_use = blocks->in_use[place];
	}
	return best;
}

unsigned blocks_offset(struct heap_blocks *blocks, size_t alignment) {
	unsigned step = alignment > 16 ? (unsigned)(alignment < 4096 ? alignment : 4096) / 16 : 1, place = 0;
	if (heap_options.blocks == BLOCKS_RANDOM)
		place = (unsigned)ifr_random_below(heap_draw(blocks->key, &blocks->draws), BLOCK_OFFSETS / step) * step;
	if (heap_options.blocks == BLOCKS_ALIAS_FREE)
		place = least_used(blocks, step);
	if (blocks->in_use[place] < UINT16_MAX)
		blocks->in_use[place]++;
	return place * 16;
}

void blocks_offset_done(struct heap_blocks *blocks, unsigned offset) {
	if (blocks->in_use[offset / 16] > 0)
		blocks->in_use[offset / 16]--;
}
