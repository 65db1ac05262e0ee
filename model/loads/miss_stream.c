/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/miss_stream.h"

#include <stdlib.h>

#include "common/buffer.h"

enum { LONGEST = 10, MORE = 0x80 }; /* bytes of a number; in all of them but the last */

void ifr_miss_stream_add(struct ifr_miss_stream *stream, uint64_t reference) {
	if (stream->given_up)
		return;
	if (stream->count + LONGEST > stream->room) {
		stream->room = 2 * stream->room + 4096;
		stream->bytes = ifr_realloc(stream->bytes, stream->room, 1);
	}
	uint64_t rest = reference - stream->next;
	for (; rest >= MORE; rest >>= 7)
		stream->bytes[stream->count++] = (uint8_t)(rest | MORE);
	stream->bytes[stream->count++] = (uint8_t)rest;
	stream->next = reference + 1;
	if (stream->count > IFR_MISS_STREAM_MOST) {
		ifr_miss_stream_release(stream);
		stream->given_up = true;
	}
}

void ifr_miss_stream_release(struct ifr_miss_stream *stream) {
	free(stream->bytes);
	*stream = (struct ifr_miss_stream){.level = stream->level};
}

void ifr_miss_cursor_init(struct ifr_miss_cursor *cursor, const struct ifr_miss_stream *stream) {
	*cursor = (struct ifr_miss_cursor){.stream = stream, .reference = UINT64_MAX};
	ifr_miss_cursor_step(cursor);
}

void ifr_miss_cursor_step(struct ifr_miss_cursor *cursor) {
	const struct ifr_miss_stream *stream = cursor->stream;
	uint64_t more = 0;
	if (cursor->at == stream->count) {
		cursor->reference = UINT64_MAX;
		return;
	}
	for (unsigned shift = 0;; shift += 7) {
		const uint8_t byte = stream->bytes[cursor->at++];
		more |= (uint64_t)(byte & (MORE - 1)) << shift;
		if (!(byte & MORE))
			break;
	}
	cursor->reference += more + 1;
}
