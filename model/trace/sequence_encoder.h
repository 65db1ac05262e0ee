/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs, coded (model/trace/coding.h). The state goes on from run to run, as the reader's does. */
#ifndef IFR_MODEL_ENCODE_H
#define IFR_MODEL_ENCODE_H

#include <stddef.h>
#include <stdint.h>

/* The steps as they came; places, coded already. */
struct raw_sequence {
	const uint32_t *steps;
	const uint8_t *places;
	size_t step_count, place_bytes;
};

/* In memory that the encoder keeps until the next run: the steps, and behind them the places. */
struct coded_sequence {
	const uint8_t *bytes;
	size_t step_bytes, all_bytes;
};

struct sequence_encoder;

struct sequence_encoder *sequence_encoder_new(void);
void sequence_encoder_free(struct sequence_encoder *encoder);
void sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *run,
                     struct coded_sequence *coded);

#endif
