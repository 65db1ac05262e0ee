/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end of one layout, without time: which instructions come from the op cache, from the decoders, or from the
 * loop buffer. This depends on the sequence of blocks and on their addresses alone.
 *
 * An instruction belongs to the window of its first byte, or of its last (op_cache.byte). A stretch is what executes
 * between two taken branches within a window. The slots of a stretch fill lines one after another; an instruction does
 * not cross lines, and a microcoded one has a line to itself.
 *   tag = window   a line is found by window and number; a window of too many lines, or with a jump on the jump
 *                  boundary, is not cached at all
 *   tag = start    a line is found by the address of its first instruction
 * From the op cache to the decoders: at the first line that is missing. Back: only behind a taken branch. The decoders
 * fill the op cache.
 * Loop buffer: two equal iterations of a loop, from a taken backward branch to its next arrival, all from the op cache,
 * without calls and returns and within the limits, lock it; the loop comes from the queue until it takes another
 * way. */
#ifndef IFR_MODEL_CORE_FRONT_H
#define IFR_MODEL_CORE_FRONT_H

#include "model/core/parameters.h"
#include "model/core/program.h"

enum ifr_slot_source { IFR_SOURCE_OP_CACHE, IFR_SOURCE_DECODERS, IFR_SOURCE_LOOP_BUFFER, IFR_SOURCES };

/* A block in one layout: its instructions by window. */
struct ifr_placed_part {
	uint64_t window;
	uint16_t first, count;
	bool barred; /* a jump on the jump boundary keeps the window out of the op cache */
};
struct ifr_placed {
	const struct ifr_core_instruction *instructions;
	struct ifr_placed_part *parts;
	uint64_t address;
	uint16_t count, parts_count, bytes, slots;
	/* Windows of the loop buffer: the first, the last, and how many in a row (0: it has no bytes). */
	uint16_t loop_windows;
	uint64_t loop_first, loop_last;
};

/* Places a block; the caller frees parts. bytes: 0 for a further round of a string instruction. */
void ifr_core_place(const struct ifr_core *core, const struct ifr_core_program *program, size_t block,
                    uint64_t address, uint16_t bytes, struct ifr_placed *placed);

/* Instructions that arrive in a row from one source. */
struct ifr_delivery {
	uint16_t first, count;
	uint8_t source; /* enum ifr_slot_source */
	bool boundary;  /* the first slot arrives in another cycle than the slot before */
	bool window;    /* the first slot begins a window that the branch predictor finds ahead (prediction > 0) */
	uint8_t wait;   /* cycles lost before */
};

struct ifr_front;
struct ifr_front *ifr_front_new(const struct ifr_core *core);
void ifr_front_free(struct ifr_front *front);
/* Enters a block. id: the same block has the same. taken: by a taken branch. call: the branch before was a call or a
 * return. Returns the deliveries of its instructions, which belong to the front end until the next call. */
const struct ifr_delivery *ifr_front_enter(struct ifr_front *front, const struct ifr_placed *placed, uint32_t id,
                                           bool taken, bool call, size_t *count);
/* From now on decides by bit n of *decoded, and not by the op cache, whether a line that begins with instruction n of the
 * next block comes from the decoders; instructions from 63 on have bit 63. NULL: by the op cache. Borrowed. */
void ifr_front_tell(struct ifr_front *front, const uint64_t *decoded);
/* ifr_front_enter in parts, for front ends side by side. A block from the loop buffer (NULL: it does not come from
 * there); else its deliveries, arrived: behind a taken branch or a cut; and its end, cached: all came from the op
 * cache. */
const struct ifr_delivery *ifr_front_enter_loop(struct ifr_front *front, const struct ifr_placed *placed,
                                                uint32_t id, bool taken, size_t *count);
const struct ifr_delivery *ifr_front_deliver(struct ifr_front *front, const struct ifr_placed *placed,
                                             bool arrived, size_t *count);
void ifr_front_leave(struct ifr_front *front, const struct ifr_placed *placed, uint32_t id, bool taken, bool call,
                     bool cached);

/* The stretch under way. */
struct ifr_stretch {
	uint64_t window;                /* UINT64_MAX: none */
	unsigned line, slots, branches; /* number of the line, and what it holds */
	bool barred;
};
/* A line of the op cache. set, at: numbers of its set's first line, and of the line that it was last (op_cache.h). */
struct ifr_foreseen_line {
	uint64_t key;
	uint32_t set, at;
};
/* A block behind a stretch, if the op cache has all of it: this depends on addresses alone. */
struct ifr_foreseen {
	struct ifr_foreseen_line *lines; /* that it looks up, in order; the caller frees them */
	size_t lines_count, lines_room, deliveries_count;
	uint32_t slots;
	bool possible; /* the op cache may have all of it */
	struct ifr_stretch after;
};
/* Foresees a block. arrived: as above. Returns the deliveries, until the next call. The front end stays as it is. */
const struct ifr_delivery *ifr_front_foresee(struct ifr_front *front, const struct ifr_placed *placed,
                                             bool arrived, const struct ifr_stretch *before,
                                             struct ifr_foreseen *to);
/* The op cache, in which foreseen lines can be used (op_cache.h). */
struct ifr_op_cache *ifr_front_cache(struct ifr_front *front);
/* All lines of a block that was foreseen are there: the op cache delivers. */
void ifr_front_take(struct ifr_front *front);
/* Whether the decoders deliver. */
bool ifr_front_decodes(const struct ifr_front *front);
/* Sets the stretch under way, of a front end that was foreseen. */
void ifr_front_set_stretch(struct ifr_front *front, const struct ifr_stretch *stretch);
/* Leaves the stretch under way, from the decoders, before the next block's lines are looked up. */
void ifr_front_end_stretch(struct ifr_front *front);

/* The sequence is cut: the next block arrives from elsewhere. */
void ifr_front_cut(struct ifr_front *front);
/* Slots so far, by source. */
const uint64_t *ifr_front_slots(const struct ifr_front *front);

#endif
