/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The encoder of sequence frames (model/trace/coding.h). Its state goes on from frame to frame, as the reader's
 * does. */
#ifndef IFR_MODEL_ENCODE_H
#define IFR_MODEL_ENCODE_H

#include <stddef.h>
#include <stdint.h>

enum { RAW_TOKENS, RAW_OFFSETS, RAW_REST, RAW_PARTS };

/* A frame before coding: block executions as added; mispredicted accesses, already coded. */
struct raw_sequence {
	const uint32_t *executions;
	const uint8_t *parts[RAW_PARTS];
	size_t execution_count, part_bytes[RAW_PARTS];
};

/* The coded frame: block executions, then accesses, in memory that the encoder owns until its next call. */
struct coded_sequence {
	const uint8_t *bytes;
	size_t sequence_bytes, all_bytes;
};

struct sequence_encoder;

struct sequence_encoder *sequence_encoder_new(void);
void sequence_encoder_free(struct sequence_encoder *encoder);
void sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *sequence,
                     struct coded_sequence *coded);

#endif
