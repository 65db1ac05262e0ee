/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/alias_output.h"

#include <inttypes.h>

#include "harness/output/output.h"

void alias_output_print(const struct ifr_named_aliases *named, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < named->count; i++) {
		const struct ifr_named_alias *pair = &named->items[i];
		ifr_buffer_printf(&text,
		                  "%" PRIu64 " load%s of %s (0x%" PRIx64 ") in %s meet%s the store to %s (0x%" PRIx64
		                  ") in %s, modulo 4096.",
		                  pair->count, pair->count == 1 ? "" : "s", pair->load.data, pair->load.address,
		                  pair->load.code, pair->count == 1 ? "s" : "", pair->store.data, pair->store.address,
		                  pair->store.code);
		ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
		ifr_buffer_clear(&text);
	}
	for (size_t i = 0; i < named->trial_count; i++) {
		const struct ifr_alias_trial *trial = &named->trials[i];
		ifr_buffer_printf(&text, "%s moved alone, by %d bytes: %" PRIu64 " aliases of %" PRIu64 " remain.",
		                  trial->variable, IFR_ALIAS_TRIAL_SHIFT, trial->events, named->events);
		ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
		ifr_buffer_clear(&text);
	}
	if (named->all > named->count) {
		ifr_buffer_printf(&text, "%zu more pairs.", named->all - named->count);
		ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	}
	ifr_buffer_release(&text);
}
