/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The split of perf's events into passes.
 *
 * Problem: a processor has few counters, and some events share one. The kernel multiplexes what does not fit, and
 * multiplexed counts are estimates.
 *
 * Idea: first fit. An event joins the first pass whose events it can count beside, which the kernel is asked by
 * opening and enabling the group; else it opens a new pass.
 *
 * Invariant: every group of a pass has been accepted as a pinned group, which counts always or not at all. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

bool ifr_perf_fits_here(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count) {
	if (fit->group_limit && count > fit->group_limit)
		return false;
	/* Opening alone proves nothing: counters may be taken, by the NMI watchdog for one. A pinned group that finds
	 * no counters when it is enabled reads as end of file. */
	int *fds = ifr_alloc(count * sizeof *fds);
	unsigned opened = 0;
	while (opened < count) {
		fds[opened] = ifr_perf_event_start(&fit->events[members[opened]], 0, opened ? fds[0] : -1, false);
		if (fds[opened] < 0)
			break;
		opened++;
	}
	struct ifr_perf_reading reading;
	bool fits = opened == count && !ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0) &&
	            !ifr_perf_reading_check("", &reading, read(fds[0], &reading, sizeof reading), NULL);
	while (opened)
		close(fds[--opened]);
	free(fds);
	return fits;
}

/* Stores the known events of a pass, anchors first, and then extra; returns their number. */
static unsigned gather_members(const int *pass, unsigned known, int wanted, unsigned extra, unsigned *members) {
	unsigned count = 0;
	for (unsigned i = 0; i < known; i++)
		if (pass[i] == wanted || pass[i] < 0)
			members[count++] = i;
	members[count++] = extra;
	return count;
}

/* Returns the number of passes, or 0 if an event does not fit beside the anchors. */
static unsigned try_split(const struct ifr_perf_fit *fit, unsigned count, unsigned anchors, int *pass,
                          unsigned *members) {
	unsigned passes = 1;
	for (unsigned i = 0; i < anchors; i++) {
		pass[i] = -1;
		if (!fit->fits(fit, members, gather_members(pass, i, 0, i, members)))
			return 0;
	}
	for (unsigned i = anchors; i < count; i++) {
		unsigned p = 0;
		while (p <= passes && !fit->fits(fit, members, gather_members(pass, i, (int)p, i, members)))
			p++;
		if (p > passes)
			return 0;
		pass[i] = (int)p;
		if (p == passes)
			passes++;
	}
	return passes;
}

unsigned ifr_perf_split(const struct ifr_perf_fit *fit, unsigned count, unsigned anchors, int *pass) {
	unsigned *members = ifr_alloc((count + 1) * sizeof *members);
	unsigned passes = try_split(fit, count, anchors, pass, members);
	if (!passes && anchors)
		passes = try_split(fit, count, 0, pass, members);
	/* Each event fits alone, so only counters taken a moment ago lead here; the run will then be refused. */
	for (unsigned i = 0; !passes && i < count; i++)
		pass[i] = (int)i;
	free(members);
	return passes ? passes : count ? count : 1;
}
