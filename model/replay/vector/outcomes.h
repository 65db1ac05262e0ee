/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the outcomes of sixteen lanes' block executions, one after the other, as core_cursor.h does of one.
 *
 * Problem: most executions have no outcome that matters: nothing was mispredicted, and nothing missed.
 * Idea: of each lane and kind of event, the number of the next one that is marked stands in a vector. An execution
 * compares it with its own number, and goes to the lanes that have a mark. */
#ifndef INTERFERO_MODEL_VECTOR_OUTCOMES_H
#define INTERFERO_MODEL_VECTOR_OUTCOMES_H

#include "model/replay/core_course.h"
#include "model/replay/stages.h"
#include "model/replay/vector/graph_lanes.h"

/* Marks of sixteen lanes, in ascending order. */
struct lanes_marks {
	struct lane_words next; /* number of the next marked event; UINT32_MAX: there is none */
	const uint32_t *at[LANES], *end[LANES];
	unsigned bits;   /* of a mark that are not its number */
	uint32_t number; /* of the next event */
};

struct lanes_cursor {
	const struct ifr_core *core;
	const struct ifr_core_course *course;
	const struct ifr_pass *pass;
	size_t lanes[LANES]; /* of the pass */
	uint32_t before;     /* the execution before */
	struct lanes_marks conditional, indirect, taken;
	struct lanes_marks entries;             /* by execution */
	struct lane_words next_line, next_page; /* execution of the next miss; UINT32_MAX: there is none */
	size_t line[LANES], page[LANES];
	const uint64_t *addresses[LANES]; /* of the chunk */
	struct lane_words next_level;     /* as in struct lanes_step */
	size_t data;                      /* accesses before the next execution */
};

/* Begins with a chunk. first, count: lanes of the pass; those behind the last are as the last. */
void IFR_VECTOR(cursor_new)(struct lanes_cursor *at, const struct ifr_core *core,
                            const struct ifr_core_course *course, const struct ifr_pass *pass, size_t first,
                            size_t count);
/* Begins with the first execution of a span, behind those that were read before. */
void IFR_VECTOR(cursor_begin)(struct lanes_cursor *at, const struct ifr_core_span *span);
/* Reads the outcome of the next execution, which is none of IFR_EXECUTION_BREAK, and goes on. */
void IFR_VECTOR(cursor_next)(struct lanes_cursor *at, size_t execution, struct lanes_step *step);

#endif
