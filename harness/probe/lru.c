/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/lru.h"

#include <stdbool.h>

/* Whether line occurs in the accesses from `from` up to, not including, `to`, around the period's end. */
static bool occurs(const uint64_t *addresses, size_t count, uint64_t span, size_t from, size_t to, uint64_t line) {
	for (size_t i = from; i != to; i = (i + 1) % count)
		if (addresses[i] / span == line)
			return true;
	return false;
}

size_t probe_lru_misses(const uint64_t *addresses, size_t count, size_t ways, uint64_t span) {
	size_t misses = 0;
	for (size_t i = 0; i < count; i++) {
		size_t others = 0, back = 1;
		for (; addresses[(i + count - back) % count] / span != addresses[i] / span; back++) {
			const size_t at = (i + count - back) % count;
			others += !occurs(addresses, count, span, (at + 1) % count, i, addresses[at] / span);
		}
		misses += others >= ways;
	}
	return misses;
}
