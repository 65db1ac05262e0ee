/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes sequence frames. Of each block, a recipe prepared in advance lists the stored accesses and the derived
 * ones, so that both are decoded in two loops without a decision for each access. */
#include <stdlib.h>
#include <string.h>

#include "model/trace/reader.h"

/* Numbers the accesses of a block as they are shown. A prefetch that is not shown gets the number behind the last one:
 * its address goes where the next block's first access overwrites it. Returns how many are shown. */
static uint16_t number_accesses(const struct ifr_trace *trace, const struct ifr_trace_block *block,
                                bool prefetches, uint16_t *numbers) {
	const struct ifr_trace_access *accesses = trace->accesses + block->first_access;
	uint16_t shown = 0;
	for (unsigned i = 0; i < block->accesses; i++)
		numbers[i] = prefetches || accesses[i].kind != IFR_ACCESS_PREFETCH ? shown++ : UINT16_MAX;
	for (unsigned i = 0; i < block->accesses; i++)
		if (numbers[i] == UINT16_MAX && !prefetches)
			numbers[i] = shown;
	return shown;
}

static void prepare_recipe(struct ifr_trace *trace, size_t id, const uint16_t *numbers, uint32_t *followed) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	struct block_recipe *recipe = &trace->recipes[id];
	*recipe = (struct block_recipe){.first_coder = (uint32_t)trace->coder_count, .first_followed = *followed};
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &trace->accesses[block->first_access + i];
		if (access->anchor == IFR_ACCESS_RECORDED) {
			trace->recorded[trace->coder_count++] = numbers[i];
			recipe->recorded++;
			continue;
		}
		const uint64_t base = access->anchor == IFR_ACCESS_ABSOLUTE ? block->normalised : 0;
		trace->followed[(*followed)++] =
			(struct followed){base + (uint64_t)access->offset,
		                      access->anchor < 0 ? access->anchor : numbers[access->anchor], numbers[i]};
		recipe->followed++;
	}
}

/* Appends a block to those that are shown. */
static void show_block(struct ifr_trace *trace, size_t id, uint16_t count, const uint16_t *numbers) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	struct ifr_trace_block *shown = &trace->shown_blocks[id];
	struct ifr_trace_access *accesses = trace->shown_accesses + trace->shown_access_count;
	*shown = *block;
	shown->accesses = count;
	shown->first_access = (uint32_t)trace->shown_access_count;
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &trace->accesses[block->first_access + i];
		if (numbers[i] == count)
			continue;
		accesses[numbers[i]] = *access;
		if (access->anchor >= 0)
			accesses[numbers[i]].anchor = numbers[access->anchor];
	}
	trace->shown_access_count += count;
}

void trace_prepare_sequence(struct ifr_trace *trace, bool prefetches) {
	uint32_t followed = 0;
	uint16_t *numbers = ifr_alloc((UINT16_MAX + 1) * sizeof *numbers);
	trace->recipes = ifr_alloc((trace->block_count + 1) * sizeof *trace->recipes);
	trace->recorded = ifr_alloc((trace->access_count + 1) * sizeof *trace->recorded);
	trace->followed = ifr_alloc((trace->access_count + 1) * sizeof *trace->followed);
	trace->shown_blocks = ifr_alloc((trace->block_count + 1) * sizeof *trace->shown_blocks);
	trace->shown_accesses = ifr_alloc((trace->access_count + 1) * sizeof *trace->shown_accesses);
	trace->coder_count = trace->shown_access_count = 0;
	for (size_t i = 0; i < trace->block_count; i++) {
		const uint16_t shown = number_accesses(trace, &trace->blocks[i], prefetches, numbers);
		prepare_recipe(trace, i, numbers, &followed);
		show_block(trace, i, shown, numbers);
	}
	free(numbers);
	trace->coders = ifr_alloc((trace->coder_count + 1) * sizeof *trace->coders);
	trace->execution_coder = ifr_alloc(sizeof *trace->execution_coder);
	ifr_trace_rewind(trace);
}

void ifr_trace_keep_prefetches(struct ifr_trace *trace) {
	trace_release_sequence(trace);
	trace->executions = NULL;
	trace->normalised = NULL;
	trace->execution_room = trace->normalised_room = 0;
	trace_prepare_sequence(trace, true);
}

void trace_release_sequence(struct ifr_trace *trace) {
	free(trace->recipes);
	free(trace->shown_blocks);
	free(trace->shown_accesses);
	free(trace->recorded);
	free(trace->followed);
	free(trace->coders);
	free(trace->execution_coder);
	free(trace->executions);
	free(trace->normalised);
}

