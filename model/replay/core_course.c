/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/core_course.h"

#include <stdlib.h>

#include "model/core/sample.h"

void ifr_core_course_init(struct ifr_core_course *course, const struct ifr_pass *pass) {
	*course = (struct ifr_core_course){.period = pass->core_period,
	                                   .before = IFR_EXECUTION_BREAK,
	                                   .stack = ifr_return_stack_new(pass),
	                                   .entries = ifr_block_entries_new(pass)};
	course->runs = ifr_core_sample_runs(0, course->period, &course->unchanged);
}

void ifr_core_course_release(struct ifr_core_course *course) {
	free(course->spans);
	free(course->callers);
	free(course->branches);
	free(course->pasts);
	free(course->stack.calls);
	ifr_block_entries_free(course->entries);
}

/* Pushes a call, or pops a return's call. Returns the calling block of a return. */
static uint32_t follow_call(struct ifr_core_course *course, bool returns, uint32_t block) {
	uint32_t caller;
	if (!course->stack.size)
		return IFR_ANY_CALLER;
	if (returns)
		return ifr_return_stack_pop(&course->stack, &caller) ? caller : IFR_NO_CALLER;
	ifr_return_stack_push(&course->stack, block);
	return IFR_ANY_CALLER;
}

/* Executions of a block through which the predictor knows that its branch was taken. On a Zen 4 (2026) bzip2's cycles
 * go with the clock at 0.84 with 8192 and 0.37 with 512, and those of sqlite3's whole run, whose start takes branches
 * once, at 0.85 with both and 0.13 for ever. */
enum { TAKEN_LATELY = 8192 };

/* Counts an execution down, or begins anew. */
static void remember(uint16_t *executions, bool taken) {
	*executions = taken ? TAKEN_LATELY : (uint16_t)(*executions - !!*executions);
}

static void note_target(struct ifr_core_past *past, uint32_t block) {
	past->several |= past->target && past->target != block + 1;
	past->target = block + 1;
}

/* Counts the branch before an execution, of which all outcomes are numbered. */
static void count_branch(struct ifr_core_course *course, const struct ifr_pass *pass, size_t execution,
                         struct ifr_core_span *at) {
	const uint32_t block = course->before >> 1, to = pass->chunk->executions[execution] >> 1;
	const uint8_t kind = pass->kinds[block];
	at->conditional += kind == IFR_BRANCH_CONDITIONAL;
	at->indirect += ifr_branch_is_indirect(kind);
	const bool taken = ifr_branch_is_taken(kind, course->before);
	at->taken += taken;
	struct ifr_core_past *past = &course->pasts[block], *next = &course->pasts[to];
	remember(&past->taken, taken);
	remember(&next->entered, taken);
	if (ifr_branch_is_indirect(kind))
		note_target(past, to);
	course->branches[execution] = (struct ifr_core_branch){
		.known = past->taken, .several = past->several, .divides = !taken && next->entered};
	if (course->entries && (taken || past->taken))
		ifr_block_entries_follow(course->entries, pass, course->before, execution);
	if (kind >= IFR_BRANCH_CALL)
		course->callers[execution] = follow_call(course, kind == IFR_BRANCH_RETURN, block);
}

static struct ifr_core_span *add_span(struct ifr_core_course *course) {
	if (course->spans_count == course->room) {
		course->room = course->room ? 2 * course->room : 64;
		course->spans = ifr_realloc(course->spans, course->room, sizeof *course->spans);
	}
	return &course->spans[course->spans_count++];
}

void ifr_core_course_follow(struct ifr_core_course *course, const struct ifr_pass *pass) {
	const struct ifr_chunk *chunk = pass->chunk;
	const struct ifr_geometry *blocks = pass->lanes[0].blocks;
	struct ifr_core_span at = {0}, *span = NULL;
	course->callers = ifr_realloc(course->callers, chunk->executions_count + 1, sizeof *course->callers);
	course->branches = ifr_realloc(course->branches, chunk->executions_count + 1, sizeof *course->branches);
	course->pasts = ifr_realloc(course->pasts, chunk->blocks_count + 1, sizeof *course->pasts);
	while (course->blocks_count < chunk->blocks_count)
		course->pasts[course->blocks_count++] = (struct ifr_core_past){0};
	course->spans_count = 0;
	if (course->entries)
		ifr_block_entries_begin(course->entries);
	for (size_t i = 0; i < chunk->executions_count; i++) {
		const uint32_t execution = chunk->executions[i];
		if (course->instructions > course->unchanged)
			course->runs = ifr_core_sample_runs(course->instructions, course->period, &course->unchanged);
		const bool runs = course->runs;
		if (runs && !span) {
			at.first = i;
			at.before = course->before;
			at.instructions = course->instructions;
			at.apart = course->skipping;
			*(span = add_span(course)) = at;
		}
		if (!runs)
			span = NULL;
		else
			span->end = i + 1;
		course->skipping = !runs;
		if (execution != IFR_EXECUTION_BREAK) {
			if (course->before != IFR_EXECUTION_BREAK)
				count_branch(course, pass, i, &at);
			at.data += chunk->blocks[execution >> 1].accesses;
			course->instructions += blocks[execution >> 1].instructions;
		} else if (course->entries) {
			ifr_block_entries_cut(course->entries);
		}
		course->before = execution;
	}
}
