/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an open trace is made of. */
#ifndef IFR_MODEL_READER_H
#define IFR_MODEL_READER_H

#include <stdio.h>
#include <zstd.h>

#include "common/buffer.h"
#include "model/trace/coding.h"
#include "model/trace/trace.h"

/* How the normalised of a block's accesses are found: first those that are recorded, then those that follow. */
struct block_recipe {
	uint32_t first_coder; /* one for each that is recorded */
	uint32_t first_followed;
	uint16_t recorded, followed;
};

/* An access that follows from another of its block, or lies at one normalised. */
struct followed {
	uint64_t offset; /* to the other's normalised, or the normalised itself */
	int32_t anchor;  /* index of the other; below 0: none */
	uint32_t index;
};

/* Where a reader is in a frame of runs. */
struct sequence_cursor {
	const uint8_t *sequence_at, *sequence_end, *address_at, *address_end;
	uint64_t hits; /* predicted executions to come before the next stored one */
	uint32_t executions_left;
};

struct ifr_trace {
	FILE *file;
	char damage[128];
	bool complete;
	struct ifr_buffer text;
	struct ifr_mapping *mappings;
	struct ifr_trace_block *blocks;
	struct ifr_trace_access *accesses;
	struct ifr_trace_request *requests;
	bool *ended; /* of each: its object */
	size_t request_count, request_room, ended_room;
	size_t mapping_count, block_count, access_count, block_room, access_room, frames;
	struct ifr_trace_totals totals;
	ZSTD_DCtx *zstd;
	uint8_t *stored, *raw;
	size_t stored_room, raw_room;
	/* runs */
	struct block_recipe *recipes;
	struct address_coder *coders;
	size_t coder_count;
	uint16_t *recorded; /* by coder: which of its block's accesses it is for */
	struct followed *followed;
	struct execution_coder *execution_coder;
	struct sequence_cursor cursor;
	bool started;
	uint32_t *executions;
	uint64_t *normalised;
	size_t execution_room, normalised_room;
};

/* The next frame of a type, unpacked in raw. False at the end or where the file is damaged. */
bool trace_next_frame(struct ifr_trace *trace, enum trace_frame_type type, struct trace_frame *head);
/* What a frame of requests holds, in raw. False where it makes no sense. */
bool trace_read_requests(struct ifr_trace *trace, size_t length);
/* Room for more items behind count of them. */
void *trace_grow(void *items, size_t count, size_t more, size_t bytes, size_t *room);
void trace_prepare_sequence(struct ifr_trace *trace);
void trace_release_sequence(struct ifr_trace *trace);

#endif
