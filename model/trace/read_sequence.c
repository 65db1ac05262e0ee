/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: each block has a few accesses, some stored and some derived, and loops of so few rounds are mispredicted
 * block after block; the prediction of a block waits for the one before.
 *
 * Idea: a recipe lists a block's stored accesses and its derived ones (model/trace/recipes.c). Of up to 32 blocks
 * that follow one another as predicted, a path has one list of each kind, made when its history comes again
 * (model/trace/paths.h). Most executions are decoded by paths, in three loops; the others one by one.
 *
 * Invariant: a path changes nothing of what is read. It is used as far as the predictor's table still says the same, and
 * as far as the frame says that predictions hold; its accesses are those of its blocks, in their order.
 *
 * Gain: traces of gawk, lua and a shell are read 1.2 to 1.5 times as fast, 350 to 500 million instructions a second on a
 * Zen 3 that others used, too. Where blocks are mispredicted every few executions, as in xz, there is nothing to follow:
 * such runs are decoded one by one, and xz's trace is read at four fifths of its speed before. The limit is the
 * mispredicted accesses, 35 to 85 in 1000 instructions; by shares of a profile each costs some 60 cycles. */
#include <stdlib.h>
#include <string.h>

#include "model/trace/paths.h"
#include "model/trace/reader.h"

void ifr_trace_rewind(struct ifr_trace *trace) {
	fseek(trace->file, sizeof(struct trace_head), SEEK_SET);
	address_coders_init(trace->coders, trace->coder_count, &trace->addresses);
	memset(trace->execution_coder, 0, sizeof *trace->execution_coder);
	trace->addresses = (struct last_addresses){0};
	trace->miss_coder = (struct miss_coder){0};
	trace->cursor.executions_left = 0;
}

/* Reads the next token. Returns false if the frame is malformed. */
static bool next_token(struct sequence_cursor *at) {
	uint64_t more = 0;
	at->address_hits = UINT64_MAX;
	if (at->token_at == at->token_end)
		return true;
	const uint8_t token = *at->token_at++;
	at->kind = token & 15;
	if (token >> 4 == MISS_HITS_MAX)
		at->rest_at = varint_get(at->rest_at, at->rest_end, &more);
	at->address_hits = (token >> 4) + more;
	return at->rest_at && at->address_hits >= more;
}

static bool open_frame(struct ifr_trace *trace) {
	struct trace_frame head;
	if (!trace_next_frame(trace, TRACE_SEQUENCE, &head))
		return false;
	const uint8_t *tokens = trace->raw + head.sequence_bytes, *offsets = tokens + head.token_bytes;
	struct sequence_cursor *at = &trace->cursor;
	*at = (struct sequence_cursor){.sequence_at = trace->raw,
	                               .sequence_end = tokens,
	                               .token_at = tokens,
	                               .token_end = offsets,
	                               .offset_at = offsets,
	                               .offset_end = offsets + head.offset_bytes,
	                               .rest_at = offsets + head.offset_bytes,
	                               .rest_end = trace->raw + head.raw_bytes,
	                               .executions_left = head.executions};
	at->sequence_at = varint_get(trace->raw, tokens, &at->hits);
	return at->sequence_at && next_token(at);
}

/* Whether a frame's executions have taken all of its mispredicted ones. */
static bool is_used_up(const struct sequence_cursor *at) {
	return at->sequence_at == at->sequence_end && !at->hits && at->address_hits > UINT64_MAX / 2 &&
	       at->offset_at == at->offset_end && at->rest_at == at->rest_end;
}

/* Decodes a block execution. Returns false if the frame is malformed. */
static inline bool decode_execution(struct execution_coder *coder, struct sequence_cursor *at,
                                    uint32_t *execution) {
	uint32_t *predicted = execution_predicted(coder);
	if (at->hits) {
		at->hits--;
	} else {
		uint64_t value;
		at->sequence_at = varint_get(at->sequence_at, at->sequence_end, &value);
		if (!at->sequence_at || value > UINT32_MAX)
			return false;
		*predicted = (uint32_t)value;
		at->sequence_at = varint_get(at->sequence_at, at->sequence_end, &at->hits);
		if (!at->sequence_at)
			return false;
	}
	*execution = *predicted;
	coder->history = execution_history(coder->history, *execution);
	return true;
}

