/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The references of a run that missed a level, in order: so much of a replay that contexts need, so that they need no
 * second one. Most misses take a byte. */
#ifndef IFR_MODEL_MISS_STREAM_H
#define IFR_MODEL_MISS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes at most: a stream that would be longer is given up. */
enum { IFR_MISS_STREAM_MOST = 200 << 20 };

struct ifr_miss_stream {
	unsigned level; /* misses of this level count: 0 to IFR_DATA_LEVELS - 1 */
	uint8_t *bytes; /* numbers of references less those before, by seven bits a byte, the lowest first */
	size_t count, room;
	uint64_t next; /* the least number that may be added */
	bool given_up;
};

/* Adds a reference that missed, by its number in the run; numbers ascend. */
void ifr_miss_stream_add(struct ifr_miss_stream *stream, uint64_t reference);
void ifr_miss_stream_release(struct ifr_miss_stream *stream);

/* Reads a stream from its beginning. */
struct ifr_miss_cursor {
	const struct ifr_miss_stream *stream;
	size_t at;
	uint64_t reference; /* that missed; UINT64_MAX: no further one */
};
void ifr_miss_cursor_init(struct ifr_miss_cursor *cursor, const struct ifr_miss_stream *stream);
void ifr_miss_cursor_step(struct ifr_miss_cursor *cursor);

#endif
