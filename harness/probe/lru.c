/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/lru.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

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

/* Lines of a set by when they were used; count of them: ways. */
size_t probe_lru_misses_of_sets(const uint64_t *addresses, size_t count, size_t ways, uint64_t line, size_t sets) {
	uint64_t *lines = ifr_alloc(sets * ways * sizeof *lines);
	size_t misses = 0;
	for (size_t i = 0; i < 3 * count; i++) {
		const uint64_t number = addresses[i % count] / line + 1; /* 0: none */
		uint64_t *set = lines + (number - 1) % sets * ways;
		size_t at = 0;
		while (at + 1 < ways && set[at] != number)
			at++;
		misses += i >= 2 * count && set[at] != number;
		memmove(set + 1, set, at * sizeof *set);
		set[0] = number;
	}
	free(lines);
	return misses;
}
