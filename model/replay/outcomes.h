/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outcomes of a chunk in one lane: what each event came to. The stages write them if pass->outcomes is there; counters
 * alone do not need them. Rare outcomes are marks: numbers in ascending order, those of the events that came out so. */
#ifndef INTERFERO_MODEL_OUTCOMES_H
#define INTERFERO_MODEL_OUTCOMES_H

#include <stddef.h>
#include <stdint.h>

/* Levels of a line: 0 the first cache, then the second, the third, memory. Of a page: 0 the first TLB, 1 the second, 2 a
 * page walk. Of a taken branch: the BTB that has it, from 0; IFR_NO_BTB. */
enum { IFR_LEVEL_SECOND = 1, IFR_LEVEL_THIRD, IFR_LEVEL_MEMORY, IFR_LEVEL_PAGE_WALK = 2, IFR_NO_BTB = 3 };

enum { IFR_BTB_LEVEL_BITS = 2, IFR_OUTCOME_PAGE_SHIFT = 2 };

struct ifr_marks {
	uint32_t *items;
	size_t count, capacity;
};

/* Position: a data miss has the index of its access in the chunk, a fetch miss the index of the next access. */
struct ifr_miss {
	uint64_t key; /* line or page number: address / size */
	uint32_t position;
	uint32_t execution; /* of a fetch: the block execution in the chunk */
};

struct ifr_misses {
	struct ifr_miss *items;
	size_t count, capacity;
};

/* Branches that have a successor in the chunk are numbered from 0, the last of the chunk before among them. */
struct ifr_outcomes {
	struct ifr_marks conditional; /* mispredicted ones, by number of the conditional branch */
	struct ifr_marks indirect;    /* the same of the indirect branches */
	struct ifr_marks taken; /* not in the first BTB: number of the taken branch << IFR_BTB_LEVEL_BITS | level */
	/* By position: level of the line, and of the page << IFR_OUTCOME_PAGE_SHIFT; the worst of all pieces. */
	uint8_t *data;
	uint8_t *fetch_lines, *fetch_pages; /* by miss in pass->fetch_lines and fetch_pages: its level */
	uint8_t *data_lines;                /* by miss in the group's data_lines: its level */
};

/* The last chunk's outcomes in one lane, with the lines that missed the first caches. They belong to the replay until the
 * next chunk. */
struct ifr_lane_outcomes {
	const struct ifr_outcomes *outcomes;
	const struct ifr_misses *data_lines, *fetch_lines;
};

struct ifr_replay;
/* Before the lanes: outcomes are noted, also without a core. */
void ifr_replay_keep_outcomes(struct ifr_replay *replay);
/* Before the lanes, with a core: cycles are noted for which retirement waits for loads. */
void ifr_replay_keep_stalls(struct ifr_replay *replay);
/* Of a lane and an access of the chunks' blocks, once the counters were read; of samples an estimate. */
double ifr_replay_stalls(const struct ifr_replay *replay, size_t lane, size_t access);
struct ifr_lane_outcomes ifr_replay_outcomes(const struct ifr_replay *replay, size_t lane);

/* Notes the level of an access, in the bits from shift on, unless a piece of it was worse. */
static inline void ifr_outcome_note(uint8_t *data, uint32_t position, unsigned level, unsigned shift) {
	if (level > (data[position] >> shift & 3u))
		data[position] = (uint8_t)((data[position] & ~(3u << shift)) | level << shift);
}

void ifr_marks_grow(struct ifr_marks *marks);
static inline void ifr_marks_add(struct ifr_marks *marks, uint32_t mark) {
	if (marks->count == marks->capacity)
		ifr_marks_grow(marks);
	marks->items[marks->count++] = mark;
}

#endif
