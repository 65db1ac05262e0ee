/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a trace writer that the recording's inner loop works on: block executions and their stored accesses.
 * Private to the writer and to model/record/. */
#ifndef IFR_MODEL_APPEND_H
#define IFR_MODEL_APPEND_H

#include "model/trace/coding.h"
#include "model/trace/writer.h"

struct trace_tail {
	uint32_t *executions; /* the next execution */
	/* The frame is full when `executions` has come here. A mispredicted access may set it to the frame's begin. */
	uint32_t *limit;
	uint64_t hits; /* predicted stored accesses since the last mispredicted one */
	struct last_addresses addresses;
};

/* The tail of a writer; it belongs to the writer, and whoever appends an execution to it ends the frame that is full. */
struct trace_tail *trace_tail(struct ifr_trace_writer *writer);
/* Writes the frame that is full. */
void trace_end_frame(struct ifr_trace_writer *writer);
/* Coders of a block's stored accesses; they stay where they are. */
struct address_coder *trace_coders(struct ifr_trace_writer *writer, uint32_t block);
/* Counts executions that were appended to the tail. */
void trace_count(struct ifr_trace_writer *writer, uint64_t instructions, uint64_t accesses, uint64_t recorded);
/* Appends a mispredicted access to the tail. hits: predicted ones since the last. */
void trace_add_miss(struct ifr_trace_writer *writer, struct address_coder *coder, uint64_t normalised,
                    uint64_t hits);

/* Appends the stored accesses of an execution to the tail. */
static inline void trace_add_accesses(struct ifr_trace_writer *writer, struct trace_tail *tail,
                                      struct address_coder *coders, const uint64_t *normalised, uint32_t count) {
	uint64_t hits = tail->hits;
	for (uint32_t i = 0; i < count; i++) {
		if (__builtin_expect(address_predicted(&coders[i]) == normalised[i], 1)) {
			address_advance(&coders[i], normalised[i]);
			hits++;
		} else {
			trace_add_miss(writer, &coders[i], normalised[i], hits);
			hits = 0;
		}
	}
	tail->hits = hits;
}

#endif
