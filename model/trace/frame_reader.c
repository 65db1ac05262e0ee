/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of a trace, one after the other: checked and decompressed. */
#include "model/trace/frames.h"
#include "model/trace/reader.h"

void trace_set_damage(struct ifr_trace *trace, const char *what) {
	if (!trace->damage[0])
		snprintf(trace->damage, sizeof trace->damage, "%s", what);
}

bool trace_read_stored(struct ifr_trace *trace, struct trace_frame *head) {
	size_t got = fread(head, 1, sizeof *head, trace->file);
	if (!got)
		return false;
	if (got < sizeof *head || head->stored_bytes > TRACE_FRAME_LIMIT || head->raw_bytes > TRACE_FRAME_LIMIT ||
	    head->sequence_bytes > head->raw_bytes || head->token_bytes > head->raw_bytes - head->sequence_bytes ||
	    head->offset_bytes > head->raw_bytes - head->sequence_bytes - head->token_bytes) {
		trace_set_damage(trace, got < sizeof *head ? "the file ends in the middle of a frame"
		                                           : "a frame's head is damaged");
		return false;
	}
	if (head->stored_bytes > trace->stored_room) {
		trace->stored_room = head->stored_bytes;
		trace->stored = ifr_realloc(trace->stored, trace->stored_room, 1);
	}
	if (fread(trace->stored, 1, head->stored_bytes, trace->file) != head->stored_bytes) {
		trace_set_damage(trace, "the file ends in the middle of a frame");
		return false;
	}
	if (frame_checksum(head, trace->stored) != head->checksum) {
		trace_set_damage(trace, "a frame is damaged: its checksum is wrong");
		return false;
	}
	return true;
}

bool trace_decompress(struct ifr_trace *trace, const struct trace_frame *head) {
	if (head->raw_bytes + 1 > trace->raw_room) {
		trace->raw_room = head->raw_bytes + 1;
		trace->raw = ifr_realloc(trace->raw, trace->raw_room, 1);
	}
	size_t got = ZSTD_decompressDCtx(trace->zstd, trace->raw, head->raw_bytes, trace->stored, head->stored_bytes);
	if (ZSTD_isError(got) || got != head->raw_bytes) {
		trace_set_damage(trace, "a frame does not unpack");
		return false;
	}
	return true;
}

bool trace_next_frame(struct ifr_trace *trace, enum trace_frame_type type, struct trace_frame *head) {
	while (trace_read_stored(trace, head))
		if (head->type == type)
			return trace_decompress(trace, head);
	return false;
}

void *trace_grow(void *items, size_t count, size_t more, size_t bytes, size_t *room) {
	if (count + more > *room) {
		*room = 2 * (count + more) + 64;
		items = ifr_realloc(items, *room, bytes);
	}
	return items;
}
