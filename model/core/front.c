/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/core/front.h"

#include <limits.h>
#include <stdlib.h>

#include "model/core/loop_buffer.h"
#include "model/core/op_cache.h"

#define NO_LINE UINT_MAX /* none begins in the window so far: the next one is 0 */

struct ifr_front {
	const struct ifr_core *core;
	struct ifr_op_cache cache;
	struct ifr_loop_buffer loop;
	struct ifr_stretch stretch;
	struct ifr_foreseen *foreseen; /* is made; NULL: none */
	bool decoding;                 /* the decoders deliver */
	bool cut;                      /* the next block is entered from elsewhere */
	const uint64_t *told;          /* instructions from the decoders; NULL: the op cache knows */
	uint64_t last;                 /* address behind the last block */
	uint64_t slots[IFR_SOURCES];
	struct ifr_delivery *deliveries;
	size_t count, room;
};

struct ifr_front *ifr_front_new(const struct ifr_core *core) {
	struct ifr_front *front = ifr_alloc(sizeof *front);
	front->core = core;
	front->cut = front->decoding = true;
	front->stretch.window = UINT64_MAX;
	ifr_op_cache_init(&front->cache, core);
	ifr_loop_buffer_reset(&front->loop);
	return front;
}

void ifr_front_free(struct ifr_front *front) {
	if (!front)
		return;
	free(front->cache.lines);
	free(front->deliveries);
	free(front);
}

const uint64_t *ifr_front_slots(const struct ifr_front *front) {
	return front->slots;
}

void ifr_front_tell(struct ifr_front *front, const uint64_t *decoded) {
	front->told = decoded;
}

static uint64_t key_of(const struct ifr_front *front, unsigned line, uint64_t address) {
	return front->core->cache_by_start ? address : front->stretch.window << 4 | line;
}

/* The decoders leave a stretch: its lines are in the op cache, or none. */
static void end_stretch(struct ifr_front *front) {
	const struct ifr_stretch *stretch = &front->stretch;
	if (stretch->window == UINT64_MAX || !front->decoding || front->core->cache_by_start)
		return;
	const bool fits = stretch->line < front->core->cache_lines && !stretch->barred;
	for (unsigned i = 0; i <= stretch->line && i < front->core->cache_lines; i++)
		if (fits)
			ifr_op_cache_fill(&front->cache, stretch->window, stretch->window << 4 | i);
		else
			ifr_op_cache_drop(&front->cache, stretch->window, stretch->window << 4 | i);
}

void ifr_front_cut(struct ifr_front *front) {
	end_stretch(front);
	front->stretch.window = UINT64_MAX;
	front->cut = front->decoding = true;
	ifr_loop_buffer_reset(&front->loop);
}

static void foresee_line(struct ifr_front *front, uint64_t key, bool possible) {
	struct ifr_foreseen *to = front->foreseen;
	to->possible &= possible && front->cache.sets;
	if (to->lines_count == to->lines_room) {
		to->lines_room = 2 * to->lines_room + 8;
		to->lines = ifr_realloc(to->lines, to->lines_room, sizeof *to->lines);
	}
	const uint32_t set = ifr_op_cache_set(&front->cache, front->stretch.window);
	to->lines[to->lines_count++] = (struct ifr_foreseen_line){.key = key, .set = set, .at = set};
}

/* Whether the op cache has the line that begins with an instruction. */
static bool is_cached(struct ifr_front *front, unsigned index, uint64_t key) {
	if (front->told)
		return !(*front->told >> (index < 63 ? index : 63) & 1);
	return ifr_op_cache_use(&front->cache, front->stretch.window, key);
}

/* A line begins: it is in the op cache, or the decoders deliver from here on. */
static void begin_line(struct ifr_front *front, unsigned index, uint64_t address, bool may_return) {
	struct ifr_stretch *stretch = &front->stretch;
	const bool possible = stretch->line < front->core->cache_lines;
	stretch->slots = stretch->branches = 0;
	const uint64_t key = key_of(front, stretch->line, address);
	if (ifr_core_idealises(front->core, IFR_CAUSE_DSB))
		front->decoding = false;
	else if (front->foreseen)
		foresee_line(front, key, possible);
	else if (!front->decoding || may_return)
		front->decoding = !possible || !is_cached(front, index, key);
	if (front->decoding && front->core->cache_by_start && !stretch->barred && possible)
		ifr_op_cache_fill(&front->cache, stretch->window, key);
}

