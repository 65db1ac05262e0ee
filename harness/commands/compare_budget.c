/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/compare_budget.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/clock.h"
#include "harness/commands/suite.h"

int64_t compare_budget_divide(int64_t deadline_ns, size_t lines_left) {
	const int64_t part_ns = (deadline_ns - ifr_clock_ns()) / (int64_t)lines_left;
	return part_ns > 0 ? part_ns : 1;
}

/* Where it is not known, more than was too little. */
static int64_t least_time(const struct compare_time *time) {
	return time->least_ns ? time->least_ns : time->part_ns + time->part_ns / 2;
}

size_t compare_budget_choose(const struct compare_trial *trials, size_t count, int64_t left_ns) {
	size_t best = count;
	for (size_t i = 0; i < count; i++) {
		const struct compare_time *time = &trials[i].time;
		if (time->ended && !time->again && least_time(time) <= left_ns &&
		    (best == count || least_time(time) < least_time(&trials[best].time)))
			best = i;
	}
	return best;
}

/* A budget for all trials, in seconds; 0 where it is not known. */
static int64_t find_enough(const struct compare_trial *trials, size_t count) {
	int64_t *needs_s = ifr_alloc((count + 1) * sizeof *needs_s), enough_s = 0;
	bool known = true;
	for (size_t i = 0; i < count; i++) {
		const struct compare_time *time = &trials[i].time;
		known &= !time->ended || time->enough_s;
		needs_s[i] = time->enough_s ? time->enough_s : time->used_ns / 1000000000 + 1;
	}
	enough_s = known ? suite_budget_enough(needs_s, count) : 0;
	free(needs_s);
	return enough_s;
}

char *compare_budget_describe(const struct compare_trial *trials, size_t count) {
	size_t ended = 0;
	for (size_t i = 0; i < count; i++)
		ended += trials[i].time.ended;
	if (!ended)
		return NULL;
	const int64_t enough_s = find_enough(trials, count);
	char *budget = enough_s ? ifr_format("--budget %" PRId64 "s has time for the whole suite", enough_s)
	                        : ifr_strdup("a longer --budget is needed for the whole suite");
	char *text = ifr_format(
		"the budget ended before %zu of %zu lines could be compared: the same command continues, and %s", ended,
		count, budget);
	free(budget);
	return text;
}
