/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a piece of code that the calling thread runs: one pinned group around it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

enum { GROUP_MOST = 4 };

struct ifr_own_events {
	struct ifr_perf_event events[GROUP_MOST];
	double before[GROUP_MOST];
	unsigned count;
};

static int add_event(struct ifr_own_events *events, const char *name, struct ifr_error *err) {
	struct ifr_perf_event *event = &events->events[events->count];
	if (events->count == GROUP_MOST)
		return ifr_fail(err, IFR_E_USAGE, "perf: a sum has at most %d events", GROUP_MOST);
	const int rc = ifr_perf_event_encode(name, event, err);
	if (rc)
		return rc;
	event->attr.inherit = 0;
	event->fd = ifr_perf_event_start(event, 0, events->count ? events->events[0].fd : -1, false);
	if (event->fd < 0)
		return ifr_perf_event_refused(event, errno, err);
	events->count++;
	return 0;
}

int ifr_own_events_open(const char *sum, struct ifr_own_events **events, struct ifr_error *err) {
	struct ifr_own_events *opened = ifr_alloc(sizeof *opened);
	char *names = ifr_strdup(sum), *rest = names, *name;
	int rc = 0;
	while (!rc && (name = strsep(&rest, "+")))
		rc = add_event(opened, name, err);
	free(names);
	if (rc) {
		ifr_own_events_close(opened);
		return rc;
	}
	*events = opened;
	return 0;
}

void ifr_own_events_close(struct ifr_own_events *events) {
	for (unsigned i = 0; events && i < events->count; i++)
		close(events->events[i].fd);
	free(events);
}

void ifr_own_events_start(struct ifr_own_events *events) {
	ioctl(events->events[0].fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

int ifr_own_events_stop(struct ifr_own_events *events, double *count, struct ifr_error *err) {
	ioctl(events->events[0].fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	*count = 0;
	for (unsigned i = 0; i < events->count; i++) {
		const struct ifr_perf_event *event = &events->events[i];
		struct ifr_perf_reading reading;
		const ssize_t got = read(event->fd, &reading, sizeof reading);
		const int rc = ifr_perf_reading_check(event->name, &reading, got, err);
		if (rc)
			return rc;
		*count += (double)reading.value - events->before[i];
		events->before[i] = (double)reading.value;
	}
	return 0;
}
