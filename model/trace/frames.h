/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames on their way to a file: coded and compressed by a thread of its own, while the next is filled. */
#ifndef IFR_MODEL_FRAMES_H
#define IFR_MODEL_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "model/trace/coding.h"
#include "model/trace/sequence_encoder.h"

struct frame_writer;

int frame_writer_open(const char *path, struct frame_writer **writer, struct ifr_error *err);
/* The data are copied. Errors are kept for frame_writer_close. */
void frame_write(struct frame_writer *writer, enum trace_frame_type type, const void *data, size_t length);
/* A run, all copied. */
void frame_write_sequence(struct frame_writer *writer, const struct raw_sequence *run);
int frame_writer_close(struct frame_writer *writer, bool discard, struct ifr_error *err);

uint64_t frame_checksum(const struct trace_frame *head, const void *stored);

#endif
