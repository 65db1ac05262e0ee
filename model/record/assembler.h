/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation blocks become blocks of a trace.
 *
 * A translation block ends where qemu thinks fit: at a branch, but also at the end of a page, or after so many
 * instructions. A block of a trace begins where a branch arrived and ends at the next branch, system call or
 * repeated string instruction, wherever its bytes lie: so it is the same in every layout. */
#ifndef IFR_MODEL_ASSEMBLE_H
#define IFR_MODEL_ASSEMBLE_H

#include "model/record/ring.h"
#include "model/record/address_space.h"
#include "model/trace/trace.h"

struct assembler;

struct assembler_window {
	uint64_t from, to; /* blocks that begin with these instructions, counted from 0; to 0: to the end */
	bool region;       /* only between RING_NOTE_BEGIN and RING_NOTE_END */
};

struct assembler *assembler_new(struct ifr_trace_writer *writer, struct address_space *space,
                                const struct assembler_window *window);
void assembler_free(struct assembler *assembler);

/* Reads a chunk. Errors: IFR_E_PROGRAM if it does not make sense: the program wrote into the recorder's memory. */
int assembler_read_chunk(struct assembler *assembler, uint32_t thread, const uint64_t *words, uint32_t count,
                         struct ifr_error *err);
/* No more is to come. */
void assembler_finish(struct assembler *assembler);
/* How often each kind of note came (enum ring_note). */
const uint64_t *assembler_notes(const struct assembler *assembler);
uint64_t assembler_instructions(const struct assembler *assembler);
/* Blocks that a fault or a signal cut short. What did not run is known by the accesses that were to be recorded:
 * of a fault at one that follows from another, the rest of the block up to the next recorded one counts as run. */
uint64_t assembler_cuts(const struct assembler *assembler);

#endif