void ifr_trace_rewind(struct ifr_trace *trace) {
	fseek(trace->file, sizeof(struct trace_head), SEEK_SET);
	memset(trace->coders, 0, trace->coder_count * sizeof *trace->coders);
	memset(trace->execution_coder, 0, sizeof *trace->execution_coder);
	trace->cursor.executions_left = 0;
}

static bool open_frame(struct ifr_trace *trace) {
	struct trace_frame head;
	if (!trace_next_frame(trace, TRACE_SEQUENCE, &head))
		return false;
	const uint8_t *normalised = trace->raw + head.sequence_bytes;
	trace->cursor = (struct sequence_cursor){.sequence_at = trace->raw,
	                                         .sequence_end = normalised,
	                                         .address_at = normalised,
	                                         .address_end = trace->raw + head.raw_bytes,
	                                         .executions_left = head.executions};
	trace->cursor.sequence_at = varint_get(trace->raw, normalised, &trace->cursor.hits);
	trace->cursor.address_at = varint_get(normalised, trace->cursor.address_end, &trace->cursor.address_hits);
	return trace->cursor.sequence_at && trace->cursor.address_at;
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
	execution_update_history(coder, *execution);
	return true;
}

/* Decodes a mispredicted access. Returns false at the end of the frame. */
static __attribute__((noinline)) bool decode_mispredicted(struct address_coder *coder, struct sequence_cursor *at,
                                                          uint64_t *normalised) {
	uint64_t distance;
	at->address_at = varint_get(at->address_at, at->address_end, &distance);
	if (!at->address_at)
		return false;
	*normalised = address_correct(coder, unzigzag(distance));
	at->address_at = varint_get(at->address_at, at->address_end, &at->address_hits);
	return at->address_at;
}

/* Decodes the stored accesses, which may not exceed the frame. */
static inline bool decode_recorded(struct address_coder *coder, const uint16_t *indices, unsigned count,
                                   struct sequence_cursor *at, uint64_t *normalised) {
	if (at->address_hits >= count) {
		at->address_hits -= count;
		for (unsigned i = 0; i < count; i++) {
			normalised[indices[i]] = coder[i].next;
			address_advance(&coder[i]);
		}
		return true;
	}
	for (unsigned i = 0; i < count; i++) {
		if (!at->address_hits) {
			if (!decode_mispredicted(&coder[i], at, &normalised[indices[i]]))
				return false;
			continue;
		}
		at->address_hits--;
		normalised[indices[i]] = coder[i].next;
		address_advance(&coder[i]);
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
	const bool good = decode_recorded(trace->coders + recipe->first_coder, trace->recorded + recipe->first_coder,
	                                  recipe->recorded, at, normalised);
	derive_followed(trace->followed + recipe->first_followed, recipe->followed, normalised);
	return good;
}

/* Decodes block executions of the frame, at most so many. Returns false if it is malformed. */
static bool decode_executions(struct ifr_trace *trace, size_t most, struct ifr_trace_chunk *chunk) {
	struct sequence_cursor at = trace->cursor;
	size_t count = chunk->accesses_count;
	const uint32_t before = at.executions_left;
	bool good = true;
	for (uint32_t *to = trace->executions + chunk->executions_count; good && at.executions_left && most; most--) {
		good = decode_execution(trace->execution_coder, &at, to);
		if (good && *to != IFR_EXECUTION_BREAK) {
			const uint32_t id = *to >> 1;
			const size_t more = id < trace->block_count ? trace->shown_blocks[id].accesses : 0;
			if (count + more + 1 > trace->normalised_room)
				trace->normalised = trace_grow(trace->normalised, count, more + 1, sizeof *trace->normalised,
				                               &trace->normalised_room);
			good = id < trace->block_count && decode_addresses(trace, &at, id, trace->normalised + count);
			count += good ? more : 0;
		}
		to += good;
		at.executions_left -= good;
	}
	trace->cursor = at;
	chunk->executions_count += before - at.executions_left;
	chunk->accesses_count = count;
	return good;
}

void ifr_trace_read_chunk(struct ifr_trace *trace, size_t most_executions, struct ifr_trace_chunk *chunk) {
	*chunk = (struct ifr_trace_chunk){0};
	trace->executions =
		trace_grow(trace->executions, 0, most_executions, sizeof *trace->executions, &trace->execution_room);
	while (chunk->executions_count < most_executions) {
		if (!trace->cursor.executions_left && !open_frame(trace))
			break;
		if (!decode_executions(trace, most_executions - chunk->executions_count, chunk)) {
			snprintf(trace->damage, sizeof trace->damage, "a run's contents make no sense");
			trace->cursor.executions_left = 0;
			fseek(trace->file, 0, SEEK_END);
			break;
		}
	}
	chunk->executions = trace->executions;
	chunk->normalised = trace->normalised;
}
