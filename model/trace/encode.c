/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/encode.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/trace/coding.h"

struct run_encoder {
	struct step_coder steps;
	uint8_t *bytes;
	size_t room;
};

struct run_encoder *run_encoder_new(void) {
	return ifr_alloc(sizeof(struct run_encoder));
}

void run_encoder_free(struct run_encoder *encoder) {
	free(encoder->bytes);
	free(encoder);
}

static uint8_t *code_steps(struct run_encoder *encoder, const struct raw_run *run, uint8_t *to) {
	uint64_t hits = 0; /* predicted since the last stored one */
	for (size_t i = 0; i < run->step_count; i++) {
		uint32_t *predicted = step_predicted(&encoder->steps);
		if (*predicted == run->steps[i]) {
			hits++;
		} else {
			*predicted = run->steps[i];
			to = varint_put(to, hits);
			to = varint_put(to, run->steps[i]);
			hits = 0;
		}
		step_follows(&encoder->steps, run->steps[i]);
	}
	return varint_put(to, hits);
}

void run_encode(struct run_encoder *encoder, const struct raw_run *run, struct coded_run *coded) {
	size_t most = (2 * run->step_count + 1) * VARINT_MOST + run->place_bytes;
	if (most > encoder->room) {
		encoder->room = most;
		free(encoder->bytes);
		encoder->bytes = ifr_realloc(NULL, most, 1);
	}
	uint8_t *middle = code_steps(encoder, run, encoder->bytes);
	if (run->place_bytes)
		memcpy(middle, run->places, run->place_bytes);
	*coded = (struct coded_run){.bytes = encoder->bytes,
	                            .step_bytes = (size_t)(middle - encoder->bytes),
	                            .all_bytes = (size_t)(middle - encoder->bytes) + run->place_bytes};
}
