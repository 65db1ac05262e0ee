/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 30 };

bool progress_wanted(bool quiet) {
	return !quiet && isatty(2);
}

void progress_show(unsigned done, unsigned planned, int64_t left_ns) {
	char bar[BAR + 1];
	unsigned filled = planned ? (unsigned)((uint64_t)done * BAR / planned) : 0;
	for (unsigned i = 0; i < BAR; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR] = '\0';
	long long seconds = left_ns > 0 ? (left_ns + 500000000) / 1000000000 : 0;
	fprintf(stderr, "\r[%s] run %u of %u", bar, done, planned);
	if (left_ns >= 0)
		fprintf(stderr, ", %lld:%02lld left", seconds / 60, seconds % 60);
	fputs("\033[K", stderr);
}

void progress_clear(void) {
	fputs("\r\033[K", stderr);
}
