/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The basic blocks of control-flow contexts, found again in the trace: a profile keeps only their hashes, and the moment
 * at which it met each first. */
#ifndef IFR_MODEL_LOAD_PATHS_H
#define IFR_MODEL_LOAD_PATHS_H

#include "model/loads/contexts.h"

struct ifr_load_path {
	uint64_t moment; /* ifr_load_context.first */
	unsigned length; /* the blocks before the load's own, at most IFR_LOAD_CONTEXT_LENGTH_MOST */
	/* Result: blocks of the trace, the oldest first, the load's own last; IFR_EXECUTION_BREAK: an interruption. */
	uint32_t blocks[IFR_LOAD_CONTEXT_LENGTH_MOST + 1];
	unsigned count; /* length + 1, or fewer where the trace begins */
};

/* Reads the trace from its beginning up to the last moment. Paths are in any order. */
void ifr_load_paths_find(struct ifr_trace *trace, const struct ifr_load_sites *sites, struct ifr_load_path *paths,
                         size_t count);

#endif