/* Decodes a mispredicted access. Returns false if the frame is malformed. */
static __attribute__((noinline)) bool decode_mispredicted(struct ifr_trace *trace, struct address_coder *coder,
                                                          struct sequence_cursor *at, uint64_t *normalised) {
	struct miss_coder *misses = &trace->miss_coder;
	const uint64_t last = coder->last;
	uint64_t coded = 0;
	if (at->kind < MISS_DISTANCES) {
		*normalised = last + (uint64_t)misses->distances[at->kind];
	} else if (at->kind == MISS_FAR) {
		at->rest_at = varint_get(at->rest_at, at->rest_end, &coded);
		*normalised = last + (uint64_t)unzigzag(coded);
	} else {
		if (at->kind > MISS_FAR + MISS_ADDRESSES || at->offset_at == at->offset_end)
			return false;
		*normalised = miss_address(misses, at->kind - MISS_FAR - 1) + (uint64_t)(int8_t)*at->offset_at++;
	}
	if (!at->rest_at)
		return false;
	miss_note(misses, at->kind, (int64_t)(*normalised - last), *normalised);
	address_correct(coder, &trace->addresses, *normalised, IFR_MAPPING_SHIFT);
	return next_token(at);
}

static inline uint64_t decode_predicted(struct address_coder *coder) {
	const uint64_t normalised = address_predicted(coder);
	address_advance(coder, normalised);
	return normalised;
}

/* Decodes the stored accesses, which may not exceed the frame. */
static inline bool decode_recorded(struct ifr_trace *trace, struct address_coder *coder, const uint16_t *indices,
                                   unsigned count, struct sequence_cursor *at, uint64_t *normalised) {
	for (unsigned i = 0; i < count; i++) {
		if (!at->address_hits) {
			if (!decode_mispredicted(trace, &coder[i], at, &normalised[indices[i]]))
				return false;
			continue;
		}
		at->address_hits--;
		normalised[indices[i]] = decode_predicted(&coder[i]);
	}
	return true;
}

static inline void derive_followed(const struct followed *followed, unsigned count, uint64_t *normalised) {
	static const uint64_t nowhere;
	for (unsigned i = 0; i < count; i++) {
		const uint64_t *base = followed[i].anchor < 0 ? &nowhere : normalised + followed[i].anchor;
		normalised[followed[i].index] = *base + followed[i].offset;
	}
}

static inline bool decode_addresses(struct ifr_trace *trace, struct sequence_cursor *at, uint32_t id,
                                    uint64_t *normalised) {
	const struct block_recipe *recipe = &trace->recipes[id];
	const bool good = decode_recorded(trace, trace->coders + recipe->first_coder,
	                                  trace->recorded + recipe->first_coder, recipe->recorded, at, normalised);
	derive_followed(trace->followed + recipe->first_followed, recipe->followed, normalised);
	return good;
}

/* Decodes the stored accesses of a path's first executions. */
static inline bool decode_recorded_of_path(struct ifr_trace *trace, struct sequence_cursor *at,
                                           const struct path *path, unsigned executions, uint64_t *normalised) {
	const struct path_access *access = path->recorded, *end = access + path->prefixes[executions].recorded;
	while (access < end) {
		const uint64_t left = (uint64_t)(end - access), hits = left < at->address_hits ? left : at->address_hits;
		for (const struct path_access *hit_end = access + hits; access < hit_end; access++)
			normalised[access->index] = decode_predicted(&trace->coders[access->coder]);
		at->address_hits -= hits;
		if (access == end)
			break;
		if (!decode_mispredicted(trace, &trace->coders[access->coder], at, &normalised[access->index]))
			return false;
		access++;
	}
	return true;
}

/* Where decoded executions go. */
struct decoded {
	uint32_t *executions;
	size_t count, accesses;
};

static uint64_t *make_room(struct ifr_trace *trace, const struct decoded *to, size_t more) {
	if (to->accesses + more + 1 > trace->normalised_room)
		trace->normalised = trace_grow(trace->normalised, to->accesses, more + 1, sizeof *trace->normalised,
		                               &trace->normalised_room);
	return trace->normalised + to->accesses;
}

/* Decodes executions by a path, at most so many: perhaps none. Returns false if the frame is malformed. */
static bool decode_by_path(struct ifr_trace *trace, struct sequence_cursor *at, struct path *path, unsigned most,
                           struct decoded *to) {
	const unsigned count = path_match(path, trace->execution_coder, most);
	if (count < most && count < path->count)
		path_mislead(path);
	const struct path_prefix *prefix = &path->prefixes[count];
	uint64_t *normalised = make_room(trace, to, prefix->accesses);
	if (!decode_recorded_of_path(trace, at, path, count, normalised))
		return false;
	derive_followed(path->followed, prefix->followed, normalised);
	memcpy(to->executions + to->count, path->executions, count * sizeof *path->executions);
	trace->execution_coder->history = path->histories[count];
	at->hits -= count;
	to->count += count;
	to->accesses += prefix->accesses;
	return true;
}

