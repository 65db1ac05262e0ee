/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a translation block is, decoded once: where it ends and how, and which of its memory accesses follow from
 * others. Two accesses whose base and index registers held the same values lie a constant apart, so only the first
 * is recorded: about a third of all accesses, and all through the instruction pointer, need no recording. */
#ifndef IFR_MODEL_DERIVE_H
#define IFR_MODEL_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record/ring.h"

#define DERIVE_INSTRUCTIONS 512 /* of a translation block, at most: qemu's own limit */
#define DERIVE_ACCESSES 4       /* of one instruction that derives; of 32 bytes it makes four */

struct decoded_block {
	struct ring_block block;              /* without its id */
	uint8_t lengths[DERIVE_INSTRUCTIONS]; /* and RING_RECORDED, RING_MAYBE where accesses must be recorded */
	struct ring_derived derived[DERIVE_INSTRUCTIONS * DERIVE_ACCESSES];
	bool reads_tsc;
};

/* One instruction's bytes, as many as the block holds: fewer than its length where it crosses a page, and then it
 * is no part of the block, as it runs from another. */
struct derive_instruction {
	const void *bytes;
	size_t length;
};

/* everything: derive nothing, so that tests can compare. */
void decode_block(uint64_t address, const struct derive_instruction *instructions, size_t count, bool everything,
                  struct decoded_block *decoded);

#endif
