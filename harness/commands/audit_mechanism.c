/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/audit_mechanism.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/alias_output.h"
#include "harness/output/output.h"
#include "harness/simulate/simulate.h"

static void put_change(const struct ifr_named_change *change, const char *event, struct ifr_buffer *text) {
	if (change->data)
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64 " of %s in %s in the worst layout (0x%" PRIx64 "), %" PRIu64
		                  " in the best (0x%" PRIx64 ").",
		                  event, change->events[1], change->data, change->code, change->address[1],
		                  change->events[0], change->address[0]);
	else
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64 " bytes of code in %s enter %" PRIu64 " in the worst layout (0x%" PRIx64
		                  "), %" PRIu64 " in the best (0x%" PRIx64 "); in all %" PRIu64 " and %" PRIu64 ".",
		                  event, change->bytes, change->code, change->each[1], change->address[1], change->each[0],
		                  change->address[0], change->events[1], change->events[0]);
}

static void put_changes(const struct ifr_mechanism_changes *changes, struct ifr_buffer *out) {
	const struct ifr_named_changes *named = &changes->named;
	const char *event = ifr_event_name(changes->event);
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < named->count; i++) {
		put_change(&named->items[i], event, &text);
		ifr_text_point(out, &text);
	}
	if (named->all > named->count) {
		ifr_buffer_printf(&text, "%s: %zu more differ%s, by %+" PRId64 " in all.", event,
		                  named->all - named->count, named->all - named->count == 1 ? "s" : "", named->rest);
		ifr_text_point(out, &text);
	}
	ifr_buffer_release(&text);
}

static bool is_of_predictor(const struct ifr_named_conflicts *named) {
	return !strcmp(named->structure, "predictor");
}

static void put_conflict(const struct ifr_named_conflicts *named, const struct ifr_named_conflict *conflict,
                         const char *event, struct ifr_buffer *text) {
	if (is_of_predictor(named))
		ifr_buffer_printf(text,
		                  "%s: in the worst layout %zu branches share entry %u of the outcome predictor: ", event,
		                  conflict->lines, conflict->set);
	else
		ifr_buffer_printf(text,
		                  "%s: in the worst layout %zu %s meet in set %u of the %s, which has %u way%s: ", event,
		                  conflict->lines, strcmp(named->structure, "BTB") ? "lines" : "branches", conflict->set,
		                  named->structure, named->ways, named->ways == 1 ? "" : "s");
	for (size_t i = 0; i < conflict->names.count && i < IFR_MECHANISM_NAMED; i++)
		ifr_buffer_printf(text, "%s%s", i ? ", " : "", conflict->names.items[i]);
	if (conflict->names.count > IFR_MECHANISM_NAMED)
		ifr_buffer_printf(text, " and %zu more", conflict->names.count - IFR_MECHANISM_NAMED);
	if (conflict->sets > 1)
		ifr_buffer_printf(text, "; so they do in %zu %s", conflict->sets,
		                  is_of_predictor(named) ? "entries" : "sets");
	ifr_buffer_printf(text,
	                  is_of_predictor(named) ? ". They take it from one another %" PRIu64
	                                           " times, in the best layout %" PRIu64 " time%s."
	                                         : ". They miss there %" PRIu64 " times, in the best layout %" PRIu64
	                                           " time%s.",
	                  conflict->misses[1], conflict->misses[0], conflict->misses[0] == 1 ? "" : "s");
}

static void put_conflicts(const struct ifr_mechanism_conflicts *conflicts, struct ifr_buffer *out) {
	const struct ifr_named_conflicts *named = &conflicts->named;
	const char *event = ifr_event_name(conflicts->event);
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < named->count; i++) {
		put_conflict(named, &named->items[i], event, &text);
		ifr_text_point(out, &text);
	}
	if (named->rest_sets) {
		const bool one = named->rest_sets == 1;
		ifr_buffer_printf(&text, "%s: %zu more ", event, named->rest_sets);
		ifr_buffer_puts(&text, is_of_predictor(named) ? one ? "entry is taken" : "entries are taken"
		                       : one                  ? "set misses"
		                                              : "sets miss");
		ifr_buffer_printf(&text, " more often in the worst layout, by %" PRIu64 " in all.", named->rest);
		ifr_text_point(out, &text);
	}
	ifr_buffer_release(&text);
}

/* Where a loop's slots come from, as far as that differs. */
static void put_sources(const struct ifr_named_loop *loop, struct ifr_buffer *text) {
	uint64_t all = 0;
	unsigned put = 0;
	for (unsigned i = 0; i < IFR_SOURCES; i++)
		all += loop->slots[1][i];
	ifr_buffer_printf(text, ". Of its %" PRIu64 " slots come ", all);
	for (unsigned i = 0; i < IFR_SOURCES; i++)
		if (loop->slots[0][i] != loop->slots[1][i])
			ifr_buffer_printf(text, "%s%s %" PRIu64 " in the worst layout, %" PRIu64 " in the best",
			                  put++ ? "; " : "from ", ifr_source_words((enum ifr_slot_source)i), loop->slots[1][i],
			                  loop->slots[0][i]);
}

static void put_loops(const struct ifr_named_loops *loops, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < loops->count; i++) {
		const struct ifr_named_loop *loop = &loops->items[i];
		ifr_buffer_printf(&text, "loop in %s, %" PRIu64 " bytes, %" PRIu64 " jumps back: ", loop->code,
		                  loop->bytes, loop->iterations);
		if (loops->window_bytes)
			ifr_buffer_printf(&text, "%" PRIu64 " windows of %u bytes", loop->windows[1], loops->window_bytes);
		ifr_buffer_printf(&text, " in the worst layout (0x%" PRIx64 "), ", loop->address[1]);
		if (loops->window_bytes)
			ifr_buffer_printf(&text, "%" PRIu64 " ", loop->windows[0]);
		ifr_buffer_printf(&text, "in the best (0x%" PRIx64 ")", loop->address[0]);
		put_sources(loop, &text);
		ifr_buffer_puts(&text, loops->cut ? ", in the first blocks of the run." : ".");
		ifr_text_point(out, &text);
	}
	if (loops->all > loops->count) {
		const size_t more = loops->all - loops->count;
		ifr_buffer_printf(&text, "%zu more loop%s get%s slots from another source.", more, more == 1 ? "" : "s",
		                  more == 1 ? "s" : "");
		ifr_text_point(out, &text);
	}
	ifr_buffer_release(&text);
}

char *audit_mechanism_describe(const struct ifr_mechanism *mechanism) {
	struct ifr_buffer text = {0};
	alias_output_print(&mechanism->aliases, &text);
	for (size_t i = 0; i < mechanism->change_count; i++)
		put_changes(&mechanism->changes[i], &text);
	put_loops(&mechanism->loops, &text);
	for (size_t i = 0; i < mechanism->conflict_count; i++)
		put_conflicts(&mechanism->conflicts[i], &text);
	if (text.length)
		return ifr_buffer_detach(&text);
	ifr_buffer_release(&text);
	return NULL;
}
