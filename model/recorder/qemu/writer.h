/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's end of the ring. */
#ifndef IFR_MODEL_WRITER_H
#define IFR_MODEL_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "model/record/ring.h"

extern struct ring *ring;

/* Maps the ring that descriptor fd holds, and closes fd, so that the program's descriptors stay as they were.
 * Returns 0, or -1 with errno. */
int writer_open(int fd);

/* Hands the thread's chunk to the reader and takes an empty one; waits until there is one. */
void writer_swap(unsigned thread);

/* Writes a record of a thread (RING_THREADS: a definition). A part is whole words. */
struct writer_part {
	const void *data;
	size_t words;
};
void writer_record(unsigned thread, enum ring_record type, const struct writer_part *parts, size_t count);
void writer_note(unsigned thread, enum ifr_recording_note note, uint64_t value);

/* Hands over all chunks and ends the recording. */
void writer_end(void);

/* Runs in a forked child: its records go to private memory that nobody reads. */
void writer_detach(void);

#endif
