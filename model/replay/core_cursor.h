/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the outcomes of a lane's block executions, one after the other, as the graph takes them. Private to the
 * folder. */
#ifndef IFR_MODEL_CORE_CURSOR_H
#define IFR_MODEL_CORE_CURSOR_H

#include "model/core/graph.h"
#include "model/replay/core_course.h"
#include "model/replay/stages.h"

/* Reads marks in ascending order. */
struct mark_reader {
	const uint32_t *next, *end;
	uint32_t number; /* of the next event */
};

/* The place in a chunk and its lists. */
struct core_cursor {
	const struct ifr_core *core;
	const struct ifr_core_course *course;
	const struct ifr_pass *pass;
	size_t lane;
	uint32_t before; /* the execution before */
	struct mark_reader conditional, indirect, taken;
	struct mark_reader entries; /* by execution */
	size_t line, page, data;
};

/* Begins with the first execution of a span, behind those that were read before. */
void core_cursor_begin(struct core_cursor *at, const struct ifr_core_span *span);
/* Reads the outcome of the next execution, which is none of IFR_EXECUTION_BREAK, and goes on. */
void core_cursor_next(struct core_cursor *at, size_t execution, struct ifr_core_outcome *outcome);

#endif
