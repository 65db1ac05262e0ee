/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/trace/encode.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/replay/replay.h"
#include "model/trace/coding.h"

struct block_coders {
	uint32_t first, count;
};

struct run_encoder {
	struct block_coders *blocks;
	size_t block_count, block_room;
	struct place_coder *coders;
	size_t coder_count, coder_room;
	struct step_coder steps;
	uint8_t *bytes;
	size_t room;
};

struct run_encoder *run_encoder_new(void) {
	return ifr_alloc(sizeof(struct run_encoder));
}

void run_encoder_free(struct run_encoder *encoder) {
	free(encoder->blocks);
	free(encoder->coders);
	free(encoder->bytes);
	free(encoder);
}

static void add_blocks(struct run_encoder *encoder, const uint32_t *recorded, size_t count) {
	if (encoder->block_count + count > encoder->block_room) {
		encoder->block_room = 2 * (encoder->block_count + count);
		encoder->blocks = ifr_realloc(encoder->blocks, encoder->block_room, sizeof *encoder->blocks);
	}
	size_t old = encoder->coder_count;
	for (size_t i = 0; i < count; i++) {
		encoder->blocks[encoder->block_count++] =
			(struct block_coders){(uint32_t)encoder->coder_count, recorded[i]};
		encoder->coder_count += recorded[i];
	}
	if (encoder->coder_count > encoder->coder_room) {
		encoder->coder_room = 2 * encoder->coder_count;
		encoder->coders = ifr_realloc(encoder->coders, encoder->coder_room, sizeof *encoder->coders);
	}
	if (encoder->coder_count > old)
		memset(encoder->coders + old, 0, (encoder->coder_count - old) * sizeof *encoder->coders);
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

static uint8_t *code_places(struct run_encoder *encoder, const struct raw_run *run, uint8_t *to) {
	const uint64_t *place = run->places;
	for (size_t i = 0; i < run->step_count; i++) {
		if (run->steps[i] == IFR_STEP_BREAK)
			continue;
		const struct block_coders *block = &encoder->blocks[run->steps[i] >> 1];
		struct place_coder *coder = encoder->coders + block->first;
		for (uint32_t k = 0; k < block->count; k++)
			to = place_put(coder++, to, *place++);
	}
	return to;
}

void run_encode(struct run_encoder *encoder, const struct raw_run *run, struct coded_run *coded) {
	size_t most = (2 * run->step_count + 1 + run->place_count) * VARINT_MOST;
	if (most > encoder->room) {
		encoder->room = most;
		free(encoder->bytes);
		encoder->bytes = ifr_realloc(NULL, most, 1);
	}
	add_blocks(encoder, run->new_blocks, run->new_count);
	uint8_t *middle = code_steps(encoder, run, encoder->bytes);
	uint8_t *end = code_places(encoder, run, middle);
	*coded = (struct coded_run){.bytes = encoder->bytes,
	                            .step_bytes = (size_t)(middle - encoder->bytes),
	                            .all_bytes = (size_t)(end - encoder->bytes)};
}
