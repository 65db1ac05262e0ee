/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large objects: whole chunks each, cut from free runs with boundary tags (Knuth 1968, section 2.5), which lie in
 * the table of blocks. Policies differ in the page offset alone. */
#include "runtime/heap.h"

#include <string.h>

#include "runtime/os.h"

enum {
	KEEP_BYTES = 1 << 20,       /* of freed memory that stays, at least; */
	KEEP_MOST_BYTES = 64 << 20, /* twice the largest block freed so far, at most this, as in glibc */
	LOOK_AT = 32,               /* runs of one bin, before a larger one is cut */
	MOVE_BYTES = 256 * 1024,    /* from here on a block grows by moving its pages */
	MOVES_MOST = 4096           /* each may cost the kernel two more mappings, of which there are 65530 */
};

static uint64_t bytes_of(uint32_t chunks) {
	return (uint64_t)chunks << CHUNK_SHIFT;
}

static unsigned bin_of(uint32_t chunks) {
	unsigned log = 31u - (unsigned)__builtin_clz(chunks);
	return log < BLOCK_BINS ? log : BLOCK_BINS - 1;
}

static void link_run(struct heap_blocks *blocks, uint32_t run, uint32_t chunks, bool dirty) {
	uint32_t *bin = &blocks->bin[bin_of(chunks)], last = run + chunks - 1;
	arena.blocks[run] = arena.blocks[last] = (struct block){0, chunks, 0, dirty};
	arena.chunks[run].kind = arena.chunks[last].kind = CHUNK_FREE;
	arena.chunks[run].next = *bin;
	arena.chunks[run].index = 0;
	if (*bin)
		arena.chunks[*bin].index = run;
	*bin = run;
	blocks->dirty_bytes += dirty ? bytes_of(chunks) : 0;
}

static void unlink_run(struct heap_blocks *blocks, uint32_t run) {
	struct chunk *chunk = &arena.chunks[run];
	const struct block *block = &arena.blocks[run];
	if (chunk->next)
		arena.chunks[chunk->next].index = chunk->index;
	if (chunk->index)
		arena.chunks[chunk->index].next = chunk->next;
	else
		blocks->bin[bin_of(block->chunks)] = chunk->next;
	blocks->dirty_bytes -= block->dirty ? bytes_of(block->chunks) : 0;
}

/* Makes chunks free, joined with the free runs on both sides. */
static void give_run(struct heap_blocks *blocks, uint32_t run, uint32_t chunks, bool dirty) {
	uint32_t end = run + chunks;
	if (run > blocks->area.first && arena.chunks[run - 1].kind == CHUNK_FREE) {
		run -= arena.blocks[run - 1].chunks;
		dirty |= arena.blocks[run].dirty;
		unlink_run(blocks, run);
	}
	if (end < blocks->area.next && arena.chunks[end].kind == CHUNK_FREE) {
		dirty |= arena.blocks[end].dirty;
		unlink_run(blocks, end);
		end += arena.blocks[end].chunks;
	}
	uint64_t keep = 2 * blocks->largest_bytes;
	keep = keep < KEEP_BYTES ? KEEP_BYTES : keep > KEEP_MOST_BYTES ? KEEP_MOST_BYTES : keep;
	if (dirty && blocks->dirty_bytes + bytes_of(end - run) > keep) {
		os_purge(arena_chunk_address(run), bytes_of(end - run));
		dirty = false;
	}
	link_run(blocks, run, end - run, dirty);
}

static uint32_t find_run(const struct heap_blocks *blocks, uint32_t chunks) {
	for (unsigned bin = bin_of(chunks); bin < BLOCK_BINS; bin++) {
		uint32_t run = blocks->bin[bin];
		for (int i = 0; run && i < LOOK_AT; i++, run = arena.chunks[run].next)
			if (arena.blocks[run].chunks >= chunks)
				return run;
	}
	return 0;
}

static void become_block(uint32_t run, uint32_t chunks) {
	arena.chunks[run + chunks - 1].kind = CHUNK_NONE;
	arena.chunks[run].kind = CHUNK_BLOCK;
	arena.blocks[run].chunks = chunks;
}

/* The first of so many chunks for a block; 0 without memory. */
static uint32_t take_run(struct heap_blocks *blocks, uint32_t chunks, bool *dirty) {
	uint32_t run = find_run(blocks, chunks);
	*dirty = false;
	if (!run) {
		run = area_allocate(&blocks->area, chunks);
	} else {
		uint32_t rest = arena.blocks[run].chunks - chunks;
		*dirty = arena.blocks[run].dirty;
		unlink_run(blocks, run);
		if (rest)
			link_run(blocks, run + chunks, rest, *dirty);
	}
	if (run)
		become_block(run, chunks);
	return run;
}

/* The same at a multiple of align chunks, a power of two. */
static uint32_t take_aligned(struct heap_blocks *blocks, uint32_t chunks, uint32_t align, bool *dirty) {
	uint32_t run = take_run(blocks, chunks + align - 1, dirty);
	if (!run || align == 1)
		return run;
	/* The arena itself lies at a multiple of every alignment asked for here: see blocks_allocate. */
	uint32_t first = (run + align - 1) & ~(align - 1), rest = run + align - 1 - first;
	become_block(first, chunks);
	if (first > run)
		give_run(blocks, run, first - run, *dirty);
	if (rest)
		give_run(blocks, first + chunks, rest, *dirty);
	return first;
}