/* Tells whether an instruction is a branch that the line under way has no room for. */
static bool is_further_branch(const struct ifr_front *front, const struct ifr_core_instruction *instruction) {
	return instruction->branch != IFR_BRANCH_NONE && front->stretch.branches == front->core->cache_branches;
}

/* Tells whether an instruction's slots begin a line of the stretch, which has one under way. */
static bool need_line(const struct ifr_front *front, const struct ifr_core_instruction *instruction,
                      unsigned slots) {
	return front->stretch.slots + slots > front->core->cache_ops ||
	       instruction->flags & IFR_INSTRUCTION_MICROCODED;
}

static void deliver(struct ifr_front *front, unsigned index, struct ifr_delivery begin,
                    const struct ifr_core_instruction *instruction) {
	struct ifr_delivery *last = front->count ? &front->deliveries[front->count - 1] : NULL;
	const uint8_t source = front->decoding ? IFR_SOURCE_DECODERS : IFR_SOURCE_OP_CACHE;
	front->slots[source] += instruction->decoded;
	if (last && !begin.boundary && !begin.window && !begin.wait && last->source == source) {
		last->count++;
		return;
	}
	begin.first = (uint16_t)index;
	begin.count = 1;
	begin.source = source;
	front->deliveries[front->count++] = begin;
}

/* The next line's number; of those that no window may have, one is as another. */
static unsigned next_line(const struct ifr_front *front) {
	const unsigned line = front->stretch.line + 1;
	return line < front->core->cache_lines ? line : front->core->cache_lines;
}

/* The slots of a line that an instruction takes. */
static unsigned line_slots(const struct ifr_core *core, const struct ifr_core_instruction *instruction) {
	const bool two = core->one_constant && instruction->flags & IFR_INSTRUCTION_TWO_CONSTANTS;
	return instruction->decoded + (two || instruction->flags & IFR_INSTRUCTION_WIDE_IMMEDIATE);
}

/* window: it begins one. first: it begins a stretch. */
static void deliver_instruction(struct ifr_front *front, const struct ifr_placed *placed, unsigned index,
                                bool window, bool first, bool arrived) {
	const struct ifr_core_instruction *instruction = &placed->instructions[index];
	struct ifr_stretch *stretch = &front->stretch;
	const unsigned slots = line_slots(front->core, instruction);
	const bool was_decoding = front->decoding, further = !first && is_further_branch(front, instruction),
			   line = first || further || need_line(front, instruction, slots);
	if (line) {
		stretch->line = first ? 0 : next_line(front);
		begin_line(front, index, placed->address + instruction->offset, arrived);
	}
	stretch->slots += instruction->flags & IFR_INSTRUCTION_MICROCODED ? front->core->cache_ops : slots;
	stretch->branches += instruction->branch != IFR_BRANCH_NONE;
	const bool switched = front->decoding && !was_decoding;
	const bool ends = front->core->cache_goes_on ? further : first || (line && front->core->cache_by_start);
	const struct ifr_delivery begin = {.boundary = arrived || switched || (ends && !front->decoding),
	                                   .window = window && front->core->prediction,
	                                   .wait = switched ? (uint8_t)front->core->cache_switch : 0};
	deliver(front, index, begin, instruction);
}

static void deliver_part(struct ifr_front *front, const struct ifr_placed *placed, unsigned part, bool arrived) {
	const struct ifr_placed_part *at = &placed->parts[part];
	const bool fresh = arrived || front->stretch.window != at->window;
	const bool spans = front->core->cache_spans && !arrived && front->stretch.window != UINT64_MAX;
	const bool first = fresh && !spans;
	if (fresh && spans) {
		front->stretch.window = at->window;
		front->stretch.line = NO_LINE;
	} else if (first) {
		end_stretch(front);
		front->stretch = (struct ifr_stretch){.window = at->window};
	}
	front->stretch.barred |= at->barred;
	for (unsigned i = 0; i < at->count; i++)
		deliver_instruction(front, placed, at->first + i, fresh && !i, first && !i, arrived && !i);
}

