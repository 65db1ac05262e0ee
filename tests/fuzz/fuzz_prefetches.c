/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text is refused with one line that names its line, or parsed as prefetches that print and parse again as the
 * same. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "compiletime/compiletime.h"
#include "tests/fuzz/target.h"

static void print_all(const struct ifr_prefetches *prefetches, struct ifr_buffer *text) {
	ifr_prefetches_print_head(text);
	for (size_t i = 0; i < prefetches->count; i++)
		ifr_prefetch_print(&prefetches->items[i], text);
}

static void check_range(const struct ifr_prefetch *prefetch) {
	assert(*prefetch->function && *prefetch->file && prefetch->context < IFR_PREFETCH_CONTEXTS);
	assert(prefetch->distance >= 1 && prefetch->distance <= IFR_PREFETCH_DISTANCE_MOST);
	assert(prefetch->period <= IFR_PREFETCH_PERIOD_MOST && prefetch->number >= 1);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct ifr_prefetches prefetches = {0}, again = {0};
	struct ifr_buffer text = {0}, second = {0};
	struct ifr_error err = {0};
	int line;
	if (ifr_prefetches_parse((const char *)data, size, "fuzz", &prefetches, &err)) {
		assert(err.code == IFR_E_USAGE && !strchr(err.message, '\n'));
		assert(sscanf(err.message, "fuzz:%d: ", &line) == 1 && line >= 1);
	} else {
		for (size_t i = 0; i < prefetches.count; i++)
			check_range(&prefetches.items[i]);
		print_all(&prefetches, &text);
		assert(!ifr_prefetches_parse(text.data, text.length, "again", &again, &err));
		assert(again.count == prefetches.count);
		print_all(&again, &second);
		assert(!strcmp(ifr_buffer_text(&text), ifr_buffer_text(&second)));
	}
	ifr_buffer_release(&text);
	ifr_buffer_release(&second);
	ifr_prefetches_release(&prefetches);
	ifr_prefetches_release(&again);
	return 0;
}