static bool decode_one(struct ifr_trace *trace, struct sequence_cursor *at, struct decoded *to) {
	uint32_t *execution = to->executions + to->count;
	if (!decode_execution(trace->execution_coder, at, execution))
		return false;
	to->count++;
	if (*execution == IFR_EXECUTION_BREAK)
		return true;
	const uint32_t id = *execution >> 1;
	if (id >= trace->block_count ||
	    !decode_addresses(trace, at, id, make_room(trace, to, trace->shown_blocks[id].accesses))) {
		to->count--;
		return false;
	}
	to->accesses += trace->shown_blocks[id].accesses;
	return true;
}

/* Decodes block executions of the frame, at most so many. Returns false if it is malformed. */
static bool decode_executions(struct ifr_trace *trace, size_t most, struct ifr_trace_chunk *chunk) {
	enum { WORTH_A_PATH = 8 }; /* predicted executions */
	struct sequence_cursor at = trace->cursor;
	struct decoded to = {trace->executions, chunk->executions_count, chunk->accesses_count};
	const size_t end = to.count + (most < at.executions_left ? most : at.executions_left);
	unsigned alone = 0; /* so many executions are decoded one by one, before another path is looked for */
	bool good = true;
	while (good && to.count < end) {
		const size_t left = end - to.count, before = to.count;
		const uint64_t hits = at.hits < left ? at.hits : left;
		struct path *path =
			hits >= WORTH_A_PATH && !alone ? path_find(trace, trace->execution_coder->history) : NULL;
		if (path && path->count)
			good =
				decode_by_path(trace, &at, path, hits < PATH_EXECUTIONS ? (unsigned)hits : PATH_EXECUTIONS, &to);
		if (!good || to.count > before)
			continue;
		if (!alone && !path)
			alone = PATH_EXECUTIONS;
		alone = at.hits && alone ? alone - 1 : 0;
		good = decode_one(trace, &at, &to);
	}
	at.executions_left -= (uint32_t)(to.count - chunk->executions_count);
	trace->cursor = at;
	chunk->executions_count = to.count;
	chunk->accesses_count = to.accesses;
	return good && (at.executions_left || is_used_up(&at));
}

/* Decodes executions without their accesses, at most so many. Returns false if the frame is malformed. */
static bool decode_sequence(struct ifr_trace *trace, size_t most, struct ifr_trace_chunk *chunk) {
	struct sequence_cursor at = trace->cursor;
	const size_t count = most < at.executions_left ? most : at.executions_left;
	uint32_t *to = trace->executions + chunk->executions_count;
	size_t decoded = 0;
	while (decoded < count && decode_execution(trace->execution_coder, &at, &to[decoded]) &&
	       (to[decoded] == IFR_EXECUTION_BREAK || to[decoded] >> 1 < trace->block_count))
		decoded++;
	at.executions_left -= (uint32_t)decoded;
	trace->cursor = at;
	chunk->executions_count += decoded;
	return decoded == count && (at.executions_left || (at.sequence_at == at.sequence_end && !at.hits));
}

static void read_frames(struct ifr_trace *trace, size_t most_executions,
                        bool (*decode)(struct ifr_trace *, size_t, struct ifr_trace_chunk *),
                        struct ifr_trace_chunk *chunk) {
	*chunk = (struct ifr_trace_chunk){0};
	trace->executions =
		trace_grow(trace->executions, 0, most_executions, sizeof *trace->executions, &trace->execution_room);
	while (chunk->executions_count < most_executions) {
		if (!trace->cursor.executions_left && !open_frame(trace))
			break;
		if (!decode(trace, most_executions - chunk->executions_count, chunk)) {
			snprintf(trace->damage, sizeof trace->damage, "a run's contents make no sense");
			trace->cursor.executions_left = 0;
			fseek(trace->file, 0, SEEK_END);
			break;
		}
	}
	chunk->executions = trace->executions;
}

void ifr_trace_read_chunk(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk) {
	read_frames(trace, most_executions, decode_executions, chunk);
	chunk->normalised = trace->normalised;
}

void ifr_trace_read_sequence(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk) {
	read_frames(trace, most_executions, decode_sequence, chunk);
}
