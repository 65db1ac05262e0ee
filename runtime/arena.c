/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/arena.h"

#include <string.h>

#include "runtime/os.h"

struct arena arena;

/* Preferred addresses: below programs (0x55…) and libraries (0x7f…), above the tables of sanitizers. */
static void *const hint = OS_HINT(0x140000000000);
static void *const tables_hint = OS_HINT(0x110000000000);

/* Sizes, largest first: a limit on address space or strict overcommit takes a smaller one. */
static const struct {
	unsigned arena_shift, window_shift, main_windows;
} shapes[] = {{46, 33, 8}, {42, 29, 16}, {38, 28, 16}, {34, 27, 8}, {30, 26, 4}, {28, 25, 4}};

static size_t page_up(size_t bytes) {
	return (bytes + OS_PAGE_BYTES - 1) & ~(size_t)(OS_PAGE_BYTES - 1);
}

/* The tables in their order; heaps follow. */
enum table { TABLE_CHUNKS, TABLE_BLOCKS, TABLE_LIVE, TABLE_HELD, TABLE_REMOTE, TABLES };

static size_t table_bytes(enum table table, size_t arena_bytes) {
	if (table == TABLE_CHUNKS)
		return (arena_bytes >> CHUNK_SHIFT) * sizeof(struct chunk);
	if (table == TABLE_BLOCKS)
		return (arena_bytes >> CHUNK_SHIFT) * sizeof(struct block);
	return arena_bytes >> GRANULE_SHIFT >> 3;
}

static char *table_start(enum table table) {
	void *const start[TABLES] = {arena.chunks, arena.blocks, arena.live, arena.held, arena.remote};
	return start[table];
}

static size_t tables_bytes(void) {
	size_t sum = arena.main_heap_bytes + arena.windows * arena.heap_bytes;
	for (int table = 0; table < TABLES; table++)
		sum += table_bytes(table, arena.bytes);
	return sum;
}

static void set_tables(char *start) {
	char *at[TABLES], *next = start;
	for (int table = 0; table < TABLES; table++) {
		at[table] = next;
		next += table_bytes(table, arena.bytes);
	}
	arena.chunks = (void *)at[TABLE_CHUNKS];
	arena.blocks = (void *)at[TABLE_BLOCKS];
	arena.live = (void *)at[TABLE_LIVE];
	arena.held = (void *)at[TABLE_HELD];
	arena.remote = (void *)at[TABLE_REMOTE];
	arena.heaps = next;
	os_small_pages(start, tables_bytes());
}

/* Reserves arena and tables of the current shape, and opens the first thread's windows. */
static bool reserve_shape(void) {
	char *start = os_reserve(hint, arena.bytes), *tables = os_reserve(tables_hint, tables_bytes());
	if (start && tables) {
		set_tables(tables);
		arena.base = (uintptr_t)start;
		arena.at_hint = start == hint;
		if (arena_open(0, arena.main_windows))
			return true;
	}
	if (start)
		os_unreserve(start, arena.bytes);
	if (tables)
		os_unreserve(tables, tables_bytes());
	return false;
}

bool arena_init(size_t most_bytes, size_t (*heap_bytes)(uint32_t half_chunks)) {
	size_t limit = os_address_space();
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		arena.bytes = (size_t)1 << shapes[i].arena_shift;
		arena.window_shift = shapes[i].window_shift;
		arena.windows = 1u << (shapes[i].arena_shift - shapes[i].window_shift);
		arena.main_windows = shapes[i].main_windows;
		arena.heap_bytes = page_up(heap_bytes(arena_window_chunks() / 2));
		arena.main_heap_bytes = page_up(heap_bytes(arena_window_chunks() / 2 * arena.main_windows));
		/* Leave three quarters of a limited address space to the program. */
		if (arena.bytes > most_bytes || arena.bytes > limit / 4)
			continue;
		if (reserve_shape())
			return true;
	}
	memset(&arena, 0, sizeof arena);
	return false;
}

void arena_release(void) {
	if (arena.base) {
		os_unreserve((void *)arena.base, arena.bytes);
		os_unreserve(arena.chunks, tables_bytes());
	}
	memset(&arena, 0, sizeof arena);
}

struct heap *arena_heap_room(unsigned window) {
	return (struct heap *)(arena.heaps + (window ? arena.main_heap_bytes + window * arena.heap_bytes : 0));
}

bool arena_open(unsigned window, unsigned count) {
	for (int table = 0; table < TABLES; table++) {
		size_t bytes = table_bytes(table, (size_t)1 << arena.window_shift);
		if (!os_commit(table_start(table) + window * bytes, count * bytes))
			return false;
	}
	return os_commit(arena_heap_room(window), window ? arena.heap_bytes : arena.main_heap_bytes);
}

void area_init(struct area *area, uint32_t first, uint32_t chunks) {
	*area = (struct area){first, first, first, first + chunks};
}

uint32_t area_allocate(struct area *area, uint32_t chunks) {
	if (chunks > area->end - area->next)
		return 0;
	uint32_t taken = area->next;
	if (taken + chunks > area->committed) {
		/* Commits in steps that grow with the area: few calls, and little more than is used. */
		uint32_t left = area->end - area->committed, step = (area->next - area->first) / 8 + 16;
		uint32_t need = taken + chunks - area->committed;
		step = step < need ? need : step;
		step = step < left ? step : left;
		if (!os_commit(arena_chunk_address(area->committed), (size_t)step << CHUNK_SHIFT))
			return 0;
		area->committed += step;
	}
	area->next += chunks;
	return taken;
}
