/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop buffer: finds loops in the sequence of blocks, and tells which blocks come from it. */
#ifndef IFR_MODEL_CORE_LOOP_BUFFER_H
#define IFR_MODEL_CORE_LOOP_BUFFER_H

#include "model/core/front.h"

enum { IFR_LOOP_BLOCKS = 128 }; /* a longer loop is not recognized */

struct ifr_loop_buffer {
	uint32_t blocks[IFR_LOOP_BLOCKS];   /* of the iteration that is under way */
	uint32_t previous[IFR_LOOP_BLOCKS]; /* of the whole iteration before it */
	unsigned count, previous_count;
	unsigned slots, windows, branches; /* of the iteration that is under way */
	uint64_t window;                   /* of its last instruction */
	bool sound;                        /* it began at a loop's head and may be locked so far */
	bool locked;
	unsigned position;  /* in `previous`, of the next block of a locked loop */
	unsigned iteration; /* of a locked loop */
	unsigned unroll;    /* iterations of a locked loop that are joined */
};

/* Enters a block before it is delivered. backward: by a taken branch to an address not above its own. Returns whether
 * the block comes from the buffer; boundary: it begins another round of the queue. */
bool ifr_loop_buffer_enter(struct ifr_loop_buffer *loop, const struct ifr_core *core, uint32_t id, bool backward,
                           bool *boundary);
/* Adds a block that did not come from the buffer to the iteration. taken, call: as in ifr_front_enter; cached: it came
 * from the op cache. */
void ifr_loop_buffer_add(struct ifr_loop_buffer *loop, const struct ifr_core *core,
                         const struct ifr_placed *placed, uint32_t id, bool taken, bool call, bool cached);
/* Forgets the loop. */
static inline void ifr_loop_buffer_reset(struct ifr_loop_buffer *loop) {
	loop->sound = loop->locked = false;
	loop->count = loop->previous_count = 0;
}

#endif
