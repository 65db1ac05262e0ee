/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/vector/outcomes.h"

#include <string.h>

/* --- marks ---------------------------------------------------------------------------------------------------- */

static void look_at_next(struct lanes_marks *marks, unsigned lane) {
	const bool left = marks->at[lane] < marks->end[lane];
	marks->next.at[lane] = left ? *marks->at[lane] >> marks->bits : UINT32_MAX;
}

/* Begins with the event of a number. */
static void find_mark(struct lanes_marks *marks, unsigned lane, const struct ifr_marks *from, uint32_t number) {
	size_t low = 0, high = from->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (from->items[middle] >> marks->bits < number)
			low = middle + 1;
		else
			high = middle;
	}
	marks->at[lane] = from->items + low;
	marks->end[lane] = from->items + from->count;
	look_at_next(marks, lane);
}

/* Goes on to the next event. Returns the lanes in which this one is marked; they stay at the mark. */
static inline unsigned next_marked(struct lanes_marks *marks) {
	return mask_bits(vec_equal(words_get(&marks->next), vec_set(marks->number++)));
}

static void pass_marks(struct lanes_marks *marks, unsigned lanes) {
	for (; lanes; lanes &= lanes - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(lanes);
		marks->at[lane]++;
		look_at_next(marks, lane);
	}
}

static unsigned take_marked(struct lanes_marks *marks) {
	const unsigned lanes = next_marked(marks);
	pass_marks(marks, lanes);
	return lanes;
}

/* --- branches ------------------------------------------------------------------------------------------------- */

/* Lanes in which a return, or a call, arrives elsewhere than predicted. */
static unsigned find_lost(const struct lanes_cursor *at, size_t execution) {
	const uint32_t caller = at->course->callers[execution], block = at->pass->chunk->executions[execution] >> 1;
	unsigned lost = 0;
	if (caller == IFR_ANY_CALLER || caller == IFR_NO_CALLER)
		return caller == IFR_NO_CALLER ? ALL_LANES : 0;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const struct ifr_geometry *blocks = at->pass->lanes[at->lanes[lane]].blocks;
		lost |= (unsigned)(blocks[caller].address + blocks[caller].bytes != blocks[block].address) << lane;
	}
	return lost;
}

static void read_levels(struct lanes_marks *marks, struct lanes_step *step) {
	step->btb_lanes = next_marked(marks);
	for (unsigned left = step->btb_lanes; left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		step->btb[lane] = *marks->at[lane] & ((1u << IFR_BTB_LEVEL_BITS) - 1);
	}
	pass_marks(marks, step->btb_lanes);
}

static void read_branch(struct lanes_cursor *at, size_t execution, struct lanes_step *step) {
	const uint8_t kind = at->pass->kinds[at->before >> 1];
	if (kind == IFR_BRANCH_CONDITIONAL)
		step->mispredicted = take_marked(&at->conditional);
	if (ifr_branch_is_indirect(kind))
		step->mispredicted = take_marked(&at->indirect);
	if (kind >= IFR_BRANCH_CALL)
		step->mispredicted |= find_lost(at, execution);
	if (at->course->entries) {
		at->entries.number = (uint32_t)execution;
		step->mispredicted |= take_marked(&at->entries);
	}
	step->taken = ifr_branch_is_taken(kind, at->before);
	const struct ifr_core_branch *branch = &at->course->branches[execution];
	step->known = branch->known;
	step->several = branch->several;
	step->divides = branch->divides;
	if (step->taken && at->pass->machine->values[IFR_BTB1_ENTRIES])
		read_levels(&at->taken, step);
}

/* --- code ----------------------------------------------------------------------------------------------------- */

static uint32_t execution_of(const struct ifr_misses *misses, size_t number) {
	return number < misses->count ? misses->items[number].execution : UINT32_MAX;
}

static void read_lane_fetch(struct lanes_cursor *at, unsigned lane, size_t execution, struct lanes_step *step) {
	const size_t number = at->lanes[lane];
	const struct ifr_misses *lines = &at->pass->fetch_lines[number], *pages = &at->pass->fetch_pages[number];
	const struct ifr_outcomes *outcomes = &at->pass->outcomes[number];
	uint32_t wait = 0;
	for (; execution_of(lines, at->line[lane]) == execution; at->line[lane]++)
		wait += at->core->fetch_latency[outcomes->fetch_lines[at->line[lane]]];
	for (; execution_of(pages, at->page[lane]) == execution; at->page[lane]++)
		wait += at->core->fetch_page_latency[outcomes->fetch_pages[at->page[lane]]];
	at->next_line.at[lane] = execution_of(lines, at->line[lane]);
	at->next_page.at[lane] = execution_of(pages, at->page[lane]);
	step->fetch_wait[lane] = wait;
}