static uint64_t usable(uint64_t offset, uint64_t bytes) {
	return ((offset + bytes + OS_PAGE_BYTES - 1) & ~(uint64_t)(OS_PAGE_BYTES - 1)) - offset;
}

void *blocks_allocate(struct heap *heap, size_t bytes, size_t alignment, bool zero) {
	struct heap_blocks *blocks = &heap->blocks;
	bool dirty;
	bytes = bytes ? bytes : 1;
	blocks_drain(heap);
	/* Requests that a window cannot hold, or that need the arena itself aligned better than it is, are not ours.
	 */
	if (bytes > bytes_of(heap->half_chunks) || alignment > bytes_of(heap->half_chunks) ||
	    arena.base & (alignment - 1))
		return NULL;
	unsigned offset = blocks_offset(blocks, alignment);
	uint32_t chunks = (uint32_t)((offset + bytes + CHUNK_BYTES - 1) >> CHUNK_SHIFT);
	uint32_t align = alignment > CHUNK_BYTES ? (uint32_t)(alignment >> CHUNK_SHIFT) : 1;
	uint32_t run = take_aligned(blocks, chunks, align, &dirty);
	if (!run) {
		blocks_offset_done(blocks, offset);
		return NULL;
	}
	arena.blocks[run] = (struct block){usable(offset, bytes), chunks, (uint16_t)offset, 0};
	char *block = (char *)arena_chunk_address(run) + offset;
	live_set(arena_granule(block));
	if (zero && dirty)
		memset(block, 0, bytes);
	return block;
}

void blocks_free(struct heap *heap, uint32_t chunk, uint64_t granule) {
	struct heap_blocks *blocks = &heap->blocks;
	const struct block block = arena.blocks[chunk];
	live_clear(granule);
	blocks_offset_done(blocks, block.offset);
	if (block.bytes > blocks->largest_bytes)
		blocks->largest_bytes = block.bytes;
	give_run(blocks, chunk, block.chunks, true);
}

/* Takes the chunks behind a block; false if they are another's. */
static bool extend(struct heap_blocks *blocks, uint32_t chunk, uint32_t more) {
	uint32_t end = chunk + arena.blocks[chunk].chunks;
	if (end == blocks->area.next)
		return area_allocate(&blocks->area, more) != 0;
	if (arena.chunks[end].kind != CHUNK_FREE || arena.blocks[end].chunks < more)
		return false;
	uint32_t rest = arena.blocks[end].chunks - more;
	bool dirty = arena.blocks[end].dirty;
	unlink_run(blocks, end);
	if (rest)
		link_run(blocks, end + more, rest, dirty);
	return true;
}

static void *move_pages(struct heap *heap, uint32_t chunk, uint32_t chunks, size_t bytes) {
	struct heap_blocks *blocks = &heap->blocks;
	const struct block old = arena.blocks[chunk];
	bool dirty;
	if (old.bytes < MOVE_BYTES || blocks->moves >= MOVES_MOST)
		return NULL;
	uint32_t run = take_run(blocks, chunks, &dirty);
	if (!run)
		return NULL;
	blocks->moves++;
	if (!os_move(arena_chunk_address(chunk), arena_chunk_address(run), bytes_of(old.chunks))) {
		give_run(blocks, run, chunks, dirty);
		return NULL;
	}
	char *from = (char *)arena_chunk_address(chunk) + old.offset;
	char *to = (char *)arena_chunk_address(run) + old.offset;
	arena.blocks[run] = (struct block){usable(old.offset, bytes), chunks, old.offset, 0};
	live_clear(arena_granule(from));
	live_set(arena_granule(to));
	give_run(blocks, chunk, old.chunks, false);
	return to;
}

void *blocks_resize(struct heap *heap, void *block, size_t bytes) {
	uint32_t chunk = arena_chunk(block);
	struct block *now = &arena.blocks[chunk];
	if (bytes <= SIZES_SMALL_MAX || bytes > bytes_of(heap->half_chunks))
		return NULL;
	uint32_t chunks = (uint32_t)((now->offset + bytes + CHUNK_BYTES - 1) >> CHUNK_SHIFT);
	if (chunks > now->chunks && !extend(&heap->blocks, chunk, chunks - now->chunks))
		return move_pages(heap, chunk, chunks, bytes);
	uint32_t before = now->chunks;
	now->chunks = chunks;
	now->bytes = usable(now->offset, bytes);
	arena.chunks[chunk + chunks - 1].kind = CHUNK_NONE;
	arena.chunks[chunk].kind = CHUNK_BLOCK;
	if (chunks < before)
		give_run(&heap->blocks, chunk + chunks, before - chunks, true);
	return block;
}

void blocks_drain(struct heap *heap) {
	_Atomic uint32_t *pending = &heap->blocks.pending;
	if (!atomic_load_explicit(pending, memory_order_relaxed))
		return;
	uint32_t chunk = atomic_exchange_explicit(pending, 0, memory_order_acquire);
	while (chunk) {
		uint32_t next = arena.chunks[chunk].next;
		uint64_t granule =
			((uint64_t)chunk << (CHUNK_SHIFT - GRANULE_SHIFT)) + (arena.blocks[chunk].offset >> GRANULE_SHIFT);
		uint64_t bit = 1ull << (granule & 63);
		atomic_fetch_and_explicit(&arena.remote[granule >> 6], ~bit, memory_order_relaxed);
		if (!live_test(granule))
			os_stop("double free of", arena_address(granule));
		blocks_free(heap, chunk, granule);
		chunk = next;
	}
}
