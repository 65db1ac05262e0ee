/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/sequence_encoder.h"

#include <stdlib.h>
#include <string.h>

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
	for (size_t i = 0; i < sequence->execution_count; i++) {
		uint32_t *predicted = execution_predicted(&encoder->executions);
		if (*predicted == sequence->executions[i]) {
			hits++;
		} else {
			*predicted = sequence->executions[i];
			to = varint_put(to, hits);
			to = varint_put(to, sequence->executions[i]);
			hits = 0;
		}
		execution_update_history(&encoder->executions, sequence->executions[i]);
	}
	return varint_put(to, hits);
}

void sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *sequence,
                     struct coded_sequence *coded) {
	size_t most = (2 * sequence->execution_count + 1) * VARINT_BYTES_MAX;
	for (unsigned i = 0; i < RAW_PARTS; i++)
		most += sequence->part_bytes[i];
	if (most > encoder->room) {
		encoder->room = most;
		free(encoder->bytes);
		encoder->bytes = ifr_realloc(NULL, most, 1);
	}
	uint8_t *const middle = encode_executions(encoder, sequence, encoder->bytes), *end = middle;
	for (unsigned i = 0; i < RAW_PARTS; end += sequence->part_bytes[i], i++)
		if (sequence->part_bytes[i])
			memcpy(end, sequence->parts[i], sequence->part_bytes[i]);
	*coded = (struct coded_sequence){.bytes = encoder->bytes,
	                                 .sequence_bytes = (size_t)(middle - encoder->bytes),
	                                 .all_bytes = (size_t)(end - encoder->bytes)};
}
