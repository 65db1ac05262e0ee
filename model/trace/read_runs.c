/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "model/trace/reader.h"

void trace_prepare_runs(struct ifr_trace *trace) {
	trace->recipes = ifr_alloc((trace->block_count + 1) * sizeof *trace->recipes);
	for (size_t i = 0; i < trace->block_count; i++) {
		const struct ifr_trace_block *block = &trace->blocks[i];
		struct block_recipe *recipe = &trace->recipes[i];
		recipe->first_coder = (uint32_t)trace->coder_count;
		for (unsigned j = 0; j < block->accesses; j++)
			recipe->recorded += trace->accesses[block->first_access + j].anchor == IFR_ACCESS_RECORDED;
		trace->coder_count += recipe->recorded;
	}
	trace->coders = ifr_alloc((trace->coder_count + 1) * sizeof *trace->coders);
	trace->step_coder = ifr_alloc(sizeof *trace->step_coder);
	ifr_trace_rewind(trace);
}

void trace_release_runs(struct ifr_trace *trace) {
	free(trace->recipes);
	free(trace->coders);
	free(trace->step_coder);
	free(trace->steps);
	free(trace->places);
}

void ifr_trace_rewind(struct ifr_trace *trace) {
	fseek(trace->file, sizeof(struct trace_head), SEEK_SET);
	memset(trace->coders, 0, trace->coder_count * sizeof *trace->coders);
	memset(trace->step_coder, 0, sizeof *trace->step_coder);
	trace->frame_steps = 0;
}

static bool open_frame(struct ifr_trace *trace) {
	struct trace_frame head;
	if (!trace_next_frame(trace, TRACE_RUN, &head))
		return false;
	trace->frame_steps = head.steps;
	trace->step_at = trace->raw;
	trace->step_end = trace->place_at = trace->raw + head.step_bytes;
	trace->place_end = trace->raw + head.raw_bytes;
	trace->step_at = varint_get(trace->step_at, trace->step_end, &trace->hits);
	return trace->step_at;
}

/* False where the frame makes no sense. */
static inline bool next_step(struct ifr_trace *trace, uint32_t *step) {
	uint32_t *predicted = step_predicted(trace->step_coder);
	if (trace->hits) {
		trace->hits--;
	} else {
		uint64_t value;
		trace->step_at = varint_get(trace->step_at, trace->step_end, &value);
		if (!trace->step_at || value > UINT32_MAX)
			return false;
		*predicted = (uint32_t)value;
		trace->step_at = varint_get(trace->step_at, trace->step_end, &trace->hits);
		if (!trace->step_at)
			return false;
	}
	*step = *predicted;
	step_follows(trace->step_coder, *step);
	return true;
}

static inline bool next_places(struct ifr_trace *trace, uint32_t id, uint64_t *places) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	const struct ifr_trace_access *access = &trace->accesses[block->first_access];
	struct place_coder *coder = &trace->coders[trace->recipes[id].first_coder];
	const uint8_t *at = trace->place_at, *end = trace->place_end;
	for (unsigned i = 0; i < block->accesses; i++) {
		if (access[i].anchor == IFR_ACCESS_RECORDED) {
			at = place_get(coder, at, end);
			if (!at)
				return false;
			places[i] = coder->last;
			coder++;
		} else {
			uint64_t base = access[i].anchor == IFR_ACCESS_ABSOLUTE ? block->place : places[access[i].anchor];
			places[i] = base + (uint64_t)access[i].offset;
		}
	}
	trace->place_at = at;
	return true;
}

static bool next_one(struct ifr_trace *trace, struct ifr_trace_piece *piece) {
	uint32_t step;
	if (!next_step(trace, &step))
		return false;
	if (step != IFR_STEP_BREAK) {
		uint32_t id = step >> 1;
		if (id >= trace->block_count)
			return false;
		size_t more = trace->blocks[id].accesses;
		if (piece->places_count + more > trace->place_room)
			trace->places =
				trace_grow(trace->places, piece->places_count, more, sizeof *trace->places, &trace->place_room);
		if (!next_places(trace, id, trace->places + piece->places_count))
			return false;
		piece->places_count += more;
	}
	trace->steps[piece->steps_count++] = step;
	trace->frame_steps--;
	return true;
}

void ifr_trace_next(struct ifr_trace *trace, size_t most_steps, struct ifr_trace_piece *piece) {
	*piece = (struct ifr_trace_piece){0};
	trace->steps = trace_grow(trace->steps, 0, most_steps, sizeof *trace->steps, &trace->step_room);
	while (piece->steps_count < most_steps) {
		if (!trace->frame_steps && !open_frame(trace))
			break;
		if (trace->frame_steps && !next_one(trace, piece)) {
			snprintf(trace->damage, sizeof trace->damage, "a run's contents make no sense");
			trace->frame_steps = 0;
			fseek(trace->file, 0, SEEK_END);
			break;
		}
	}
	piece->steps = trace->steps;
	piece->places = trace->places;
}
