/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs, coded (model/trace/coding.h). The state goes on from run to run, as the reader's does. */
#ifndef IFR_MODEL_ENCODE_H
#define IFR_MODEL_ENCODE_H

#include <stddef.h>
#include <stdint.h>

/* The executions as they came; normalised, coded already. */
struct raw_sequence {
	const uint32_t *executions;
	const uint8_t *addresses;
	size_t execution_count, address_bytes;
};

/* In memory that the encoder keeps until the next run: the executions, and behind them the normalised. */
struct coded_sequence {
	const uint8_t *bytes;
	size_t sequence_bytes, all_bytes;
};

struct sequence_encoder;

struct sequence_encoder *sequence_encoder_new(void);
void sequence_encoder_free(struct sequence_encoder *encoder);
void sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *run,
                     struct coded_sequence *coded);

#endif
