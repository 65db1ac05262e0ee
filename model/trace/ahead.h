/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks of a trace that a thread of its own reads ahead of their use. */
#ifndef IFR_MODEL_TRACE_AHEAD_H
#define IFR_MODEL_TRACE_AHEAD_H

#include "model/trace/trace.h"

struct ifr_trace_ahead;

/* Reads a chunk: ifr_trace_read_chunk or ifr_trace_read_sequence. */
typedef void (*ifr_trace_chunk_reader)(struct ifr_trace *trace, size_t most_executions,
                                       struct ifr_trace_chunk *chunk);

/* Rewinds the trace and begins to read chunks of at most so many executions. Nothing else may read chunks of the trace,
 * or rewind it, until it is freed. Without a thread chunks are read when they are asked for. */
struct ifr_trace_ahead *ifr_trace_ahead_new(struct ifr_trace *trace, size_t most_executions,
                                            ifr_trace_chunk_reader read);
/* Stores the next chunk, as the reader does; it is valid until the next call. */
void ifr_trace_ahead_next(struct ifr_trace_ahead *ahead, struct ifr_trace_chunk *chunk);
/* Stops reading. NULL: does nothing. */
void ifr_trace_ahead_free(struct ifr_trace_ahead *ahead);

#endif
