/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

bool ifr_perf_fits_here(const struct ifr_perf_fit *fit, const unsigned *members, unsigned count) {
	if (fit->group_limit && count > fit->group_limit)
		return false;
	/* Opening alone is no proof: the kernel does not know then which counters are taken, by the NMI watchdog
	 * for one. A pinned group that finds no place the moment it is enabled reads as end of file. */
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

/* The events that are on in a pass, anchors first, with one more behind them; returns how many. */
static unsigned gather(const int *pass, unsigned known, int wanted, unsigned extra, unsigned *members) {
	unsigned count = 0;
	for (unsigned i = 0; i < known; i++)
		if (pass[i] == wanted || pass[i] < 0)
			members[count++] = i;
	members[count++] = extra;
	return count;
}

/* Returns the number of passes, or 0 if an event does not fit beside the anchors. */
static unsigned split(const struct ifr_perf_fit *fit, unsigned count, unsigned anchors, int *pass,
                      unsigned *members) {
	unsigned passes = 1;
	for (unsigned i = 0; i < anchors; i++) {
		pass[i] = -1;
		if (!fit->fits(fit, members, gather(pass, i, 0, i, members)))
			return 0;
	}
	for (unsigned i = anchors; i < count; i++) {
		unsigned p = 0;
		while (p <= passes && !fit->fits(fit, members, gather(pass, i, (int)p, i, members)))
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
	unsigned passes = split(fit, count, anchors, pass, members);
	if (!passes && anchors)
		passes = split(fit, count, 0, pass, members);
	/* Cannot be, as each fits alone; if the counters were taken a moment ago, a run will say so. */
	for (unsigned i = 0; !passes && i < count; i++)
		pass[i] = (int)i;
	free(members);
	return passes ? passes : count ? count : 1;
}
