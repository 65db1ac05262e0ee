/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a trace writer that the recording's inner loop works on: block executions and their stored accesses.
 * Private to the writer and to model/record/executions.c. */
#ifndef IFR_MODEL_APPEND_H
#define IFR_MODEL_APPEND_H

#include "model/trace/coding.h"
#include "model/trace/writer.h"

struct trace_tail {
	uint32_t *executions,
		*limit;    /* next execution; the frame is full at limit, which a mispredicted access may lower */
	uint64_t hits; /* predicted stored accesses since the last mispredicted one */
	struct last_addresses addresses;
};

/* The tail of a writer; it belongs to the writer, and whoever changes it keeps executions below limit. */
struct trace_tail *trace_tail(struct ifr_trace_writer *writer);
/* Writes the frame that is full. */
void trace_end_frame(struct ifr_trace_writer *writer);
/* Coders of a block's stored accesses; they stay where they are. */
struct address_coder *trace_coders(struct ifr_trace_writer *writer, uint32_t block);
/* Counts executions that were appended to the tail. */
void trace_count(struct ifr_trace_writer *writer, uint64_t instructions, uint64_t accesses, uint64_t recorded);
/* Appends a mispredicted access to the tail. */
void trace_add_miss(struct ifr_trace_writer *writer, struct address_coder *coder, uint64_t normalised);

/* Appends the stored accesses of an execution to the tail. */
static inline void trace_add_accesses(struct ifr_trace_writer *writer, struct trace_tail *tail,
                                      struct address_coder *coders, const uint64_t *normalised, uint32_t count) {
	uint64_t hits = tail->hits; /* in a register: each addition in memory would wait for the one before */
	for (uint32_t i = 0; i < count; i++) {
		if (__builtin_expect(address_predicted(&coders[i], &tail->addresses) == normalised[i], 1)) {
			address_advance(&coders[i], &tail->addresses, normalised[i]);
			hits++;
		} else {
			tail->hits = hits;
			trace_add_miss(writer, &coders[i], normalised[i]);
			hits = 0;
		}
	}
	tail->hits = hits;
}

#endif
