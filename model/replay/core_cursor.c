/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/core_cursor.h"

/* Begins with the event of a number. bits: of a mark that are not the number. */
static struct mark_reader read_marks(const struct ifr_marks *marks, uint32_t number, unsigned bits) {
	size_t low = 0, high = marks->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (marks->items[middle] >> bits < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct mark_reader){marks->items + low, marks->items + marks->count, number};
}

/* Goes on to the next event. Returns whether this one is marked. */
static bool is_marked(struct mark_reader *reader) {
	const bool marked = reader->next < reader->end && *reader->next == reader->number;
	reader->next += marked;
	reader->number++;
	return marked;
}

/* Goes on to the next taken branch. Returns the level of the BTB that has this one. */
static uint8_t next_btb_level(struct mark_reader *reader) {
	const bool marked = reader->next < reader->end && *reader->next >> IFR_BTB_LEVEL_BITS == reader->number;
	reader->number++;
	return marked ? *reader->next++ & ((1u << IFR_BTB_LEVEL_BITS) - 1) : 0;
}

/* Whether a return, or a call, arrives elsewhere than predicted. */
static bool is_lost(const struct core_cursor *at, size_t execution) {
	const struct ifr_geometry *blocks = at->pass->lanes[at->lane].blocks;
	const uint32_t caller = at->course->callers[execution], block = at->pass->chunk->executions[execution] >> 1;
	if (caller == IFR_ANY_CALLER || caller == IFR_NO_CALLER)
		return caller == IFR_NO_CALLER;
	return blocks[caller].address + blocks[caller].bytes != blocks[block].address;
}

/* The outcome of the branch before a block. */
static void read_branch(struct core_cursor *at, size_t execution, struct ifr_core_outcome *outcome) {
	const uint8_t kind = at->pass->kinds[at->before >> 1];
	if (kind == IFR_BRANCH_CONDITIONAL)
		outcome->mispredicted = is_marked(&at->conditional);
	if (ifr_branch_is_indirect(kind))
		outcome->mispredicted = is_marked(&at->indirect);
	if (kind >= IFR_BRANCH_CALL)
		outcome->mispredicted |= is_lost(at, execution);
	if (at->course->entries) {
		at->entries.number = (uint32_t)execution;
		outcome->mispredicted |= is_marked(&at->entries);
	}
	outcome->taken = ifr_branch_is_taken(kind, at->before);
	const struct ifr_core_branch *branch = &at->course->branches[execution];
	outcome->known = branch->known;
	outcome->several = branch->several;
	outcome->divides = branch->divides;
	if (outcome->taken && at->pass->machine->values[IFR_BTB1_ENTRIES])
		outcome->btb = next_btb_level(&at->taken);
}

/* Cycles that a block execution waits for its code. */
static void read_fetch(struct core_cursor *at, size_t execution, struct ifr_core_outcome *outcome) {
	const struct ifr_misses *lines = &at->pass->fetch_lines[at->lane], *pages = &at->pass->fetch_pages[at->lane];
	const struct ifr_outcomes *outcomes = &at->pass->outcomes[at->lane];
	for (; at->line < lines->count && lines->items[at->line].execution == execution; at->line++)
		outcome->fetch_wait += at->core->fetch_latency[outcomes->fetch_lines[at->line]];
	for (; at->page < pages->count && pages->items[at->page].execution == execution; at->page++)
		outcome->page_wait += at->core->fetch_page_latency[outcomes->fetch_pages[at->page]];
}

void core_cursor_next(struct core_cursor *at, size_t execution, struct ifr_core_outcome *outcome) {
	const struct ifr_pass *pass = at->pass;
	const uint32_t number = pass->chunk->executions[execution];
	const struct ifr_block *about = &pass->chunk->blocks[number >> 1];
	*outcome = (struct ifr_core_outcome){.addresses = pass->addresses[pass->lanes[at->lane].data_group] + at->data,
	                                     .accesses = pass->chunk->accesses + about->first_access,
	                                     .levels = pass->outcomes[at->lane].data + at->data,
	                                     .first_access = about->first_access,
	                                     .leaves = ifr_branch_is_taken(pass->kinds[number >> 1], number)};
	if (at->before != IFR_EXECUTION_BREAK)
		read_branch(at, execution, outcome);
	read_fetch(at, execution, outcome);
	at->data += about->accesses;
	at->before = number;
}

/* The first miss of an execution, or of a later one. */
static size_t find_fetch(const struct ifr_misses *misses, size_t from, size_t execution) {
	while (from < misses->count && misses->items[from].execution < execution)
		from++;
	return from;
}

void core_cursor_begin(struct core_cursor *at, const struct ifr_core_span *span) {
	const struct ifr_outcomes *outcomes = &at->pass->outcomes[at->lane];
	at->before = span->before;
	at->conditional = read_marks(&outcomes->conditional, span->conditional, 0);
	at->indirect = read_marks(&outcomes->indirect, span->indirect, 0);
	at->taken = read_marks(&outcomes->taken, span->taken, IFR_BTB_LEVEL_BITS);
	if (at->course->entries)
		at->entries = read_marks(ifr_block_entries_marks(at->course->entries, at->lane), (uint32_t)span->first, 0);
	at->line = find_fetch(&at->pass->fetch_lines[at->lane], at->line, span->first);
	at->page = find_fetch(&at->pass->fetch_pages[at->lane], at->page, span->first);
	at->data = span->data;
}