/* Cycles that a block execution waits for its code. */
static void read_fetch(struct lanes_cursor *at, size_t execution, struct lanes_step *step) {
	const vec number = vec_set((uint32_t)execution);
	step->waiting = mask_bits(
		mask_or(vec_equal(words_get(&at->next_line), number), vec_equal(words_get(&at->next_page), number)));
	for (unsigned left = step->waiting; left; left &= left - 1)
		read_lane_fetch(at, (unsigned)__builtin_ctz(left), execution, step);
}

/* --- data ----------------------------------------------------------------------------------------------------- */

/* The next access of a lane that is not in the first levels. */
static uint32_t find_level(const struct lanes_cursor *at, unsigned lane, size_t from) {
	const uint8_t *levels = at->pass->outcomes[at->lanes[lane]].data;
	const size_t count = at->pass->chunk->data_count;
	uint64_t eight = 0;
	while (from + sizeof eight <= count && !(memcpy(&eight, levels + from, sizeof eight), eight))
		from += sizeof eight;
	while (from < count && !levels[from])
		from++;
	return from < count ? (uint32_t)from : INT32_MAX;
}

static void read_data(struct lanes_cursor *at, const struct ifr_block *block, struct lanes_step *step) {
	const vec first = vec_set((uint32_t)at->data);
	for (unsigned left = mask_bits(vec_greater(first, words_get(&at->next_level))); left; left &= left - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(left);
		at->next_level.at[lane] = find_level(at, lane, at->data);
	}
	step->accesses = at->pass->chunk->accesses + block->first_access;
	step->number = (uint32_t)at->data;
	for (unsigned lane = 0; lane < LANES; lane++)
		step->addresses[lane] = at->addresses[lane] + at->data;
	for (unsigned lane = 0; lane < LANES; lane++)
		step->levels[lane] = at->pass->outcomes[at->lanes[lane]].data + at->data;
	at->data += block->accesses;
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

void IFR_VECTOR(cursor_new)(struct lanes_cursor *at, const struct ifr_core *core,
                            const struct ifr_core_course *course, const struct ifr_pass *pass, size_t first,
                            size_t count) {
	memset(at, 0, sizeof *at);
	at->core = core;
	at->course = course;
	at->pass = pass;
	at->taken.bits = IFR_BTB_LEVEL_BITS;
	for (unsigned lane = 0; lane < LANES; lane++) {
		at->lanes[lane] = first + (lane < count ? lane : count - 1);
		at->addresses[lane] = pass->addresses[pass->lanes[at->lanes[lane]].data_group];
	}
}

/* The first miss of an execution, or of a later one. */
static size_t find_fetch(const struct ifr_misses *misses, size_t from, size_t execution) {
	while (from < misses->count && misses->items[from].execution < execution)
		from++;
	return from;
}

void IFR_VECTOR(cursor_begin)(struct lanes_cursor *at, const struct ifr_core_span *span) {
	at->before = span->before;
	at->conditional.number = span->conditional;
	at->indirect.number = span->indirect;
	at->taken.number = span->taken;
	at->data = span->data;
	for (unsigned lane = 0; lane < LANES; lane++) {
		const size_t number = at->lanes[lane];
		const struct ifr_outcomes *outcomes = &at->pass->outcomes[number];
		find_mark(&at->conditional, lane, &outcomes->conditional, span->conditional);
		find_mark(&at->indirect, lane, &outcomes->indirect, span->indirect);
		find_mark(&at->taken, lane, &outcomes->taken, span->taken);
		if (at->course->entries)
			find_mark(&at->entries, lane, ifr_block_entries_marks(at->course->entries, number),
			          (uint32_t)span->first);
		at->line[lane] = find_fetch(&at->pass->fetch_lines[number], at->line[lane], span->first);
		at->page[lane] = find_fetch(&at->pass->fetch_pages[number], at->page[lane], span->first);
		at->next_line.at[lane] = execution_of(&at->pass->fetch_lines[number], at->line[lane]);
		at->next_page.at[lane] = execution_of(&at->pass->fetch_pages[number], at->page[lane]);
		at->next_level.at[lane] = find_level(at, lane, span->data);
	}
}

static bool have_same_data(const struct lanes_cursor *at) {
	return at->addresses[0] == at->addresses[LANES - 1] && at->pass->groups_count == 1;
}

void IFR_VECTOR(cursor_next)(struct lanes_cursor *at, size_t execution, struct lanes_step *step) {
	const uint32_t number = at->pass->chunk->executions[execution];
	step->taken = step->known = step->several = step->divides = false;
	step->leaves = ifr_branch_is_taken(at->pass->kinds[number >> 1], number);
	step->mispredicted = step->btb_lanes = 0;
	step->same_addresses = have_same_data(at);
	step->next_level = &at->next_level;
	if (at->before != IFR_EXECUTION_BREAK)
		read_branch(at, execution, step);
	read_fetch(at, execution, step);
	read_data(at, &at->pass->chunk->blocks[number >> 1], step);
	at->before = number;
}
