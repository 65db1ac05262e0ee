/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of an open trace. Private to the reader. */
#ifndef IFR_MODEL_READER_H
#define IFR_MODEL_READER_H

#include <stdio.h>
#include <zstd.h>

#include "common/buffer.h"
#include "model/trace/coding.h"
#include "model/trace/misses.h"
#include "model/trace/trace.h"

/* How the accesses of a block are decoded: first the stored ones, then the derived ones. */
struct block_recipe {
	uint32_t first_coder; /* one coder for each stored access */
	uint32_t first_followed;
	uint16_t recorded, followed;
};

/* A derived access: it follows from another of its block, or is absolute. */
struct followed {
	uint64_t offset; /* to the other access; without one the normalised address itself */
	int32_t anchor;  /* index of the other access; negative: none */
	uint32_t index;
};

/* Position in a sequence frame. */
struct sequence_cursor {
	const uint8_t *sequence_at, *sequence_end;
	const uint8_t *token_at, *token_end, *offset_at, *offset_end, *rest_at, *rest_end;
	uint64_t hits;         /* predicted executions before the next stored one */
	uint64_t address_hits; /* predicted accesses before the next mispredicted one; UINT64_MAX: before the end */
	unsigned kind;         /* of that one (model/trace/misses.h) */
	uint32_t executions_left;
};

struct path;
struct path_key;

struct ifr_trace {
	FILE *file;
	char damage[128];
	bool complete;
	struct ifr_buffer text;
	struct ifr_mapping *mappings;
	struct ifr_trace_block *blocks;
	struct ifr_trace_access *accesses;
	struct ifr_buffer code; /* of all blocks */
	size_t *code_at;        /* by block: where its code begins */
	size_t code_room;
	struct ifr_trace_request *requests;
	bool *ended; /* by request: its object was ended */
	size_t request_count, request_room, ended_room;
	uint64_t *sites; /* by request, as far as they are known */
	size_t site_count, site_room;
	size_t mapping_count, block_count, access_count, block_room, access_room, frames;
	struct ifr_trace_totals totals;
	ZSTD_DCtx *zstd;
	uint8_t *stored, *raw;
	size_t stored_room, raw_room;
	/* blocks and accesses that the reader's user sees: all, or copies without prefetches */
	struct ifr_trace_block *shown_blocks;
	struct ifr_trace_access *shown_accesses;
	size_t shown_access_count;
	/* the block sequence: */
	struct block_recipe *recipes;
	struct address_coder *coders;
	struct last_addresses addresses;
	size_t coder_count;
	uint16_t *recorded; /* by coder: index of its access in the block */
	struct followed *followed;
	struct miss_coder miss_coder;
	struct execution_coder *execution_coder;
	struct path *paths; /* by history (model/trace/paths.h) */
	struct path_key *path_keys;
	struct sequence_cursor cursor;
	bool started;
	uint32_t *executions;
	uint64_t *normalised;
	size_t execution_room, normalised_room;
};

/* Sets the trace's damage, unless it has one. */
void trace_set_damage(struct ifr_trace *trace, const char *what);
/* Reads the next frame's head and compressed payload. Returns false at the end, or where the file is damaged. */
bool trace_read_stored(struct ifr_trace *trace, struct trace_frame *head);
/* Decompresses the payload that was read last into `raw`. Returns false, with the damage, if it cannot. */
bool trace_decompress(struct ifr_trace *trace, const struct trace_frame *head);
/* Reads and decompresses into `raw` the next frame of a type. Returns false at the end or where the file is
 * damaged. */
bool trace_next_frame(struct ifr_trace *trace, enum trace_frame_type type, struct trace_frame *head);
/* Reads a frame of requests from `raw`. Returns false if it is malformed. */
bool trace_read_requests(struct ifr_trace *trace, size_t length);
/* The same of their sites. */
bool trace_read_sites(struct ifr_trace *trace, size_t length);
/* Returns items with room for more of them behind the first count. */
void *trace_grow(void *items, size_t count, size_t more, size_t bytes, size_t *room);
/* Prepares for reading chunks, with prefetches or without. */
void trace_prepare_sequence(struct ifr_trace *trace, bool prefetches);
void trace_release_sequence(struct ifr_trace *trace);

#endif
