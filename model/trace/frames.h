/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames on their way to a file: compressed by a thread of its own, while the next is filled. */
#ifndef IFR_MODEL_FRAMES_H
#define IFR_MODEL_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/trace/coding.h"

struct frame_writer;

struct frame_part {
	const void *data;
	size_t length;
};

int frame_writer_open(const char *path, struct frame_writer **writer, struct ifr_error *err);
/* The parts are copied. Errors are kept for frame_writer_close. */
void frame_write(struct frame_writer *writer, enum trace_frame_type type, uint32_t steps,
                 const struct frame_part *parts, size_t count);
int frame_writer_close(struct frame_writer *writer, bool discard, struct ifr_error *err);

uint64_t frame_checksum(const struct trace_frame *head, const void *stored);

#endif
