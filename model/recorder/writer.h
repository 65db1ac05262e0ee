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

/* Hands over what the thread's chunk holds and gives it an empty one; waits until there is one. */
void writer_swap(unsigned thread);

/* A record of a thread (RING_THREADS: a definition). Parts are of whole words. */
struct writer_part {
	const void *data;
	size_t words;
};
void writer_record(unsigned thread, enum ring_record type, const struct writer_part *parts, size_t count);
void writer_note(unsigned thread, enum ring_note note, uint64_t value);

/* All that is there goes over, and nothing more will come. */
void writer_end(void);

/* In a child after fork: what it does is written to memory of its own that nobody reads. */
void writer_detach(void);

#endif
