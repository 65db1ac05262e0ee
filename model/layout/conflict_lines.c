/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/conflict_lines.h"

#include <stdlib.h>

/* A line that another took the place of keeps its older name. */
static void rename_line(struct ifr_conflict_line *line, const struct ifr_conflict_line *recent) {
	if (!recent || recent[line->key % CONFLICT_RECENT].key != line->key)
		return;
	recent += line->key % CONFLICT_RECENT;
	line->block = recent->block;
	line->access = recent->access;
	line->normalised = recent->normalised;
}

/* The lines of a set at a miss are those that the missing one meets; lines that always hit are among them. */
static void note_meeting(struct conflict_lines *lines, const struct ifr_cache *cache, uint64_t key) {
	const uint64_t *keys = cache->keys + ifr_cache_set(&cache->shape, key) * cache->shape.ways;
	for (unsigned way = 0; way < cache->shape.ways; way++) {
		const uint32_t number =
			keys[way] == IFR_CACHE_EMPTY ? IFR_TABLE_NONE : ifr_table_find(&lines->numbers, keys[way]);
		if (number == IFR_TABLE_NONE)
			continue;
		lines->items[number].met++;
		rename_line(&lines->items[number], lines->recent);
	}
}

void conflict_lines_note(struct conflict_lines *lines, const struct ifr_cache *cache,
                         const struct ifr_conflict_line *line) {
	const uint32_t number = ifr_table_number(&lines->numbers, line->key);
	if (number == lines->room) {
		lines->room = 2 * lines->room + 1024;
		lines->items = ifr_realloc(lines->items, lines->room, sizeof *lines->items);
	}
	if (number == lines->count) {
		lines->items[number] = *line;
		lines->count++;
	}
	lines->misses++;
	if (++lines->items[number].misses[1] > 1)
		note_meeting(lines, cache, line->key);
}

void conflict_lines_release(struct conflict_lines *lines) {
	free(lines->items);
	free(lines->recent);
	ifr_table_release(&lines->numbers);
	*lines = (struct conflict_lines){0};
}
