/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ref: Melhus 2013, section 4.2.1 and table 4.6 (limits of windows, slots and taken branches); Abel and Reineke 2022,
 * "uiCA", section 4.1 (rounds of the queue, unrolling). */
#include "model/core/loop_buffer.h"

#include <string.h>

static void begin_iteration(struct ifr_loop_buffer *loop) {
	loop->count = loop->slots = loop->windows = loop->branches = 0;
	loop->window = UINT64_MAX;
	loop->sound = true;
}

/* The iteration is whole. It locks the loop if it equals the one before. */
static void end_iteration(struct ifr_loop_buffer *loop, const struct ifr_core *core) {
	const bool equal = loop->sound && loop->count == loop->previous_count &&
	                   !memcmp(loop->blocks, loop->previous, loop->count * sizeof *loop->blocks);
	const bool fits = loop->count && loop->slots <= core->loop_ops && loop->windows <= core->loop_windows &&
	                  loop->branches <= core->loop_branches;
	loop->locked = equal && fits;
	loop->position = loop->iteration = 0;
	loop->unroll = loop->slots ? (core->loop_unroll + loop->slots - 1) / loop->slots : 1;
	loop->previous_count = loop->sound ? loop->count : 0;
	memcpy(loop->previous, loop->blocks, loop->previous_count * sizeof *loop->blocks);
}

static bool continue_locked(struct ifr_loop_buffer *loop, uint32_t id, bool *boundary) {
	if (loop->previous[loop->position] != id) {
		ifr_loop_buffer_reset(loop);
		return false;
	}
	*boundary = !loop->position && loop->iteration % loop->unroll == 0;
	loop->iteration += !loop->position;
	loop->position = loop->position + 1 < loop->previous_count ? loop->position + 1 : 0;
	return true;
}

bool ifr_loop_buffer_enter(struct ifr_loop_buffer *loop, const struct ifr_core *core, uint32_t id, bool backward,
                           bool *boundary) {
	*boundary = false;
	if (!core->loop_ops)
		return false;
	if (loop->locked && continue_locked(loop, id, boundary))
		return true;
	if (!backward)
		return false;
	/* The branch back to a loop's head belongs to the iteration that it ends. */
	loop->branches++;
	if (loop->count && loop->blocks[0] == id)
		end_iteration(loop, core);
	else
		loop->previous_count = 0;
	begin_iteration(loop);
	return loop->locked && continue_locked(loop, id, boundary);
}

/* Counts the windows that a block enters. */
static void count_windows(struct ifr_loop_buffer *loop, const struct ifr_placed *placed, bool taken) {
	if (!placed->loop_windows) {
		loop->window = taken ? UINT64_MAX : loop->window;
		return;
	}
	const bool same = !taken && placed->loop_first == loop->window;
	loop->windows += placed->loop_windows - same;
	loop->window = placed->loop_last;
}

void ifr_loop_buffer_add(struct ifr_loop_buffer *loop, const struct ifr_core *core,
                         const struct ifr_placed *placed, uint32_t id, bool taken, bool call, bool cached) {
	if (!core->loop_ops)
		return;
	if (!loop->sound || call || !cached || !placed->bytes || loop->count == IFR_LOOP_BLOCKS) {
		loop->sound = false;
		loop->count = 0;
		return;
	}
	loop->branches += taken && loop->count;
	loop->blocks[loop->count++] = id;
	loop->slots += placed->slots;
	if (loop->windows <= core->loop_windows)
		count_windows(loop, placed, taken && loop->count > 1);
}
