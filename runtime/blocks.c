/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks: large objects of whole chunks, cut from free runs with boundary tags (Knuth 1968, section 2.5), which
 * are kept in the table of blocks. Block policies differ only in the page offset. */
#include "runtime/heap.h"

#include <string.h>

#include "runtime/os.h"

enum {
	KEEP_BYTES = 1 << 20,      /* least freed memory that stays committed */
	KEEP_BYTES_MAX = 64 << 20, /* normally twice the largest block freed so far, at most this, as in glibc */
	EXAMINED_RUNS = 32,        /* free runs of a bin that are examined before a larger bin */
	MOVE_BYTES = 256 * 1024,   /* blocks of this size grow by moving their pages */
	MOVES_MAX = 4096           /* a move may take two more of the kernel's 65530 mappings */
};

static uint64_t chunk_bytes(uint32_t chunks) {
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
	blocks->dirty_bytes += dirty ? chunk_bytes(chunks) : 0;
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
	blocks->dirty_bytes -= block->dirty ? chunk_bytes(block->chunks) : 0;
}

/* Frees chunks and merges them with adjacent free runs. */
static void free_run(struct heap_blocks *blocks, uint32_t run, uint32_t chunks, bool dirty) {
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
	keep = keep < KEEP_BYTES ? KEEP_BYTES : keep > KEEP_BYTES_MAX ? KEEP_BYTES_MAX : keep;
	if (dirty && blocks->dirty_bytes + chunk_bytes(end - run) > keep) {
		os_purge(arena_chunk_address(run), chunk_bytes(end - run));
		dirty = false;
	}
	link_run(blocks, run, end - run, dirty);
}

static uint32_t find_run(const struct heap_blocks *blocks, uint32_t chunks) {
	for (unsigned bin = bin_of(chunks); bin < BLOCK_BINS; bin++) {
		uint32_t run = blocks->bin[bin];
		for (int i = 0; run && i < EXAMINED_RUNS; i++, run = arena.chunks[run].next)
			if (arena.blocks[run].chunks >= chunks)
				return run;
	}
	return 0;
}

static void mark_block(uint32_t run, uint32_t chunks) {
	arena.chunks[run + chunks - 1].kind = CHUNK_NONE;
	arena.chunks[run].kind = CHUNK_BLOCK;
	arena.blocks[run].chunks = chunks;
}

/* Allocates chunks for a block. Returns the first one; 0 without memory. */
static uint32_t allocate_run(struct heap_blocks *blocks, uint32_t chunks, bool *dirty) {
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
		mark_block(run, chunks);
	return run;
}

/* Allocates chunks for a block at a multiple of align chunks, a power of two. */
static uint32_t allocate_aligned_run(struct heap_blocks *blocks, uint32_t chunks, uint32_t align, bool *dirty) {
	uint32_t run = allocate_run(blocks, chunks + align - 1, dirty);
	if (!run || align == 1)
		return run;
	/* blocks_allocate has checked that the arena is aligned as much. */
	uint32_t first = (run + align - 1) & ~(align - 1), rest = run + align - 1 - first;
	mark_block(first, chunks);
	if (first > run)
		free_run(blocks, run, first - run, *dirty);
	if (rest)
		free_run(blocks, first + chunks, rest, *dirty);
	return first;
}

static uint64_t usable_bytes(uint64_t offset, uint64_t bytes) {
	return ((offset + bytes + OS_PAGE_BYTES - 1) & ~(uint64_t)(OS_PAGE_BYTES - 1)) - offset;
}

void *blocks_allocate(struct heap *heap, size_t bytes, size_t alignment, bool zero) {
	struct heap_blocks *blocks = &heap->blocks;
	bool dirty;
	bytes = bytes ? bytes : 1;
	blocks_drain(heap);
	/* A request that exceeds a window, or the alignment of the arena, goes to the next allocator. */
	if (bytes > chunk_bytes(heap->half_chunks) || alignment > chunk_bytes(heap->half_chunks) ||
	    arena.base & (alignment - 1))
		return NULL;
	unsigned offset = blocks_offset(blocks, alignment);
	uint32_t chunks = (uint32_t)((offset + bytes + CHUNK_BYTES - 1) >> CHUNK_SHIFT);
	uint32_t align = alignment > CHUNK_BYTES ? (uint32_t)(alignment >> CHUNK_SHIFT) : 1;
	uint32_t run = allocate_aligned_run(blocks, chunks, align, &dirty);
	if (!run) {
		blocks_offset_done(blocks, offset);
		return NULL;
	}
	arena.blocks[run] = (struct block){usable_bytes(offset, bytes), chunks, (uint16_t)offset, 0};
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
	free_run(blocks, chunk, block.chunks, true);
}

/* Extends a block by the chunks behind it. Returns false if they are not free. */
static bool extend_block(struct heap_blocks *blocks, uint32_t chunk, uint32_t more) {
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
	if (old.bytes < MOVE_BYTES || blocks->moves >= MOVES_MAX)
		return NULL;
	uint32_t run = allocate_run(blocks, chunks, &dirty);
	if (!run)
		return NULL;
	blocks->moves++;
	if (!os_move(arena_chunk_address(chunk), arena_chunk_address(run), chunk_bytes(old.chunks))) {
		free_run(blocks, run, chunks, dirty);
		return NULL;
	}
	char *from = (char *)arena_chunk_address(chunk) + old.offset;
	char *to = (char *)arena_chunk_address(run) + old.offset;
	arena.blocks[run] = (struct block){usable_bytes(old.offset, bytes), chunks, old.offset, 0};
	live_clear(arena_granule(from));
	live_set(arena_granule(to));
	free_run(blocks, chunk, old.chunks, false);
	return to;
}

void *blocks_resize(struct heap *heap, void *block, size_t bytes) {
	uint32_t chunk = arena_chunk(block);
	struct block *now = &arena.blocks[chunk];
	if (bytes <= SIZES_SMALL_MAX || bytes > chunk_bytes(heap->half_chunks))
		return NULL;
	uint32_t chunks = (uint32_t)((now->offset + bytes + CHUNK_BYTES - 1) >> CHUNK_SHIFT);
	if (chunks > now->chunks && !extend_block(&heap->blocks, chunk, chunks - now->chunks))
		return move_pages(heap, chunk, chunks, bytes);
	uint32_t before = now->chunks;
	now->chunks = chunks;
	now->bytes = usable_bytes(now->offset, bytes);
	arena.chunks[chunk + chunks - 1].kind = CHUNK_NONE;
	arena.chunks[chunk].kind = CHUNK_BLOCK;
	if (chunks < before)
		free_run(&heap->blocks, chunk + chunks, before - chunks, true);
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
