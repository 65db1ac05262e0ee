/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Valgrind recorder's end of the ring. Valgrind runs one thread of the program at a time, so that there is one chunk
 * of block executions: it changes hands with the thread, and the positions in it are at one fixed address. */
#ifndef IFR_MODEL_VALGRIND_WRITER_H
#define IFR_MODEL_VALGRIND_WRITER_H

#include "pub_tool_basics.h"

#include "model/record/ring.h"

extern struct ring *ring;

/* Position and limit of the chunk that takes block executions, for instrumented code. */
extern struct ring_cpu *writer_position(void);

/* Maps the ring that descriptor fd holds, and closes fd, so that the program's descriptors stay as they were. Returns
 * False on failure. */
Bool writer_open(Int fd);

/* Hands the chunk to the reader and takes an empty one for the running thread; waits until there is one. */
void writer_swap(void);

/* The thread whose executions follow, from 0 on: a change hands the chunk over. */
void writer_run_thread(UInt thread);

/* Writes a record. A part is whole words. */
struct writer_part {
	const void *data;
	SizeT words;
};
void writer_record(enum ring_record type, const struct writer_part *parts, SizeT count);
/* Writes a record among the definitions, which the reader sees before any later block execution. */
void writer_define(enum ring_record type, const struct writer_part *parts, SizeT count);
void writer_note(enum ifr_recording_note note, ULong value);
void writer_define_note(enum ifr_recording_note note, ULong value);

/* Hands over all chunks and ends the recording. */
void writer_end(void);

/* Runs in a forked child: its records go to private memory that nobody reads. */
void writer_detach(void);

#endif
