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
	uint32_t *executions;
	uint8_t *parts[RAW_PARTS];
	size_t execution_count, part_bytes[RAW_PARTS];
};

struct sequence_encoder;

struct sequence_encoder *sequence_encoder_new(void);
void sequence_encoder_free(struct sequence_encoder *encoder);
/* Codes the frame's block executions. Returns them in memory that the encoder owns until its next call. */
const uint8_t *sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *sequence,
                               size_t *bytes);

#endif
