/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembles the trace's blocks from a recorder's translation blocks.
 *
 * A translation block ends where Valgrind or qemu decides: at a branch, but also at a page boundary or at an instruction
 * limit. A block of the trace starts where a branch arrives and ends at the next branch, system call or repeated
 * string instruction, wherever its bytes lie, and is therefore the same in every layout. */
#ifndef IFR_MODEL_ASSEMBLE_H
#define IFR_MODEL_ASSEMBLE_H

#include "model/record/ring.h"
#include "model/record/address_space.h"
#include "model/record/bounds.h"
#include "model/trace/writer.h"

struct assembler;

struct assembler_window {
	uint64_t from, to; /* record blocks that begin at instruction [from, to), counted from 0; to 0: to the end */
	bool region;       /* and only between IFR_RECORDING_NOTE_BEGIN and IFR_RECORDING_NOTE_END */
	uint64_t every;    /* and only a sample of IFR_RECORDING_SAMPLE of each so many instructions; 0: all of them */
};

/* bounds, which are told of each clock reading, must outlive the assembler; NULL: none. */
struct assembler *assembler_new(struct ifr_trace_writer *writer, struct address_space *space,
                                const struct assembler_window *window, struct bounds *bounds);
void assembler_free(struct assembler *assembler);

/* Reads one chunk of the ring. Errors: IFR_E_PROGRAM if its words are malformed, because the program wrote into
 * the recorder's memory. */
int assembler_read_chunk(struct assembler *assembler, uint32_t thread, const uint64_t *words, uint32_t count,
                         struct ifr_error *err);
/* Finishes the last block of every thread: no chunk follows. */
void assembler_finish(struct assembler *assembler);
/* Counts of notes by kind (enum ifr_recording_note). */
const uint64_t *assembler_notes(const struct assembler *assembler);
uint64_t assembler_instructions(const struct assembler *assembler);
/* Number of blocks that a fault or a signal cut short. Missing recorded accesses show how far such a block ran; if
 * the faulting access is a derived one, the instructions up to the next recorded access count as executed. */
uint64_t assembler_cuts(const struct assembler *assembler);

#endif
