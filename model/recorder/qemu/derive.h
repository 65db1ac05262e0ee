/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a translation block once: how it ends, and which of its memory accesses derive from others. Two accesses
 * whose base and index registers held the same values differ by a constant, so only the first is recorded. About a
 * third of all accesses, and all relative to the instruction pointer, need no recording. */
#ifndef IFR_MODEL_DERIVE_H
#define IFR_MODEL_DERIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record/ring.h"

#define DERIVE_INSTRUCTIONS 512 /* instructions of a translation block: qemu's own limit */
#define DERIVE_ACCESSES 4       /* derived accesses of one instruction, at most: a vector of 32 bytes makes four */

/* A software prefetch. qemu makes no callback for it. Its address is computed from the registers' values at the begin of
 * the block: [base] + [index] * scale + offset. */
struct decoded_prefetch {
	int64_t offset;
	uint16_t insn;
	int8_t base, index; /* numbers of registers; -1: none */
	uint8_t scale;
	bool narrow; /* cut to 32 bits */
	bool known;  /* false: it needs a value that the block computes, or a segment */
};

struct decoded_block {
	struct ring_block block;              /* without its id */
	uint8_t lengths[DERIVE_INSTRUCTIONS]; /* with RING_RECORDED and RING_MAYBE */
	struct ring_derived derived[DERIVE_INSTRUCTIONS * DERIVE_ACCESSES];
	bool loads_twice[DERIVE_INSTRUCTIONS]; /* by instruction: qemu makes two loads of its one (lock neg) */
	struct decoded_prefetch prefetches[DERIVE_INSTRUCTIONS];
	unsigned prefetch_count;
	bool reads_tsc;
};

/* An instruction's bytes, as far as they lie in the block. An instruction that crosses a page is cut short, and
 * runs from another block. */
struct derive_instruction {
	const void *bytes;
	size_t length;
};

/* Decodes a block. everything: records all accesses and derives none, for tests. */
void decode_block(uint64_t address, const struct derive_instruction *instructions, size_t count, bool everything,
                  struct decoded_block *decoded);

#endif
