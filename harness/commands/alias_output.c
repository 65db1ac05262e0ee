/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/alias_output.h"

#include <inttypes.h>

#include "harness/output/output.h"

static void put_pair(const struct ifr_named_aliases *named, const struct ifr_named_alias *pair,
                     struct ifr_buffer *text) {
	ifr_buffer_printf(
		text,
		"%" PRIu64 " load%s of %s (0x%" PRIx64 ") in %s meet%s the store to %s (0x%" PRIx64 ") in %s, modulo 4096",
		pair->count, pair->count == 1 ? "" : "s", pair->load.data, pair->load.address, pair->load.code,
		pair->count == 1 ? "s" : "", pair->store.data, pair->store.address, pair->store.code);
	if (named->compared)
		ifr_buffer_printf(text, ", in the worst layout, and %" PRIu64 " in the best", pair->best_count);
	ifr_buffer_puts(text, ".");
}

static void put_trial(const struct ifr_named_aliases *named, const struct ifr_alias_trial *trial,
                      struct ifr_buffer *text) {
	ifr_buffer_printf(text, "%s moved alone, by %d bytes: %" PRIu64 " aliases of %" PRIu64 " remain",
	                  trial->variable, IFR_ALIAS_TRIAL_SHIFT, trial->events, named->events);
	if (named->compared)
		ifr_buffer_printf(text, "; the best layout has %" PRIu64, named->best_events);
	ifr_buffer_puts(text, ".");
}

/* The counts of both layouts, where no pair is more frequent in the worst one. */
static void put_no_excess(const struct ifr_named_aliases *named, struct ifr_buffer *text) {
	const char *event = ifr_event_name(IFR_EVENT_ADDRESS_ALIAS);
	if (!named->differing)
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64
		                  " in the worst layout and as many in the best, pair by pair of a load and a "
		                  "store.",
		                  event, named->events);
	else
		ifr_buffer_printf(text,
		                  "%s: %" PRIu64 " in the worst layout, %" PRIu64
		                  " in the best; no pair of a load and a store "
		                  "has more in the worst.",
		                  event, named->events, named->best_events);
}

static void put_rest(const struct ifr_named_aliases *named, struct ifr_buffer *text) {
	const size_t more = (named->compared ? named->differing : named->all) - named->count;
	if (named->compared)
		ifr_buffer_printf(text, "%zu more pair%s differ%s, by %+" PRId64 " in all.", more, more == 1 ? "" : "s",
		                  more == 1 ? "s" : "", named->rest);
	else
		ifr_buffer_printf(text, "%zu more pairs.", more);
}

void alias_output_print(const struct ifr_named_aliases *named, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < named->count; i++) {
		put_pair(named, &named->items[i], &text);
		ifr_text_point(out, &text);
	}
	for (size_t i = 0; i < named->trial_count; i++) {
		put_trial(named, &named->trials[i], &text);
		ifr_text_point(out, &text);
	}
	if (named->compared && !named->count) {
		put_no_excess(named, &text);
		ifr_text_point(out, &text);
	} else if ((named->compared ? named->differing : named->all) > named->count) {
		put_rest(named, &text);
		ifr_text_point(out, &text);
	}
	ifr_buffer_release(&text);
}
