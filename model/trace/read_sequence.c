/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/trace/reader.h"

static void prepare_block(struct ifr_trace *trace, size_t id, uint32_t *followed) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	struct block_recipe *recipe = &trace->recipes[id];
	*recipe = (struct block_recipe){.first_coder = (uint32_t)trace->coder_count, .first_followed = *followed};
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &trace->accesses[block->first_access + i];
		if (access->anchor == IFR_ACCESS_RECORDED) {
			trace->recorded[trace->coder_count++] = (uint16_t)i;
			recipe->recorded++;
			continue;
		}
		const uint64_t base = access->anchor == IFR_ACCESS_ABSOLUTE ? block->place : 0;
		trace->followed[(*followed)++] = (struct followed){base + (uint64_t)access->offset, access->anchor, i};
		recipe->followed++;
	}
}

void trace_prepare_sequence(struct ifr_trace *trace) {
	uint32_t followed = 0;
	trace->recipes = ifr_alloc((trace->block_count + 1) * sizeof *trace->recipes);
	trace->recorded = ifr_alloc((trace->access_count + 1) * sizeof *trace->recorded);
	trace->followed = ifr_alloc((trace->access_count + 1) * sizeof *trace->followed);
	for (size_t i = 0; i < trace->block_count; i++)
		prepare_block(trace, i, &followed);
	trace->coders = ifr_alloc((trace->coder_count + 1) * sizeof *trace->coders);
	trace->execution_coder = ifr_alloc(sizeof *trace->execution_coder);
	ifr_trace_rewind(trace);
}

void trace_release_sequence(struct ifr_trace *trace) {
	free(trace->recipes);
	free(trace->recorded);
	free(trace->followed);
	free(trace->coders);
	free(trace->execution_coder);
	free(trace->steps);
	free(trace->places);
}

void ifr_trace_rewind(struct ifr_trace *trace) {
	fseek(trace->file, sizeof(struct trace_head), SEEK_SET);
	memset(trace->coders, 0, trace->coder_count * sizeof *trace->coders);
	memset(trace->execution_coder, 0, sizeof *trace->execution_coder);
	trace->cursor.steps_left = 0;
}

static bool open_frame(struct ifr_trace *trace) {
	struct trace_frame head;
	if (!trace_next_frame(trace, TRACE_SEQUENCE, &head))
		return false;
	const uint8_t *places = trace->raw + head.step_bytes;
	trace->cursor = (struct sequence_cursor){.step_at = trace->raw,
	                                         .step_end = places,
	                                         .place_at = places,
	                                         .place_end = trace->raw + head.raw_bytes,
	                                         .steps_left = head.steps};
	trace->cursor.step_at = varint_get(trace->raw, places, &trace->cursor.hits);
	return trace->cursor.step_at;
}

/* False where the frame makes no sense. */
static inline bool next_step(struct execution_coder *coder, struct sequence_cursor *at, uint32_t *step) {
	uint32_t *predicted = execution_predicted(coder);
	if (at->hits) {
		at->hits--;
	} else {
		uint64_t value;
		at->step_at = varint_get(at->step_at, at->step_end, &value);
		if (!at->step_at || value > UINT32_MAX)
			return false;
		*predicted = (uint32_t)value;
		at->step_at = varint_get(at->step_at, at->step_end, &at->hits);
		if (!at->step_at)
			return false;
	}
	*step = *predicted;
	execution_update_history(coder, *step);
	return true;
}

/* Places that are recorded, and so may not go beyond the frame's end. */
static inline const uint8_t *take_recorded(struct address_coder *coder, const uint16_t *indices, unsigned count,
                                           const uint8_t *at, const uint8_t *end, uint64_t *places) {
	for (unsigned i = 0; i < count; i++) {
		at = address_decode(&coder[i], at, end);
		if (!at)
			return NULL;
		places[indices[i]] = coder[i].last;
	}
	return at;
}

static inline void take_followed(const struct followed *followed, unsigned count, uint64_t *places) {
	static const uint64_t nowhere;
	for (unsigned i = 0; i < count; i++) {
		const uint64_t *base = followed[i].anchor < 0 ? &nowhere : places + followed[i].anchor;
		places[followed[i].index] = *base + followed[i].offset;
	}
}

static inline bool next_places(struct ifr_trace *trace, struct sequence_cursor *at, uint32_t id,
                               uint64_t *places) {
	const struct block_recipe *recipe = &trace->recipes[id];
	at->place_at = take_recorded(trace->coders + recipe->first_coder, trace->recorded + recipe->first_coder,
	                             recipe->recorded, at->place_at, at->place_end, places);
	take_followed(trace->followed + recipe->first_followed, recipe->followed, places);
	return at->place_at;
}

/* Steps of the frame, at most so many. False where it makes no sense. */
static bool take_steps(struct ifr_trace *trace, size_t most, struct ifr_trace_chunk *piece) {
	struct sequence_cursor at = trace->cursor;
	size_t count = piece->places_count;
	const uint32_t before = at.steps_left;
	bool good = true;
	for (uint32_t *to = trace->steps + piece->steps_count; good && at.steps_left && most; most--) {
		good = next_step(trace->execution_coder, &at, to);
		if (good && *to != IFR_EXECUTION_BREAK) {
			const uint32_t id = *to >> 1;
			const size_t more = id < trace->block_count ? trace->blocks[id].accesses : 0;
			if (count + more > trace->place_room)
				trace->places = trace_grow(trace->places, count, more, sizeof *trace->places, &trace->place_room);
			good = id < trace->block_count && next_places(trace, &at, id, trace->places + count);
			count += good ? more : 0;
		}
		to += good;
		at.steps_left -= good;
	}
	trace->cursor = at;
	piece->steps_count += before - at.steps_left;
	piece->places_count = count;
	return good;
}

void ifr_trace_read_chunk(struct ifr_trace *trace, size_t most_steps, struct ifr_trace_chunk *piece) {
	*piece = (struct ifr_trace_chunk){0};
	trace->steps = trace_grow(trace->steps, 0, most_steps, sizeof *trace->steps, &trace->step_room);
	while (piece->steps_count < most_steps) {
		if (!trace->cursor.steps_left && !open_frame(trace))
			break;
		if (!take_steps(trace, most_steps - piece->steps_count, piece)) {
			snprintf(trace->damage, sizeof trace->damage, "a run's contents make no sense");
			trace->cursor.steps_left = 0;
			fseek(trace->file, 0, SEEK_END);
			break;
		}
	}
	piece->steps = trace->steps;
	piece->places = trace->places;
}
