/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a trace writer that the recording's inner loop keeps in registers: where block executions go, and how many
 * stored accesses were as predicted. Private to the writer and to model/record/executions.c. */
#ifndef IFR_MODEL_APPEND_H
#define IFR_MODEL_APPEND_H

#include "model/trace/coding.h"
#include "model/trace/writer.h"

struct trace_tail {
	uint32_t *executions, *limit; /* next execution; the frame is full at limit */
	uint64_t hits;                /* predicted stored accesses since the last mispredicted one */
};

/* The tail of a writer; it belongs to the writer, and whoever changes it keeps executions below limit. */
struct trace_tail *trace_tail(struct ifr_trace_writer *writer);
/* Writes the frame that is full. */
void trace_end_frame(struct ifr_trace_writer *writer);
/* Coders of a block's stored accesses; they stay where they are. */
struct address_coder *trace_coders(struct ifr_trace_writer *writer, uint32_t block);
/* Counts executions that were appended to the tail. */
void trace_count(struct ifr_trace_writer *writer, uint64_t instructions, uint64_t accesses, uint64_t recorded);

#endif
