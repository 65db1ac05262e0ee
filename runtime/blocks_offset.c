/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page offsets of blocks. Processors detect conflicts of loads and stores by the low 12 address bits, and blocks
 * that all begin at one page offset cause false conflicts (4K aliasing).
 * Ref: Melhus 2013, sections 4.1.2, 4.1.3 (table 4.5) and 6.2.2. */
#include "runtime/heap.h"

#include "common/random.h"
#include "runtime/sites.h"

/* Bit reversal of 8 bits: 0, 128, 64, 192, 32, … Any first n values are as far apart as n of 256 can be, within a
 * factor of two. */
static unsigned reverse_bits(unsigned x) {
	x = (x & 0xf0) >> 4 | (x & 0x0f) << 4;
	x = (x & 0xcc) >> 2 | (x & 0x33) << 2;
	return (x & 0xaa) >> 1 | (x & 0x55) << 1;
}

unsigned blocks_spread(unsigned number) {
	return reverse_bits(number % BLOCK_OFFSETS) * 16;
}

/* Returns the least used offset, in bit-reversed order rotated by the seed. */
static unsigned least_used(struct heap_blocks *blocks, unsigned step) {
	unsigned best = 0, best_use = UINT16_MAX + 1;
	for (unsigned i = 0; i < BLOCK_OFFSETS && best_use; i++) {
		unsigned offset = (reverse_bits(i) + blocks->rotation) % BLOCK_OFFSETS;
		if (offset % step || blocks->in_use[offset] >= best_use)
			continue;
		best = offset;
		best_use = blocks->in_use[offset];
	}
	return best;
}

unsigned blocks_offset(struct heap_blocks *blocks, size_t alignment) {
	unsigned step = alignment > 16 ? (unsigned)(alignment < 4096 ? alignment : 4096) / 16 : 1, offset = 0;
	const int wanted = sites_take();
	if (wanted >= 0)
		offset = (unsigned)wanted / 16 / step * step;
	else if (heap_options.blocks == BLOCKS_RANDOM)
		offset = (unsigned)ifr_random_below(heap_draw(blocks->key, &blocks->draws), BLOCK_OFFSETS / step) * step;
	else if (heap_options.blocks == BLOCKS_ALIAS_FREE)
		offset = least_used(blocks, step);
	if (blocks->in_use[offset] < UINT16_MAX)
		blocks->in_use[offset]++;
	return offset * 16;
}

void blocks_offset_done(struct heap_blocks *blocks, unsigned offset) {
	if (blocks->in_use[offset / 16] > 0)
		blocks->in_use[offset / 16]--;
}
