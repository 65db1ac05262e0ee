/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/sequence_encoder.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/trace/coding.h"

struct sequence_encoder {
	struct execution_coder steps;
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

static uint8_t *code_steps(struct sequence_encoder *encoder, const struct raw_sequence *run, uint8_t *to) {
	uint64_t hits = 0; /* predicted since the last stored one */
	for (size_t i = 0; i < run->step_count; i++) {
		uint32_t *predicted = execution_predicted(&encoder->steps);
		if (*predicted == run->steps[i]) {
			hits++;
		} else {
			*predicted = run->steps[i];
			to = varint_put(to, hits);
			to = varint_put(to, run->steps[i]);
			hits = 0;
		}
		execution_update_history(&encoder->steps, run->steps[i]);
	}
	return varint_put(to, hits);
}

void sequence_encode(struct sequence_encoder *encoder, const struct raw_sequence *run,
                     struct coded_sequence *coded) {
	size_t most = (2 * run->step_count + 1) * VARINT_BYTES_MAX + run->place_bytes;
	if (most > encoder->room) {
		encoder->room = most;
		free(encoder->bytes);
		encoder->bytes = ifr_realloc(NULL, most, 1);
	}
	uint8_t *middle = code_steps(encoder, run, encoder->bytes);
	if (run->place_bytes)
		memcpy(middle, run->places, run->place_bytes);
	*coded = (struct coded_sequence){.bytes = encoder->bytes,
	                                 .step_bytes = (size_t)(middle - encoder->bytes),
	                                 .all_bytes = (size_t)(middle - encoder->bytes) + run->place_bytes};
}
