/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths: sequences of block executions that follow one another as predicted, with all their accesses in two lists.
 * Private to the reader. */
#ifndef IFR_MODEL_PATHS_H
#define IFR_MODEL_PATHS_H

#include "model/trace/reader.h"

enum { PATH_BITS = 12, PATH_EXECUTIONS = 32, PATH_RECORDED = 64, PATH_FOLLOWED = 96 };

/* Numbers of stored, derived and all accesses of a path's first so many executions. */
struct path_prefix {
	uint16_t recorded, followed, accesses;
};

struct path_access {
	uint32_t coder, index; /* of its address among those of the path */
};

/* Beside the paths, so that looking for one that is not there stays in the cache. */
struct path_key {
	uint32_t history;
	uint32_t visits; /* since the history came here */
};

struct path {
	uint32_t count;                          /* executions; 0: none yet, or none that fits */
	uint32_t misled;                         /* so often, the table predicted another sequence than this */
	uint32_t histories[PATH_EXECUTIONS + 1]; /* before each execution, and behind the last */
	uint32_t executions[PATH_EXECUTIONS];
	struct path_prefix prefixes[PATH_EXECUTIONS + 1];
	struct path_access recorded[PATH_RECORDED];
	struct followed followed[PATH_FOLLOWED];
};

/* Returns the path that begins at a history; NULL if that was met too seldom lately to make one. A path may have no
 * executions. */
struct path *path_find(struct ifr_trace *trace, uint32_t history);

/* Returns how many executions of the path, at most so many, the table predicts now. */
unsigned path_match(const struct path *path, const struct execution_coder *coder, unsigned most);

/* Has the path made anew, later, if it misleads again and again. */
static inline void path_mislead(struct path *path) {
	enum { PATIENCE = 2 };
	if (++path->misled > PATIENCE)
		path->count = 0;
}

#endif
