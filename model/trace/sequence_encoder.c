/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/sequence_encoder.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/trace/coding.h"

struct sequence_encoder {
	struct execution_coder executions;
	uint8_t *bytes;
	size_t room;
};

struct sequence_encoder *sequence_encoder_new(void) {
	return ifr_alloc(sizeof(struct sequence_encoder));
}

void sequence_encoder_free(struct sequence_encoder *encoder) {
	free(encoder->bytes);
	free(encoder);
}

static uint8_t *encode_executions(struct sequence_encoder *encoder, const struct raw_sequence *sequence,
                                  uint8_t *to) {
	uint64_t hits = 0; /* predicted executions since the last stored one */
	uint32_t history = encoder->executions.history;
	for (size_t i = 0; i < sequence->execution_count; i++) {
		const uint32_t execution = sequence->executions[i];
		uint32_t *predicted = &encoder->executions.table[execution_index(history)];
		history = execution_history(history, execution);
		hits++;
		if (__builtin_expect(*predicted == execution, 1))
			continue;
		*predicted = execution;
		to = varint_put(to, hits - 1);
		to = varint_put(to, execution);
		hits = 0;
	}
	encoder->executions.history = history;
	return varint_put(to, hits);
}

const uint8_t *sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *sequence,
                               size_t *bytes) {
	const size_t most = (2 * sequence->execution_count + 1) * VARINT_BYTES_MAX;
	if (most > encoder->room) {
		encoder->room = most;
		free(encoder->bytes);
		encoder->bytes = ifr_realloc(NULL, most, 1);
	}
	*bytes = (size_t)(encode_executions(encoder, sequence, encoder->bytes) - encoder->bytes);
	return encoder->bytes;
}