static void deliver_from_loop(struct ifr_front *front, const struct ifr_placed *placed, bool boundary) {
	end_stretch(front);
	front->stretch.window = UINT64_MAX;
	front->decoding = false;
	front->slots[IFR_SOURCE_LOOP_BUFFER] += placed->slots;
	front->deliveries[front->count++] =
		(struct ifr_delivery){.count = placed->count, .source = IFR_SOURCE_LOOP_BUFFER, .boundary = boundary};
}

static void reserve_deliveries(struct ifr_front *front, const struct ifr_placed *placed) {
	if (placed->count + 1u > front->room) {
		front->room = 2 * (placed->count + 1u);
		front->deliveries = ifr_realloc(front->deliveries, front->room, sizeof *front->deliveries);
	}
	front->count = 0;
}

const struct ifr_delivery *ifr_front_foresee(struct ifr_front *front, const struct ifr_placed *placed,
                                             bool arrived, const struct ifr_stretch *before,
                                             struct ifr_foreseen *to) {
	const struct ifr_stretch stretch = front->stretch;
	const bool decoding = front->decoding;
	const uint64_t slots = front->slots[IFR_SOURCE_OP_CACHE];
	reserve_deliveries(front, placed);
	*to = (struct ifr_foreseen){.lines = to->lines, .lines_room = to->lines_room, .possible = true};
	front->stretch = *before;
	front->decoding = false;
	front->foreseen = to;
	for (unsigned i = 0; i < placed->parts_count; i++)
		deliver_part(front, placed, i, arrived && !i);
	to->after = front->stretch;
	to->slots = (uint32_t)(front->slots[IFR_SOURCE_OP_CACHE] - slots);
	to->deliveries_count = front->count;
	front->stretch = stretch;
	front->decoding = decoding;
	front->slots[IFR_SOURCE_OP_CACHE] = slots;
	front->foreseen = NULL;
	return front->deliveries;
}

void ifr_front_end_stretch(struct ifr_front *front) {
	end_stretch(front);
	front->stretch.window = UINT64_MAX;
}

void ifr_front_set_stretch(struct ifr_front *front, const struct ifr_stretch *stretch) {
	front->stretch = *stretch;
}

struct ifr_op_cache *ifr_front_cache(struct ifr_front *front) {
	return &front->cache;
}

bool ifr_front_decodes(const struct ifr_front *front) {
	return front->decoding;
}

void ifr_front_take(struct ifr_front *front) {
	front->decoding = false;
}

const struct ifr_delivery *ifr_front_enter_loop(struct ifr_front *front, const struct ifr_placed *placed,
                                                uint32_t id, bool taken, size_t *count) {
	bool boundary;
	const bool backward = taken && placed->address < front->last;
	if (!ifr_loop_buffer_enter(&front->loop, front->core, id, backward, &boundary))
		return NULL;
	reserve_deliveries(front, placed);
	deliver_from_loop(front, placed, boundary);
	front->cut = false;
	front->last = placed->address + placed->bytes;
	*count = front->count;
	return front->deliveries;
}

const struct ifr_delivery *ifr_front_deliver(struct ifr_front *front, const struct ifr_placed *placed,
                                             bool arrived, size_t *count) {
	reserve_deliveries(front, placed);
	for (unsigned i = 0; i < placed->parts_count; i++)
		deliver_part(front, placed, i, !i && arrived);
	*count = front->count;
	return front->deliveries;
}

void ifr_front_leave(struct ifr_front *front, const struct ifr_placed *placed, uint32_t id, bool taken, bool call,
                     bool cached) {
	ifr_loop_buffer_add(&front->loop, front->core, placed, id, taken, call, cached);
	front->cut = false;
	front->last = placed->address + placed->bytes;
}

const struct ifr_delivery *ifr_front_enter(struct ifr_front *front, const struct ifr_placed *placed, uint32_t id,
                                           bool taken, bool call, size_t *count) {
	bool cached = true;
	const struct ifr_delivery *deliveries = ifr_front_enter_loop(front, placed, id, taken, count);
	if (deliveries)
		return deliveries;
	deliveries = ifr_front_deliver(front, placed, taken || front->cut, count);
	for (size_t i = 0; i < *count; i++)
		cached &= deliveries[i].source == IFR_SOURCE_OP_CACHE;
	ifr_front_leave(front, placed, id, taken, call, cached);
	return deliveries;
}
