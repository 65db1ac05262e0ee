/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The perf source: the kernel's performance events, in pinned groups that are never multiplexed.
 *
 * A limit of the kernel: a child of the measured program whose inherited group finds no counters counts nothing,
 * and the enabled and running times read here may not show it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "harness/counters/source.h"

/* The first two are the anchors, on in every pass: rates of other events are divided by them. */
static const char *const default_events[] = {
	"cycles",           "instructions",          "branches",
	"branch-misses",    "L1-icache-load-misses", "L1-dcache-load-misses",
	"iTLB-load-misses",
};
enum { DEFAULT_COUNT = sizeof default_events / sizeof *default_events, ANCHOR_COUNT = 2 };

struct ifr_perf {
	struct ifr_perf_event *events;
	unsigned count, passes;
};

/* Opens the event alone, so that an event that cannot be counted is refused before anything is measured. */
static int try_alone(const struct ifr_perf_event *event, struct ifr_error *err) {
	struct ifr_perf_fit here = {ifr_perf_fits_here, event, 0};
	if (here.fits(&here, &(unsigned){0}, 1))
		return 0;
	int fd = ifr_perf_event_start(event, 0, -1, false);
	int error = fd < 0 ? errno : EBUSY;
	if (fd >= 0)
		close(fd);
	return ifr_perf_event_refused(event, error, err);
}

static bool is_anchor(const struct ifr_perf_event *event) {
	return !strcmp(event->name, default_events[0]) || !strcmp(event->name, default_events[1]);
}

/* Anchors, then hardware events, then software events: a group with a hardware event must be led by one. */
static int event_rank(const struct ifr_perf_event *event) {
	return is_anchor(event) ? 0 : event->hardware ? 1 : 2;
}

static void insert_event(struct ifr_perf *perf, const struct ifr_perf_event *event) {
	unsigned at = perf->count;
	perf->events = ifr_realloc(perf->events, perf->count + 1, sizeof *perf->events);
	for (; at && event_rank(&perf->events[at - 1]) > event_rank(event); at--)
		perf->events[at] = perf->events[at - 1];
	perf->events[at] = *event;
	perf->count++;
}

static const struct ifr_perf_event *same_event(const struct ifr_perf *perf, const struct ifr_perf_event *event) {
	for (unsigned i = 0; i < perf->count; i++)
		if (!memcmp(&perf->events[i].attr, &event->attr, sizeof event->attr))
			return &perf->events[i];
	return NULL;
}

static void add_note(struct ifr_strings *notes, char *sentence) {
	if (notes)
		ifr_strings_take(notes, sentence);
	else
		free(sentence);
}

static int add_named(struct ifr_perf *perf, const char *name, struct ifr_strings *notes, struct ifr_error *err) {
	struct ifr_perf_event event;
	int result = ifr_perf_event_encode(name, &event, err);
	if (result)
		return result;
	const struct ifr_perf_event *same = same_event(perf, &event);
	if (same) {
		if (strcmp(same->name, name))
			add_note(notes,
			         ifr_format("perf: '%s' is the same event as '%s' and is counted once", name, same->name));
		return 0;
	}
	result = try_alone(&event, err);
	if (!result)
		insert_event(perf, &event);
	return result;
}

static int add_defaults(struct ifr_perf *perf, struct ifr_strings *notes, struct ifr_error *err) {
	struct ifr_perf_diagnosis diagnosis;
	ifr_perf_diagnose(&diagnosis);
	if (diagnosis.state != IFR_PERF_HARDWARE)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: %s; %s", diagnosis.sentence, diagnosis.remedy);
	for (unsigned i = 0; i < DEFAULT_COUNT; i++)
		if (add_named(perf, default_events[i], notes, err))
			add_note(notes, ifr_format("perf: '%s' is left out, as it cannot be counted here", default_events[i]));
	if (perf->count)
		return 0;
	return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: none of the default events can be counted here; name others");
}

/* Anchors first: rates of all others are divided by them. */
static int add_all(struct ifr_perf *perf, struct ifr_strings *notes, struct ifr_error *err) {
	struct ifr_perf_list list;
	unsigned refused = 0;
	int result = add_defaults(perf, notes, err);
	if (!result)
		result = ifr_perf_list_make(&list, err);
	if (result)
		return result;
	for (unsigned i = 0; i < list.count; i++) {
		if (same_event(perf, &list.events[i]))
			continue;
		if (try_alone(&list.events[i], NULL))
			refused++;
		else
			insert_event(perf, &list.events[i]);
	}
	if (refused)
		add_note(notes, ifr_format("perf:all: %u of the processor's %u events cannot be counted here", refused,
		                           list.count));
	ifr_perf_list_release(&list);
	return 0;
}

