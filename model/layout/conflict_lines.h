/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines that missed in a structure. Private to this folder. */
#ifndef IFR_MODEL_CONFLICT_LINES_H
#define IFR_MODEL_CONFLICT_LINES_H

#include "common/buffer.h"
#include "common/table.h"
#include "model/layout/conflicts.h"
#include "model/memory/cache.h"

/* Numbered by key. misses[1] of a line: all of its misses. */
struct conflict_lines {
	struct ifr_table numbers;
	struct ifr_conflict_line *items;
	size_t count, room;
	uint64_t misses;                  /* of all lines */
	struct ifr_conflict_line *recent; /* by low bits of a key: its last touch */
};

enum { CONFLICT_RECENT = 1 << 14 };

/* Notes a touch of a line, hit or miss: a line is named by its last one. */
static inline void conflict_lines_touch(struct conflict_lines *lines, const struct ifr_conflict_line *line) {
	if (!lines->recent)
		lines->recent = ifr_alloc(CONFLICT_RECENT * sizeof *lines->recent);
	lines->recent[line->key % CONFLICT_RECENT] = *line;
}

/* Notes a miss of a line in a cache, which has taken the line. */
void conflict_lines_note(struct conflict_lines *lines, const struct ifr_cache *cache,
                         const struct ifr_conflict_line *line);
void conflict_lines_release(struct conflict_lines *lines);

#endif
