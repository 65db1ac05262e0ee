/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer of frames: a thread codes, compresses and writes a frame while the next is filled. */
#ifndef IFR_MODEL_FRAMES_H
#define IFR_MODEL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/trace/coding.h"
#include "model/trace/sequence_encoder.h"

struct frame_writer;

int frame_writer_open(const char *path, struct frame_writer **writer, struct ifr_error *err);
/* Queues a frame; the data are copied. frame_writer_close reports errors. */
void frame_write(struct frame_writer *writer, enum trace_frame_type type, const void *data, size_t length);
/* Queues a sequence frame, whose memory the writer takes. Leaves the memory of an earlier frame in its place, or none
 * (NULL). */
void frame_write_sequence(struct frame_writer *writer, struct raw_sequence *sequence);
/* Fails the writer once its file exceeds so many bytes; 0: no limit. */
void frame_writer_limit(struct frame_writer *writer, uint64_t bytes);
/* The bytes that are written so far; whether an error has occurred, or the limit was exceeded. */
uint64_t frame_writer_bytes(const struct frame_writer *writer);
bool frame_writer_failed(const struct frame_writer *writer);
int frame_writer_close(struct frame_writer *writer, bool discard, struct ifr_error *err);

uint64_t frame_checksum(const struct trace_frame *head, const void *stored);

#endif