static bool has_hardware(const struct ifr_perf *perf) {
	for (unsigned i = 0; i < perf->count; i++)
		if (perf->events[i].hardware)
			return true;
	return false;
}

static int refuse_hybrid(const struct ifr_perf *perf, struct ifr_error *err) {
	struct ifr_perf_diagnosis diagnosis;
	if (!has_hardware(perf))
		return 0;
	ifr_perf_diagnose(&diagnosis);
	if (diagnosis.state != IFR_PERF_HYBRID)
		return 0;
	return ifr_fail(err, IFR_E_ENVIRONMENT, "perf: %s; %s", diagnosis.sentence, diagnosis.remedy);
}

static void assign_passes(struct ifr_perf *perf, unsigned group_limit) {
	struct ifr_perf_fit here = {ifr_perf_fits_here, perf->events, group_limit};
	int *pass = ifr_alloc((perf->count + 1) * sizeof *pass);
	unsigned anchors = 0;
	while (anchors < perf->count && is_anchor(&perf->events[anchors]))
		anchors++;
	perf->passes = ifr_perf_split(&here, perf->count, anchors, pass);
	for (unsigned i = 0; i < perf->count; i++)
		perf->events[i].pass = perf->passes > 1 ? pass[i] : -1;
	free(pass);
}

int ifr_perf_open(const struct ifr_strings *names, bool defaults, unsigned group_limit, struct ifr_perf **perf,
                  struct ifr_strings *notes, struct ifr_error *err) {
	struct ifr_perf *opened = ifr_alloc(sizeof *opened);
	int result = defaults ? add_defaults(opened, notes, err) : 0;
	for (size_t i = 0; i < names->count && !result; i++)
		result = strcmp(names->items[i], "all") ? add_named(opened, names->items[i], notes, err)
		                                        : add_all(opened, notes, err);
	if (!result)
		result = refuse_hybrid(opened, err);
	if (result) {
		ifr_perf_close(opened);
		return result;
	}
	assign_passes(opened, group_limit);
	*perf = opened;
	return 0;
}

void ifr_perf_close(struct ifr_perf *perf) {
	if (!perf)
		return;
	ifr_perf_disarm(perf);
	free(perf->events);
	free(perf);
}

unsigned ifr_perf_count(const struct ifr_perf *perf) {
	return perf ? perf->count : 0;
}

const struct ifr_perf_event *ifr_perf_get(const struct ifr_perf *perf, unsigned index) {
	return &perf->events[index];
}

unsigned ifr_perf_passes(const struct ifr_perf *perf) {
	return perf ? perf->passes : 1;
}

static bool counts_in(const struct ifr_perf_event *event, unsigned pass) {
	return event->pass < 0 || event->pass == (int)pass;
}

int ifr_perf_arm(struct ifr_perf *perf, unsigned pass, pid_t child, struct ifr_error *err) {
	int leader = -1;
	ifr_perf_disarm(perf);
	for (unsigned i = 0; i < ifr_perf_count(perf); i++) {
		struct ifr_perf_event *event = &perf->events[i];
		if (!counts_in(event, pass))
			continue;
		event->fd = ifr_perf_event_start(event, child, leader, true);
		if (event->fd < 0) {
			int error = errno;
			ifr_perf_disarm(perf);
			return ifr_perf_event_refused(event, error, err);
		}
		if (leader < 0)
			leader = event->fd;
	}
	return 0;
}

unsigned ifr_perf_descriptors(const struct ifr_perf *perf, unsigned pass, unsigned most, int *fd) {
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_perf_count(perf) && count < most; i++) {
		if (!counts_in(&perf->events[i], pass))
			continue;
		if (fd)
			fd[count] = perf->events[i].fd;
		count++;
	}
	return count;
}

int ifr_perf_collect(const struct ifr_perf *perf, unsigned pass, double *values, struct ifr_error *err) {
	for (unsigned i = 0; i < ifr_perf_count(perf); i++)
		values[i] = NAN;
	for (unsigned i = 0; i < ifr_perf_count(perf); i++) {
		const struct ifr_perf_event *event = &perf->events[i];
		struct ifr_perf_reading reading;
		if (!counts_in(event, pass))
			continue;
		if (event->fd < 0)
			return ifr_fail(err, IFR_E_BUG, "perf: '%s' was not armed for pass %u", event->name, pass);
		ssize_t got = read(event->fd, &reading, sizeof reading);
		int result = ifr_perf_reading_check(event->name, &reading, got, err);
		if (result)
			return result;
		values[i] = (double)reading.value;
	}
	return 0;
}

void ifr_perf_disarm(struct ifr_perf *perf) {
	for (unsigned i = 0; i < ifr_perf_count(perf); i++) {
		if (perf->events[i].fd >= 0)
			close(perf->events[i].fd);
		perf->events[i].fd = -1;
	}
}
